#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opannotate on a real program in C++ with inlined code: sources, instructions
# and both, whose sums are opreport's; folders, sources that are elsewhere or
# nowhere, binaries that are damaged, stripped or gone.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
command -v g++ >/dev/null || tap_skip_all "no g++"
S="$T/session"
mkdir "$T/src"
cp "$E2E/annotate_program.cc" "$E2E/annotate_program.h" "$T/src/"
g++ -O2 -g -o "$T/program" "$T/src/annotate_program.cc" || tap_bail "the program does not build"
"$BIN/operf" -d "$S" -e cpu-clock:500000 "$T/program" 600 2>"$T/err" || tap_bail "operf: $(cat "$T/err")"

# annotate WORD...: to $T/out, $T/err; its status
annotate()
{
	"$BIN/opannotate" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

# sum_lines FILE...: of lines with columns, the samples
sum_lines()
{
	cat "$@" | awk 'substr($0, 16, 1) == ":" { sum += substr($0, 1, 6) } END { print sum + 0 }'
}

# no_line: the samples without a line, as standard error says
no_line()
{
	sed -n 's/^no source line: \([0-9]*\) samples.*/\1/p' "$T/err"
}

# samples_of PATTERN: of the lines that match
samples_of()
{
	grep -E -e "$1" "$T/out" | awk '{ sum += substr($0, 1, 6) } END { print sum + 0 }'
}

"$BIN/opreport" "--session-dir=$S" -l -n >"$T/symbols" 2>/dev/null
all=$(sum_symbols "$T/symbols")
"$BIN/opreport" "--session-dir=$S" -l -n image:program lib-image:program >"$T/symbols" 2>/dev/null
mine=$(sum_symbols "$T/symbols")
[ "$all" -ge "$mine" ] && [ "$mine" -gt 200 ]
tap_ok $? "the program has $mine of $all samples"

# ---- sources ----

annotate
tap_is "$?" 0 "sources are annotated"
tap_is "$(($(sum_lines "$T/out") + $(no_line)))" "$all" "lines and what has none are all samples"
annotate lib-image:program
tap_has "$T/out" '^/\*$' "a comment leads"
tap_has "$T/out" '^ \* Command line: opannotate ' "with the command line"
tap_has "$T/out" '^ \* Total samples for file : ".*/src/annotate_program.cc"' "each file has its total"
mix=$(samples_of ':.*// line of mix')
twist=$(samples_of ':.*/\* line of twist \*/')
[ "$((mix + twist))" -gt "$((mine / 4))" ]
tap_ok $? "inlined code counts where it was written: $mix in the template, $twist in the header"
tap_has "$T/out" ':.*/\* unsigned long hot::mix<unsigned long>\(unsigned long\) inlined: .* into hot::first' \
	"with its caller"
tap_has "$T/out" '/\* hot::second\(unsigned int\) total: ' "functions have totals"
tap_is "$(grep -c '^               :' "$T/out")" "$(grep -c '^ \{15\}:' "$T/out")" "other lines have blanks"
annotate -D none lib-image:program
tap_has "$T/out" '/\* _ZN3hot6secondEj total: ' "-D none leaves names as they are"
annotate --include-file='*.h' lib-image:program
tap_is "$(sum_lines "$T/out")" "$(awk '/^ \* Total/ { getline; getline; sum += $2 } END { print sum + 0 }' "$T/out")" \
	"--include-file takes some, and their total is of their lines"
tap_is "$(grep -c 'annotate_program.cc"' "$T/out")" 0 "and no other"
tap_has "$T/err" '^source files that were not requested: [0-9]+ samples' "what that leaves out is said"
annotate -i 'hot::second(unsigned int)' lib-image:program
tap_is "$(samples_of 'line of twist')" 0 "-i takes the samples of some functions"

# ---- instructions ----

annotate -a
tap_is "$?" 0 "instructions are annotated"
tap_is "$(sum_lines "$T/out")" "$all" "and hold all samples"
annotate -a lib-image:program
tap_has "$T/out" '<hot::first\(unsigned long\)>: /\* hot::first\(unsigned long\) total: ' "functions have totals"
tap_has "$T/out" ':    [0-9a-f]+:	j[a-z]+ +[0-9a-f]+ <hot::first\(unsigned long\)\+0x' "jumps name where they lead"
annotate -a -s lib-image:program
tap_is "$(sum_lines "$T/out")" "$mine" "with their sources, too"
tap_has "$T/out" '^ {15}:/\* .*annotate_program.h:[0-9]+: inlined annotate_twist.* \(from line [0-9]+\)' \
	"inlined code is marked"
tap_has "$T/out" '^ {15}:.*/\* line of twist \*/' "and has its line"
annotate -a -t 101
tap_is $? 1 "a threshold is a percentage"
annotate -a -t 47 lib-image:program
below=$(sed -n 's/^symbols below the threshold: \([0-9]*\) .*/\1/p' "$T/err")
tap_is "$(($(sum_lines "$T/out") + ${below:-0}))" "$mine" "what is below it is said"

# ---- a folder ----

annotate -o "$T/annotated" -b "$T" -d "$T" lib-image:program
tap_is "$?" 0 "-o writes files"
[ ! -s "$T/out" ]
tap_ok $? "and nothing to standard output"
tap_has "$T/annotated/src/annotate_program.cc" 'line of mix' "under their paths, without the base folder"
# shellcheck disable=SC2046 # no blanks in there
tap_is "$(($(sum_lines $(find "$T/annotated" -type f)) + $(no_line)))" "$mine" "with all samples"
annotate -a -o "$T/code" lib-image:program
[ -s "$T/code$T/program" ]
tap_ok $? "instructions go to a file for each binary"
annotate -o "$T/program/x" lib-image:program
tap_is $? 1 "a folder that can't be made is an error"
tap_has "$T/err" "cannot write $T/program/x.*: Not a directory" "that is said"
tap_is "$(grep -c 'Not a directory' "$T/err")" 1 "once"
annotate -a -o "$T/program/x" lib-image:program
tap_is "$(grep -c 'Not a directory' "$T/err")" 1 "with instructions, too"
"$BIN/opannotate" "--session-dir=$S" lib-image:program >/dev/full 2>"$T/err"
tap_is "$?" 1 "an output that can't be written is an error"
tap_is "$(grep -ci 'written\|write' "$T/err")" 1 "that is said once"
tap_has "$T/err" 'cannot write standard output: No space left' "with the reason"

# ---- sources elsewhere, newer, nowhere, hostile ----

annotate lib-image:program
cp "$T/out" "$T/expected"
touch -d '+1 hour' "$T/src/annotate_program.h"
annotate lib-image:program
tap_has "$T/err" 'annotate_program.h is newer than .*/program: line numbers may be wrong' "a newer source is said"
mv "$T/src" "$T/moved"
annotate lib-image:program
tap_is "$?" 0 "missing sources are no error"
tap_is "$(grep -c 'annotate_program.cc is missing: [0-9]* samples' "$T/err")" 1 "but said, once"
tap_is "$(($(sum_lines "$T/out") + $(no_line)))" "$mine" "and lose no sample"
annotate -d "$T/moved" lib-image:program
tap_is "$(sum_lines "$T/out") $(samples_of 'line of mix')" "$(sum_lines "$T/expected") $mix" \
	"-d finds them by name"
printf 'no newline, \033[2J\000\377' >"$T/moved/annotate_program.h"
annotate -d "$T/moved" lib-image:program
tap_is "$? $(grep -c "$(printf '\033')" "$T/out")" "0 0" "a hostile source moves no terminal"
tap_is "$(($(sum_lines "$T/out") + $(no_line)))" "$mine" "and lines behind its end keep their samples"

# ---- binaries ----

# What was read before is kept by build-id: forget it.
forget()
{
	XDG_CACHE_HOME=$(mktemp -d "$T/cache.XXXXXX")
}

cp "$T/program" "$T/whole"
objcopy --strip-debug "$T/whole" "$T/stripped"
cp --remove-destination "$T/stripped" "$T/program"
forget
annotate lib-image:program
tap_is "$? $(no_line)" "0 $mine" "without debug information there are no lines"
tap_has "$T/err" "/program: $mine samples \(.*: no line information" "which is said with the reason"
annotate -a lib-image:program
tap_is "$? $(sum_lines "$T/out")" "0 $mine" "but instructions"
cp --remove-destination "$T/whole" "$T/program"
noise 1 20 | dd of="$T/program" bs=1k seek=4 conv=notrunc iflag=fullblock 2>/dev/null
forget
annotate lib-image:program
tap_is "$? $(($(sum_lines "$T/out") + $(no_line)))" "0 $mine" "a damaged binary loses no sample"
annotate -a -s lib-image:program
tap_is "$? $(sum_lines "$T/out")" "0 $mine" "nor its instructions"
rm "$T/program"
forget
annotate -a lib-image:program
tap_is "$? $(sum_lines "$T/out")" "0 $mine" "nor one that is gone"
annotate --verbose lib-image:program
tap_has "$T/err" "^opannotate: read $S/samples/current/.*/program/" "--verbose names the sample files"
tap_has "$T/err" "^opannotate: $T/program: missing: " "and says of the last image, too, why it has no symbols"
"$BIN/oprof" annotate "--session-dir=$S" -p "$T/none" -a >"$T/out" 2>"$T/err"
tap_is "$?" 0 "oprof annotate does the same"
annotate session:other
tap_is $? 1 "a session that is not there is an error"
annotate --frobnicate
tap_is $? 1 "and so is an unknown option"
# ---- other machines ----

# The machine of the header is all that makes it another's: 0xb7 is AArch64's, 0x3e x86-64's.
cp "$T/whole" "$T/foreign"
case $(uname -m) in
aarch64) other='\076\000' ;;
*) other='\267\000' ;;
esac
# shellcheck disable=SC2059 # bytes
printf "$other" | dd "of=$T/foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
sum=$("$BIN/tests/tools/session_make" "$T/made" "$T/foreign" | awk '{ sum += $3 } END { print sum }')
S="$T/made"
# A libopcodes that knows all machines has nothing to say.
if annotate -a && grep -q "cannot show code" "$T/err"; then
	tap_is "$(grep -c "cannot show code.*binutils-multiarch" "$T/err")" 1 \
		"code of another machine is missing: said once, with what helps"
	tap_is "$(sum_lines "$T/out")" "$sum" "and its samples are all there"
	annotate -s -a
	tap_is "$(grep -c "cannot show code" "$T/err")" 1 "once in the mixed form, too"
	"$BIN/opreport" "--session-dir=$S" --html "$T/foreign.html" 2>"$T/err"
	tap_has "$T/foreign.html" '"note":"cannot show code of ' "and the page tells it"
else
	tap_note "libopcodes knows all machines here"
fi
tap_end
