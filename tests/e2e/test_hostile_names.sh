#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The names of a program, its folder, its thread, its control group, its function, and a function
# that it generates contain control characters, marks that change the direction of text, newlines,
# and bytes that are not UTF-8. Every output shows these names, and none passes such a character on
# to a terminal or to another program, or has a line that a name made up.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
command -v python3 >/dev/null || tap_skip_all "needs python3"
cd "$T" || tap_bail "no folder"
override=$(printf '\342\200\256') # U+202E, right-to-left override
isolate=$(printf '\342\201\246')  # U+2066, left-to-right isolate
mark=$(printf '\342\200\217')	  # U+200F, right-to-left mark
csi=$(printf '\302\233')	  # U+009B, begins a control sequence like ESC [
byte=$(printf '\233')		  # the same as a single byte
high=$(printf '\377')
bell=$(printf '\007')
escape=$(printf '\033')
newline='
'
bad="$override$isolate$mark${escape}[2J$csi$byte$high$bell${newline}forged"
folder="folder$bad"
program="$folder/prog${bad}z"
function="evil$bad;forged"

remove_map()
{
	[ ! -s "$T/pid" ] || rm -f "/tmp/perf-$(cat "$T/pid").map"
}
trap 'remove_map; cleanup' EXIT

mkdir "$folder"
cp "$E2E/hostile_program.c" "$folder/program.c"
$CC -O1 -g -o "$program" "$T/$folder/program.c" || tap_bail "the program does not build"
objcopy --redefine-sym "named_later=$function" "$program" || tap_bail "the function has no other name"

# check FORMAT FILE: prints the harmful characters of a text ("text"), or of what a strict reader
# finds to be wrong with the document ("json", "lines" of JSON, "xml", "pprof")
cat >check.py <<'END'
import gzip, json, re, sys
import xml.etree.ElementTree

HARMFUL = re.compile("[\0-\b\v-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

def text(data):
    try:
        shown = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return "byte %02x after %r" % (data[error.start], data[max(error.start - 20, 0):error.start])
    found = HARMFUL.search(shown)
    if found:
        return "U+%04X after %r" % (ord(found.group()), shown[max(found.start() - 20, 0):found.start()])
    return "a forged line" if re.search("^forged", shown, re.MULTILINE) else ""

def number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at

def pprof(data):
    data = gzip.decompress(data)
    at, nr = 0, 0
    while at < len(data):
        key, at = number(data, at)
        value, at = number(data, at)
        if key & 7 == 2:
            one = data[at:at + value]
            at += value
            if key >> 3 == 6:  # string_table
                nr += 1
                wrong = text(one.replace(b"\n", b"\x01").replace(b"\t", b"\x01"))
                if wrong:
                    return wrong
    return "" if nr > 5 else "no strings"

def document(parse):
    def check(data):
        try:
            parse(data)
        except Exception as error:
            return str(error)
        return text(data)
    return check

def lines(data):
    for line in data.splitlines():
        json.loads(line)

checks = {"text": text, "pprof": pprof, "json": document(json.loads), "lines": document(lines),
          "xml": document(xml.etree.ElementTree.fromstring)}
print(checks[sys.argv[1]](open(sys.argv[2], "rb").read()))
END
check()
{
	python3 check.py "$1" "$2" 2>&1 | tail -n 1
}

# shows NAME FORMAT WORD COMMAND...: its output contains WORD, a part of a name, and nothing harmful
shows()
{
	name=$1
	format=$2
	word=$3
	shift 3
	"$@" >out 2>err
	tap_is $? 0 "$name" || tap_show err 5
	[ -z "$word" ] || tap_has out "$word" "$name: the name is there"
	tap_is "$(check "$format" out)" "" "$name: harmless"
	tap_is "$(check text err)" "" "$name: its messages are harmless"
}

# refuses NAME WORD COMMAND...: it fails with a message that contains WORD and nothing harmful
refuses()
{
	name=$1
	word=$2
	shift 2
	! "$@" >out 2>&1
	tap_ok $? "$name: it fails"
	tap_has out "$word" "$name: the name is there"
	tap_is "$(check text out)" "" "$name: harmless"
}

for one in "a$csi" "a$byte" "a$high" "a$override" "a$isolate" "a$mark" "a$escape" "${newline}forged"; do
	printf %s "$one" >x
	[ -n "$(check text x)" ]
	tap_ok $? "the test finds $(printf %s "$one" | od -An -tx1)"
done

S=$T/session
shows "operf" text "" "$BIN/operf" -g --session-dir="$S" --separate=thread -- "$program"
report()
{
	"$BIN/opreport" --session-dir="$S" "$@"
}
shows "opreport" text prog report
shows "opreport -V" text prog report -V
shows "opreport -f" text folder report -f
shows "opreport -l" text evil report -l
shows "opreport -l, generated code" text jit_evil report -l
shows "opreport -l -f -g -V" text evil report -l -f -g -V
shows "opreport -l -c" text evil report -l -c
shows "opreport --stacks" text evil report --stacks
shows "opreport -d" text evil report -d
for layout in "" -l "-l -c" -f; do
	# In a locale without UTF-8, all characters but ASCII are masked.
	# shellcheck disable=SC2086 # the options are words
	shows "opreport $layout --layout=terminal" text "evil|prog" env LC_ALL=C.UTF-8 \
		"$BIN/opreport" --session-dir="$S" $layout --layout=terminal
done
shows "opreport --json" json evil report --json -l
shows "opreport --json -d" json evil report --json -l -d
shows "opreport -X" xml evil report -X -l
shows "opreport --folded" text evil report --folded
tap_is "$(grep -c ';forged' out)" 0 "no name adds a frame to a folded stack"
shows "opreport --callgrind" text evil report --callgrind
shows "opreport --pprof" text "" report --pprof page.pb.gz
tap_is "$(check pprof page.pb.gz)" "" "opreport --pprof: harmless"
gzip -dc page.pb.gz >out
grep -aq evil out
tap_ok $? "opreport --pprof: the name is there"
shows "opreport --html" text "" report --html=page.html
tap_is "$(check text page.html)" "" "the page is harmless"
tap_has page.html evil "the page has the name"
tap_is "$(grep -ciE '\\u(202e|2066|200f|009b|001b|fffd)' page.html)" 0 "nor does the page show such a character"
shows "opannotate -s" text evil "$BIN/opannotate" --session-dir="$S" -s
shows "opannotate -a" text evil "$BIN/opannotate" --session-dir="$S" -a
shows "opannotate -s -a" text evil "$BIN/opannotate" --session-dir="$S" -s -a
shows "opannotate, its own options" text "Command line" "$BIN/opannotate" --session-dir="$S" -s \
	--base-dirs="/$bad"
shows "opannotate, its output folder" text "" "$BIN/opannotate" --session-dir="$S" -s \
	--output-dir="$T/written$bad"
tap_has err written "opannotate, its output folder: the name is there"
refuses "opgprof" prog "$BIN/opgprof" --session-dir="$S"
refuses "opreport of a missing program" missing report "image:missing$bad"
refuses "opreport of a missing session" missing "$BIN/opreport" --session-dir="$T/missing$bad"
refuses "opreport of a missing archive" missing "$BIN/opreport" "archive:missing$bad"
# A session folder without a daemon.
D=$T/saving$bad
cp -r "$S" "$D"
"$BIN/opcontrol" --session-dir="$D" --status >out 2>&1
tap_has out saving "opcontrol --status without a daemon: the name is there"
tap_is "$(check text out)" "" "opcontrol --status without a daemon: harmless"
"$BIN/oprof" status --session-dir="$D" >out 2>&1
tap_has out saving "oprof status without a daemon: the name is there"
tap_is "$(check text out)" "" "oprof status without a daemon: harmless"
shows "opcontrol --save" text saving "$BIN/opcontrol" --session-dir="$D" --save=saved
# Names of sample files are masked when they are made, names of folders are not.
shows "opcheck -v" text saving "$BIN/opcheck" -v "$D/samples/saved"
# opcheck names what is wrong with a file's name, too.
wrong="$S/samples/current/{root}/bin/x/{dep}/{root}/bin/x/cpu-clock.997Hz.0.a${bad}ll.all.all.all.0123456789abcdef"
mkdir -p "${wrong%/*}"
cp "$(find "$S/samples/current" -name 'cpu-clock.*' -type f | head -n 1)" "$wrong"
refuses "opcheck of a file whose name is wrong" "ll.all.all" "$BIN/opcheck" "$S/samples/current"
rm -r "$S/samples/current/{root}/bin"
shows "oparchive -l" text prog "$BIN/oparchive" --session-dir="$S" -l
shows "oparchive -V" text "" "$BIN/oparchive" --session-dir="$S" -V -o "archive$bad.tar.zst"
shows "opreport of an archive" text evil "$BIN/opreport" -l "archive:archive$bad.tar.zst"
printf x >"broken$bad.tar.zst"
refuses "opreport of a broken archive" broken "$BIN/opreport" "archive:broken$bad.tar.zst"
remove_map

# ---- the whole machine ----

if [ "$(id -u)" != 0 ] || ! perf_system_works; then
	tap_note "not root: no daemon, no trace"
	tap_end
fi
S=$T/machine$bad
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group="$mount/oprof-test-$$-group$override$isolate${escape}[2J$csi$byte$high"
remove_group()
{
	[ -z "$mount" ] || rmdir "$group" 2>/dev/null
}
trap 'remove_map; remove_group; cleanup' EXIT
if [ -z "$mount" ] || ! mkdir "$group" 2>/dev/null; then
	mount=
	tap_note "no control group can be made here"
fi

# In the group, if there is one.
run_program()
{
	remove_map # of the run before
	# shellcheck disable=SC2016 # for that shell
	sh -c '[ -z "$1" ] || echo $$ >"$1/cgroup.procs"; exec "$2"' sh "${mount:+$group}" "./$program"
}

"$BIN/oprofiled" "--session-dir=$S" --event=cpu-clock --frequency=997 --separate=cgroup,thread \
	"--metrics=$T/metrics" --start 2>"$T/err" || tap_bail "the daemon does not start: $(cat "$T/err")"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"
for view in symbols images programs processes threads cgroups cpus; do
	case $view in
	symbols) word=evil ;;
	cgroups | cpus) word= ;;
	*) word=prog ;;
	esac
	run_program
	shows "optop, $view" text "$word" env LC_ALL=C.UTF-8 "$BIN/optop" --session-dir="$S" -1 -w 60 -r 0 -V "$view"
done
[ -z "$mount" ] || shows "optop, the group" text "oprof-test-$$" env LC_ALL=C.UTF-8 "$BIN/optop" --session-dir="$S" -1 -w 60 -r 0 -V cgroups
shows "opcontrol --status" text "" "$BIN/opcontrol" "--session-dir=$S" --status
"$BIN/oprof" status --session-dir="$S" >out 2>&1
tap_has out machine "oprof status: the name is there"
tap_is "$(check text out)" "" "oprof status: harmless"
shows "opcontrol --dump" text "" "$BIN/opcontrol" "--session-dir=$S" --dump
shows "opreport, by thread" text prog report --merge=cgroup "tgid:$(cat "$T/pid")"
[ -z "$mount" ] || shows "opreport, by cgroup" text "oprof-test-$$" report --merge=tid "tgid:$(cat "$T/pid")"
[ -z "$mount" ] || shows "opreport --json, by cgroup" json "oprof-test-$$" report --merge=tid --json "tgid:$(cat "$T/pid")"
kill "$daemon"
wait "$daemon" 2>/dev/null
tap_is "$(check text "$T/metrics")" "" "metrics: harmless"
tap_is "$(check text "$S/oprofiled.log")" "" "the daemon's log: harmless"
remove_map

if "$BIN/optrace" list-events >list 2>/dev/null; then
	tap_is "$(check text list)" "" "optrace list-events: harmless"
	shows "optrace record" text "" "$BIN/optrace" record -o trace -e sched_switch,sched_process_exec -- "./$program"
	shows "optrace events" text thr "$BIN/optrace" events trace
	shows "optrace events --json" lines thr "$BIN/optrace" events --json trace
	shows "optrace stats" text thr "$BIN/optrace" stats trace
	shows "optrace stats --json" json thr "$BIN/optrace" stats --json trace
	refuses "optrace events of a missing trace" missing "$BIN/optrace" events "missing$bad"
	remove_map
else
	tap_note "no trace"
fi
tap_end
