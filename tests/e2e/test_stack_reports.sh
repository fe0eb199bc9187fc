#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call stacks of a program whose calls are known, by every format and by those
# formats' own readers: callgrind_annotate, go's pprof, gprof. Sums agree.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
$CC -O1 -g -o "$T/program" "$E2E/call_program.c" || tap_bail "the program does not build"
S="$T/session"

# report WORD...: to $T/out, $T/err; its status. Of the program's own image.
report()
{
	"$BIN/opreport" "--session-dir=$S" "$@" "image:$T/program" >"$T/out" 2>"$T/err"
}

# near VALUE WANTED PERCENT: within so many points
near()
{
	awk -v value="$1" -v wanted="$2" -v percent="$3" \
		'BEGIN { exit !(value - wanted <= percent && wanted - value <= percent) }'
}

"$BIN/operf" -d "$S" -g -e cpu-clock:1000000 "$T/program" 1500 >"$T/out" 2>"$T/err" ||
	tap_bail "operf: $(cat "$T/err")"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"

report -l -n -i leaf,light,heavy,again,main
leaf=$(awk '/ leaf$/ { print $1 }' "$T/out")
report -n
all=$(awk '!/^\t/ && $1 ~ /^[0-9]+$/ { sum += $1 } END { print sum }' "$T/out")
[ "${leaf:-0}" -gt 100 ]
tap_ok $? "the leaf was sampled: $leaf of $all"

# ---- the call graph ----

report -c -n
tap_is $? 0 "a call graph"
self=$(awk '/^[0-9]/ { sum += $1 } END { print sum }' "$T/out")
tap_is "$self" "$all" "its functions' own samples are all of the program's"
tap_has "$T/out" '^ .* leaf \[self\]$' "a function stands among its callees"
tap_is "$(awk '/^[0-9]/ && / leaf$/ { print $1 }' "$T/out")" "$leaf" "leaf as in the flat profile"
# Callers of leaf: the lines above it in its block.
awk '/^-/ { nr = 0 } /^ / { line[nr++] = $0 }
	/^[0-9]/ && / leaf$/ { for (i = 0; i < nr; i++) print line[i] }' "$T/out" >"$T/callers"
heavy=$(awk '/ heavy$/ { print $2 }' "$T/callers")
light=$(awk '/ light$/ { print $2 }' "$T/callers")
again=$(awk '/ again$/ { print $2 }' "$T/callers")
near "${heavy:-0}" 81.8 7
tap_ok $? "heavy has 9 of 11 parts of leaf: $heavy %"
near "${light:-0}" 9.1 5
tap_ok $? "light has one: $light %"
near "${again:-0}" 9.1 5
tap_ok $? "and so has the function that calls itself: $again %"
tap_has "$T/err" 'stacks of [0-9]* samples' "the coverage counts the stacks"

report --stacks -n
tap_has "$T/out" '^[0-9. ]* program  *main$' "the tree has main"
report -c -i heavy -n
tap_is "$(grep -c '^[0-9]' "$T/out")" 1 "one block of those asked for"

# ---- what other programs read ----

report --folded
tap_is "$(awk '{ sum += $NF } END { print sum }' "$T/out")" "$all" "folded stacks are all samples"
tap_is "$(awk '/;leaf [0-9]*$/ { sum += $NF } END { print sum }' "$T/out")" "$leaf" \
	"those that end in leaf are leaf's"
tap_has "$T/out" ';main;again;again;again;again;again;again;leaf ' "recursion is there whole"

if command -v callgrind_annotate >/dev/null; then
	report --callgrind
	callgrind_annotate --inclusive=yes "$T/out" >"$T/read" 2>"$T/read_err"
	tap_ok $? "callgrind_annotate reads what is written for it"
	tap_is "$(cat "$T/read_err")" "" "without a warning"
	tap_is "$(sed -n 's/^ *\([0-9,]*\) (100.*PROGRAM TOTALS/\1/p' "$T/read" | tr -d ,)" "$all" \
		"with all samples"
	callgrind_annotate "$T/out" >"$T/read" 2>/dev/null
	tap_is "$(sed -n 's/^ *\([0-9,]*\) .*:leaf .*/\1/p' "$T/read" | tr -d , | head -1)" "$leaf" \
		"and those of leaf"
else
	tap_note "no callgrind_annotate: package valgrind"
fi

go=$(command -v go) || for go in /usr/lib/go-*/bin/go; do :; done
if [ -x "$go" ]; then
	report --pprof "$T/pb.gz"
	"$go" tool pprof -raw "$T/pb.gz" >"$T/read" 2>"$T/read_err"
	tap_ok $? "pprof reads what is written for it"
	"$go" tool pprof -sample_index=samples -unit=count -top -nodecount=1000 "$T/pb.gz" >"$T/read" \
		2>/dev/null
	tap_has "$T/read" "Total samples = $all" "with all samples"
	tap_is "$(awk '$NF == "leaf" { print $1 }' "$T/read")" "$leaf" "and those of leaf"
	near "$(awk '$NF == "again" { print $5 + 0 }' "$T/read")" 9.1 5
	tap_ok $? "a function that calls itself counts once"
else
	tap_note "no go: package golang-1.19-go"
fi

"$BIN/opgprof" "--session-dir=$S" -o "$T/gmon.out" "$T/program" 2>"$T/err"
tap_is $? 0 "opgprof writes a file"
gprof -b "$T/program" "$T/gmon.out" >"$T/read" 2>"$T/read_err"
tap_ok $? "gprof reads it"
near "$(awk '$NF == "leaf" && $1 ~ /^[0-9.]*$/ { print $3 * 1000; exit }' "$T/read")" "$leaf" 10
tap_ok $? "leaf has its time"
tap_has "$T/read" 'heavy \[' "and its callers"

# ---- of a program without symbols ----

# Its functions are known by where they begin: the same stacks, with those names.
strip -s -o "$T/bare" "$T/program" || tap_bail "strip"
# place FUNCTION: its name there
place()
{
	objdump -dF "--disassemble=$1" "$T/program" |
		sed -n "s/^[0-9a-f]* <$1> (File Offset: \(0x[0-9a-f]*\)):\$/bare+\1/p"
}

# bare WORD...: as report
bare()
{
	"$BIN/opreport" "--session-dir=$T/stripped" "$@" "image:$T/bare" >"$T/out" 2>"$T/err"
}

"$BIN/operf" -d "$T/stripped" -g -e cpu-clock:1000000 "$T/bare" 1500 >"$T/out" 2>"$T/err" ||
	tap_bail "operf: $(cat "$T/err")"
bare -n -l
# The image's name is there when others have samples, too.
tap_is "$(sed -n 's/^[0-9]* *[0-9.]* *\(bare \)\{0,1\} *\((no symbols)\).*/\2/p' "$T/out")" "(no symbols)" \
	"the symbol view has one row of it"
bare -n
all=$(sum_flat "$T/out")
bare --folded
tap_is "$(awk '{ sum += $NF } END { print sum }' "$T/out")" "$all" "folded stacks are all samples"
again="$(place again);"
grep -Fq ";$(place main);$again$again$again$again$again$again$(place leaf) " "$T/out"
tap_ok $? "functions are told by where they begin"
leaf=$(awk -v leaf=";$(place leaf)" \
	'substr($1, length($1) - length(leaf) + 1) == leaf { sum += $NF } END { print sum }' "$T/out")
bare -c -n
tap_is "$(awk '/^[0-9]/ { sum += $1 } END { print sum }' "$T/out")" "$all" "so does a call graph"
tap_is "$(awk -v leaf="$(place leaf)" '/^[0-9]/ && $NF == leaf { print $1 }' "$T/out")" "$leaf" \
	"with the same numbers"
tap_has "$T/err" 'samples without symbol in .*/bare: ' "the coverage says that symbols lack"
rm -rf "$T/stripped/code"
bare -c -n
tap_is "$(awk -v leaf="$(place leaf)" '/^[0-9]/ && $NF == leaf { print $1 }' "$T/out")" "$leaf" \
	"also without the session's code tables"
bare --callgrind
grep -q "fn=([0-9]*) $(place heavy)\$" "$T/out"
tap_ok $? "what other programs read has them, too"
if [ -x "$go" ]; then
	bare --pprof "$T/pb.gz"
	"$go" tool pprof -sample_index=samples -unit=count -top -nodecount=1000 "$T/pb.gz" >"$T/read" \
		2>/dev/null
	tap_is "$(awk -v leaf="$(place leaf)" '$NF == leaf { print $1 }' "$T/read")" "$leaf" "and pprof"
fi

# ---- of the kernel, which operf keeps apart from programs unless it is asked not to ----

# stacks SESSION WORD...: folded, to $T/out
stacks()
{
	"$BIN/opreport" "--session-dir=$T/$1" --folded "$2" >"$T/out" 2>"$T/err"
}

for separation in lib kernel; do
	"$BIN/operf" -d "$T/$separation" -g "--separate=$separation" -e cpu-clock:1000000 \
		head -c 4000000000 /dev/zero >/dev/null 2>"$T/err" || tap_bail "operf: $(cat "$T/err")"
	"$BIN/opreport" "--session-dir=$T/$separation" -n >"$T/out" 2>"$T/err"
	all=$(sum_flat "$T/out")
	stacks $separation event:cpu-clock
	tap_is "$(awk '/^head;/ { sum += $NF } END { print sum }' "$T/out")" "$all" \
		"--separate=$separation: all stacks are the program's"
	tap_has "$T/out" '^head;.*;__libc_start_main.*;(read|__GI___libc_read|__read);.*sys_read' \
		"--separate=$separation: what the kernel did is below the call"
done
stacks kernel "image:$(command -v head)"
tap_is "$(awk '{ sum += $NF } END { print sum }' "$T/out")" "$all" "separated, it is the program's"
stacks lib "image:$(command -v head)"
tap_has "$T/out" '^head;' "else the program has its own samples"
tap_is "$(grep -c 'sys_read' "$T/out")" 0 "and not the kernel's"
stacks lib image:vmlinux
tap_has "$T/out" '^head;.*sys_read' "which are chosen as the kernel's, and show whom they are for"

# ---- without stacks ----

"$BIN/operf" -d "$T/flat" -e cpu-clock:1000000 "$T/program" 200 >"$T/out" 2>"$T/err" ||
	tap_bail "operf: $(cat "$T/err")"
"$BIN/opreport" "--session-dir=$T/flat" -c >"$T/out" 2>"$T/err"
tap_is $? 1 "no call graph without stacks"
tap_has "$T/err" 'operf -g' "and the remedy"
"$BIN/opreport" "--session-dir=$T/flat" --folded >"$T/out" 2>"$T/err"
tap_is $? 0 "what programs read is flat then"
flat=$(awk '{ sum += $NF } END { print sum }' "$T/out")
"$BIN/opreport" "--session-dir=$T/flat" -n >"$T/out" 2>"$T/err"
tap_is "$flat" "$(awk '!/^\t/ && $1 ~ /^[0-9]+$/ { sum += $1 } END { print sum }' "$T/out")" \
	"with all samples"

# Lines are those of opannotate without stacks, too.
line='sink += i;'
"$BIN/opannotate" "--session-dir=$T/flat" -s >"$T/out" 2>/dev/null
wanted=$(awk -v line="$line" 'index($0, line) { print $1; exit }' "$T/out")
[ "${wanted:-0}" -gt 20 ]
tap_ok $? "opannotate has samples of the loop: ${wanted:-0}"
if command -v callgrind_annotate >/dev/null; then
	"$BIN/opreport" "--session-dir=$T/flat" --callgrind >"$T/out" 2>"$T/err"
	callgrind_annotate --auto=yes "$T/out" >"$T/read" 2>/dev/null
	tap_is "$(grep -F "$line" "$T/read" | sed 's/^ *\([0-9,]*\) .*/\1/' | tr -d ,)" "$wanted" \
		"as callgrind_annotate shows it"
fi
if [ -x "$go" ]; then
	"$BIN/opreport" "--session-dir=$T/flat" --pprof "$T/pb.gz" >"$T/out" 2>"$T/err"
	"$go" tool pprof -sample_index=samples -unit=count -list '^leaf$' "$T/pb.gz" >"$T/read" \
		2>/dev/null
	tap_is "$(awk -v line="$line" 'index($0, line) { print $1 }' "$T/read")" "$wanted" "and pprof"
fi

tap_end
