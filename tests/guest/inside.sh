# shellcheck shell=sh disable=SC2034 # variables are for the scripts
# SPDX-License-Identifier: GPL-2.0-or-later
# What scripts that run in a guest share (busybox's sh, awk): TAP, the module
# and the daemon. A script begins with . /bin/inside.sh and ends with finish.
# It also runs on a machine, for trying it, with --source=perf.
#
# Settings come from /settings, made by the test that boots the guest:
#	guest	its name		seed	of what is random
#	source	kmod or perf		all	1: OPROF_CHECK_ALL
set -u
guest=
seed=1
source=perf
all=
# shellcheck disable=SC1091
[ ! -r /settings ] || . /settings
work=$(mktemp -d)
export XDG_CACHE_HOME="$work/cache"
[ ! -d /events ] || export OPROF_EVENTS_DIR=/events
# Handlers are slow under emulation: perf would lower the highest frequency that it grants.
[ -z "$guest" ] || echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
tap_nr=0
tap_failed=0

# ---- TAP ----

note()
{
	echo "# $*"
}

ok() # STATUS TEXT
{
	tap_nr=$((tap_nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_nr - $2"
	else
		echo "not ok $tap_nr - $2"
		tap_failed=1
	fi
}

is() # GOT EXPECTED TEXT
{
	[ "$1" = "$2" ]
	is_status=$?
	ok $is_status "$3"
	[ $is_status -eq 0 ] || note "got $1, expected $2"
}

show() # FILE [LINES]
{
	sed 's/^/# | /' "$1" | head -n "${2:-30}"
}

bail()
{
	echo "Bail out! $*"
	exit 1
}

# Of programs that print "ok - NAME" (kmod_test.h).
take() # PROGRAM [ARGUMENT]...: its lines become ours
{
	"$@" >"$work/lines" 2>&1
	take_status=$?
	while read -r take_line; do
		case $take_line in
		"ok - "*) ok 0 "${take_line#ok - }" ;;
		"not ok - "*) ok 1 "${take_line#not ok - }" ;;
		*) note "${take_line#\# }" ;;
		esac
	done <"$work/lines"
	# A program that dies says nothing of the tests that it did not come to.
	is $take_status 0 "$1 comes to its end"
}

finish()
{
	rm -rf "$work"
	echo "1..$tap_nr"
	exit $tap_failed
}

# until_true COMMAND...: at most some minutes, as guests are slow
until_true()
{
	until_left=1000
	while ! "$@"; do
		until_left=$((until_left - 1))
		[ $until_left -gt 0 ] || return 1
		sleep 0.2
	done
}

# send_folders FOLDER...: those that are there, to who called (profile_read_folders)
send_folders()
{
	for send_tool in base64 tar; do
		command -v $send_tool >/dev/null || bail "no $send_tool"
	done
	mkdir folders
	for send_folder in "$@"; do
		[ ! -d "$send_folder" ] || mv "$send_folder" folders
	done
	echo "# FOLDERS"
	tar -C folders -cf - . | gzip -9 | base64 | sed 's/^/# @/'
}

# ---- the module ----

control=/dev/oprofile

module_load()
{
	insmod /bin/oprof.ko && mkdir -p $control && mount -t oprofilefs none $control
}

# Who had it open may only just be dying.
module_unload()
{
	until_true umount $control && until_true rmmod oprof && [ ! -d /sys/module/oprof ]
}

stat_of() # NAME
{
	cat "$control/stats/$1"
}

# The module's own sums, with sampling stopped and all read by its worker.
module_balances()
{
	stat_seen=$(stat_of seen)
	stat_lost=0
	for stat_file in "$control"/stats/lost_*; do
		stat_one=$(cat "$stat_file")
		[ "$stat_one" = 0 ] || note "module: ${stat_file##*/} $stat_one"
		stat_lost=$((stat_lost + stat_one))
	done
	note "module: seen $stat_seen, stored $(stat_of stored), lost $stat_lost"
	[ "$stat_seen" -gt 0 ] && [ "$stat_seen" = $(($(stat_of stored) + stat_lost)) ]
	ok $? "the module's seen = stored + lost by reason"
}

# All address spaces that samples held were let go: of a run that has ended.
module_let_go()
{
	is "$(stat_of references_dropped)" "$(stat_of references_taken)" \
		"all address spaces are let go ($(stat_of references_taken) were held)"
}

# ---- the daemon ----

# A daemon has a name: its folder is $work/NAME, what it said last of itself
# $work/NAME.status, its log $work/NAME.log.

# The event that has samples everywhere: cycles where a PMU counts them.
event_here()
{
	case $guest in
	arm64*) echo cycles ;;
	*) echo cpu-clock ;;
	esac
}

daemon_answers() # NAME
{
	opcontrol "--session-dir=$work/$1" --status >"$work/$1.status" 2>/dev/null &&
		grep -q '^state running' "$work/$1.status"
}

daemon_ready() # NAME
{
	daemon_answers "$1" || ! kill -0 "$(cat "$work/$1.pid")" 2>/dev/null
}

daemon_start() # NAME SOURCE OPTION...
{
	daemon=$1
	daemon_source=$2
	shift 2
	oprofiled --foreground "--session-dir=$work/$daemon" --fresh --start \
		"--source=$daemon_source" "$@" >"$work/$daemon.log" 2>&1 &
	echo $! >"$work/$daemon.pid"
	until_true daemon_ready "$daemon"
	daemon_answers "$daemon" || {
		show "$work/$daemon.log"
		bail "the daemon does not start"
	}
	is "$(status_of "$daemon" source)" "$daemon_source" "$daemon: samples come from $daemon_source"
}

# Sampling ends, all is read.
daemon_stop() # NAME
{
	opcontrol "--session-dir=$work/$1" --stop >/dev/null &&
		opcontrol "--session-dir=$work/$1" --dump &&
		opcontrol "--session-dir=$work/$1" --status >"$work/$1.status"
	ok $? "$1: sampling is stopped, all is read"
}

daemon_end() # NAME
{
	opcontrol "--session-dir=$work/$1" --shutdown >/dev/null && wait "$(cat "$work/$1.pid")"
	ok $? "$1: the daemon ends"
}

status_of() # NAME KEY
{
	awk -v key="$2" '$1 == key { print $2 }' "$work/$1.status"
}

daemon_balances() # NAME
{
	awk '$1 == "seen" { seen = $2 } $1 == "stored" { stored = $2 } $1 == "idle" { idle = $2 }
		$1 ~ /^lost_/ { lost += $2; if ($2) printf "# %s %d\n", $1, $2 }
		END { printf "# seen %d = stored %d + idle %d + lost %d\n", seen, stored, idle, lost
			exit !(seen > 0 && seen == stored + idle + lost) }' "$work/$1.status"
	ok $? "$1: seen = stored + idle + lost"
}

# ---- shares ----

# Of lines "NAME EXPECTED" and "NAME SAMPLES" in two files: are all of them, as
# many as NR, within five standard deviations of what is expected?
# (busybox's awk has no sqrt.)
shares_hold() # EXPECTED_FILE SAMPLES_FILE NR TEXT
{
	awk 'function root(x, r, i) {
			r = x > 1 ? x : 1
			for (i = 0; i < 100; i++) r = (r + x / r) / 2
			return r
		}
		FNR == NR { expected[$1] = $2; total += $2; order[++nr] = $1; next }
		$1 in expected { samples[$1] += $2; seen += $2 }
		END {
			for (i = 1; i <= nr && total && seen; i++) {
				n = order[i]; p = expected[n] / total
				sigma = root(seen * p * (1 - p))
				printf "%s %d %.3f %.3f %.2f\n", n, samples[n], 100 * p,
					100 * samples[n] / seen, (samples[n] - seen * p) / sigma
			} }' "$1" "$2" >"$work/held"
	while read -r share_name share_nr share_truth share_got share_sigmas; do
		awk -v d="$share_sigmas" -v n="$share_nr" 'BEGIN { exit !(n > 0 && d >= -5 && d <= 5) }'
		ok $? "$4 $share_name: $share_nr samples, $share_got % where the truth is $share_truth % ($share_sigmas sigma)"
	done <"$work/held"
	is "$(grep -c . "$work/held")" "$3" "$4: there are $3"
}
