#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Help texts and man pages describe the same options and verbs: what --help prints, the man page has
# as a tag, and the other way round.
. "$(dirname "$0")/lib.sh"

pages=$E2E/../../doc/man

# help_options: of the help text on standard input, one option per line. Descriptions are indented
# further than options.
help_options()
{
	sed -n -e 's/^  \(-[A-Za-z0-9?%]\), \(--[a-z-]*\).*/\1\n\2/p' -e 's/^  \(-[A-Za-z0-9?%]\) .*/\1/p' \
		-e 's/^      \(--[a-z-]*\).*/\1/p'
}

# tags PAGE [SECTION]: the lines that follow .TP, without fonts, of the section that begins so
tags()
{
	sed -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' -e 's/\\ / /g' "$pages/$1.1" |
		awk -v section="${2:-}" '
			/^\.SH/ { inside = section == "" || index($0, ".SH " section) == 1 }
			tag && inside { sub(/^\.[BIR]*/, ""); gsub(/"/, ""); print }
			{ tag = /^\.T[PQ]/ }'
}

# tag_options PAGE [SECTION]: the options of the tags that begin with one
tag_options()
{
	tags "$@" | grep '^ *-' | grep -Eo '(^|[ ,])(-[A-Za-z0-9?%]|--[a-z-]+)([ =,[]|$)' | tr -d ' ,=['
}

# same TEXT: the sorted lines of both files are the same, and there are some
same()
{
	sort -u "$T/help" >"$T/help.sorted"
	sort -u "$T/page" >"$T/page.sorted"
	diff "$T/help.sorted" "$T/page.sorted" >"$T/diff" && [ -s "$T/help" ]
	tap_ok $? "$1" || tap_show "$T/diff" # <: only in the help text, >: only in the man page
}

for program in opannotate oparchive opcheck opcontrol operf opgprof opimport opreport oprofiled optop; do
	"$BIN/$program" --help >"$T/text" 2>&1
	tap_ok $? "$program --help"
	help_options <"$T/text" >"$T/help"
	tag_options "$program" >"$T/page"
	same "$program: help text and man page have the same options"
done

"$BIN/oprof-module" --help | grep -Eo -e '--[a-z-]+' >"$T/help"
tag_options oprof-module >"$T/page"
same "oprof-module: help text and man page have the same options"

"$BIN/oprof" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' >"$T/help"
tags oprof VERBS | sed 's/ , */\n/g' | sed -n 's/^ *\([a-z][a-z]*\).*/\1/p' >"$T/page"
same "oprof: help text and man page have the same verbs"

# ---- optrace: sections of the page have the options of some verbs each ----

"$BIN/optrace" --help | sed -n 's/^  optrace \([a-z-]*\).*/\1/p' >"$T/help"
cp "$T/help" "$T/verbs"
sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/s/^\.B optrace \([a-z\\-]*\).*/\1/p' "$pages/optrace.1" | sed 's/\\-/-/g' >"$T/page"
same "optrace: help text and man page have the same verbs"

# Most options of record are options of start, too, so their sections are also compared together.
while read -r verbs sections; do
	for verb in $(echo "$verbs" | tr , ' '); do
		echo "$verb" >>"$T/compared"
		"$BIN/optrace" "$verb" --help | help_options
	done >"$T/help"
	for section in $(echo "$sections" | tr , ' ') OPTIONS; do
		tag_options optrace "$section"
	done >"$T/page"
	same "optrace $verbs: help text and man page have the same options"
done <<END
record RECORD
record,start,snapshot,status,stop RECORD,START
events EVENTS
stats STATS
profile PROFILE
list-events LIST-EVENTS
END
mv "$T/compared" "$T/help"
mv "$T/verbs" "$T/page"
same "each verb of optrace is compared"

# ---- no program is missing above ----

for page in "$pages"/*.1; do
	basename "$page" .1
done >"$T/page"
sed -n 's/^for program in \(op.*\); do$/\1/p' "$0" | tr ' ' '\n' >"$T/help"
printf '%s\n' oprof oprof-module optrace >>"$T/help"
echo oprof-diff >>"$T/help" # opreport --diff, whose options are in opreport(1)
same "each man page is compared"
tap_end
