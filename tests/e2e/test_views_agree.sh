#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One session of a C++ program with inlined code, by every view and format: the
# same samples in all, and what can't be written is said once.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
command -v g++ >/dev/null || tap_skip_all "no g++"
g++ -O2 -g -I"$E2E" -o "$T/program" "$E2E/annotate_program.cc" ||
	tap_bail "the program does not build"
S="$T/session"
"$BIN/operf" -d "$S" -g -e cpu-clock:1000000,page-faults:1 "$T/program" 400 >"$T/out" 2>"$T/err" ||
	tap_bail "operf: $(cat "$T/err")"

# report WORD...: of one event, to $T/out, $T/err; its status
report()
{
	"$BIN/opreport" "--session-dir=$S" "$@" event:cpu-clock >"$T/out" 2>"$T/err"
}

# annotate WORD...: as report
annotate()
{
	"$BIN/opannotate" "--session-dir=$S" "$@" event:cpu-clock >"$T/out" 2>"$T/err"
}

# sum PATTERN COLUMN: of the lines that match, $NF for COLUMN 0
sum()
{
	awk -v pattern="$1" -v column="$2" \
		'$0 ~ pattern { sum += $(column ? column : NF) } END { print sum + 0 }' "$T/out"
}

sum_annotated()
{
	awk 'substr($0, 16, 1) == ":" { sum += substr($0, 1, 6) } END { print sum + 0 }' "$T/out"
}

# sum_xml PATH
sum_xml()
{
	xmllint --xpath "sum($1/count)" "$T/out"
}

# code_of FUNCTION: its bytes in hexadecimal, by objdump
code_of()
{
	objdump -d -C --insn-width=16 "$T/program" | awk -v begin="<$1(" '
		index($0, begin) && /:$/ { inside = 1; next }
		inside && !NF { exit }
		inside { split($0, column, "\t"); gsub(" ", "", column[2])
			bytes = bytes column[2] }
		END { print toupper(bytes) }'
}

report -n
all=$(sum_flat "$T/out")
[ "$all" -gt 100 ]
tap_ok $? "the program was sampled: $all"
report -n -m lib
tap_is "$(sum_flat "$T/out")" "$all" "images for themselves"
report -n -l
tap_is "$(sum_symbols "$T/out")" "$all" "symbols"
report -n --inlines
tap_is "$(sum_symbols "$T/out")" "$all" "symbols and what was inlined"
cp "$T/out" "$T/inlines"
report -n --inlines -d -g
tap_is "$(sum '^ ' 2)" "$all" "the same by address"
report -n -l -g -a -f
tap_is "$(sum_symbols "$T/out")" "$all" "symbols with their lines and running totals"
report -n -d
tap_is "$(sum '^[0-9a-f]' 2)" "$all" "symbols above their addresses"
tap_is "$(sum '^ ' 2)" "$all" "addresses"
report -n -g -d -f
tap_is "$(sum '^ ' 2)" "$all" "addresses with their lines"
report -n -c
tap_is "$(sum '^[0-9]' 1)" "$all" "blocks of the call graph"
tap_is "$(sum '^ .* \[self\]$' 1)" "$all" "functions among their callees"
report --folded
tap_is "$(sum . 0)" "$all" "folded stacks"

annotate -a
tap_is "$(sum_annotated)" "$all" "instructions"
annotate -s
no_line=$(sed -n 's/^no source line: \([0-9]*\) samples.*/\1/p' "$T/err")
tap_is "$(($(sum_annotated) + no_line))" "$all" "source lines, and what has none"

inlined=$(awk '/annotate_twist.*\(inlined\)$/ { sum += $1 } END { print sum + 0 }' "$T/inlines")
[ "$inlined" -gt 0 ]
tap_ok $? "what was inlined has a line of its own: $inlined"

# The source lines that other readers show are opannotate's, inlined or not.
mix=$(sed -n 's/^ *\([0-9]*\) .*line of mix.*/\1/p' "$T/out")
twist=$(sed -n 's/^ *\([0-9]*\) .*line of twist.*/\1/p' "$T/out")
[ "${mix:-0}" -gt 20 ] && [ "${twist:-0}" -gt 0 ]
tap_ok $? "inlined lines have samples: ${mix:-0}, ${twist:-0}"

if command -v xmllint >/dev/null; then
	report -X
	tap_is "$(sum_xml //binary)" "$all" "XML of images"
	report -X -l
	tap_is "$(sum_xml //symbol)" "$all" "XML of symbols"
	report -X --inlines
	tap_is "$(sum_xml //symbol)" "$all" "XML with what was inlined"
	xmllint --noout --schema "$E2E/../../doc/opreport.xsd" "$T/out" 2>"$T/read"
	tap_ok $? "which the schema knows"
	tap_has "$T/out" 'inlined="true"' "where it is marked"
	report -X -d
	tap_is "$(sum_xml //detaildata)" "$all" "XML of addresses"
	xmllint --noout --schema "$E2E/../../doc/opreport.xsd" "$T/out" 2>"$T/read"
	tap_ok $? "which the schema knows, too"
	id=$(xmllint --xpath 'string(//symboldata[starts-with(@name, "hot::first(")]/@id)' "$T/out")
	xmllint --xpath "string(//bytestable/bytes[@id='$id'])" "$T/out" >"$T/bytes"
	nr_bytes=$(xmllint --xpath "string(//symboldata[@id='$id']/@codelength)" "$T/out")
	# Behind the last byte objdump shows padding.
	tap_is "$(cat "$T/bytes")" "$(code_of hot::first | cut -c "1-$((2 * ${nr_bytes:-0}))")" \
		"and all $nr_bytes bytes of a symbol, as objdump has them"
	[ "$(xmllint --xpath "string-length(//bytestable/bytes[@id='$id'])" "$T/out")" -eq \
		"$((2 * ${nr_bytes:-0}))" ] && [ "${nr_bytes:-0}" -gt 16 ]
	tap_ok $? "which are all of its length"
	report -X -c
	tap_is "$(sum_xml //binary/symbol)" "$all" "XML of callers and callees"
else
	tap_note "no xmllint: package libxml2-utils"
fi

if command -v callgrind_annotate >/dev/null; then
	report --callgrind
	tap_is "$(callgrind_annotate "$T/out" 2>/dev/null |
		sed -n 's/^ *\([0-9,]*\) (100.*PROGRAM TOTALS/\1/p' | tr -d ,)" "$all" "callgrind_annotate"
	callgrind_annotate --auto=yes "$T/out" >"$T/read" 2>"$T/read_err"
	tap_is "$(cat "$T/read_err")" "" "which has nothing to warn of"
	tap_is "$(sed -n 's/^ *\([0-9,]*\) (.*line of mix.*/\1/p' "$T/read" | tr -d ,)" "$mix" \
		"and the source line of what is inlined twice"
	tap_is "$(sed -n 's/^ *\([0-9,]*\) (.*line of twist.*/\1/p' "$T/read" | tr -d ,)" "$twist" \
		"and of what is in a header"
fi
go=$(command -v go) || for go in /usr/lib/go-*/bin/go; do :; done
if [ -x "$go" ]; then
	report --pprof "$T/pb.gz"
	"$go" tool pprof -sample_index=samples -unit=count -top "$T/pb.gz" >"$T/read" 2>/dev/null
	tap_has "$T/read" "Total samples = $all *$" "pprof"
	"$go" tool pprof -sample_index=samples -unit=count -list 'mix|annotate_twist' "$T/pb.gz" \
		>"$T/read" 2>/dev/null
	tap_is "$(awk '/line of mix/ { sum += $1 } END { print sum + 0 }' "$T/read")" "$mix" \
		"and the source line of what is inlined twice"
	tap_is "$(awk '/line of twist/ { sum += $1 } END { print sum + 0 }' "$T/read")" "$twist" \
		"and of what is in a header"
	"$go" tool pprof -raw "$T/pb.gz" >"$T/read" 2>/dev/null
	tap_has "$T/read" "$T/program .*\[FN\]\[FL\]\[LN\]\[IN\]" "and says that lines are there"
fi

# ---- what has no place in a format ----

"$BIN/opreport" "--session-dir=$S" --folded >"$T/out" 2>"$T/err"
tap_is $? 1 "two events are not folded into one number"
tap_is "$(grep -c 'error:' "$T/err")" 1 "which is said once"

tap_end
