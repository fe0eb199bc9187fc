#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program with function names and shares that nobody knew before, one of the
# functions in a library that it loads while running. It tells by itself how
# much CPU time each function took: every share of the profile has to be
# within four standard deviations of that.
#
# OPROF_TEST_SEED repeats a run.
. "$(dirname "$0")/lib.sh"

seed=${OPROF_TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
tap_note "OPROF_TEST_SEED=$seed"

# Lines "NAME SHARE", in random order; the first one goes to the library.
awk -v seed="$seed" '
	function random(below) { state = state * 16807 % 2147483647; return state % below }
	BEGIN {
		state = seed % 2147483646 + 1
		split("50 30 15 5", share, " ")
		for (i = 4; i > 1; i--) {
			j = 1 + random(i); t = share[i]; share[i] = share[j]; share[j] = t
		}
		for (i = 1; i <= 4; i++) {
			name = ""
			for (left = 6 + random(10); left; left--)
				name = name sprintf("%c", 97 + random(26))
			print name "_" i, share[i] + random(3)
		}
	}' >"$T/works"

library_name=$(sed -n '1s/ .*//p' "$T/works")
# A chain of additions: as many nanoseconds whatever else the processor does.
function_body='{ unsigned long x = nr; for (; nr; nr--) __asm__ volatile("" : "+r"(x) : "r"(nr)); }'
echo "void $library_name(unsigned long nr); void $library_name(unsigned long nr) $function_body" \
	>"$T/library.c"
{
	cat "$E2E/shares_main.c"
	sed 1d "$T/works" | while read -r name share; do
		echo "__attribute__((noinline)) static void $name(unsigned long nr) $function_body"
	done
	echo "static struct work works[] = {"
	awk '{ printf "{\"%s\", %s, %d, 0},\n", $1, NR == 1 ? "NULL" : $1, $2 }' "$T/works"
	echo "}; int main(int argc, char **argv) { return run(argc, argv, works, 4); }"
} >"$T/program.c"

image="program$seed"
$CC -O1 -shared -fPIC -o "$T/lib$seed.so" "$T/library.c" &&
	$CC -D_GNU_SOURCE -O1 -o "$T/$image" "$T/program.c" -ldl
tap_ok $? "a program of random functions builds"

(cd "$T" && "$BIN/oprof" run --frequency=4999 -- "$T/$image" "$seed" 3000 "$T/lib$seed.so") \
	>"$T/truth" 2>"$T/log"
tap_ok $? "oprof run profiles it"
tap_show "$T/log"
"$BIN/opreport" -l -n --session-dir="$T/oprofile_data" >"$T/symbols" 2>"$T/coverage"
tap_ok $? "opreport -l shows it"
tap_show "$T/symbols" 10
tap_show "$T/coverage"

# The samples of a function: those of the line that ends in its name.
awk 'FNR == NR { ns[$1] = $2; total += $2; order[++nr] = $1; next }
	$NF in ns { samples[$NF] += $1; seen += $1; image[$NF] = $3 }
	END {
		for (i = 1; i <= nr; i++) {
			n = order[i]; p = ns[n] / total; sigma = sqrt(seen * p * (1 - p))
			d = sigma ? (samples[n] - seen * p) / sigma : 99
			printf "%s %d %.3f %.3f %.2f %s\n", n, samples[n], 100 * p,
				seen ? 100 * samples[n] / seen : 0, d, image[n]
		} }' "$T/truth" "$T/symbols" >"$T/shares"
samples=$(awk '{ sum += $2 } END { print sum + 0 }' "$T/shares")
tap_is "$([ "$samples" -ge 10000 ] && echo enough)" enough "at least 10,000 samples: $samples"
while read -r name nr truth share sigmas in_image; do
	awk -v d="$sigmas" 'BEGIN { exit !(d >= -4 && d <= 4) }'
	tap_ok $? "$name: $nr samples, $share % where the truth is $truth % ($sigmas sigma)"
	if [ "$name" = "$library_name" ]; then expected="lib$seed.so"; else expected=$image; fi
	tap_is "$in_image" "$expected" "$name is found in its own image"
done <"$T/shares"
check_conservation "$T/oprofile_data"
tap_ok $? "seen = stored + idle + lost"
"$BIN/opreport" -n --session-dir="$T/oprofile_data" >"$T/flat" 2>/dev/null
tap_is "$(sum_symbols "$T/symbols")" "$(session_counter "$T/oprofile_data" stored)" \
	"opreport -l sums to what the daemon stored"
tap_end
