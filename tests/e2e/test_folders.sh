#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# root in the folders of an ordinary user: session folders, links, archives, traces and programs of
# that user are refused or read with that user's rights, and root's files are left alone.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: a second user's files are made"
"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused here"
user=64242 # has no entry in the list of users
as="setpriv --reuid=$user --regid=$user --clear-groups"
chmod 755 "$T"
home=$T/home
roots=$T/roots # only root may read or write here
mkdir "$home" "$roots" "$roots/keep"
chmod 700 "$roots"
chown $user:$user "$home"
cd "$home" || tap_bail "no folder"

cat >"$T/load.c" <<'EOF'
#include <stdint.h>
static volatile uint64_t sink;
__attribute__((noinline)) static void spin(void)
{
	for (uint64_t i = 0; i < 400000000; i++)
		sink += i;
}
int main(void)
{
	spin();
	return 0;
}
EOF
mkdir "$T/source"
cp "$T/load.c" "$T/source/load.c"
$CC -g -O1 -o "$T/load" "$T/source/load.c" || tap_bail "the program does not build"

# refused NAME WORD COMMAND...: it fails, and its message contains WORD
refused()
{
	name=$1
	word=$2
	shift 2
	! timeout 120 "$@" >"$T/out" 2>"$T/err" </dev/null
	tap_ok $? "$name: refused" || tap_show "$T/out"
	tap_has "$T/err" "$word" "$name: the message says why" || tap_show "$T/err"
}

# untouched NAME FOLDER: FOLDER is empty
untouched()
{
	tap_is "$(find "$2" -mindepth 1 | head -n 3)" "" "$1: nothing was written"
}

# ---- writing: the session folder of another user ----

$as mkdir "$home/oprofile_data"
refused "oprof run beside another user's oprofile_data" "belongs to user $user" \
	"$BIN/oprof" run "$T/load"
tap_has "$T/err" "-d DIR" "and says how to choose another folder"
untouched "oprof run" "$home/oprofile_data"
refused "oprofiled" "belongs to user $user" \
	"$BIN/oprofiled" --foreground --session-dir="$home/oprofile_data" --pid=$$
for action in --start --reset --save=x --setup --status; do
	refused "opcontrol $action" "belongs to user $user" \
		"$BIN/opcontrol" --session-dir="$home/oprofile_data" $action
done
"$BIN/oprof" run -d "$T/data" "$T/load" >"$T/out" 2>"$T/err"
tap_is $? 0 "in a folder of root's, oprof run works" || tap_show "$T/err"
"$BIN/oparchive" --session-dir="$T/data" -o "$T/archive.tar.zst" >"$T/out" 2>&1 ||
	tap_bail "oparchive: $(cat "$T/out")"
refused "opimport" "belongs to user $user" \
	"$BIN/opimport" --session-dir="$home/oprofile_data" "$E2E/../fuzz/corpus/perf_data/plain.data"
untouched "all" "$home/oprofile_data"

rmdir "$home/oprofile_data"
$as ln -s "$roots/keep" "$home/oprofile_data"
refused "oprof run beside another user's link" "symbolic link" "$BIN/oprof" run "$T/load"
refused "opcontrol at a link" "symbolic link" \
	"$BIN/opcontrol" --session-dir="$home/oprofile_data/new" --setup
untouched "the link's target" "$roots/keep"
rm "$home/oprofile_data"

mkdir "$T/open"
chmod 777 "$T/open"
refused "a folder where everybody may write" "cannot be trusted" \
	"$BIN/oprofiled" --foreground --session-dir="$T/open" --pid=$$

# What the user prepared before the folder became root's.
mkdir "$T/planted"
chown $user:$user "$T/planted"
$as ln -s "$roots/keep" "$T/planted/samples"
chown root:root "$T/planted"
refused "a folder in which a link was prepared" "planted/samples: is a symbolic link" \
	"$BIN/oprof" run -d "$T/planted" "$T/load"
rm "$T/planted/samples"
mkdir -p "$T/planted/samples/current"
ln -s "$roots/keep" "$T/planted/samples/current/meta"
refused "a link deeper in it" "is a symbolic link" \
	"$BIN/oprofiled" --foreground --session-dir="$T/planted" --pid=$$
refused "and for opimport" "is a symbolic link" \
	"$BIN/opimport" --session-dir="$T/planted" "$E2E/../fuzz/corpus/perf_data/plain.data"
rm "$T/planted/samples/current/meta"
mkdir "$T/planted/samples/current/{root}"
chown $user:$user "$T/planted/samples/current/{root}"
refused "a folder of the user's deeper in it" "belongs to user $user" \
	"$BIN/oprofiled" --foreground --session-dir="$T/planted" --pid=$$
rm -r "$T/planted/samples"
mkdir "$T/planted/code"
$as ln -s "$roots/keep/x" "$T/planted/code/x" 2>/dev/null || ln -s "$roots/keep/x" "$T/planted/code/x"
refused "a link among the code tables" "code/x: is a symbolic link" \
	"$BIN/oprofiled" --foreground --session-dir="$T/planted" --pid=$$
rm -r "$T/planted/code"
echo "metrics=$roots/keep/metrics" >"$T/planted/setup"
chown $user "$T/planted/setup"
for action in --setup --start --status; do
	refused "opcontrol $action with the user's settings" "setup: belongs to user $user" \
		"$BIN/opcontrol" --session-dir="$T/planted" $action
done
rm "$T/planted/setup"
mkfifo "$T/planted/setup"
refused "a pipe in place of the settings" "setup: cannot be read" \
	"$BIN/opcontrol" --session-dir="$T/planted" --setup --separate=lib
rm "$T/planted/setup"
ln -s "$T/disk" "$T/planted/samples"
mkdir "$T/disk"
"$BIN/oprof" run -d "$T/planted" "$T/load" >"$T/out" 2>"$T/err"
tap_is $? 0 "samples may be a link of root's own" || tap_show "$T/err"
[ -e "$T/disk/current/meta/info" ]
tap_ok $? "which leads to another disk"
untouched "a prepared folder" "$roots/keep"

# ---- the log ----

echo secret >"$roots/file"
$as ln -s "$roots/file" "$home/log"
"$BIN/oprofiled" --foreground --session-dir="$T/logged" --log-file="$home/log" --pid=999999999 \
	>"$T/out" 2>&1
tap_is "$(cat "$roots/file")" secret "a log that is another user's link is not written"

$as mkfifo "$home/pipe"
timeout 60 "$BIN/oprofiled" --foreground --session-dir="$T/logged" --log-file="$home/pipe" \
	--pid=999999999 >"$T/out" 2>&1
[ $? -ne 124 ]
tap_ok $? "a pipe of another user is not waited for"

# ---- a session folder that root made in the user's folder, exchanged while it is written ----

# The program ends when the folder has been exchanged.
mkfifo "$T/go"
"$BIN/oprof" run sh -c "'$T/load'; read x <'$T/go'; '$T/load'" >"$T/out" 2>"$T/err" &
run=$!
until_true test -e "$home/oprofile_data/samples/current/meta/info"
$as sh -c "mv '$home/oprofile_data' '$home/moved' && mkdir '$home/oprofile_data' &&
	ln -s '$roots/keep' '$home/oprofile_data/samples'"
tap_is $? 0 "the user exchanges the folder"
echo >"$T/go"
wait $run
tap_is $? 0 "oprof run ends well" || tap_show "$T/err"
untouched "after an exchange" "$roots/keep"
tap_is "$(find "$home/oprofile_data" -user root | head -n 3)" "" "and nothing in the user's folder"
"$BIN/opcheck" "$home/moved/samples/current" >"$T/out" 2>&1
tap_is $? 0 "the session is whole where the user moved it" || tap_show "$T/out"
rm -rf "$home/oprofile_data" "$home/moved"

# ---- reading: the session of another user names a file of root's as the source ----

echo "secret_of_root();" >"$roots/load.c"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo "secret_line_$i();" >>"$roots/load.c"
done
sed "s,^#include,#line 1 \"$roots/load.c\"\n#include," "$T/load.c" >"$home/hostile.c"
$CC -g -O1 -o "$home/hostile" "$home/hostile.c" || tap_bail "the hostile program does not build"
"$BIN/oprof" run -d "$home/session" "$home/hostile" >"$T/out" 2>"$T/err" ||
	tap_bail "$(cat "$T/err")"
"$BIN/opannotate" --source --session-dir="$home/session" >"$T/out" 2>"$T/err"
tap_has "$T/out" "secret_" "root's own session shows the source that only root can read"
chown -R $user:$user "$home/session" "$home/hostile" "$home/hostile.c"
for report in "opannotate --source" "opannotate --assembly --source" "opreport -l" \
	"oprof report --html=-" "opreport -X"; do
	# shellcheck disable=SC2086 # a tool and its options
	"$BIN/"$report --session-dir="$home/session" >"$T/out" 2>"$T/err"
	tap_is $? 0 "$report reads the user's session" || tap_show "$T/err"
	tap_has "$T/err" "belongs to user $user: reading it as that user" "$report says as whom"
	tap_is "$(grep -c secret_ "$T/out")" 0 "$report shows nothing that the user could not read"
done
"$BIN/opreport" --session-dir="$home/session" -l >"$T/out" 2>"$T/err"
tap_has "$T/out" spin "the user's functions have names"
refused "a report may write only where the user may" "Permission denied" \
	"$BIN/oprof" report --html="$roots/page.html" --session-dir="$home/session"

third="setpriv --reuid=64243 --regid=64243 --clear-groups"
chmod -R a+rX "$home/session"
# shellcheck disable=SC2086 # a command and its options
refused "a third user" "belongs to user $user" \
	$third "$BIN/opreport" --session-dir="$home/session"

chown root:root "$home/session"
refused "a session of which only the top is root's" "belongs to user $user" \
	"$BIN/opannotate" --source --session-dir="$home/session"
chown $user:$user "$home/session"
"$BIN/opreport" --session-dir="$home/session" -l -o /dev/stdout >"$T/out" 2>"$T/err"
tap_has "$T/out" spin "-o /dev/stdout works after the change of the user"

# A session of root's in the user's folder is read as root, also if it is exchanged meanwhile.
"$BIN/oprof" run -d "$home/mine" "$T/load" >"$T/out" 2>"$T/err"
"$BIN/opreport" --session-dir="$home/mine" -l >"$T/out" 2>"$T/err"
tap_has "$T/out" spin "root reads its own session in the user's folder"
tap_is "$(grep -c /proc/self "$T/out" "$T/err" | grep -vc ":0$")" 0 "by the name that was given"

# The symbols of a deleted program are in the session, which a report of root opens by descriptor.
echo "volatile int x; int kept_hot(void) { for (;;) x++; } int main(void) { return kept_hot(); }" >"$T/endless.c"
$CC -O1 -fno-inline -o "$home/deleted" "$T/endless.c" || tap_bail "the endless program does not build"
"$BIN/oprof" run -d "$home/kept" sh -c "'$home/deleted' & rm '$home/deleted'
	i=0
	until [ \$i -ge 300 ] || ls '$home/kept/samples/current/meta/images/'*; do
		sleep 0.1
		i=\$((i + 1))
	done
	kill \$!" >"$T/out" 2>"$T/err"
"$BIN/opreport" --session-dir="$home/kept" -l >"$T/out" 2>"$T/err"
tap_has "$T/out" kept_hot "root reads the symbols of a deleted program, in a session of its own"
chown -R $user:$user "$home/kept"
"$BIN/opreport" --session-dir="$home/kept" -l >"$T/out" 2>"$T/err"
tap_has "$T/out" kept_hot "and in the user's"

# ---- archives ----

cp "$T/archive.tar.zst" "$home/archive.tar.zst"
chown $user:$user "$home/archive.tar.zst"
chmod 644 "$home/archive.tar.zst"
"$BIN/opreport" "archive:$home/archive.tar.zst" -l >"$T/out" 2>"$T/err"
tap_is $? 0 "root reads another user's archive" || tap_show "$T/err"
tap_has "$T/err" "reading it as that user" "with that user's rights"

# ---- pages and archives that root writes ----

$as ln -s "$roots" "$home/out"
for writer in "opreport -o $home/out/page" "opannotate --source -o $home/out/source" \
	"opgprof -o $home/out/gmon image:$T/load" "oparchive -o $home/out/archive" \
	"oparchive -o $home/out/archive.tar.zst"; do
	# shellcheck disable=SC2086 # a tool and its options
	refused "${writer%% *} through another user's link" "" \
		"$BIN/"$writer --session-dir="$T/data"
done
tap_is "$(find "$roots" -name "page*" -o -name "source*" -o -name "gmon*" -o -name "archive*")" "" \
	"and nothing is made there"
rm "$home/out"

"$BIN/oprof" report --html="$T/page.html" --session-dir="$T/data" >"$T/out" 2>"$T/err" ||
	tap_show "$T/err"
tap_is "$(stat -c %a "$T/page.html")" 600 "root's page is for root only"

# ---- traces ----

if perf_system_works && "$BIN/optrace" list-events >"$T/events" 2>"$T/err"; then
	cd "$home" || exit 1
	$as mkdir "$home/oprofile_trace"
	refused "optrace record into another user's folder" "belongs to user $user" \
		"$BIN/optrace" record -e sched_switch -o "$home/oprofile_trace" true
	untouched "optrace record" "$home/oprofile_trace"
	rmdir "$home/oprofile_trace"
	$as ln -s "$roots" "$home/link"
	refused "optrace record through another user's link" "symbolic link" \
		"$BIN/optrace" record -e sched_switch -o "$home/link/trace" true
	[ ! -e "$roots/trace" ]
	tap_ok $? "and nothing is made there"
	"$BIN/optrace" record -e sched_switch -o "$home/trace" true >"$T/out" 2>"$T/err"
	tap_is $? 0 "a trace of root's in the user's folder is recorded" || tap_show "$T/err"
	chown -R $user:$user "$home/trace"
	for verb in events stats; do
		"$BIN/optrace" $verb "$home/trace" >"$T/out" 2>"$T/err"
		tap_is $? 0 "optrace $verb reads the user's trace" || tap_show "$T/err"
		tap_has "$T/err" "reading it as that user" "optrace $verb: with that user's rights"
	done
	printf '#!/bin/sh\n' >"$home/then"
	chmod 755 "$home/then"
	refused "--then of a program that the user can replace" "another user can change it" \
		"$BIN/optrace" start -s folders --session-dir="$T/traces" --then="$home/then"
	mkdir "$home/own"
	cp "$home/then" "$home/own/then"
	cd "$home/own" || exit 1
	refused "a program of root's in a folder of the user's" "another user can change it" \
		"$BIN/optrace" start -s folders --session-dir="$T/traces" --then=./then
	cd "$home" || exit 1
	mkdir "$home/bin"
	cp "$home/then" "$home/bin/then_by_name"
	PATH="$home/bin:$PATH" refused "and of one that PATH finds there" "another user can change it" \
		"$BIN/optrace" start -s folders --session-dir="$T/traces" --then=then_by_name
else
	tap_skip "no traces here: $(cat "$T/err")"
fi

tap_end
