# error.jq - which line of an output says what went wrong. pytools/memrc/losses.py takes the two patterns from here.

def error_words: "error|exception|fail|fatal|panic|denied|not found|no such|cannot|refused|undefined|unexpected|abort|segmentation|错误|失败";
def error_noise: "^(Error: )?Exit code [0-9]+$";

# the first line that sounds like it, else the last
def error_line: split("\n")
	| map(sub("^[ \t]+"; "") | sub("[ \t\r]+$"; "") | select(. != "" and (test(error_noise) | not)))
	| (map(select(test(error_words; "i"))) | .[0]) // .[-1] // "";
