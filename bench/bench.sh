# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For benchmarks that are scripts (bench/README.md):
#
#	. "$(dirname "$0")/bench.sh"
#	bench_init "$@"
#	if bench_wanted slowdown_997; then
#		bench_print slowdown_997 1.02 x
#	fi

# Keep the words of B.
bench_init() {
	bench_prefixes=$*
}

# Does the line NAME begin with one of them? With no words, all do.
bench_wanted() {
	[ -n "$bench_prefixes" ] || return 0
	for bench_prefix in $bench_prefixes; do
		case $1 in
		"$bench_prefix"*) return 0 ;;
		esac
	done
	return 1
}

# NAME VALUE UNIT
bench_print() {
	printf '%s %s %s\n' "$1" "$2" "$3"
}
