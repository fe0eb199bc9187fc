#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/mutants on a tree of one C file: a function that a unit test calls, one that only an
# end-to-end test calls, and one that no test calls.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
work=$(mktemp -d) || exit 99
out=$work/out
trap 'rm -rf "$tree" "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP python3 is missing"
	exit 0
fi
nr=0

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# | /' "$out"
	fi
}

mkdir -p "$tree/scripts" "$tree/lib" "$tree/tests/e2e"
cp "$top/scripts/mutants" "$top/scripts/mutants_draw.py" "$top/scripts/list-files" "$tree/scripts"
cat >"$tree/lib/count.c" <<'END'
/* A comment if (a < b) return 0; */
static const int table[] = {1, 2};
int count_tested(int n)
{
	return n + table[1];
}
int count_by_program(int n)
{
	return n + 5;
}
int count_untested(int n)
{
	return n - 7;
}
END
cat >"$tree/lib/main.c" <<'END'
int count_by_program(int n);
int main(void) { return count_by_program(1); }
END
cat >"$tree/tests/test_count.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int count_tested(int n);
int count_untested(int n);
int main(void)
{
#ifdef SANITIZED
	if (count_untested(9) != 2)
		abort();
#endif
	printf("1..1\n%sok 1 - it\n", count_tested(4) == 6 && getenv("HOUSE") ? "" : "not ");
	return 0;
}
END
cat >"$tree/tests/e2e/test_program.sh" <<'END'
echo 1..1
"./counting"
[ $? = 6 ] && echo "ok 1 - it" || echo "not ok 1 - it"
END
printf "#!/bin/sh\ncp configure.house configure\n" >"$tree/autogen.sh"
cat >"$tree/configure.house" <<'END'
#!/bin/sh
top=$(cd "$(dirname "$0")" && pwd)
mkdir -p tests .deps
# With sanitizers, the program has what it is made of in it.
case " $* " in
*" --with-sanitizers=address,undefined "*)
	kind="-DSANITIZED -Wa,--defsym,source=\$\$(cksum \$< | cut -d ' ' -f 1)"
	;;
*) kind= ;;
esac
cat >Makefile <<MAKE
TESTS = tests/test_count
AM_TESTS_ENVIRONMENT = HOUSE=1; export HOUSE;
bin_PROGRAMS = counting
all: counting
tests/test_count: test_count.o count.o
	gcc -o \$@ test_count.o count.o
counting: main.o count.o
	gcc -o \$@ main.o count.o
	echo "\$\$TMPDIR" >tmpdir
%.o: $top/lib/%.c
	gcc -O1 -g0 $kind -MD -MF .deps/\$*.Po -c -o \$@ \$<
%.o: $top/tests/%.c
	gcc -O1 -g0 ${kind%% *} -c -o \$@ \$<
MAKE
END
chmod +x "$tree/autogen.sh" "$tree/configure.house"

state() {
	(cd "$tree" && find . -type f -exec cksum {} + | sort)
}

mutants() {
	"$tree/scripts/mutants" -w "$work" "$@" >"$out" 2>&1
}

results() { # LINE VERDICT: number of such
	cat "$work"/results/* | awk -F '\t' -v place="lib/count.c:$1" -v verdict="$2" \
		'$2 == place && $5 == verdict { n++ } END { print n + 0 }'
}

state >"$work/before"
"$tree/scripts/mutants" --list 50 one >"$work/one"
"$tree/scripts/mutants" --list 50 one >"$work/again"
"$tree/scripts/mutants" --list 50 two >"$work/two"
cmp -s "$work/one" "$work/again" && ! cmp -s "$work/one" "$work/two" && [ -s "$work/one" ]
result $? "a_seed_draws_the_same_mutants_again_and_another_seed_draws_others"
! grep -Ev 'lib/(count.c:(5|9|13)|main.c:2)	' "$work/one" >"$out"
result $? "comments_tables_and_tests_are_not_drawn"

mutants 2 one && [ "$(cat "$work"/results/* | wc -l)" -ge 2 ]
result $? "as_many_are_judged_as_are_asked_for"
cp "$work"/results/* "$work/part"
mutants 50 one && cat "$work"/results/* >"$work/whole" &&
	head -n "$(wc -l <"$work/part")" "$work/whole" | cmp -s - "$work/part" &&
	[ -z "$(cut -f 1 "$work/whole" | sort | uniq -d)" ] &&
	[ "$(wc -l <"$work/whole")" = "$(wc -l <"$work/one")" ]
result $? "a_later_call_continues_where_the_first_ended"
[ "$(results 5 'killed by unit test')" = 3 ] && [ "$(results 5 'survived unit')" = 0 ]
result $? "a_mutant_that_a_test_sees_is_killed"
[ "$(results 13 'survived unit')" = 3 ] && grep -q '^survived: lib/count.c:13: ' "$out"
result $? "a_mutant_of_an_untested_line_survives_and_is_listed"
grep -q '^drawn 9, killed 3 (unit 3, e2e 0, timed out 0), survived 6, equivalent 0$' "$out" &&
	grep -q '^rate 33.3 %$' "$out"
result $? "the_rate_is_of_all_that_were_drawn"

# A script that fails without a mutant, too.
cat >"$tree/tests/e2e/test_broken.sh" <<END
echo run >>"$work/broken"
echo "1..1"
echo "not ok 1 - counting"
END
mutants --e2e 50 one && [ "$(results 9 'killed by e2e')" = 3 ] && [ "$(results 13 'survived unit + e2e')" = 3 ]
result $? "a_survivor_runs_the_end_to_end_tests_of_its_program"
grep -q 'test_broken.sh fails without a mutant: left out' "$out" &&
	mutants --e2e --again 50 one && [ "$(results 13 'survived unit + e2e')" = 6 ] &&
	grep -q '^not run: tests/e2e/test_broken.sh (failed)$' "$out" &&
	[ "$(wc -l <"$work/broken")" = 4 ]
result $? "a_script_that_fails_without_a_mutant_kills_none_and_is_tried_once_more_in_each_call"
rm "$tree/tests/e2e/test_broken.sh"

equivalents=$tree/tests/mutants-equivalent
echo "lib/count.c: return n - 7; => return n + 7;: for this test" >"$equivalents"
mutants --e2e 50 one && mutants --e2e 50 one && grep -q 'survived 2, equivalent 1$' "$out" &&
	[ "$(results 13 equivalent)" = 1 ]
result $? "a_mutant_that_is_judged_equivalent_is_subtracted"
status=0
for line in "other/count.c: return n - 7; => return n + 7;: no such file" \
	"lib/count.c: return n - 70; => return n + 70;: no such line" \
	"lib/count.c: return n - 7; => return n * 7;: no such change" \
	"lib/count.c: return n - 7; => return n + 7;"; do
	printf '# A comment\n%s\n' "$line" >"$equivalents"
	! mutants 50 one && grep -qF "tests/mutants-equivalent:2: matches no mutant" "$out" &&
		grep -qF ": $line; remove" "$out" || status=1
done
"$top/scripts/check-files" "$tree" >"$out" 2>&1
grep -qF "tests/mutants-equivalent:2: matches no mutant" "$out" || status=1
result $status "a_line_of_the_equivalents_that_matches_no_mutant_is_refused"
# The same text in another function of the file.
cp "$tree/lib/count.c" "$work/kept"
printf 'int count_twice(int n)\n{\n\treturn n - 7;\n}\n' >>"$tree/lib/count.c"
echo "lib/count.c: return n - 7; => return n + 7;: for one of them" >"$equivalents"
! mutants --list 50 one &&
	grep -qF "tests/mutants-equivalent:1: matches more than one line of the file, 13, 17: " "$out"
result $? "a_line_of_the_equivalents_that_matches_two_lines_is_refused"
cp "$work/kept" "$tree/lib/count.c"
rm "$equivalents"

cp "$tree/tests/test_count.c" "$work/kept"
sed -i 's/== 6/== 6 \&\& count_untested(9) == 2/' "$tree/tests/test_count.c"
mutants --again 50 one && [ "$(tail -n 6 "$work"/results/* | grep -c 'count.c:13	.*killed by unit test')" = 3 ]
result $? "a_survivor_is_judged_again_after_a_test_was_added"
cp "$work/kept" "$tree/tests/test_count.c"

mutants --sanitize 50 sane &&
	grep -q 'killed 6 (unit 6, e2e 0, timed out 0), survived 3' "$out" &&
	[ "$(results 9 'survived unit + sanitized')" = 3 ] &&
	mutants --e2e 50 sane && grep -q 'killed 9 (unit 6, e2e 3, timed out 0), survived 0' "$out"
result $? "a_survivor_runs_the_tests_with_sanitizers"
mutants --e2e 50 order && grep -q 'killed 6 (unit 3, e2e 3, timed out 0), survived 3' "$out" &&
	mutants --sanitize 50 order &&
	grep -q 'killed 9 (unit 6, e2e 3, timed out 0), survived 0' "$out"
result $? "so_does_a_survivor_of_the_end_to_end_tests"

# To add nothing needs no code, nor to subtract it; nothing contains alone.c. The seed draws both early.
cp "$tree/lib/count.c" "$work/count"
sed -i '9i\	n += 0;' "$tree/lib/count.c"
printf 'int alone(int n)\n{\n\treturn n - 1;\n}\n' >"$tree/lib/alone.c"
mutants --sanitize 6 g && [ "$(grep -c 'count.c:9	.*same code' "$out")" = 2 ]
result $? "what_the_compiler_makes_the_same_code_of_has_not_survived_sanitizers"
[ "$(grep -c '^no test: lib/alone.c:3: ' "$out")" = 3 ] && ! grep -q '^survived: lib/alone' "$out"
result $? "a_mutant_of_what_nothing_contains_is_listed_and_has_not_survived"
cp "$work/count" "$tree/lib/count.c"
rm "$tree/lib/alone.c"

# Of the first two mutants of this seed one writes without end, and one ends by a signal.
cat >"$tree/tests/test_count.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int count_tested(int n);
int main(void)
{
	while (count_tested(4) == 2)
		puts("0123456789abcdef0123456789abcdef0123456789abcdef");
	if (count_tested(4) == 5)
		kill(getpid(), SIGTERM);
	puts("1..1\nok 1 - it");
	return count_tested(4) != 6 && count_tested(4) != 5;
}
END
mutants 2 ends && [ "$(grep -c '=> return n . table\[[01]];	killed by unit test' "$out")" = 2 ]
result $? "a_mutant_that_writes_without_end_or_signals_itself_is_killed"
cp "$work/kept" "$tree/tests/test_count.c"

# What the test program needs is there, then no longer, then again.
printf '#include <stdio.h>\n#include <unistd.h>\nint count_tested(int n);\nint main(void)\n{
	puts(count_tested(4) != 6 || access("%s/needed", 0) ? "1..1\\nnot ok 1" : "1..1\\nok 1");
	return 0;\n}\n' "$work" >"$tree/tests/test_count.c"
touch "$work/needed"
mutants 1 needed && rm "$work/needed" && ! mutants 50 needed &&
	grep -q 'mutants: tests/test_count fails without a mutant now' "$out" &&
	[ "$(cat "$work"/results/*-needed | wc -l)" -lt 9 ]
result $? "a_test_that_fails_without_a_mutant_since_ends_the_call"
mutants 50 needed && grep -q '^not run: tests/test_count (failed)$' "$out" &&
	touch "$work/needed" && mutants --again 50 needed && ! grep -q '^not run' "$out" &&
	grep -q 'killed 3 (unit 3,' "$out"
result $? "a_test_that_failed_is_tried_in_the_next_call"
printf '#include <stdio.h>\nint main(void) { return puts("1..0") < 0; }\n' >"$tree/tests/test_count.c"
mutants 1 skips && grep -q '^not run: tests/test_count (skipped)$' "$out"
result $? "a_test_of_an_empty_plan_is_skipped"
cp "$work/kept" "$tree/tests/test_count.c"

# A call that was ended while it wrote.
echo '{' >"$work/programs.json"
truncate -s -9 "$work"/results/*-ends
mutants 2 ends && [ "$(awk -F '\t' 'NF == 7 { print $1 }' "$work"/results/*-ends | wc -l)" = 2 ]
result $? "what_a_call_that_was_ended_did_not_write_whole_is_made_again"

# What a test leaves in its folder for temporary files goes with it.
sed -i "s/== 6/== 6 \&\& !system(\"truncate -s 5G \$TMPDIR\/mutants-holed-$$\")/" "$tree/tests/test_count.c"
if unshare --pid --fork --kill-child --mount-proc mount -t tmpfs tmpfs "$work" 2>/dev/null; then
	mutants 1 holed && ! grep -q 'left out' "$out" && [ ! -e /dev/shm/mutants-holed-$$ ] &&
		[ ! -e "$work/tmp/mutants-holed-$$" ]
	result $? "a_test_of_a_file_with_a_large_hole_is_not_left_out"
	grep -qx -e /dev/shm -e "$work/tmp" "$work/build/tmpdir"
	result $? "compilers_have_a_folder_for_temporary_files_that_goes_with_them"
else
	nr=$((nr + 1))
	echo "ok $nr # SKIP no mounts of its own"
fi
cp "$work/kept" "$tree/tests/test_count.c"

# Named after the program that it runs, of which it links nothing.
cat >"$tree/tests/test_counting.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
int main(void)
{
	printf("1..1\n%sok 1 - it\n", WEXITSTATUS(system("./counting")) == 6 ? "" : "not ");
	return 0;
}
END
printf 'TESTS += tests/test_counting\ntests/test_counting: test_counting.o\n\tgcc -o $@ $<\n' \
	>>"$work/build/Makefile"
mutants 50 runs && [ "$(results 9 'killed by unit test')" = 3 ]
result $? "a_test_that_runs_the_program_sees_its_mutants"
# It also links the changed file; a program of the mutant before is not run with the next.
sed -i 's/gcc -o $@ $<$/gcc -o $@ $< count.o/; s/^tests.test_counting: .*/& count.o/' \
	"$work/build/Makefile"
mutants 50 links && [ "$(grep -c 'count.c:9	.*killed by unit' "$out")" = 3 ] &&
	[ "$(grep -c 'count.c:13	.*survived unit	' "$out")" = 3 ]
result $? "a_test_that_also_links_the_file_runs_the_program_of_the_same_mutant"
# A test of another name that asks for the build folder and names the program.
sed "s/int main(void)/const char *built = \"OPROF_TOP_BUILDDIR\";\n&/" \
	"$tree/tests/test_counting.c" >"$tree/tests/test_other.c"
sed -i '/test_counting/,$ { s/test_counting/test_other/g; s/ count\.o//g }' "$work/build/Makefile"
rm "$tree/tests/test_counting.c"
mutants 50 other && [ "$(grep -c 'count.c:9	.*killed by unit test	tests/test_other' "$out")" = 3 ]
result $? "a_test_of_another_name_that_runs_the_program_sees_its_mutants"
rm "$tree/tests/test_other.c"

# This unshare makes no namespace: it starts the shell, or fails as the test asks.
mkdir "$work/bin"
cat >"$work/bin/unshare" <<END
#!/bin/sh
unshares() { $work/bin/allows "\$@"; }
unshares "\$@" || { echo "unshare: not today" >&2; exit 1; }
while [ "\$1" != sh ]; do shift; done
exec "\$@"
END
printf '#!/bin/sh\n' >"$work/bin/mount"
chmod +x "$work/bin/unshare" "$work/bin/mount"
allows() { # COMMAND that says whether unshare succeeds for the words after it
	printf '#!/bin/sh\n%s\n' "$1" >"$work/bin/allows"
	chmod +x "$work/bin/allows"
}
allows false
PATH=$work/bin:$PATH mutants 1 alone &&
	grep -qF 'without a PID namespace (unshare: not today): a mutant may signal' "$out" &&
	grep -q 'running [12] unmutated tests' "$out"
result $? "tests_without_a_namespace_are_announced_and_tried_without_a_mutant"
allows "case \$* in */tests/test_count) cmp -s '$tree/lib/count.c' '$work/tree/lib/count.c' ;; esac"
! PATH=$work/bin:$PATH mutants 50 wrapped && grep -qF 'cannot isolate' "$out" &&
	! grep -q 'count.c:5	.*killed' "$out"
result $? "a_namespace_that_cannot_be_made_is_not_a_failed_test"

# make fails if this command does.
cp "$work/build/Makefile" "$work/makefile"
printf 'count.o: disk\ndisk:\n\t%s/bin/disk\n' "$work" >>"$work/build/Makefile"
disk() { # COMMAND; $is_mutant is one that succeeds while the copy has a mutant
	printf '#!/bin/sh\n%s\n' "$1" >"$work/bin/disk"
	chmod +x "$work/bin/disk"
}
is_mutant="! cmp -s '$tree/lib/count.c' '$work/tree/lib/count.c'"
disk "$is_mutant && mkdir '$work/once' 2>/dev/null && exit 1; true"
mutants 2 disk && [ -d "$work/once" ] && grep -q '^drawn 2' "$out" && ! grep -q 'not compile' "$out"
result $? "a_failure_of_make_that_does_not_come_again_is_not_of_the_mutant"
disk "! { [ -e '$work/full' ] || { $is_mutant && touch '$work/full'; }; }"
! mutants 4 disk && grep -q 'the unmutated copy does not build: see ' "$out" &&
	! grep -q 'not compile' "$work"/results/*-disk
result $? "a_call_ends_when_the_copy_without_a_mutant_does_not_build_any_more"
disk "! { $is_mutant; }"
mutants 3 disk && grep -q '^drawn 2' "$out" && grep -q 'not compile' "$work"/results/*-disk &&
	disk true && mutants --again 3 disk && grep -q '^drawn 3' "$out"
result $? "what_did_not_compile_is_judged_again"
cp "$work/makefile" "$work/build/Makefile"

# Ended while make waits for a command, with a program that is not whole.
printf 'all: hang\nhang: counting\n\t: >counting; echo >%s/hangs; exec flock %s/held sleep 1000\n' \
	"$work" "$work" >>"$work/build/Makefile"
end_by() { # SIGNAL: the status of a run that it ends, once nothing is left of the run
	rm -f "$work/hangs"
	"$tree/scripts/mutants" -w "$work" 50 one >"$out" 2>&1 &
	mutants=$!
	while [ ! -s "$work/hangs" ] && kill -0 $mutants; do sleep 0.1; done
	kill -"$1" $mutants
	wait $mutants
	ended=$?
	flock -w 20 "$work/held" true && return $ended
}
end_by TERM
[ $? = 143 ]
result $? "a_run_that_is_ended_ends_with_all_that_it_started"
if unshare --pid --fork --kill-child --mount-proc true 2>/dev/null; then
	end_by KILL
	[ $? = 137 ]
	result $? "a_run_that_is_killed_ends_with_all_that_it_started"
else
	nr=$((nr + 1))
	echo "ok $nr # SKIP no PID namespace of its own"
fi
[ -s "$work/build/counting" ]
before=$?
cp "$work/makefile" "$work/build/Makefile"
mutants 1 one && [ $before != 0 ] && [ -s "$work/build/counting" ]
result $? "what_make_wrote_when_it_was_ended_is_made_again"
state >"$work/after"
cmp -s "$work/before" "$work/after"
result $? "the_tree_is_left_as_it_was"
echo "1..$nr"
