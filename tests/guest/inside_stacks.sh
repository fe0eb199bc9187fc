#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_stacks.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
ms=3000
[ -z "$all" ] || ms=15000

# control WORD...: opcontrol, which must succeed
control()
{
	opcontrol "$@" >"$work/out" 2>"$work/err" && return
	show "$work/err"
	bail "opcontrol $*"
}

# begin SOURCE OPTION...: a daemon samples
begin()
{
	begin_source=$1
	shift
	control --setup "--source=$begin_source" --callgraph=32 --frequency=997 \
		--separate=lib,kernel "$@"
	control --start
	opcontrol --status >"$work/run.status"
	is "$(status_of run source)" "$begin_source" "$begin_source: samples come from it"
}

# Sampling ends, all is read, and accounted for.
end()
{
	control --stop
	control --dump
	opcontrol --status >"$work/run.status"
	daemon_balances run
}

# report OPTION...: to $work/out
report()
{
	opreport "$@" >"$work/out" 2>"$work/err" && return
	show "$work/err"
	ok 1 "opreport $*"
}

# paths PROGRAM: its stacks by path, "PATH SAMPLES", main first; and how many are whole: to
# main, the thread's function, or, as while libraries are loaded, the outermost frame.
paths()
{
	report --folded
	: >"$work/rest"
	awk -v name="$1" '{ nr = $NF; sub(/ [0-9]+$/, "") }
		index($0, name ";") != 1 { next }
		{ all += nr; $0 = substr($0, length(name) + 1) }
		match($0, /;main(;|$)/) { whole += nr; sum[substr($0, RSTART + 1)] += nr; next }
		/;in_thread(;|$)/ { whole += nr; thread += nr; next }
		!/^;\[(broken|truncated|unknown|other)\]/ { whole += nr; next }
		{ odd[$0] += nr }
		END {
			for (path in sum) print path, sum[path]
			for (path in odd) printf "# %d %s\n", odd[path], path >rest
			print all + 0, whole + 0, thread + 0 >counts
		}' counts="$work/counts" rest="$work/rest" "$work/out" >"$work/paths"
	read -r nr_all nr_whole nr_thread <"$work/counts"
}

# whole TEXT: nearly all of the stacks are
whole()
{
	note "$1: $nr_whole of $nr_all stacks are whole"
	[ "$nr_all" -ge 200 ] && [ $((nr_whole * 100)) -ge $((nr_all * 95)) ]
	whole_status=$?
	ok $whole_status "$1: at least 95 % of the stacks are whole"
	[ $whole_status -eq 0 ] || { sort -rn -k2 "$work/rest" | head -n 8; }
}

# below PATH: samples of it and of what it called
below()
{
	awk -v path="$1" '$1 == path || index($1, path ";") == 1 { nr += $2 } END { print nr + 0 }' \
		"$work/paths"
}

# folded_with PATH: samples of all stacks that hold it, of $work/folded
folded_with()
{
	awk -v path="$1" '{ nr = $NF; sub(/ [0-9]+$/, ""); if (index($0 ";", ";" path ";")) sum += nr }
		END { print sum + 0 }' "$work/folded"
}

# Of what runs in the program: how long the kernel was interrupted its own clocks don't tell alike.
shares() # TEXT
{
	grep -E '(hot|;bare) ' "$work/truth" >"$work/expected"
	while read -r shares_path _; do
		echo "$shares_path $(below "$shares_path")"
	done <"$work/expected" >"$work/sampled"
	shares_hold "$work/expected" "$work/sampled" 5 "$1:"
}

# known TEXT PROGRAM: what the program ran is in its paths
known()
{
	paths "$2"
	whole "$1"
	[ "$nr_thread" -gt 5 ]
	ok $? "$1: a thread's stacks begin where it does ($nr_thread)"
	shares "$1"
	grep -q '^main;reader;.*read' "$work/paths"
	ok $? "$1: the kernel's part is above that of the program that called it"
	grep -q '^main;by_bare;bare_reader;.*read' "$work/paths"
	ok $? "$1: where the function that called it has no frame, too"
}

# ---- the module: frame pointers ----

has_tables()
{
	stacks_fp "$seed" 200 >/dev/null
	control --dump
	opcontrol --status >"$work/run.status"
	[ "$(status_of run links_taken)" -gt 0 ]
}

if [ "$source" = kmod ]; then
	mkdir -p "/var/lib/oprofile/module/$(uname -r)"
	cp /bin/oprof.ko "/var/lib/oprofile/module/$(uname -r)/"
	control --init
	begin kmod --event="$(event_here)"
	# Which functions have no frame is known once the code tables are there.
	until_true has_tables
	ok $? "the callers of functions without a frame are found"
	control --reset
	stacks_fp "$seed" "$ms" >"$work/truth"
	end
	module_balances
	known "by the module" stacks_fp
	is "$(status_of run stacks_stored)" "$(status_of run stored)" "each sample has its stack"

	report -c -n "image:/bin/stacks_fp"
	awk '/^-/ { nr = 0 } /^ / { line[nr++] = $0 }
		/^[0-9]/ && / bare$/ { for (i = 0; i < nr; i++) print line[i] }' "$work/out" >"$work/callers"
	# On whatever way: below a mark there may be another row of it.
	report --folded
	cp "$work/out" "$work/folded"
	for caller in one_bare other_bare; do
		is "$(awk -v name="$caller" '$NF == name { print $1 }' "$work/callers")" \
			"$(folded_with "$caller;bare")" "-c: $caller calls bare as often as in the stacks"
	done
	report --stacks -n -t 0
	is "$(awk '$NF == "one_bare" && $4 != "vmlinux" { sum += $1 } END { print sum + 0 }' "$work/out")" \
		"$(folded_with one_bare)" "--stacks: the tree has the same samples there"
	control --deinit
	[ ! -d /sys/module/oprof ]
	ok $? "the module is unloaded"
fi

# ---- perf: unwind tables ----

case $guest in
arm64*)
	begin perf --event=cpu-clock --unwind=tables
	stacks_bare "$seed" 300 >/dev/null
	control --dump
	control --reset
	stacks_bare "$seed" "$ms" >"$work/truth"
	control --dump
	known "by unwind tables" stacks_bare
	control --reset
	mawk 'BEGIN { for (i = 0; i < 150000; i++) {
		s = s i; if (i % 50 == 0) { gsub(/[13]/, "<&>", s); s = "" } } }'
	aarch64-linux-gnu-objdump -d /bin/opreport 2>/dev/null | head -n 20000 >/dev/null
	end
	for program in mawk aarch64-linux-gnu-objdump; do
		paths $program
		whole "Debian's $program"
	done
	awk '$1 ~ /^chains_/ { print "#", $1, $2 }' "$work/run.status"
	control --shutdown
	;;
esac
finish
