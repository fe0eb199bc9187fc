#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/check itself, on a tree whose stages do nothing: each that fails makes
# it fail, whatever runs beside it, and none is left out.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
nr=0
unset OPROF_BUILD_DIR OPROF_CHECK_ALL OPROF_COMPILE_CACHE MAKEFLAGS MFLAGS MAKELEVEL

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

# Of each kind one, as make knows them; test_less_* and fuzz_less do less with sanitizers.
every_test="tests/fuzz/fuzz_a tests/fuzz/fuzz_less tests/house/test_a.sh tests/new/test_a tests/new/test_b.sh tests/ring/test_a"
every_test="$every_test tests/unit/lib/test_a tests/unit/lib/test_b.sh"
all_less="tests/unit/lib/test_less_1 tests/unit/lib/test_less_2 tests/unit/lib/test_less_3"
every_test="$every_test $all_less"
every_program="tests/fuzz/fuzz_a tests/fuzz/fuzz_less tests/new/test_a tests/ring/test_a tests/tool tests/unit/lib/test_a $all_less"
mkdir -p "$tree/scripts" "$tree/calls" "$tree/fails"
export OPROF_GUEST_CACHE="$tree/cache"
unset OPROF_GUESTS
cp "$top/scripts/check" "$tree/scripts/check"
mkdir -p "$tree/tests/unit/lib" "$tree/tests/fuzz"
echo 'int main(void) { return 0; }' >"$tree/tests/unit/lib/test_a.c"
: >"$tree/tests/fuzz/fuzz_a.c"
echo '#ifndef __SANITIZE_ADDRESS__' | tee "$tree/tests/unit/lib/test_less_1.c" >"$tree/tests/fuzz/fuzz_less.c"
echo 'before = mallinfo2();' >"$tree/tests/unit/lib/test_less_2.c"
echo 'for (i = 0; i < nr; i = thorough_next(i, nr, 7))' >"$tree/tests/unit/lib/test_less_3.c"
stub scripts/setup setup
stub scripts/list-files files "echo a"
stub autogen.sh autogen
script tests/e2e/test_a.sh e2e "python3 a 'b c'"
script tests/e2e/test_cpu_budget.sh waits
script tests/guest/test_a.sh guest 'sleep 0.2'
script tests/fuzz/run.sh fuzz
stub bin/python3 shim "echo $tree/real/python3"
stub real/python3 python "printf '<%s>\\n' \"\$0\" \"\$@\" >$tree/calls/python-arguments"
stub bin/nproc nproc "echo \${NR_CPUS:-2}"
for name in all check lint model fuzzers distcheck; do
	stub "bin/make-$name" "make-$name"
done
cat >"$tree/configure" <<END
#!/bin/sh
{
	printf '<%s>\n' "\$@"
	for compiler in cc gcc clang aarch64-linux-gnu-gcc; do readlink "\$(command -v \$compiler)" || echo itself; done
} >configured-by
for name in all check lint model fuzzers distcheck; do
	printf '%s:\n\t@$tree/bin/make-%s\n' \$name \$name
done >Makefile
{
	echo "TESTS = $every_test"
	echo 'check_PROGRAMS = \$(filter-out %.sh,\$(TESTS)) tests/tool'
	echo check-sum: check
	printf '\t@echo \$(notdir \$(CURDIR)) \$(sort \$(TESTS)): \$(sort \$(check_PROGRAMS)) >>$tree/calls/tests\n'
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
	# With one CPU only those differ that run in the background with two.
	differing="waits:waits guest:guest"
	[ "$cpus" = 1 ] ||
		differing="$differing make-lint:lint make-model:model make-check:unit make-distcheck:dist e2e:e2e fuzz:fuzz"
	for what in $differing; do
		: >"$tree/fails/${what%:*}"
		gate "${what#*:}"
		[ $? = 1 ] && [ "$(tail -n 1 "$tree/out")" = "0 passed, 1 failed" ]
		result $? "with_${cpus}_cpus_a_failure_of_${what%:*}_fails_all"
		rm "$tree/fails/${what%:*}"
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

[ "$(tr -d '\n' <"$tree/calls/python-arguments")" = "<$tree/real/python3><a><b c>" ] &&
	[ "$(wc -l <"$tree/calls/shim")" = 1 ]
result $? "python_is_looked_for_once"

# ---- what is tested in which folder ----

tests_of() { # FOLDER: those that ran, and the programs that were built for them
	sed -n "s/^$1 \(tests.*\)/\1/p" "$tree/calls/tests" | tail -n 1
}
gate
sanitized="tests/new/test_a tests/ring/test_a tests/unit/lib/test_a $all_less"
[ "$(tests_of build-sanitize)" = "$sanitized: tests/new/test_a tests/ring/test_a tests/tool tests/unit/lib/test_a $all_less" ] &&
	[ -e "$tree/calls/fuzz" ]
result $? "each_test_that_is_no_script_runs_with_sanitizers_or_as_a_fuzzer"
[ "$(tests_of build)" = "tests/fuzz/fuzz_less tests/house/test_a.sh tests/new/test_a tests/new/test_b.sh\
 tests/ring/test_a tests/unit/lib/test_b.sh $all_less:\
 tests/fuzz/fuzz_less tests/new/test_a tests/ring/test_a tests/tool $all_less" ]
result $? "without_them_what_is_no_unit_test_or_does_less_with_them"
[ "$({
	for folder in build build-sanitize; do tests_of "$folder"; done
	find "$tree/tests/fuzz" -name 'fuzz_*.c' | sed "s|^$tree/||; s/\.c$//"
} | sed 's/:.*//' | tr ' ' '\n' | sort -u)" = "$(echo "$every_test" | tr ' ' '\n' | sort)" ]
result $? "and_no_test_is_left_out_of_all_three"
gate --all && [ "$(tests_of build)" = "$every_test: $every_program" ] &&
	[ "$(tests_of build-sanitize)" = "tests/fuzz/fuzz_a tests/fuzz/fuzz_less $sanitized: $every_program" ]
result $? "and_with_all_every_test"
gate sanitize && [ "$(tests_of build-sanitize)" = "tests/fuzz/fuzz_a tests/fuzz/fuzz_less $sanitized: $every_program" ]
result $? "and_where_fuzzers_are_not_asked_for"
gate unit && [ "$(tests_of build)" = "$every_test: $every_program" ]
result $? "and_where_sanitizers_are_not_asked_for"

# ---- compilers ----

# What each build folder was configured with, and what is found in the place of compilers.
chosen_compilers() {
	for folder in build build-sanitize build-fuzz build-board; do
		sed -n 's/.*<CC=\([^>]*\)>.*/\1/p' "$tree/$folder/configured-by"
	done | tr '\n' ,
}
found_compilers() {
	cat "$tree"/build*/configured-by | sed -n '/^</!p' | sort | uniq -c | awk '{ print $1, $2 }'
}

for name in ccache cc gcc clang aarch64-linux-gnu-gcc; do
	stub "bin/$name" "$name"
done
rm -rf "$tree"/build*
gate && [ "$(found_compilers)" = "16 $tree/bin/ccache" ]
result $? "compilers_are_called_by_ccache"
[ "$(chosen_compilers)" = "gcc,gcc,clang,gcc," ]
result $? "each_build_folder_has_its_compiler"
rm -rf "$tree"/build*
export OPROF_COMPILE_CACHE=none
gate && [ "$(found_compilers)" = "16 itself" ]
result $? "or_without_it_where_that_is_asked_for"
unset OPROF_COMPILE_CACHE
gate e2e guest

grep -q '^slowest' "$tree/build/check/guest.log" && grep -q 'tests/guest/test_a.sh$' "$tree/build/check/guest.log"
result $? "what_took_longest_is_in_the_log"

[ "$(grep -c '^  [a-z0-9]*  *[0-9.]* *[0-9.]*$' "$tree/out")" = 2 ] &&
	grep -q '^  guest  *[0-9.]* *[0-9.]*$' "$tree/out"
result $? "minutes_of_the_stages_that_ran_are_told"

# Twelve more tests than are told, in two stages.
for one in 1 2 3 4 5 6 7; do
	script "tests/e2e/test_many_$one.sh" many
	script "tests/guest/test_many_$one.sh" many
done
script tests/guest/test_slow.sh slow 'sleep 2'
gate e2e guest
[ "$(sed '1,/^slowest, in seconds:/d' "$tree/out" | grep -c '/test_')" = 10 ]
result $? "ten_tests_of_all_stages_are_told_at_the_end"
sed '1,/^slowest, in seconds:/d' "$tree/out" | head -n 1 |
	grep -q ' guest  *tests/guest/test_slow.sh$'
result $? "the_slowest_comes_first_with_its_stage"
rm "$tree"/tests/*/test_many_* "$tree/tests/guest/test_slow.sh"

# ---- a failure is one ----

# It fails as often as there are lines in $tree/left.
seq 1 >"$tree/left"
script tests/e2e/test_a.sh e2e "[ -s $tree/left ] || exit 0; sed -i 1d $tree/left; exit 1"
gate e2e
[ $? = 1 ] && [ ! -e "$tree/calls/e2e" ] && [ ! -s "$tree/left" ]
result $? "what_fails_by_chance_fails_and_is_not_tried_again"
script tests/e2e/test_a.sh e2e

chmod -x "$tree/tests/e2e/test_a.sh"
gate e2e
[ $? = 1 ]
result $? "a_script_that_can_t_be_run_is_not_left_out"
chmod +x "$tree/tests/e2e/test_a.sh"

# ---- what guests are made by ----

script tests/guest/test_guests.sh machinery
printf '#!/bin/sh\n[ -z "$1" ] && cat %s || echo tests/guest/test_guests.sh\n' "$tree/state" \
	>"$tree/tests/guest/machinery-state"
chmod +x "$tree/tests/guest/machinery-state"
mkdir -p "$tree/cache"
echo 1 >"$tree/state"
gate guest && [ -e "$tree/calls/machinery" ] && gate guest && [ ! -e "$tree/calls/machinery" ] &&
	[ "$(tail -n 1 "$tree/out")" = "1 passed, 0 failed" ] && grep -q 'tests/guest/test_guests.sh' "$tree/build/check/guest.log"
result $? "tests_of_what_makes_guests_run_once"
gate --all guest && [ -e "$tree/calls/machinery" ]
result $? "and_whenever_all_is_asked_for"
echo 2 >"$tree/state"
: >"$tree/fails/machinery"
gate guest
[ $? = 1 ] && [ -e "$tree/calls/machinery" ] && rm "$tree/fails/machinery" && gate guest && [ -e "$tree/calls/machinery" ]
result $? "and_where_it_has_changed_till_they_pass"
: >"$tree/state"
gate guest && [ -e "$tree/calls/machinery" ] && gate guest && [ -e "$tree/calls/machinery" ]
result $? "and_where_nobody_can_tell"
rm "$tree/tests/guest/test_guests.sh" "$tree/tests/guest/machinery-state"

# ---- results of before ----

mkdir -p "$tree/events" "$tree/doc"
echo 1 >"$tree/doc/a"
(cd "$tree" && printf 'build*\ncalls\nout\nfails\ncache\nleft\n' >.gitignore && git init -q && git add -A &&
	git -c user.name=a -c user.email=a@b commit -qm a) >/dev/null 2>&1
gate e2e && gate --changed e2e && [ ! -e "$tree/calls/e2e" ] && grep -q '1 tests that passed before' "$tree/out"
result $? "what_passed_is_left_out_if_nothing_has_changed"
gate e2e && [ -e "$tree/calls/e2e" ]
result $? "but_only_where_that_is_asked_for"
echo 2 >"$tree/doc/a"
gate --changed e2e && [ -e "$tree/calls/e2e" ]
result $? "what_passed_runs_again_where_a_file_has_changed"
echo >"$tree/doc/b"
gate --changed e2e && [ -e "$tree/calls/e2e" ]
result $? "or_one_is_new"
: >"$tree/fails/e2e"
gate e2e
gate --changed e2e
[ $? = 1 ] && [ -e "$tree/calls/e2e" ]
result $? "what_failed_runs_again"
rm "$tree/fails/e2e"
rm -rf "$tree/.git"
gate e2e && gate --changed e2e && [ -e "$tree/calls/e2e" ]
result $? "and_where_there_is_no_git_to_ask"

# Ended while a guest runs: nothing stays behind.
script tests/guest/test_a.sh guest "echo \$\$ >$tree/guest.pid; exec sleep 1000"
rm -rf "$tree/calls/"*
PATH="$tree/bin:$PATH" "$tree/scripts/check" guest >"$tree/out" 2>&1 &
gate=$!
while [ ! -s "$tree/guest.pid" ] && kill -0 $gate 2>/dev/null; do sleep 0.1; done
kill $gate
wait $gate
left=600
while kill -0 "$(cat "$tree/guest.pid")" 2>/dev/null && [ $left -gt 0 ]; do
	sleep 0.1
	left=$((left - 1))
done
[ $left -gt 0 ] && [ -s "$tree/guest.pid" ]
result $? "a_gate_that_is_ended_ends_its_guests"
echo "1..$nr"
