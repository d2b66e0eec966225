# claude.install.jq - Claude Code: the settings that call memrc. All that install has to know of this host.

# host_file($scope; $project) - where its settings lie
def host_file($scope; $project):
  if $scope == "user" then (env.CLAUDE_CONFIG_DIR // "\(env.HOME)/.claude") + "/settings.json"
  elif $scope == "shared" then $project + "/.claude/settings.json"
  else $project + "/.claude/settings.local.json" end;

# Each hook of the client, the event it is to memrc, and for how many seconds it may run. The last ones aren't
# waited for. Its own limit for the end of a session is 1.5 s, unless the hook states one.
def host_events:
  ["SessionStart", "session-start", {timeout: 10}],
  ["UserPromptSubmit", "prompt", {timeout: 5}],
  ["PreCompact", "pre-compact", {timeout: 5}],
  ["SessionEnd", "session-end", {timeout: 5}],
  ["SubagentStart", "subagent-start", {timeout: 10}],
  ["PostToolUse", "post-tool", {timeout: 10, async: true}],
  ["PostToolUseFailure", "post-tool", {timeout: 10, async: true}],
  ["SubagentStop", "subagent-stop", {timeout: 10, async: true}];

# host_command($w; $event) - in exec form: no shell reads the path. In a committed file another machine reads
# it too, and memrc may be missing there.
def host_command($w; $event):
  if $w.scope == "shared"
  then {command: "/bin/sh", args: ["-c", "! command -v memrc >/dev/null || exec memrc hook claude \($event)"]}
  else {command: $w.memrc, args: ["hook", "claude", $event]} end;

# A path is allowed as the agent's shell has to be given it.
def host_spelling: if test("[^A-Za-z0-9/._+@%-]") then "'\(.)'" else . end;

# host_wanted($w) - what is to stand there: {path, value} an element of that array, {path, set} a member
def host_wanted($w):
  (host_events as [$hook, $event, $more]
    | {path: ["hooks", $hook], value: {hooks: [{type: "command"} + host_command($w; $event) + $more]}}),
  (("memrc", if $w.scope == "shared" then empty else $w.memrc | host_spelling end) as $memrc | $w.adding[]
    | {path: ["permissions", "allow"], value: "Bash(\($memrc) \(.):*)"}),
  (if $w.compact_at == "" then empty
    else {path: ["env", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"], set: $w.compact_at} end);

# host_installed($adding) - the paths of what an install put there, this version's or another's, from any home.
# A rule without a hook of memrc's is the user's own.
def host_installed($adding):
  def calls: objects // {} | [.command?, (.args? | arrays | .[])] | map(strings) | join(" ") | test("memrc hook claude [a-z-]+$");
  [.hooks | objects | to_entries[] | .key as $hook | .value | arrays | to_entries[]
    | ["hooks", $hook, .key] as $path | .value | objects | .hooks | arrays
    | if length > 0 and all(.[]; calls) then $path
      else to_entries[] | select(.value | calls) | $path + ["hooks", .key] end] as $hooks
  | $hooks[],
    (select($hooks != []) | .permissions | objects | .allow | arrays | to_entries[]
      | select(.value | strings | test("^Bash[(]('?/.*/)?memrc'? (" + ($adding | join("|")) + "):[*][)]$"))
      | ["permissions", "allow", .key]);
