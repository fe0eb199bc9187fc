# SPDX-License-Identifier: GPL-2.0-or-later
# A C array of what `od -An -v -tu1` prints of a text that is ASCII.
BEGIN { print "/* Made by the build from pp/page/. */\n#include \"pp/page/page_template.h\"\n\nconst char page_template[] = {" }
{
	line = ""
	for (i = 1; i <= NF; i++)
		line = line $i ","
	print line
}
END { print "0};" }
