#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/check itself, on a tree whose stages do nothing: each that fails makes
# it fail, whatever runs beside it, and none is left out.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
nr=0
unset OPROF_BUILD_DIR OPROF_CHECK_ALL MAKEFLAGS MFLAGS MAKELEVEL

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# | /' "$tree/out"
	fi
}

# One call of $tree/calls/NAME is one of what stands for NAME; it fails if $tree/fails/NAME is there.
stub() { # PATH NAME [LINE]
	mkdir -p "$(dirname "$tree/$1")"
	printf '#!/bin/sh\n%s\necho >>%s\n[ ! -e %s ]\n' "${3:-:}" "$tree/calls/$2" "$tree/fails/$2" >"$tree/$1"
	chmod +x "$tree/$1"
}

script() { # PATH NAME: a TAP script
	stub "$1" "$2" "echo 1..1; [ ! -e $tree/fails/$2 ] && echo 'ok 1 - it' || echo 'not ok 1 - it'; $3"
}

mkdir -p "$tree/scripts" "$tree/calls" "$tree/fails"
cp "$top/scripts/check" "$tree/scripts/check"
stub scripts/setup setup
stub scripts/list-files files "echo a"
stub autogen.sh autogen
script tests/e2e/test_a.sh e2e
script tests/e2e/test_cpu_budget.sh waits
script tests/guest/test_a.sh guest 'sleep 0.2'
script tests/fuzz/run.sh fuzz
stub bin/nproc nproc "echo \${NR_CPUS:-2}"
for name in all check lint model fuzzers distcheck; do
	stub "bin/make-$name" "make-$name"
done
cat >"$tree/configure" <<END
#!/bin/sh
for name in all check lint model fuzzers distcheck; do
	printf '%s:\n\t@$tree/bin/make-%s\n' \$name \$name
done >Makefile
{
	echo check-sum: check
	printf '\t@printf "# TOTAL: 1\\\\n# PASS: 1\\\\n# FAIL: 0\\\\n"\n'
	echo tarball: distcheck
	printf '\t@mkdir -p oprof-1 && echo >oprof-1/a && tar -cJf oprof-1.tar.xz oprof-1\n'
} >>Makefile
sed -i 's/^check:/check-run:/; s/^check-sum: check/check: check-run/; s/^distcheck:/dist-run:/; s/^tarball: distcheck/distcheck: dist-run/' Makefile
END
chmod +x "$tree/configure"

gate() { # STAGE...
	rm -f "$tree"/calls/*
	PATH="$tree/bin:$PATH" "$tree/scripts/check" "$@" >"$tree/out" 2>&1
}

every="setup build unit e2e guest waits lint model sanitize fuzz board dist"
for cpus in 1 2; do
	export NR_CPUS=$cpus
	gate
	status=$?
	told=$(sed -n 's/^\([a-z0-9]*\)  *[0-9]* s  .*/\1/p' "$tree/out" | sort | tr '\n' ' ')
	[ $status = 0 ] && [ "$told" = "$(echo "$every" | tr ' ' '\n' | sort | tr '\n' ' ')" ]
	result $? "with_${cpus}_cpus_every_stage_runs_and_is_told"
	[ "$(tail -n 1 "$tree/out")" = "12 passed, 0 failed" ]
	result $? "with_${cpus}_cpus_what_passed_is_summed"
	for what in make-lint make-model make-check make-distcheck e2e waits guest fuzz; do
		: >"$tree/fails/$what"
		gate
		[ $? = 1 ] && tail -n 1 "$tree/out" | grep -q '[1-9][0-9]* failed'
		result $? "with_${cpus}_cpus_a_failure_of_${what}_fails_all"
		rm "$tree/fails/$what"
	done
done

: >"$tree/fails/make-all"
gate
[ $? = 1 ] && [ ! -e "$tree/calls/e2e" ] && [ "$(tail -n 1 "$tree/out")" = "1 passed, 1 failed" ]
result $? "what_does_not_build_is_not_tested"
rm "$tree/fails/make-all"

gate e2e guest && [ -e "$tree/calls/guest" ] && [ ! -e "$tree/calls/waits" ] &&
	[ "$(tail -n 1 "$tree/out")" = "2 passed, 0 failed" ]
result $? "stages_that_are_named_run_alone"

grep -q '^slowest' "$tree/build/check/guest.log" && grep -q 'tests/guest/test_a.sh$' "$tree/build/check/guest.log"
result $? "what_took_longest_is_in_the_log"

# ---- a second try ----

# It fails as often as there are lines in $tree/left.
script_that_fails() { # TIMES [LINE]
	mkdir -p "$tree/tests/e2e"
	: >"$tree/left"
	seq "$1" >"$tree/left"
	cat >"$tree/tests/e2e/test_a.sh" <<END
#!/bin/sh
echo 1..2
echo ok 1 - this
echo >>$tree/calls/e2e
$2
[ -s $tree/left ] || { echo ok 2 - that; exit 0; }
sed -i 1d $tree/left
echo not ok 2 - that
exit 1
END
}

script_that_fails 1
gate e2e && grep -q 'passed at the second try, failed first: tests/e2e/test_a.sh: not ok 2 - that' "$tree/out" &&
	[ "$(tail -n 1 "$tree/out")" = "2 passed, 0 failed" ]
result $? "what_fails_once_passes_and_is_told_by_name"

script_that_fails 2
gate e2e
[ $? = 1 ] && [ "$(tail -n 1 "$tree/out")" = "1 passed, 1 failed" ] && [ "$(wc -l <"$tree/calls/e2e")" = 2 ]
result $? "what_fails_twice_fails"

script_that_fails 1 "echo '# ERROR: AddressSanitizer: heap-use-after-free'"
gate e2e
[ $? = 1 ] && [ "$(wc -l <"$tree/calls/e2e")" = 1 ]
result $? "a_crash_gets_no_second_try"
script tests/e2e/test_a.sh e2e

# A test program of make check: its .trs and .log are where automake leaves them. $1 of 3 fail at
# first, of the second run's 3 so many: $2.
program_that_fails() { # NAME FIRST SECOND
	cat >"$tree/bin/make-check" <<END
#!/bin/sh
case \${TESTS-all} in
"") exit 0 ;;
all) bad=$2 ;;
*) bad=$3 && echo "\$TESTS" >>$tree/calls/second ;;
esac
mkdir -p $(dirname "$1")
good=\$((3 - bad))
for i in \$(seq \$good); do echo ':test-result: PASS x'; done >$1.trs
for i in \$(seq \$bad); do echo ':test-result: FAIL x'; done >>$1.trs
for i in \$(seq \$bad); do echo "not ok \$i - x"; done >$1.log
[ "\$TESTS" ] || good=\$((good + 10)) # others
printf '# TOTAL: 9\n# PASS: %d\n# FAIL: %d\n' \$good \$bad
[ \$bad = 0 ]
END
	chmod +x "$tree/bin/make-check"
	rm -rf "$tree/build"
}
# As above, but the sums are the program's.
sed -i 's/^	printf .*TOTAL: 1.*$/	echo "	@true"/' "$tree/configure"

program_that_fails tests/unit/test_a 2 0
gate build unit && grep -q 'failed first: tests/unit/test_a: not ok 1 - x' "$tree/out" &&
	[ "$(tail -n 1 "$tree/out")" = "14 passed, 0 failed" ] && [ "$(cat "$tree/calls/second")" = tests/unit/test_a ]
result $? "a_program_that_fails_once_passes_and_is_told_by_name"

program_that_fails tests/unit/test_a 2 1
gate build unit
[ $? = 1 ] && [ "$(tail -n 1 "$tree/out")" = "13 passed, 1 failed" ] && ! grep -q 'second try, failed' "$tree/out"
result $? "a_program_that_fails_twice_fails"

program_that_fails tests/ring/test_a 2 0
gate build unit
[ $? = 1 ] && [ ! -e "$tree/calls/second" ]
result $? "a_test_of_the_ring_gets_no_second_try"

# Ended while a guest runs: nothing stays behind.
script tests/guest/test_a.sh guest "echo \$\$ >$tree/guest.pid; exec sleep 1000"
rm -rf "$tree/calls/"*
PATH="$tree/bin:$PATH" "$tree/scripts/check" guest >"$tree/out" 2>&1 &
gate=$!
while [ ! -s "$tree/guest.pid" ]; do sleep 0.1; done
kill $gate
wait $gate
left=600
while kill -0 "$(cat "$tree/guest.pid")" 2>/dev/null && [ $left -gt 0 ]; do
	sleep 0.1
	left=$((left - 1))
done
[ $left -gt 0 ]
result $? "a_gate_that_is_ended_ends_its_guests"
echo "1..$nr"
