# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for benchmarks that are shell scripts (bench/README.md). Example:
#
#	. "$(dirname "$0")/bench.sh"
#	bench_init "$@"
#	if bench_wanted slowdown_997; then
#		bench_print slowdown_997 1.02 x
#	fi

# Stores the words of the make variable B: prefixes of the names of the lines to print.
bench_init() {
	bench_prefixes=$*
}

# bench_wanted NAME: succeeds if the line NAME begins with one of these prefixes, or if there are
# none.
bench_wanted() {
	[ -n "$bench_prefixes" ] || return 0
	for bench_prefix in $bench_prefixes; do
		case $1 in
		"$bench_prefix"*) return 0 ;;
		esac
	done
	return 1
}

# bench_print NAME VALUE UNIT: prints a line.
bench_print() {
	printf '%s %s %s\n' "$1" "$2" "$3"
}
