# size.awk - how many UTF-16 units stdin has, without its last newline. Needs text.awk and unicode.awk.
{ n += units($0) + 1 }
END { print n - 1 }
