#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make_shares.sh SEED FOLDER: generate a program sharesSEED with function names
# and shares that nobody knew before. FOLDER gets shares.c, library.c for
# libsharesSEED.so, with the first function, and names: "FUNCTION IMAGE" a
# line.
set -eu
home=$(cd "$(dirname "$0")" && pwd)
seed=$1
folder=$2
mkdir -p "$folder"

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
	}' >"$folder/works"

body='{ unsigned long x = nr; for (; nr; nr--) __asm__ volatile("" : "+r"(x) : "r"(nr)); }'
name=shares$seed
in_library=$(sed -n '1s/ .*//p' "$folder/works")
echo "void $in_library(unsigned long nr); void $in_library(unsigned long nr) $body" \
	>"$folder/library.c"
{
	cat "$home/load_shares.c"
	sed 1d "$folder/works" | while read -r function _; do
		echo "__attribute__((noinline)) static void $function(unsigned long nr) $body"
	done
	echo "static struct work works[] = {"
	awk '{ printf "{.name = \"%s\", .function = %s, .share = %d},\n", $1,
		NR == 1 ? "NULL" : $1, $2 }' "$folder/works"
	echo "}; int main(int argc, char **argv) { return run(argc, argv, works, 4); }"
} >"$folder/shares.c"
awk -v name="$name" '{ print $1, NR == 1 ? "lib" name ".so" : name }' "$folder/works" \
	>"$folder/names"
