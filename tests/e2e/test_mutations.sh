#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Damaged binaries among whole ones, all with samples: one report, one line for
# each damaged one, the symbols of the whole ones as ever, no crash, and no more
# memory than usual. 60 of them; OPROF_MUTATIONS=1000 makes more, and so
# does OPROF_CHECK_ALL=1. OPROF_SEED chooses others.
# shellcheck disable=SC2086,SC3045 # CC may be several words; dash and bash have ulimit -v
. "$(dirname "$0")/lib.sh"

nr_mutations=60
[ -z "${OPROF_CHECK_ALL:-}" ] || nr_mutations=1000
nr_mutations=${OPROF_MUTATIONS:-$nr_mutations}
seed=${OPROF_SEED:-1}
S="$T/session"
P="$T/programs"
mkdir "$P" "$T/src"
make="$BIN/tests/tools/session_make"
mutate="$BIN/tests/tools/elf_mutate"

cat >"$T/src/c.c" <<'END'
#include <stdio.h>
static inline __attribute__((always_inline)) int in(int x) { return printf("%d\n", x) + x; }
__attribute__((noinline)) int mid(int x) { int s = 0; while (x--) s += in(x); return s; }
int main(int argc, char **argv) { (void)argv; return mid(argc) + in(argc); }
END
cat >"$T/src/cc.cc" <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<int>> all;
	for (int i = 0; i < argc; i++)
		all[argv[i]].push_back(i);
	std::vector<int> sums;
	for (auto &one : all)
		sums.push_back((int)one.second.size());
	std::sort(sums.begin(), sums.end());
	return sums.front();
}
END
cat >"$T/src/rs.rs" <<'END'
use std::collections::HashMap;
fn main() {
    let mut all: HashMap<String, usize> = HashMap::new();
    for one in std::env::args() { *all.entry(one).or_default() += 1; }
    for (name, nr) in &all { println!("{name} {nr}"); }
}
END

# whole NAME COMMAND...: one more whole binary, where the command makes it
whole()
{
	name=$1
	shift
	(cd "$P" && "$@" -o "$P/w_$name") >/dev/null 2>&1 || rm -f "$P/w_$name"
}
# copied NAME FILE: one of this machine's own, where there is one
copied()
{
	[ ! -f "$2" ] || cp -L "$2" "$P/w_$1"
}
changed() # NAME OF COMMAND...: a copy, changed by a command
{
	name=$1
	cp "$P/w_$2" "$P/w_$name"
	shift 2
	"$@" "$P/w_$name" >/dev/null 2>&1 || rm -f "$P/w_$name"
}

CXX=$(command -v g++ || echo c++)
whole c $CC -g -O2 "$T/src/c.c"
whole c4 $CC -gdwarf-4 -O2 "$T/src/c.c"
whole static $CC -g -O2 -static "$T/src/c.c"
whole fixed $CC -g -O0 -no-pie "$T/src/c.c"
whole zlib $CC -g -O2 -gz=zlib "$T/src/c.c"
whole split $CC -g -O2 -gsplit-dwarf "$T/src/c.c"
whole noid $CC -g -O2 -Wl,--build-id=none "$T/src/c.c"
whole clang clang -g -O2 "$T/src/c.c"
whole cxx "$CXX" -g -O2 "$T/src/cc.cc"
whole cxx4 "$CXX" -gdwarf-4 -O1 "$T/src/cc.cc"
whole cxxz "$CXX" -g -O2 -gz=zlib "$T/src/cc.cc"
whole cxxsplit "$CXX" -g -O2 -gsplit-dwarf "$T/src/cc.cc"
whole cxxclang clang++ -g -O2 "$T/src/cc.cc"
whole rust rustc -g -C opt-level=2 "$T/src/rs.rs"
changed stripped cxx strip
changed dwz cxx4 dwz
changed only_symbols cxx strip -g
copied ls /bin/ls
copied libc "$($CC -print-file-name=libc.so.6)"
copied libstdcxx "$($CC -print-file-name=libstdc++.so.6)"
copied libm "$($CC -print-file-name=libm.so.6)"
copied opreport "$BIN/opreport"
copied grep /bin/grep
copied tar /bin/tar
nr_whole=$(find "$P" -name 'w_*' ! -name '*.dwo' | wc -l)
tap_ok $((nr_whole < 20)) "there_are_20_real_binaries"
tap_note "$nr_whole binaries, $nr_mutations mutations from seed $seed"

find "$P" -name 'w_*' ! -name '*.dwo' | sort >"$T/whole"
# Whole ones, too, have builds of their own: some are made of others.
i=100000
while read -r path; do
	i=$((i + 1))
	"$mutate" -i $i "$path"
done <"$T/whole"

# Each is damaged after its samples were made, and looks as if it were not.
i=0
while [ $i -lt "$nr_mutations" ]; do
	while read -r path && [ $i -lt "$nr_mutations" ]; do
		cp "$path" "$P/m$i"
		"$mutate" -i $i "$P/m$i"
		i=$((i + 1))
	done <"$T/whole"
done
(cd "$P" && find "$P" -name 'w_*' ! -name '*.dwo' -o -name 'm[0-9]*' | sort |
	xargs "$make" -k 64 "$S") >"$T/made" || tap_bail "no session"
i=0
while [ $i -lt "$nr_mutations" ]; do
	echo "$P/m$i $("$mutate" $((seed * 100000 + i)) "$P/m$i")"
	i=$((i + 1))
done >"$T/mutated"
xargs "$make" -k 64 "$T/alone" <"$T/whole" >/dev/null

# report NAME ARGUMENTS...: its output in NAME.out and .err; status, CPU, memory in NAME.cost
report()
{
	out=$1
	shift
	perl -e 'use strict; my ($cost, $out, $err, @command) = @ARGV;
		my $pid = fork() // die;
		if (!$pid) {
			open(STDOUT, ">", $out); open(STDERR, ">", $err);
			exec("timeout", "500", @command) or exit(127);
		}
		waitpid($pid, 0);
		my $status = $?;
		my ($user, $system, $cuser, $csystem) = times();
		open(my $f, ">", $cost);
		printf $f "%d %.1f\n", $status, $cuser + $csystem;' \
		"$T/$out.cost" "$T/$out.out" "$T/$out.err" "$BIN/opreport" "$@"
	read -r status seconds <"$T/$out.cost"
	tap_note "$out: status $status, $seconds s of CPU"
}

# symbols_of FILE: samples, binary and symbol of the whole ones, sorted
symbols_of()
{
	awk '/\/programs\/w_/ { $2 = ""; print }' "$1" | sort
}

for lines in "" -g; do
	[ -z "$lines" ] || "$BIN/opreport" --help | grep -e '--debug-info' | grep -vq 'not there' || continue
	# shellcheck disable=SC2086 # none, or one word
	report "mixed$lines" -l $lines -n -f --session-dir="$S"
	tap_ok "$status" "report_of_damaged_and_whole_binaries_ends_well$lines"
	# shellcheck disable=SC2086 # none, or one word
	report "alone$lines" -l $lines -n -f --session-dir="$T/alone"
	symbols_of "$T/mixed$lines.out" >"$T/mixed.symbols"
	symbols_of "$T/alone$lines.out" >"$T/alone.symbols"
	[ "$(wc -l <"$T/alone.symbols")" -gt 100 ] && cmp -s "$T/mixed.symbols" "$T/alone.symbols"
	tap_ok $? "symbols_of_the_whole_ones_are_as_ever$lines"
	tap_is "$(sum_symbols "$T/mixed$lines.out")" "$(awk '{ sum += $3 } END { print sum }' "$T/made")" \
		"no_sample_is_lost$lines"

	# Those that no reader can miss have a line, the others one at the most.
	awk -v err="$T/mixed$lines.err" '{ kind[$1] = $2 }
		END {
			while ((getline line < err) > 0)
				if (match(line, /\/m[0-9]+[: ]/) || match(line, /\/m[0-9]+$/)) {
					name = substr(line, 1, RSTART + RLENGTH - 1)
					sub(/.* in \//, "/", name); sub(/^[^\/]*/, "", name); sub(/[: ]$/, "", name)
					nr[name]++; told++
				}
			for (name in kind) {
				if (kind[name] == "sure" && nr[name] != 1) { print "not told:", name; bad = 1 }
				if (nr[name] > 1) { print "told more than once:", name; bad = 1 }
			}
			print told + 0, "told"
			exit bad
		}' "$T/mutated" >"$T/told"
	tap_ok $? "each_damaged_binary_has_one_line$lines"
	sed 's/^/# /' "$T/told" | tail -n 12
	! grep -E "$P/w_[a-z0-9_]*.*damaged" "$T/mixed$lines.err" >"$T/wrong"
	tap_ok $? "no_whole_binary_is_called_damaged$lines"
done

# Address space is what hostile sizes would take: the report has to do with little.
(
	ulimit -v 3000000
	"$BIN/opreport" -l -n -f --session-dir="$S" >"$T/small.out" 2>"$T/small.err"
)
status=$?
[ $status = 0 ] && cmp -s "$T/small.out" "$T/mixed.out"
tap_ok $? "report_needs_no_more_memory_than_usual"
tap_end
