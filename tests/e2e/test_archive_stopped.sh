#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oparchive is asked to end while it writes: nothing stays behind, or of a
# process that was killed what nobody takes for an archive.
. "$(dirname "$0")/lib.sh"

cd "$T" || tap_bail "no folder"
"$BIN/tests/tools/session_make" "$T/session" "$BIN/opreport" >/dev/null || tap_bail "no session"
# More names than a pipe holds: who lists them to one that nobody reads stands still half-way.
name=$(printf '%0200d' 0)
mkdir -p "$T/session/samples/current/meta/many"
for i in $(seq 600); do
	echo "$i" >"$T/session/samples/current/meta/many/$i-$name"
done
mkfifo list

names()
{
	find "$T" -mindepth 1 -maxdepth 1 ! -name out ! -name err | sort
}

# begin OUTPUT: oparchive, until it stands still; its id is in $pid
begin()
{
	# What a shell without job control starts in the background ignores SIGINT.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$BIN/oparchive" --session-dir="$T/session" \
		-V -o "$1" 2>list &
	pid=$!
	cleanup_pid "$pid"
	exec 3<list
	until_true stands_still
}

stands_still()
{
	grep -q pipe "/proc/$pid/wchan" 2>/dev/null ||
		{ [ "$(cut -d ' ' -f 3 "/proc/$pid/stat")" = S ] && [ "$(names)" != "$before" ]; }
}

# stop SIGNAL: its exit status is in $status; what is sent while it goes from one wait to the next
# is seen a name later
stop()
{
	while kill -s "$1" "$pid" 2>/dev/null; do
		sleep 0.1
	done
	wait "$pid" 2>/dev/null
	status=$?
	exec 3<&-
}

before=$(names)
for signal in INT TERM HUP; do
	case $signal in
	INT) number=130 ;;
	TERM) number=143 ;;
	HUP) number=129 ;;
	esac
	for output in x.tar.zst x new/folder; do
		begin $output
		stop $signal
		tap_is "$status" "$number" "SIG$signal, $output: it ends by that signal"
		tap_is "$(names)" "$before" "SIG$signal, $output: nothing stays behind"
	done
done

mkdir there
before=$(names)
begin there
stop TERM
tap_is "$(names)" "$before" "a folder that was there stays"
tap_is "$(find there | wc -l)" 1 "and is as empty as it was"
rmdir there

for output in y.tar.zst y; do
	before=$(names)
	begin $output
	stop KILL
	tap_is "$status" 137 "SIGKILL, $output: it is killed"
done
tap_is "$(ls y.tar.zst 2>/dev/null)" "" "no compressed file has the archive's name"
for left in y.tar.zst.*.tmp y; do
	[ -e "$left" ]
	tap_ok $? "$left: is there"
	"$BIN/opreport" "archive:$left" >"$T/out" 2>"$T/err"
	tap_is $? 1 "$left: is no archive"
	tap_has "$T/err" "y" "and is named"
done

# A file that may not be as large is removed, and said.
(
	ulimit -f 100
	"$BIN/oparchive" --session-dir="$T/session" -o z.tar.zst 2>"$T/err"
)
tap_is $? 1 "a file beyond the limit of its size is an error"
tap_is "$(find . -maxdepth 1 -name 'z*')" "" "and nothing stays behind"
tap_end
