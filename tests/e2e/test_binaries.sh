#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Binaries that cannot be read, were replaced or deleted while they ran, are
# huge, damaged, or no files any more: samples stay, the report says what it
# could not read, and neither daemon nor report waits, fails or grows.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
S="$T/session"
P="$T/programs"
mkdir "$P"
for name in plain replaced deleted fifo device huge damaged cut headers; do
	sed "s/guest_hot/hot_$name/g" "$E2E/guest_load.c" >"$T/$name.c"
	$CC -O1 -g -o "$P/$name" "$T/$name.c" || tap_bail "$name does not build"
done
cp "$P/plain" "$P/unreadable"
chmod 111 "$P/unreadable"

# poke FILE OFFSET HEX: overwrite bytes
poke()
{
	perl -e 'open(my $f, "+<:raw", $ARGV[0]) or die; seek($f, $ARGV[1], 0);
		print $f pack("H*", $ARGV[2])' "$@"
}

# What a program's file was when it ran, and what it is when daemon and report look.
spoil()
{
	cp "$P/plain" "$P/other"
	mv "$P/other" "$P/replaced"
	rm "$P/deleted"
	rm "$P/fifo" && mkfifo "$P/fifo"
	rm "$P/device" && mknod "$P/device" c 1 5 # /dev/zero
	# What runs cannot be written: another file at its path.
	for name in huge damaged cut headers; do
		cp --remove-destination "$P/$name" "$P/$name.new" && mv "$P/$name.new" "$P/$name"
	done
	truncate -s 20G "$P/huge"
	poke "$P/huge" 40 00f0ffff04000000 # the section table: close to the end
	poke "$P/huge" 60 ffff
	noise 1 8 | dd of="$P/damaged" bs=1k seek=1 conv=notrunc iflag=fullblock 2>/dev/null
	truncate -s 300 "$P/cut"
	poke "$P/headers" 32 ffffffffffffffff # the program headers: nowhere
	poke "$P/headers" 40 ffffffffffffff7f
}

run_all()
{
	for name in plain replaced deleted fifo device huge damaged cut headers unreadable; do
		"$P/$name" "$1" &
		cleanup_pid $!
		eval "pid_$name=$!"
	done
}

# wait_exec PID PROGRAM: until it runs, with the C library mapped
wait_exec()
{
	while kill -0 "$1" 2>/dev/null; do
		[ "$(readlink "/proc/$1/exe")" = "$2" ] && grep -q libc "/proc/$1/maps" && return
		sleep 0.05
	done
	tap_bail "$2 does not run"
}

memory_kib()
{
	awk '$1 == "VmHWM:" { print $2 }' "/proc/$daemon/status"
}

# Some run before the daemon starts and are spoiled then; the rest while it looks.
run_all 600000
for name in plain replaced deleted fifo device huge damaged cut headers unreadable; do
	eval "wait_exec \$pid_$name $P/$name"
done
spoil
"$BIN/oprofiled" "--session-dir=$S" --start --event=cpu-clock --frequency=997 --separate=lib \
	2>"$T/err" || tap_bail "the daemon does not start: $(cat "$T/err")"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"
sleep 3
timeout 20 "$BIN/opcontrol" "--session-dir=$S" --dump
tap_ok $? "the daemon answers, with spoiled binaries running"
[ "$(memory_kib)" -lt $((256 * 1024)) ]
tap_ok $? "its memory is bounded ($(memory_kib) KiB)"
for name in plain replaced deleted fifo device huge damaged cut headers unreadable; do
	eval "kill \$pid_$name"
done
# Damaged ones that can still be executed, or be tried to.
for name in huge damaged cut headers; do
	timeout 5 "$P/$name" 100 >/dev/null 2>&1
done
timeout 20 "$BIN/opcontrol" "--session-dir=$S" --shutdown
tap_ok $? "and ends"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
"$BIN/opcheck" "$S" >"$T/out" 2>&1
tap_ok $? "its files are good"
du -s -k "$S" | cut -f 1 >"$T/kib"
[ "$(cat "$T/kib")" -lt 200000 ]
tap_ok $? "and copied no huge binary ($(cat "$T/kib") KiB)"

timeout 100 "$BIN/opreport" "--session-dir=$S" -l -n >"$T/symbols" 2>"$T/coverage"
tap_is $? 0 "the report ends well"
tap_show "$T/coverage"
tap_is "$(sum_symbols "$T/symbols")" "$(session_counter "$S" stored)" \
	"and its symbols sum to what was stored"
for name in plain deleted fifo device; do
	grep "hot_$name" "$T/symbols" >"$T/found" || grep " $name" "$T/symbols" >"$T/found"
	[ -s "$T/found" ]
	tap_ok $? "$name is in it: $(head -1 "$T/found" | tr -s ' ')"
done
! grep ' replaced ' "$T/symbols" | grep -q hot_plain
tap_ok $? "no symbol of another binary stands for the replaced one"
for name in huge damaged cut headers; do
	grep -q "$name" "$T/symbols"
	tap_ok $? "samples of $name are told"
done

# ---- a user who may not read what runs ----

chmod 755 "$T"
mkdir "$T/bin" "$T/user"
cp "$BIN/oprofiled" "$BIN/opreport" "$T/bin/"
cp -R "$E2E/../../events" "$T/events"
chmod -R a+rX "$T/events" "$T/bin"
cp -R "$S" "$T/user/session"
chown -R nobody "$T/user"
chmod 000 "$P/plain"
OPROF_EVENTS_DIR="$T/events" setpriv --reuid=nobody --regid=nogroup --clear-groups \
	timeout 100 "$T/bin/opreport" "--session-dir=$T/user/session" -l -n >"$T/nobody" 2>"$T/coverage"
tap_is $? 0 "a report by somebody who may not read some binaries ends well"
tap_is "$(sum_symbols "$T/nobody")" "$(session_counter "$S" stored)" "and loses no sample"
tap_end
