#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a session folder of the user oprof, the daemon that root starts runs as oprof: what it can still
# do, and that nothing in the folder leads it or root's opcontrol to files of root's.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
ns=$(readlink /proc/self/ns/mnt)
# In the second run, the parent is still in the outer namespace.
outer=$(readlink "/proc/$PPID/ns/mnt")
[ -n "$outer" ] || tap_skip_all "the mount namespace of the parent process cannot be read"
if [ "${OPROF_OUTER_NS:-}" != "$outer" ] || [ "$outer" = "$ns" ]; then
	[ "$outer" = "$ns" ] || tap_skip_all "the process that started the test is in another mount namespace"
	unshare -m true 2>/dev/null || tap_skip_all "no mount namespaces: the test adds users in one"
	rm -rf "$T"
	OPROF_OUTER_NS=$ns exec unshare -m sh "$0"
fi
S="$T/session"
chmod 711 "$T"
user=61234
grep -v "^oprof" /etc/passwd >"$T/passwd"
cat >>"$T/passwd" <<END
oprof:x:$user:$user::/nonexistent:/usr/sbin/nologin
oprof-parse:x:61235:61235::/nonexistent:/usr/sbin/nologin
END
mount --bind "$T/passwd" /etc/passwd || tap_skip_all "cannot add users here"

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

value()
{
	"$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk -v key="$1" '$1 == key { print $2; exit }'
}

start()
{
	control --start || { tap_show "$T/err"; return 1; }
	daemon=$(cat "$S/lock")
	cleanup_pid "$daemon"
}

stop()
{
	control --shutdown || tap_show "$T/err"
}

# The four users of the daemon and of its children.
users()
{
	for users_pid in $daemon $(pgrep -P "$daemon"); do
		awk '$1 == "Uid:" { print $2, $3, $4, $5 }' "/proc/$users_pid/status"
	done | sort -u | tr '\n' ';'
}

# has_capability NUMBER: the daemon
has_capability()
{
	[ $((0x$(awk '$1 == "CapEff:" { print $2 }' "/proc/$daemon/status") >> $1 & 1)) -eq 1 ]
}

# run_load NAME LEVEL: the workload, of a user and in a folder that only that user may enter, and
# with a build-id of its own.
run_load()
{
	mkdir -p "$T/private"
	# Other tests, which this one also profiles, run programs from guest_load.c.
	cp "$E2E/guest_load.c" "$T/run_user_load.c"
	$CC -g "-O$2" -Wl,--build-id -o "$T/private/$1" "$T/run_user_load.c"
	chown -R 61300 "$T/private"
	chmod 700 "$T/private"
	setpriv --reuid=61300 --regid=61300 --clear-groups "$T/private/$1" 800 >/dev/null
}

# What in the session does not belong to the user.
others()
{
	find "$S" ! -user "$1" | head -3
}

as_oprof="setpriv --reuid=$user --regid=$user --clear-groups"

# ---- from root to oprof ----

control --setup --event=cpu-clock
start
tap_ok $? "in a folder of root's, the daemon starts"
tap_is "$(users)" "0 0 0 0;61235 0 0 0;" "as root"
tap_is "$(value user)" root "status says so"
run_load first 1
control --dump
stop
tap_is "$(others root)" "" "its session is root's"

chown -hR oprof: "$S"
start
tap_ok $? "in oprof's, it continues the session"
tap_is "$(value user)" oprof "as oprof"
tap_is "$(users)" "$user $user $user $user;61235 $user $user $user;" "nothing of it is root"
tap_is "$(awk '$1 == "Gid:" || $1 == "Groups:" { $1 = ""; print $0 }' "/proc/$daemon/status" | tr '\n' ';' | tr -d ' ')" \
	"$user$user$user$user;;" "nor in a group of root's"
may=
for number in 0 1 3 6 7 8; do # chown, dac_override, fowner, setgid, setuid, setpcap
	has_capability $number && may="$may $number"
done
tap_is "$may" "" "it has no capability to write to files of others, or to become another user"
has_capability 19 && has_capability 2
tap_ok $? "but those to read processes and binaries"
run_load second 2
control --dump
tap_ok $? "it answers root" || tap_show "$T/err"
"$BIN/opreport" "--session-dir=$S" --symbols >"$T/report" 2>"$T/err"
tap_ok $? "root reads reports" || tap_show "$T/err"
grep -q " first " "$T/report" && grep -q " second .*guest_hot" "$T/report"
tap_ok $? "with the samples of both, and the symbols of a private binary" || tap_show "$T/report"
"$BIN/opannotate" "--session-dir=$S" --source >"$T/report" 2>"$T/err"
tap_is "$? $(grep -c "run_user_load\.c" "$T/report")" "0 0" "without the right to read private binaries"
tap_has "$T/report" "^ \* Columns: samples" "in a report"
control --save=kept
tap_ok $? "it saves" || tap_show "$T/err"
control --reset
tap_ok $? "and resets" || tap_show "$T/err"
run_load third 3
control --dump
kill -9 "$daemon"
start
tap_ok $? "after kill -9 the next one continues"
run_load fourth 3
kill -HUP "$daemon"
stop
check_conservation "$S" >"$T/out"
tap_ok $? "all samples are accounted for" || tap_show "$T/out"
"$BIN/opreport" "--session-dir=$S" >"$T/report" 2>"$T/err"
grep -q third "$T/report" && grep -q fourth "$T/report"
tap_ok $? "those before the kill, too" || tap_show "$T/report"
"$BIN/opcheck" "$S" >"$T/out" 2>&1
tap_ok $? "all files are in order" || tap_show "$T/out"
control --reset
tap_ok $? "a reset without a daemon" || tap_show "$T/err"
control --setup --event=cpu-clock:1000000
tap_is "$? $(others oprof)" "0 " "what root's opcontrol writes is oprof's, too"

# ---- what the user oprof may put into the folder ----

mkdir -m 700 "$T/root"
mkdir "$T/root/current"
secret=precious-$$ # not in another test's files
echo $secret | tee "$T/root/file" "$T/root/current/file" >/dev/null
root_files()
{
	find "$T/root" -printf '%p %U %m %s\n' | sort
	cat "$T/root/file" "$T/root/current/file"
}
before=$(root_files)
same() # NAME: nothing of root's has changed
{
	tap_is "$(root_files)" "$before" "$1"
}

# run_with WHAT: the daemon starts in that folder, as oprof, and changes nothing of root's
run_with()
{
	start
	tap_is "$? $(value user)" "0 oprof" "$1: the daemon runs"
	stop
	same "$1"
}

rm -f "$S/oprofiled.log"
$as_oprof ln -s "$T/root/new" "$S/oprofiled.log"
run_with "a log that is a link to a new file"
rm "$S/oprofiled.log"
$as_oprof ln -s "$T/root/file" "$S/oprofiled.log"
run_with "a log that is a link to a file"
rm "$S/oprofiled.log"

mv "$S/samples" "$T/kept"
$as_oprof ln -s "$T/root" "$S/samples"
control --start
tap_is "$? $(grep -c "Permission denied" "$T/err")" "1 1" "samples that are a link to a folder of root's: refused" || tap_show "$T/err"
same "samples that are a link"
control --reset
tap_is "$? $(grep -c "Permission denied" "$T/err")" "1 1" "a reset is refused" || tap_show "$T/err"
same "and removes nothing"
control --save=x
tap_is "$? $(grep -c "Permission denied" "$T/err")" "1 1" "and so is a save" || tap_show "$T/err"
same "which renames nothing"
rm "$S/samples"

control --setup --event=cpu-clock
printf 'metrics=%s\n' "$T/root/metrics" >"$T/more"
chmod 644 "$T/more"
$as_oprof sh -c "cat $T/more >>$S/setup"
run_with "metrics that the user oprof has chosen, in a folder of root's"
rm -f "$S/setup"
$as_oprof sh -c "printf 'boot %s\nreason none\nremedy sudo evil\n' $(cat /proc/sys/kernel/random/boot_id) >$S/init"
control --status
tap_is "$? $(grep -c '^source perf' "$T/out") $(grep -c evil "$T/out")" "1 1 0" \
	"a command that the user oprof has chosen is not shown to root"
rm "$S/init"

# Reports and archives of root.
start
run_load fifth 1
stop
mkdir -m 700 "$T/to"
chown oprof: "$T/to"
"$BIN/oparchive" "--session-dir=$S" -o "$T/to/archive" >"$T/out" 2>&1
tap_is "$? $(find "$T/to" ! -user oprof)" "0 " "an archive that root makes is oprof's" || tap_show "$T/out"
[ "$(find "$T/to/archive" -type f | wc -l)" -ge 5 ]
tap_ok $? "and has the session"
rm -r "$T/to/archive"
$as_oprof ln -s "$T/root/file" "$S/samples/current/meta/link"
"$BIN/oparchive" "--session-dir=$S" -o "$T/to/archive" >"$T/out" 2>&1
tap_is "$? $(grep -c "link: left out" "$T/out")" "0 1" "which leaves out links" || tap_show "$T/out"
tap_is "$(find "$T/to" -type f -exec grep -l $secret {} +)" "" "but no file of root's that a link names"
rm -f "$S/samples/current/meta/link"
"$BIN/opreport" "--session-dir=$S" -o "$T/to/report" 2>"$T/err"
tap_is "$(stat -c '%a %U' "$T/to/report")" "600 oprof" "a report that root writes is not for everybody"

# ---- what the daemon cannot do there ----

mkdir -m 700 "$T/other"
"$BIN/oprofiled" "--session-dir=$T/other" "--session-owner=$user" --metrics="$T/other/metrics" 2>"$T/err"
tap_is "$? $(ls "$T/other")" "1 " "oprof's settings do not apply to a folder of root's" || tap_show "$T/err"
tap_has "$T/err" "does not belong to the user with the number $user" "and the reason is told"

control --setup --source=kmod
tap_is "$? $(grep -c "cannot use the kernel module" "$T/err")" "1 1" "a setup with --source=kmod is refused" || tap_show "$T/err"
$as_oprof sh -c "echo source=kmod >>'$S/setup'"
control --start
tap_is "$? $(grep -c "cannot use the kernel module" "$T/err")" "1 1" "a start with it, too" || tap_show "$T/err"
control --init
tap_is "$? $(grep -c "cannot use the kernel module" "$T/err")" "1 1" "and so is --init"
"$BIN/oprofiled" "--session-dir=$S" --source=kmod --foreground 2>"$T/err"
tap_is "$? $(grep -c "source=kmod requires that the daemon runs as root, but the session folder belongs to the user oprof" "$T/err")" "1 1" "for the daemon, too"
control --setup --source=auto
control --init
tap_is "$? $(grep -c "not loaded: .* cannot use the kernel module" "$T/err")" "0 1" "with --source=auto, --init loads none"
chmod 770 "$S"
control --start
tap_is "$? $(grep -c "other users may write in the folder" "$T/err")" "1 1" "a folder in which others may write is refused"
"$BIN/oprofiled" "--session-dir=$S" --foreground 2>"$T/err"
tap_is "$? $(grep -c "other users may write in the folder" "$T/err")" "1 1" "by the daemon, too"
chmod 700 "$S"
cp "$T/passwd" "$T/both"
grep -v "^oprof:" "$T/both" >"$T/passwd"
control --start
tap_is "$? $(grep -c "belongs to user $user" "$T/err")" "1 1" "without the user, the folder is refused"
sed "/^oprof:/s,/usr/sbin/nologin,/bin/sh," "$T/both" >"$T/passwd"
control --start
tap_is "$? $(grep -c "who can log in" "$T/err")" "1 1" "and so it is if the user can log in"
cat "$T/both" >"$T/passwd"
"$BIN/oprof" start --foreground --session-dir="$S" 2>"$T/err" &
foreground=$!
cleanup_pid $foreground
wait_for_control "$S" $foreground
daemon=$foreground
tap_is "$(users)" "$user $user $user $user;61235 $user $user $user;" "oprof start --foreground becomes the user"
kill $foreground
wait $foreground
tap_is $? 0 "and ends well"
sh -c "\"$BIN/oprofiled\" '--session-dir=$S' --foreground --parent=\$\$ --event=cpu-clock & echo \$! >'$T/child'; wait" 2>"$T/err" &
parent=$!
cleanup_pid $parent
until_true test -s "$T/child"
child=$(cat "$T/child")
cleanup_pid "$child"
wait_for_control "$S" "$child"
kill -9 $parent
until_true sh -c "! kill -0 $child"
tap_ok $? "the daemon ends with --parent"
mkdir -m 700 "$T/imported"
chown oprof: "$T/imported"
"$BIN/opimport" "--session-dir=$T/imported" "$E2E/../fuzz/corpus/perf_data/plain.data" >"$T/out" 2>&1
tap_is "$? $(find "$T/imported" ! -user oprof | head -3)" "0 " "opimport becomes the user" || tap_show "$T/out"

# A folder that is too deep does not make the daemon stay root.
deep=samples
for _ in $(seq 80); do deep=$deep/d; done
$as_oprof mkdir -p "$S/$deep"
start
tap_is "$(users)" "$user $user $user $user;61235 $user $user $user;" "the daemon never stays root there"
stop
"$BIN/oprofiled" "--session-dir=$S" --keep-privileges --foreground 2>"$T/err"
tap_is "$? $(grep -c "belongs to the user oprof" "$T/err")" "1 1" "not with --keep-privileges either"
tap_end
