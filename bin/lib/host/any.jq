# any.jq - a home-made agent: Claude Code's field names, and answers in plain text.
include "hook";

def given: fields;
def envelope($name; $text): $text;
