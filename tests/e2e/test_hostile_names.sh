#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The names of a program, its folder, its thread and its function contain control characters, marks
# that change the direction of text, and a byte that is not UTF-8. Every report shows these names,
# and none passes such a character on to the terminal.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
cd "$T" || tap_bail "no folder"
override=$(printf '\342\200\256') # U+202E, right-to-left override
csi=$(printf '\302\233')	  # U+009B, begins a control sequence like ESC [
bell=$(printf '\007')
escape=$(printf '\033')
folder="folder$override$escape]0;title$bell$csi"
program="$folder/prog$override${escape}[31m$csi$(printf '\377')z"
function="evil$override${escape}[2J${csi}fn"
cat >program.c <<'EOF'
#include <stdint.h>
#include <sys/prctl.h>
static volatile uint64_t sink;
__attribute__((noinline)) void named_later(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sink = sink * 2862933555777941757u + i;
}
int main(void)
{
	prctl(PR_SET_NAME, "thr\342\200\256\033[2J\302\233");
	named_later(300000000);
	return 0;
}
EOF
mkdir "$folder"
cp program.c "$folder/program.c"
$CC -O1 -g -o "$program" "$T/$folder/program.c" || tap_bail "the program does not build"
objcopy --redefine-sym "named_later=$function" "$program" || tap_bail "the function has no other name"

# has_bad FILE: prints where it has a character that a terminal obeys
has_bad()
{
	perl -CO -MEncode -0777 -ne '
		$text = decode("UTF-8", $_, sub { sprintf("<%02x>", shift) });
		print "$1 ", sprintf("U+%04X\n", ord $2) while $text =~ /([^\n]{0,20})([\x00-\x08\x0b-\x1f\x7f-\x9f\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}])/g;
		print "byte $1\n" while $text =~ /<([89].)>/g' "$1"
}

# shows NAME WORD COMMAND...: its output contains WORD, a part of a name, and nothing harmful
shows()
{
	name=$1
	word=$2
	shift 2
	"$@" >out 2>err
	tap_is $? 0 "$name" || tap_show err 5
	[ -z "$word" ] || tap_has out "$word" "$name: the name is there"
	cat err >>out
	has_bad out >bad
	tap_is "$(head -n 3 bad)" "" "$name: harmless"
}

S=$T/session
tap_is "$(printf '\302\233' >x; has_bad x)" " U+009B" "the test finds a control character"
tap_is "$(printf 'a\233' >x; has_bad x)" "byte 9b" "also as a single byte"
shows "operf" "" "$BIN/operf" -g --session-dir="$S" --separate=thread -- "$program"
report()
{
	"$BIN/opreport" --session-dir="$S" "$@"
}
shows "opreport" "prog" report
shows "opreport -f" "folder" report -f
shows "opreport -l" "evil" report -l
shows "opreport -l -f -g" "evil" report -l -f -g
shows "opreport -l -c" "evil" report -l -c
shows "opreport -d" "evil" report -d
shows "opreport --layout=terminal" "prog" report --layout=terminal
shows "opreport -l --layout=terminal" "evil" report -l --layout=terminal
shows "opreport -l -c --layout=terminal" "evil" report -l -c --layout=terminal
shows "opreport --json" "evil" report --json -l
shows "opreport -X" "evil" report -X -l
shows "opreport --folded" "evil" report --folded
shows "opreport --callgrind" "evil" report --callgrind
shows "opannotate -s" "evil" "$BIN/opannotate" --session-dir="$S" -s
shows "opannotate -a" "evil" "$BIN/opannotate" --session-dir="$S" -a
shows "opcheck -v" "prog" "$BIN/opcheck" -v "$S/samples/current"
# opcheck names what is wrong with a file's name, too.
wrong="$S/samples/current/{root}/bin/x/{dep}/{root}/bin/x/cpu-clock.997Hz.0.a${escape}[2Jll.all.all.all.0123456789abcdef"
mkdir -p "${wrong%/*}"
cp "$(find "$S/samples/current" -name 'cpu-clock.*' -type f | head -n 1)" "$wrong"
"$BIN/opcheck" "$S/samples/current" >out 2>&1
tap_is $? 1 "opcheck finds a file whose name is wrong"
tap_has out "2Jll" "and names it"
has_bad out >bad
tap_is "$(head -n 3 bad)" "" "harmless"
rm -r "$S/samples/current/{root}/bin"
shows "oparchive -l" "prog" "$BIN/oparchive" --session-dir="$S" -l
report --html=page.html 2>err
has_bad page.html >bad
tap_is "$(head -n 3 bad)" "" "opreport --html: harmless"
tap_has page.html evil "opreport --html: the name is there"

if [ "$(id -u)" = 0 ] && perf_system_works && "$BIN/optrace" list-events >list 2>/dev/null; then
	shows "optrace record" "" "$BIN/optrace" record -o trace -e sched_switch -- "$program"
	shows "optrace events" "thr" "$BIN/optrace" events trace
	shows "optrace stats" "thr" "$BIN/optrace" stats trace
else
	tap_note "not root: no trace"
fi
tap_end
