#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/repeat on a tree of scripts that stand for tests.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP python3 is missing"
	exit 0
fi
nr=0
log=$tree/log

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# | /' "$tree/out"
	fi
}

program() { # NAME LINE
	printf '#!/bin/sh\n%s\n' "$2" >"$tree/build/tests/unit/$1"
	chmod +x "$tree/build/tests/unit/$1"
}

repeat() {
	rm -f "$log"
	"$tree/scripts/repeat" -b "$tree/build" -o "$log" "$@" >"$tree/out" 2>&1
}

runs() { # NAME BUSY VERDICT: number of such lines of the log
	awk -F '\t' -v name="tests/unit/$1" -v busy="$2" -v verdict="$3" \
		'$1 == name && $3 == busy && $4 == verdict { n++ } END { print n + 0 }' "$log"
}

mkdir -p "$tree/scripts" "$tree/build/tests/unit"
cp "$top/scripts/repeat" "$tree/scripts"
cat >"$tree/build/Makefile" <<'END'
AM_TESTS_ENVIRONMENT = HOUSE='a b'; export HOUSE;
TESTS = tests/unit/test_good tests/unit/test_bad
END
printf '# a list\ntest_good: reason\ntest_bad: reason\n' >"$tree/tests.list"
mkdir -p "$tree/tests"
mv "$tree/tests.list" "$tree/tests/repeat-list"
program test_good "echo 1..1; [ \"\$HOUSE\" = 'a b' ] && echo ok 1 - it || echo not ok 1 - it"
program test_bad "echo 1..2; echo ok 1 - this; echo not ok 2 - that"

repeat -n 3 -l 1
[ $? = 1 ] && [ "$(runs test_good 0 ok)$(runs test_good 1 ok)$(runs test_bad 0 fail)$(runs test_bad 1 fail)" = 3333 ]
result $? "each_listed_test_runs_so_often_alone_and_under_load"
grep -q 'not ok 2 - that' "$log" && grep -q '^ok 1 - this' "$log.failures/tests_unit_test_bad.1" &&
	[ -e "$log.failures/tests_unit_test_bad.6" ]
result $? "the_output_of_a_failed_run_is_kept"

"$tree/scripts/repeat" -n 2 -a -b "$tree/build" -o "$log" test_good >"$tree/out" 2>&1 &&
	"$tree/scripts/repeat" --sum "$log" >"$tree/out" &&
	grep -Eq '^ +5 +0 +3 +0 +0  tests/unit/test_good$' "$tree/out" &&
	grep -Eq '^ +3 +3 +3 +3 +0  tests/unit/test_bad$' "$tree/out"
result $? "the_runs_of_several_calls_are_summed"

"$tree/scripts/repeat" -m -n 6 -l 1 -b "$tree/build" -o "$log" test_good >"$tree/out" 2>&1 &&
	[ "$(runs test_good 0 ok)$(runs test_good 1 ok)" = 66 ]
result $? "the_runs_that_a_log_lacks_are_added"

program test_bad "echo 1..2; echo ok 1 - this; exit 0"
repeat -n 1 -a test_bad
[ $? = 1 ] && [ "$(runs test_bad 0 fail)" = 1 ]
result $? "a_test_that_ends_before_its_plan_fails"

program test_bad "exit 77"
repeat -n 1 -a test_bad && [ "$(runs test_bad 0 skip)" = 1 ]
result $? "a_skipped_test_neither_passes_nor_fails"

repeat -n 1 -a test_absent
[ $? = 1 ] && grep -q 'cannot find test_absent' "$tree/out"
result $? "a_test_that_is_not_there_is_refused"

program test_good "echo \$\$ >>$tree/good.pids; echo 1..1; i=0
while [ ! -e $tree/both ] && [ \$i -lt 600 ]; do
	[ \"\$(wc -l <$tree/good.pids)\" -ge 2 ] && touch $tree/both
	i=\$((i + 1)); sleep 0.1
done; [ -e $tree/both ] && echo ok 1 || echo not ok 1"
repeat -n 2 -a -j 2 test_good && [ "$(runs test_good 0 ok)" = 2 ]
result $? "so_many_tests_run_at_once"

: >"$tree/good.pids"
repeat -n 9 -a -o "$tree/none/log" test_good
[ $? = 1 ] && [ "$(wc -l <"$tree/good.pids")" -lt 6 ]
result $? "a_log_that_cannot_be_written_ends_it"

# Ended while a test waits under load: neither the test nor the load stays behind.
# What a test has left behind is not waited for, though it may still write.
program test_bad "setsid sleep 1000 & echo \$! >>$tree/left.pids
echo \$\$ >>$tree/test.pids; exec sleep 1000"
: >"$tree/test.pids"
: >"$log"
"$tree/scripts/repeat" -n 3 -j 2 -l 2 --only-load -b "$tree/build" -o "$log" test_bad \
	>"$tree/out" 2>&1 &
repeat=$!
while [ "$(wc -l <"$tree/test.pids")" -lt 2 ] && kill -0 $repeat; do sleep 0.1; done
busy=$(ps -e -o pid=,ppid=,args= | awk -v parent=$repeat '$2 == parent && /kill -0/ { print $1 }')
kill $repeat
wait $repeat
[ $? = 143 ] && [ "$(echo "$busy" | wc -w)" = 2 ]
result $? "a_run_that_is_ended_reports_so"
# shellcheck disable=SC2046 # words
kill $(cat "$tree/left.pids")
alive=
for pid in $busy $(cat "$tree/test.pids"); do
	kill -0 "$pid" 2>/dev/null && alive="$alive $pid"
done
[ -z "$alive" ] && [ "$(wc -l <"$tree/test.pids")" = 2 ] && [ ! -s "$log" ]
result $? "a_run_that_is_ended_leaves_neither_test_nor_load"
echo "1..$nr"
