# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace beside ftrace's own record of the same run, record by record; in the form of
# trace_normal.awk. What the two are to tell is compared in windows from one switch of a CPU to
# another: while a switch is told nothing can come between, so both have the same before and behind
# it.

# beside_edges OURS OTHER: of a CPU, the lines of both at the first switch that is 50 ms behind the
# begin of ours, and at the last one 50 ms before its end, of those that are without doubt the same.
beside_edges()
{
	awk '
		# The one among the others that is of the same, about then; 0: none, or several.
		function same(i, j, found) {
			for (j = 1; j <= nr_others; j++)
				if (other[j] == one[i] && other_at[j] - at[i] < 200 &&
				    at[i] - other_at[j] < 200) {
					if (found)
						return 0
					found = other_line[j]
				}
			return found
		}
		FNR == NR {
			if ($3 == "switch") {
				other[++nr_others] = $4 " " $6
				other_at[nr_others] = $2
				other_line[nr_others] = FNR
			}
			next
		}
		FNR == 1 { from = $2 + 50000 }
		{ last = $2 }
		$3 == "switch" { one[++nr] = $4 " " $6; at[nr] = $2; line[nr] = FNR }
		END {
			for (i = 1; i <= nr; i++)
				if (at[i] >= from && (found = same(i))) break
			first = i
			if (i <= nr) print line[i], found
			for (i = nr; i > first; i--)
				if (at[i] <= last - 50000 && (found = same(i))) break
			if (i > first) print line[i], found
		}' "$2" "$1"
}

# beside_cut OURS OTHER CPU: their parts from edge to edge, without times, to CPU.ours and CPU.other;
# 1: it did not switch.
beside_cut()
{
	awk -v cpu="$3" '$1 == cpu' "$1" >beside.ours
	awk -v cpu="$3" '$1 == cpu' "$2" >beside.other
	beside_edges beside.ours beside.other >beside.edges
	[ "$(wc -l <beside.edges)" = 2 ] || return
	for beside_of in ours other; do
		awk -v of=$beside_of 'FNR == NR { line[FNR] = $(of == "ours" ? 1 : 2); next }
			FNR >= line[1] && FNR <= line[2] { $2 = ""; print }' \
			beside.edges beside.$beside_of >"$3.$beside_of"
	done
}
