# install.jq - what changes in a host's settings, for splice.awk to do. Stands behind the host's own file, which
# defines host_file, host_wanted and host_installed. Passed on is {doc: the settings, changes: [lines]}.

# The writers that only add: an agent may call them unasked. What takes something away is for a person to allow.
def adding: ["progress", "step", "log", "decide", "fail", "fact", "checkpoint", "recall", "status"];

# at($path) - what is there, null where there is nothing
def at($path): try getpath($path) catch null;

# place($path; $value) - setpath that every jq has for an object without the levels above
def place($path; $value):
  if $path == [] then $value
  else (. // {}) as $object | $object + {($path[0]): ($object[$path[0]] | place($path[1:]; $value))} end;

def change($verb; $value; $path): .changes += [[$verb, ($value | tojson), ($path[] | tostring)] | join("\t")];

# put($path; $value; inner) - a value at the path, with what is missing above it; inner: [.] if it is to be an
# element of an array there, . if not
def put($path; $value; inner):
  .doc as $doc
  | [first(range(0; $path | length) | . as $n | $doc | getpath($path[:$n])
    | if type == "object" then . else error("\($path[:$n] | join(".")) is no object") end
    | select(has($path[$n]) | not) | $n)][0] as $missing
  | if $missing != null then
      (reduce ($path[$missing + 1:] | reverse | .[]) as $key ($value | inner; {($key): .})) as $all
      | change("add"; $all; $path[:$missing + 1]) | ($value | inner) as $in | .doc |= place($path; $in)
    elif (null | inner) == null then change("set"; $value; $path) | .doc |= place($path; $value)
    elif ($doc | getpath($path) | type) != "array" then error("\($path | join(".")) is no array")
    else change("add"; $value; $path + ["-"]) | .doc |= place($path; getpath($path) + [$value]) end;

# take($path; $before) - the value at the path goes, and what is empty then; a setting that had another value
# before gets that one
def take($path; $before):
  ($before | at($path)) as $was
  | ($path[-1] | type == "string") as $member
  | $path[:-1] as $up
  | if $member and $was != null and $was != (.doc | getpath($path))
    then change("set"; $was; $path) | .doc |= place($path; $was)
    else change("drop"; null; $path) | .doc |= delpaths([$path])
      | if ($up | length) == 0 or (.doc | getpath($up) | length) > 0 then .
        elif all($up[]; type == "string") and ($before | at($up)) != null then .
        else take($up; $before) end
    end;

# installed($record) - the paths of memrc's entries. A plain setting is one if it still is as memrc made it.
def installed($record):
  . as $doc
  | [host_installed(adding)] + [$record.set // [] | .[] | .set as $set | .path | select(. as $path | $doc | at($path) == $set)];

# entries($record) - the same as host_wanted would have them
def entries($record):
  . as $doc
  | [installed($record)[] as $path | ($doc | getpath($path)) as $value
    | if ($path[-1] | type) == "string" then {path: $path, set: $value}
      else {path: ($path | map(select(type == "string"))), value: $value} end];

# without($record; $before) - memrc's entries go. What was there before is the user's.
def without($record; $before):
  . as $doc
  | reduce (installed($record) | sort | reverse | .[]) as $path ({doc: $doc, changes: []};
      ($doc | getpath($path)) as $value
      | if $before | at($path[:-1]) | arrays // [] | any(.[]; . == $value) then . else take($path; $before) end);

# with($wanted) - memrc's entries are there
def with($wanted):
  reduce $wanted[] as $w ({doc: ., changes: []};
    if $w | has("set") then put($w.path; $w.set; .)
    elif .doc | at($w.path) | arrays // [] | any(.[]; . == $w.value) then .
    else put($w.path; $w.value; [.]) end);

# said($old; $new) - the difference, a line each
def said($old; $new):
  def line: "\(.path | join(".")): \([.set, .value | .. | strings] | join(" "))";
  ($old - $new | .[] | "  - " + line), ($new - $old | .[] | "  + " + line);
