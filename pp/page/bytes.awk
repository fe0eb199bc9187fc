# SPDX-License-Identifier: GPL-2.0-or-later
# Converts the output of `od -An -v -tu1` for an ASCII text to a C array.
BEGIN { print "/* Made by the build from pp/page/. */\n#include \"pp/page/page_template.h\"\n\nconst char page_template[] = {" }
{
	line = ""
	for (i = 1; i <= NF; i++)
		line = line $i ","
	print line
}
END { print "0};" }
