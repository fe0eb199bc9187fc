# shellcheck shell=sh disable=SC2034 # variables are for the tests
# SPDX-License-Identifier: GPL-2.0-or-later
# What end-to-end tests share: TAP, places, processes, sums over reports.
#
# A test begins with: . "$(dirname "$0")/lib.sh"
#   $BIN    folder of the built programs	$E2E  folder of the tests
#   $T      a temporary folder, removed at the end
#   $CC     the compiler
set -u

E2E=$(cd "$(dirname "$0")" && pwd)
BIN=${OPROF_TOP_BUILDDIR:-$PWD}
CC=${CC:-gcc}
export OPROF_EVENTS_DIR="${OPROF_EVENTS_DIR:-$E2E/../../events}"
T=$(mktemp -d "${TMPDIR:-/tmp}/oprof-test.XXXXXX")
# Kernels of guests are fetched and built once, not by each test.
export OPROF_GUEST_CACHE="${OPROF_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/oprof/guest}"
# Reports keep symbols there: not in the home of who runs the tests.
XDG_CACHE_HOME=$T/cache
mkdir -p "$XDG_CACHE_HOME"
export XDG_CACHE_HOME
chmod 755 "$T"
tap_nr=0
tap_failed=0
cleanup_pids=

cleanup()
{
	for cleanup_one in $cleanup_pids; do
		kill -9 "$cleanup_one" 2>/dev/null
		wait "$cleanup_one" 2>/dev/null
	done
	rm -rf "$T"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# End this process when the test ends.
cleanup_pid()
{
	cleanup_pids="$cleanup_pids $1"
}

# ---- TAP ----

tap_note()
{
	echo "# $*"
}

# tap_ok STATUS TEXT: this and the next ones return 1 if the test failed
tap_ok()
{
	tap_nr=$((tap_nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_nr - $2"
	else
		echo "not ok $tap_nr - $2"
		tap_failed=$((tap_failed + 1))
		return 1
	fi
}

# tap_is GOT EXPECTED TEXT
tap_is()
{
	if [ "$1" = "$2" ]; then
		tap_ok 0 "$3"
	else
		tap_ok 1 "$3"
		tap_note "got:      $1"
		tap_note "expected: $2"
		return 1
	fi
}

# tap_has FILE PATTERN TEXT: a line of FILE matches the extended expression
tap_has()
{
	if grep -Eq -e "$2" "$1"; then
		tap_ok 0 "$3"
	else
		tap_ok 1 "$3"
		tap_note "no line matches $2 in:"
		sed 's/^/# | /' "$1" | head -30
		return 1
	fi
}

tap_show()
{
	sed 's/^/# | /' "$1" | head -"${2:-40}"
}

# tap_skip TEXT REASON: a test that could not be run, counted as that
tap_skip()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

tap_skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

tap_bail()
{
	echo "Bail out! $*"
	exit 1
}

tap_end()
{
	echo "1..$tap_nr"
	[ $tap_failed -eq 0 ]
	exit
}

# until_true COMMAND...: for at most four minutes, and what the last try takes
until_true()
{
	until_end=$(($(date +%s) + 240))
	while ! "$@"; do
		[ "$(date +%s)" -lt "$until_end" ] || return 1
		sleep 0.1
	done
}

# ignoring_children COMMAND...: with SIGCHLD ignored, as some that start programs leave it
ignoring_children()
{
	perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV or exit 99' "$@"
}

# in_group COMMAND...: as on a terminal: a process group of its own, Ctrl-C not ignored
in_group()
{
	exec perl -e 'setpgrp; $SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV or exit 99' "$@"
}

# noise SEED KIB: bytes that have no meaning, the same ones each time
noise()
{
	perl -e 'my ($x, $nr) = @ARGV; binmode STDOUT;
		for (1 .. $nr * 1024) { $x = ($x * 1103515245 + 12345) % 2147483648; print chr($x >> 16 & 255) }' \
		"$1" "$2"
}

# ---- oprof ----

# Can this user profile the whole machine?
perf_system_works()
{
	"$BIN/oprof" doctor >/dev/null 2>&1
}

# wait_for_control SESSION_DIR PID: until the daemon answers, or has ended (1)
wait_for_control()
{
	wait_left=600
	while [ $wait_left -gt 0 ]; do
		"$BIN/opcontrol" "--session-dir=$1" --status >/dev/null 2>&1 &&
			[ -S "$1/control" ] && return 0
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.05
		wait_left=$((wait_left - 1))
	done
	return 1
}

# session_counters SESSION_DIR [SESSION]: "name value" lines of meta/stats
session_counters()
{
	perl -e 'local $/; open(my $f, "<:raw", $ARGV[0]) or exit 1; my $t = <$f>;
		my ($magic, $version, $nr) = unpack("a8 L L", $t); $magic eq "OPSTATS\n" or exit 1;
		for my $i (0 .. $nr - 1) { my ($n, $v) = unpack("Z32 Q", substr($t, 16 + 40 * $i, 40));
			print "$n $v\n" if length $n }' "$1/samples/${2:-current}/meta/stats"
}

# session_counter SESSION_DIR NAME [SESSION]
session_counter()
{
	session_counters "$1" "${3:-current}" | awk -v name="$2" '$1 == name { print $2 }'
}

# check_conservation SESSION_DIR [SESSION]: seen = stored + idle + lost, and something was seen
check_conservation()
{
	session_counters "$@" | awk '$1 == "seen" { seen = $2 } $1 == "stored" { stored = $2 }
		$1 == "idle" { idle = $2 }
		$1 ~ /^lost_/ { lost += $2; if ($2) printf "# %s %d\n", $1, $2 }
		END { printf "# seen %d = stored %d + idle %d + lost %d\n", seen, stored, idle, lost
			exit !(seen > 0 && seen == stored + idle + lost) }'
}

# sum_flat FILE: of "opreport -n" with one class: the applications' samples
sum_flat()
{
	awk '/^[ 0-9]/ && $1 ~ /^[0-9]+$/ { sum += $1 } END { print sum + 0 }' "$1"
}

# sum_symbols FILE: of "opreport -l -n" with one class: the samples column.
# sum_symbols FILE w: of "opreport -l -n -w", where the address comes first
sum_symbols()
{
	awk -v column="${2:+2}" 'BEGIN { if (!column) column = 1 }
		$column ~ /^[0-9]+$/ { sum += $column } END { print sum + 0 }' "$1"
}

# own_state_folder, leave_state_folder: give a test in a mount namespace of its own a /var/lib/oprofile
# of its own. If another process removes the folder, the kernel unmounts it in all namespaces:
# therefore only the last test that uses it removes a folder that a test has made.
own_state_folder()
{
	exec 9</var/lib && flock -s 9 || return
	state_made=
	[ -d /var/lib/oprofile ] || state_made=yes
	mkdir -p /var/lib/oprofile
	mount -t tmpfs -o mode=700 oprofile /var/lib/oprofile
}

leave_state_folder()
{
	umount /var/lib/oprofile
	[ -z "$state_made" ] || ! flock -xn 9 || rmdir /var/lib/oprofile
	exec 9<&-
}
