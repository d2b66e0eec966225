# clean.awk - stdin as it may be shown. Needs unicode.awk.
{ print clean($0) }
