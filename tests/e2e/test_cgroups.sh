#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 500 control groups that live some 50 ms each: what each one used, by its
# name, though half of them are gone before the daemon looks.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
perf_system_works || tap_skip_all "this machine's kernel gives no performance events"
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || tap_skip_all "no cgroup2 hierarchy is mounted"
awk '$1 == "perf_event" { exit $2 != 0 }' /proc/cgroups ||
	tap_skip_all "the cgroups of events are of version 1"

nr_groups=500
S="$T/session"
slice="oprof-test-$$.slice"
mkdir "$mount/$slice" 2>/dev/null || tap_skip_all "no control group can be made here"

remove_groups()
{
	find "$mount/$slice" -depth -mindepth 1 -type d -exec rmdir {} + 2>/dev/null
	rmdir "$mount/$slice"
}
trap 'remove_groups; cleanup' EXIT

$CC -O1 -o "$T/load" "$E2E/cgroup_load.c" || tap_bail "the workload does not build"
mkdir "$mount/$slice/known.service"
"$BIN/oprofiled" "--session-dir=$S" --event=cpu-clock --frequency=997 --separate=cgroup --start \
	2>"$T/err" || tap_bail "the daemon does not start: $(cat "$T/err")"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"

# One that was there before, by its name, and one in a container's folders.
id=$(printf '%064d' 0 | tr 0 a)
mkdir "$mount/$slice/docker-$id.scope"
for group in known.service "docker-$id.scope"; do
	# shellcheck disable=SC2016 # for that shell
	sh -c 'echo $$ >"$1"; i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' sh \
		"$mount/$slice/$group/cgroup.procs" || tap_bail "no process may move to a group"
done
"$T/load" "$mount/$slice" $nr_groups >"$T/used" || tap_bail "the workload failed"
"$BIN/opcontrol" "--session-dir=$S" --dump
tap_ok $? "dump"

# samples OPTION... SPEC: samples of the user's mode and the kernel's, all images together
samples()
{
	"$BIN/opreport" "--session-dir=$S" -n "$@" 2>"$T/coverage" | awk '/^ *[0-9]/ { sum += $1 }
		END { print sum + 0 }'
}

[ "$(samples cgroup:known.service)" -gt 0 ]
tap_ok $? "a group that was there before is found by its unit's name"
tap_is "$(samples "cgroup:/$slice/known.service")" "$(samples cgroup:known.service)" \
	"and by its path"
tap_is "$(samples "cgroup:$slice/known*")" "$(samples cgroup:known.service)" "and by a glob"
[ "$(samples cgroup:docker:aaaaaaaaaaaa)" -gt 0 ]
tap_ok $? "a container is found by its short id"
tap_is "$(samples cgroup:aaaaaaa)" "$(samples cgroup:docker:aaaaaaaaaaaa)" \
	"and by the beginning of its id"

# ---- 500 of them, as rows ----

"$BIN/oprof" report "--session-dir=$S" --by=cgroup "cgroup:/$slice/job*" >"$T/rows" \
	2>"$T/coverage"
tap_ok $? "a report by control group"
awk '/\/job[0-9]+$/ { sub(".*/", "", $3); print $3, $1, $2 }' "$T/rows" >"$T/got"
tap_is "$(wc -l <"$T/got")" $nr_groups "each group has its row"
awk 'NR == FNR { used[$1] = $2; all += $2; next } { got[$1] = $2; sum += $2; share[$1] = $3 }
	END { for (job in used) { expected = used[job] * 997 / 1e6; d = got[job] - expected;
			if (d * d > 36 * expected + 100) { wrong++
				printf "# %s: %d samples, expected %.1f\n", job, got[job], expected }
			d = share[job] - 100 * got[job] / sum; if (d * d > 0.0001) shares++ }
		printf "# %d samples, expected %.0f\n", sum, all * 997 / 1e6
		exit wrong + shares > 0 }' "$T/used" "$T/got"
tap_ok $? "with the samples of the time that the kernel counted, and its share"
sort -n -r -k 2 "$T/got" | cut -d ' ' -f 2 >"$T/sorted"
cut -d ' ' -f 2 "$T/got" | cmp -s - "$T/sorted"
tap_ok $? "the largest comes first"
tap_is "$(samples --by=cgroup "cgroup:/$slice/job*")" "$(samples -m cgroup "cgroup:/$slice/job*")" \
	"rows add up to the report without them"
"$BIN/opreport" "--session-dir=$S" --by=cgroup -l -n "cgroup:/$slice/job7,/$slice/job8" \
	>"$T/symbols" 2>"$T/coverage"
tap_has "$T/symbols" "job7 .*spin" "symbols by control group"
tap_has "$T/symbols" "job8 .*spin" "of one that is gone, too"

# ---- as columns ----

"$BIN/opreport" "--session-dir=$S" "cgroup:/$slice/job7,known.service" >"$T/columns" \
	2>"$T/coverage"
tap_has "$T/columns" "known.service" "columns have the names that people know"
"$BIN/opreport" "--session-dir=$S" "cgroup:/$slice/job*" >/dev/null 2>"$T/coverage"
tap_is $? 1 "500 columns are refused"
tap_has "$T/coverage" "--by=cgroup" "and the remedy is told"

kill "$daemon"
tap_end
