#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --html: one page of a session made to order, its sums, and with
# OPROF_CHECK_ALL=1 the page in a browser, of a recorded session that has
# several stretches of time, and of two sessions compared.
. "$(dirname "$0")/lib.sh"
PAGE="$E2E/../page"

# page FILE WORD...: writes FILE
page()
{
	file=$1
	shift
	"$BIN/opreport" --html "$file" "$@" >"$T/out" 2>"$T/err"
}

# in_browser PAGE TEXT
in_browser()
{
	python3 "$PAGE/test_page.py" "$1" >"$T/browser" 2>&1
	tap_ok $? "$2"
	grep -v '^ok' "$T/browser" | sed 's/^/# /'
}

sum=$("$BIN/tests/tools/session_make" "$T/made" "$BIN/oprofiled" /bin/bash /bin/ls |
	awk '{ sum += $3 } END { print sum }')
page "$T/made.html" "--session-dir=$T/made"
tap_is $? 0 "a page is written"
[ ! -s "$T/out" ]
tap_ok $? "with nothing on standard output"
tap_has "$T/err" "samples $sum" "the coverage is told as ever"
tap_is "$(python3 "$PAGE/read_page.py" "$T/made.html" | sed -n 1,2p | tr '\n' ' ')" "row $sum key $sum " \
	"functions and addresses have the sum of the samples"
tap_ok "$(python3 "$PAGE/read_page.py" "$T/made.html" | awk '$1 == "code" && $2 > 0 && $3 > 0 { n++ } END { print !n }')" \
	"and functions have their instructions and source"
tap_is "$("$BIN/opreport" -l --json "--session-dir=$T/made" 2>/dev/null |
	python3 -c 'import json, sys; print(sum(r["samples"][0] for r in json.load(sys.stdin)["rows"]))')" \
	"$sum" "so has JSON"
"$BIN/opreport" -d -X "--session-dir=$T/made" >"$T/made.xml" 2>"$T/err"
tap_is "$(xmllint --xpath 'sum(/profile/binary/count)' "$T/made.xml")" "$sum" "and XML"
xmllint --noout --schema "$E2E/../../doc/opreport.xsd" "$T/made.xml" 2>"$T/err"
tap_ok $? "which is of its schema"
"$BIN/opreport" -gdf "--session-dir=$T/made" >"$T/gdf" 2>"$T/err"
tap_is "$(awk '/^[0-9a-f]/ && $2 ~ /^[0-9]+$/ { s += $2 } /^  / { d += $2 } END { print s, d }' "$T/gdf")" \
	"$sum $sum" "symbols and addresses have it, too"
tap_has "$T/gdf" '/daemon/([a-z_]+/)?[a-z_]+\.c:[0-9]+ ' "with their source lines"
if command -v op2calltree >/dev/null; then
	(cd "$T" && op2calltree <"$T/gdf" >"$T/out" 2>"$T/err")
	tap_is "$(sed -n 's/^summary: //p' "$T"/oprof.out.* | awk '{ s += $1 } END { print s }')" "$sum" \
		"op2calltree reads that"
fi
page "$T/made.html" "--session-dir=$T/made" -o "$T/other"
tap_is $? 1 "two files are refused"

if "$BIN/oprof" doctor >/dev/null; then
	"$BIN/operf" -g -d "$T/stacks" -e cpu-clock:1000000 ls -lR /usr/share >"$T/out" 2>"$T/err"
	stored=$(session_counter "$T/stacks" stored)
	"$BIN/opreport" -X -c "--session-dir=$T/stacks" >"$T/calls.xml" 2>"$T/err"
	tap_is "$(xmllint --xpath 'sum(/profile/binary/symbol/count)' "$T/calls.xml")" "$stored" \
		"callers and callees in XML have the sum of the samples"
	xmllint --noout --schema "$E2E/../../doc/opreport.xsd" "$T/calls.xml" 2>"$T/err"
	tap_ok $? "and are of the schema"
	page "$T/stacks.html" "--session-dir=$T/stacks"
	tap_is "$(python3 "$PAGE/read_page.py" "$T/stacks.html" | sed -n 's/^tree //p')" "$stored" \
		"the page's stacks have it, too"
fi

if [ "${OPROF_CHECK_ALL:-0}" = 1 ]; then
	in_browser "$T/made.html" "the page works in a browser"
	"$BIN/tests/tools/session_make" -k 100 "$T/again" "$BIN/opreport" /bin/bash >/dev/null
	cp -a "$T/again/samples/current" "$T/made/samples/again"
	page "$T/diff.html" "--session-dir=$T/made" '{' session:current '}' '{' session:again '}'
	in_browser "$T/diff.html" "two sessions compared do"
	if "$BIN/oprof" doctor >/dev/null; then
		# Slices are closed at full minutes.
		"$BIN/operf" -d "$T/recorded" -e cpu-clock:1000000 \
			sh -c 'while [ "$(date +%S)" != 12 ]; do ls / >/dev/null; done' 2>"$T/err"
		page "$T/recorded.html" "--session-dir=$T/recorded"
		in_browser "$T/recorded.html" "a recorded one with stretches of time does"
	fi
fi
tap_end
