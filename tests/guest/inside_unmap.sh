# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: code that is unmapped, or mapped over, before its samples are
# resolved (load_unmap).
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh

seconds=2
[ -z "$all" ] || seconds=20
mkdir "$work/objects"

# The load's lines, the images' and the samples'. A user sample in A or B is wrong in
# the page where only the other one has code; but where B came over A, who was in
# A is for a moment in B, where there is nothing: then it is wrong if A was there at its time.
judge()
{
	awk 'FILENAME ~ /said$/ {
			if ($1 == "object") page[$2] = $4
			if ($1 == "mapped") { came[++nr] = $2; begin[nr] = $3; end[nr] = $4 }
			if ($1 == "same" || $1 == "turns") print
			next
		}
		FILENAME ~ /images$/ {
			if ($7 ~ /\/objects\/[AB]$/) name[$2] = substr($7, length($7))
			next
		}
		$10 == 0 && $12 in name {
			is = name[$12]
			other = is == "A" ? "B" : "A"
			at = page_of($14)
			if (at == page[is]) right[is]++
			else if (at == page[other]) {
				was = sure($2)
				if (was == is) between++
				else if (was != "either") {
					wrong++
					if (wrong < 6) print "# " was " " $0
				}
			}
		}
		function page_of(text, i, value) {
			value = 0
			for (i = 3; i <= length(text) - 3; i++)
				value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return value
		}
		# What was mapped at that time; it may have been coming.
		function sure(time, low, high, middle) {
			low = 0
			high = nr + 1
			while (high - low > 1) {
				middle = int((low + high) / 2)
				if (begin[middle] <= time) low = middle
				else high = middle
			}
			if (!low) return "none"
			return time < end[low] ? "either" : came[low]
		}
		END { printf "right_a %d\nright_b %d\nbetween %d\nwrong %d\n", right["A"], right["B"],
				between, wrong }' "$work/said" "$work/images" "$work/samples"
}

judged() # NAME
{
	awk -v name="$1" '$1 == name { print $2 }' "$work/judged"
}

run() # MODE
{
	if [ "$1" = dlopen ]; then
		cp /bin/object_a "$work/objects/A"
		cp /bin/object_b "$work/objects/B"
	fi
	case $guest in
	arm64*) event="-e 0:0:500000" ;;
	*) event="-n 500000" ;;
	esac
	# shellcheck disable=SC2086 # words
	kmod_read -v -d 4 $event -- sh -c \
		"exec load_unmap $1 $seconds $work/objects \$(pidof oprof-sync) >$work/said" >"$work/read"
	status=$?
	grep '^sample' "$work/read" >"$work/samples"
	grep '^image' "$work/read" >"$work/images"
	grep -v '^sample' "$work/read" | grep '^#' | head -n 20
	judge >"$work/judged"
	sed 's/^\([^#]\)/# \1/' "$work/judged"
	note "seen $(stat_of seen), unmaps $(stat_of unmaps), lost $(stat_of unmaps_lost), used $(stat_of unmaps_used)"
	rm -f "$work"/objects/*
}

module_load
# A burst keeps its CPU to the end.
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
for mode in dlopen munmap fixed burst; do
	run $mode
	is $status 0 "$mode: the stream has no fault, and all samples are there or counted by reason"
	is "$(judged wrong)" 0 "$mode: no sample is given to the other one"
	if [ $mode != burst ]; then # there it may be that all are lost
		[ "$(judged same)" -gt 10 ] && [ "$(judged right_a)" -gt 0 ] &&
			[ "$(judged right_b)" -gt 0 ]
		ok $? "$mode: both were sampled, at one address"
		[ "$(stat_of unmaps_used)" -gt 0 ]
		ok $? "$mode: some were resolved by what had gone"
	fi
	module_balances "$mode"
	module_let_go "$mode"
done
[ "$(stat_of unmaps_lost)" -gt 0 ] && [ "$(stat_of lost_unmapped)" -gt 0 ]
ok $? "burst: unmappings were lost, and samples for that reason"
echo 950000 >/proc/sys/kernel/sched_rt_runtime_us

# That this can fail: with the probes disarmed the worker knows only what is mapped now.
if mount -t debugfs none /sys/kernel/debug 2>/dev/null &&
	echo 0 2>/dev/null >/sys/kernel/debug/kprobes/enabled; then
	run munmap
	[ "$(judged wrong)" -gt 0 ]
	ok $? "without its probes samples are given to the other one"
	echo 1 >/sys/kernel/debug/kprobes/enabled
fi
module_unload
ok $? "the module is unloaded"
finish
