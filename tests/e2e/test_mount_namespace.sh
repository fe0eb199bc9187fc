#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Binaries that reports can't find by their path: in another mount namespace,
# below another root, deleted, replaced, in memory. Their symbols are kept in
# the session while they run: some 2 s is what the daemon needs to learn of a
# program's samples, unless a parent that lives longer has the same root.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
perf_system_works || tap_skip_all "this machine's kernel gives no performance events"
unshare -m --propagation private true 2>/dev/null || tap_skip_all "no mount namespaces here"

S="$T/session"
# Functions of their own names: no report can find them elsewhere.
# build NAME HOT [FLAGS]
build()
{
	sed "s/guest_hot/$2/g" "$E2E/guest_load.c" >"$T/$1.c"
	# shellcheck disable=SC2086 # flags are words
	$CC -O1 -static ${3:-} -o "$T/$1" "$T/$1.c" || tap_bail "$1 does not build"
}
build in_container container_hot
build noid container_noid_hot -Wl,--build-id=none
build in_chroot chroot_hot
build deleted deleted_hot
build replaced replaced_hot
build replaced.new replacement_hot
build memory memory_hot
build short short_hot

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@"
}

kept()
{
	[ "$(control --status 2>/dev/null | awk '$1 == "images_kept" { print $2 }')" -ge "$1" ]
}

reported()
{
	"$BIN/opreport" "--session-dir=$S" -l -n "$@" >"$T/symbols" 2>"$T/coverage"
}

"$BIN/oprofiled" "--session-dir=$S" --event=cpu-clock --frequency=997 --separate=lib --start \
	2>"$T/err" || tap_bail "the daemon does not start: $(cat "$T/err")"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"

# ---- a mount namespace of its own, gone at the end with all it held ----

mkdir "$T/box"
unshare -m --propagation private sh -c '
	mount -t tmpfs tmpfs "$1/box" && cp "$1/in_container" "$1/noid" "$1/short" "$1/box" || exit 1
	rm "$1/in_container" "$1/noid" "$1/short"
	"$1/box/in_container" 600000 & in_container=$!
	"$1/box/noid" 600000 & noid=$!
	i=0; while [ $i -lt 60 ]; do "$1/box/short" 20; i=$((i + 1)); done
	while [ ! -e "$1/go" ]; do sleep 0.1; done
	kill $in_container $noid
	wait' sh "$T" &
box=$!
cleanup_pid $box
until_true kept 3
tap_ok $? "symbols of programs in a mount namespace of their own are kept"
touch "$T/go"
wait $box
tap_is $? 0 "they ran"
[ -z "$(ls "$T/box")" ]
tap_ok $? "and nothing of it is left"

nr_kept=6
# ---- chroot ----

mkdir -p "$T/root/bin"
mv "$T/in_chroot" "$T/root/bin/in_chroot"
chroot "$T/root" /bin/in_chroot 4000 &
in_chroot=$!

# run_unlinked PROGRAM ACTION: PROGRAM, ACTION in perl being done before it begins
run_unlinked()
{
	exec perl -e 'use Fcntl; open my $f, "<", $ARGV[0] or die; eval $ARGV[1]; die $@ if $@;
		fcntl($f, F_SETFD, 0); exec { "/proc/self/fd/" . fileno($f) } $ARGV[0], 4000 or die' \
		"$@"
}

run_unlinked "$T/deleted" 'unlink $ARGV[0]' &
deleted=$!
run_unlinked "$T/replaced" 'rename "$ARGV[0].new", $ARGV[0] or die' &
replaced=$!

# memfd_create(), where its number is known: never in a folder
case $(uname -m) in
x86_64) memfd_create=319 ;;
aarch64 | riscv64) memfd_create=279 ;;
*) memfd_create= ;;
esac
if [ -n "$memfd_create" ]; then
	perl -e 'use IO::Handle; my $name = "in_memory"; my $fd = syscall($ARGV[1], $name, 0);
		$fd >= 0 or die; open my $in, "<", $ARGV[0] or die; local $/; my $bytes = <$in>;
		unlink $ARGV[0]; open my $out, ">&=", $fd or die; print $out $bytes; $out->flush;
		exec { "/proc/self/fd/$fd" } "memory", 4000 or die' "$T/memory" $memfd_create &
	memory=$!
	nr_kept=7
fi
wait $in_chroot
tap_is $? 0 "a program ran below another root"
rm "$T/root/bin/in_chroot"
wait $deleted
tap_is $? 0 "a deleted program ran"
wait $replaced
tap_is $? 0 "a replaced program ran"
if [ -n "$memfd_create" ]; then
	wait "$memory"
	tap_is $? 0 "a program that was never in a folder ran"
fi

until_true kept $nr_kept
control --dump
tap_ok $? "dump"
reported
for hot in container_hot container_noid_hot short_hot chroot_hot deleted_hot replaced_hot; do
	tap_has "$T/symbols" "$hot" "$hot is told by name"
done
! grep -q replacement_hot "$T/symbols"
tap_ok $? "what replaced the program is not taken for it"
if [ -n "$memfd_create" ]; then
	tap_has "$T/symbols" "memory_hot" "memory_hot is told by name"
fi
! grep -Eq 'in_container|noid|in_chroot|short: ' "$T/coverage"
tap_ok $? "and misses no symbols of them"

# ---- a new session has what it needs, and the old one keeps it ----

kept_files()
{
	find "$S/samples/current/meta/images" -type f ! -name '.*' | sort
}

# Files of other programs that run on this machine may come at any time.
has_kept_files()
{
	kept_files >"$T/after"
	[ -s "$T/before" ] && [ -z "$(comm -23 "$T/before" "$T/after")" ]
}

kept_files >"$T/before"
control --save=first
tap_ok $? "save"
has_kept_files
tap_ok $? "the next session has the same files"
reported session:first
tap_has "$T/symbols" "container_hot" "the saved one tells names"
control --reset
has_kept_files
tap_ok $? "and so it is after a reset"

keeper=$(pgrep -P "$daemon" -x oprof-keeper)
[ -n "$keeper" ]
tap_ok $? "the keeper is a process of its own"
kill "$daemon"
until_true sh -c "! kill -0 $daemon 2>/dev/null"
reported session:first
tap_has "$T/symbols" "container_hot" "names are told after the daemon has ended"
until_true sh -c "! kill -0 $keeper 2>/dev/null"
tap_ok $? "and so has its keeper"
tap_end
