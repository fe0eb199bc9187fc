#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A user without rights profiles their own program, at perf_event_paranoid 2
# and with no locked memory but the pool that everybody has. Where the kernel
# refuses even that, one message gives the command that makes it work.
. "$(dirname "$0")/lib.sh"

level=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)
tap_note "perf_event_paranoid $level"

# The build may lie where others can't go: what a user would have installed.
mkdir "$T/bin" "$T/user"
for program in oprof operf oprofiled opreport opcontrol; do
	cp "$BIN/$program" "$T/bin/" || tap_bail "$program is not built"
done
cp -r "$OPROF_EVENTS_DIR" "$T/events"
chmod -R a+rX "$T/bin" "$T/events"
export OPROF_EVENTS_DIR="$T/events"
$CC -O1 -pthread -o "$T/bin/nobody_load" "$E2E/nobody_load.c" &&
	$CC -o "$T/bin/refuse_perf" "$E2E/refuse_perf.c"
tap_ok $? "the test's programs build"

# as_nobody COMMAND...: in a folder of their own; from root, with no right left
if [ "$(id -u)" = 0 ]; then
	chown nobody "$T/user"
	as_nobody()
	{
		(cd "$T/user" && prlimit --memlock=0:0 setpriv --reuid=nobody \
			--regid="$(id -g nobody)" --clear-groups --inh-caps=-all \
			--bounding-set=-all "$@")
	}
else
	as_nobody()
	{
		(cd "$T/user" && prlimit --memlock=0:0 "$@")
	}
fi

if [ "${level:-9}" -gt 2 ]; then
	tap_note "level $level allows users nothing: the guest test covers it"
elif [ "$(id -u)" = 0 ] && ! perf_system_works; then
	tap_note "perf_event_open is refused here"
else
	as_nobody "$T/bin/oprof" run -- "$T/bin/nobody_load" 1500 >"$T/run" 2>&1
	tap_ok $? "nobody profiles their own program"
	tap_show "$T/run"
	as_nobody "$T/bin/oprof" report -l -n >"$T/symbols" 2>"$T/coverage"
	tap_ok $? "and sees the report"
	tap_show "$T/symbols" 10
	tap_show "$T/coverage"
	tap_has "$T/symbols" "^[0-9]+ .*nobody_hot$" "its hot function heads the report"
	tap_is "$(awk 'NR == 1 { print $NF }' "$T/symbols")" nobody_hot "above all others"
	# Two seconds and more of CPU time in a thread and a child, 997 times a second.
	nr=$(awk '$NF == "nobody_hot" { sum += $1 } END { print sum + 0 }' "$T/symbols")
	[ "$nr" -gt 2000 ]
	tap_ok $? "the thread and the child are both sampled ($nr samples)"
	check_conservation "$T/user/oprofile_data"
	tap_ok $? "seen = stored + idle + lost"
	tap_is "$(sum_symbols "$T/symbols")" "$(session_counter "$T/user/oprofile_data" stored)" \
		"the report sums to what was stored"
	rm -rf "$T/user/oprofile_data"
fi

as_nobody "$T/bin/refuse_perf" "$T/bin/oprof" run -- "$T/bin/nobody_load" 10 >"$T/refused" 2>&1
status=$?
if [ $status -eq 77 ]; then
	tap_note "no seccomp here: refusals are not tested"
else
	tap_ok $((status == 0)) "where the kernel refuses, oprof run fails"
	tap_show "$T/refused"
	tap_is "$(grep -c . "$T/refused")" 1 "with one message"
	tap_has "$T/refused" "(sudo sysctl kernel\.perf_event_paranoid=[-0-9]+|docker run --cap-add PERFMON .*IMAGE)" \
		"that gives the exact command"
	tap_is "$(find "$T/user" -name '*cpu*' -o -name '*cycles*' | head -1)" "" \
		"and leaves no sample files"
fi
tap_end
