# any.jq - a home-made agent: how a hook answers.

def envelope($name; $text): $text;
