#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What opcontrol --dump, --save and --shutdown answer if the module's buffer cannot be read, or a
# file cannot be written, during the command. The module is a folder that looks like its filesystem.
. "$(dirname "$0")/lib.sh"

for library in module_fails sync_fails; do
	$CC -O1 -fPIC -shared "-I$E2E/../../include" -o "$T/$library.so" "$E2E/$library.c" ||
		tap_bail "the library $library does not build"
done
S="$T/session"
M="$T/module"

make_module()
{
	for name in buffer_watershed buffer_size cpu_buffer_size backtrace_depth switches cgroups \
		enable dump thinning; do
		: >"$M/$name"
	done
	for name in type event unit_mask hz count kernel user enabled; do
		: >"$M/0/$name"
	done
	sed -n 's/^#define OPROF_KMOD_VERSION[[:space:]]*\([0-9]*\).*/\1/p' \
		"$E2E/../../include/oprof/kmod.h" >"$M/version"
	mkfifo "$M/buffer"
}

mkdir -p "$M/0" "$M/stats"
make_module
exec 9<>"$M/buffer" # without a writer, the daemon would always have something to read: the end

begin()
{
	LD_PRELOAD="$T/module_fails.so $T/sync_fails.so" FAKE_MODULE="$M" SYNC_FAILS="$T/sync" \
		"$BIN/oprofiled" "--session-dir=$S" --start --source=kmod --event=cpu-clock \
		"--log-file=$T/log" 2>"$T/err"
	tap_is $? 0 "a daemon starts" || tap_show "$T/err"
	cleanup_pid "$(cat "$S/lock")"
}

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

# fails TEXT ARG...: opcontrol fails, and its only message is TEXT
fails()
{
	fails_text=$1
	shift
	control "$@"
	tap_is $? 1 "opcontrol $1 fails"
	tap_is "$(cat "$T/err")" "opcontrol: error: $fails_text" "with what failed, and why"
}

begin
: >"$M/fail"
fails "not all samples could be read: Input/output error" --dump
: >"$T/sync"
fails "not all samples could be read: Input/output error" --dump
fails "the session was saved, but not all samples could be read: Input/output error" --save=kept
rm "$T/sync"
fails "the session was saved, but not all samples could be read: Input/output error" --save=next
[ -d "$S/samples/kept" ] && [ -d "$S/samples/next" ]
tap_ok $? "both saved sessions exist"
fails "the daemon ends, but not all samples could be read: Input/output error" --shutdown
until_true flock -n "$S/lock" true
tap_ok $? "the daemon ends nevertheless"
tap_has "$T/log" "cannot read samples: Input/output error" "the log has the error"

rm "$M/fail"
begin
control --dump
tap_is $? 0 "a dump without a failure succeeds"
: >"$T/sync"
fails "the daemon ends, but not all samples are written to disk yet: Input/output error" --shutdown
until_true flock -n "$S/lock" true
tap_ok $? "the daemon ends nevertheless"

: >"$M/fail"
rm "$T/sync"
begin
: >"$T/sync"
fails "the daemon ends, but not all samples could be read: Input/output error" --shutdown
until_true flock -n "$S/lock" true
tap_ok $? "if reading and writing fail, the daemon reports the reading, and ends"
tap_end
