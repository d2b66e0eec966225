# units.awk - prints how many UTF-16 units the text in $MEMRC_TEXT has. Needs unicode.awk.
BEGIN { print units(ENVIRON["MEMRC_TEXT"]) }
