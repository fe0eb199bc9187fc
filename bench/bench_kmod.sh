#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Number of instructions that a sample of the kernel module takes, counted by an
# emulated guest: instructions that write the sample to the CPU's ring, and
# instructions of the sync worker.
. "$(dirname "$0")/bench.sh"
bench_init "$@"

bench_wanted kmod_sample_instructions || bench_wanted kmod_sync_instructions ||
	bench_wanted kmod_interrupt_instructions || exit 0
top=$OPROF_TOP_SRCDIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

lacking() # STATUS WHAT: reports what is missing, and exits without figures
{
	cat "$work/log" >&2
	echo "bench: $2: no figures of the kernel module" >&2
	[ "$1" = 77 ] && exit 0
	exit 1
}

"$top/scripts/guest-kernel" x86-6.1 >"$work/log" 2>&1 || lacking $? "no guest"
"$top/scripts/kmod-tree" "$work/tree" >"$work/log" 2>&1 || lacking $? "no tree of the module"
KMOD_COST=1 "$top/scripts/guest-module" x86-6.1 "$work/tree" "$work" >"$work/log" 2>&1 ||
	lacking $? "the module does not build"
${CC:-gcc} -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -I"$top/include" \
	-o "$work/kmod_cost" "$top/bench/kmod_cost.c" >"$work/log" 2>&1 ||
	lacking $? "kmod_cost.c does not compile"
cat >"$work/run.sh" <<'END'
insmod /bin/oprof.ko && mkdir -p /dev/oprofile && mount -t oprofilefs none /dev/oprofile || exit
exec kmod_cost 1 0 1000000
END
"$top/scripts/guest" -i -t 600 -a "$work/oprof.ko" -a "$work/kmod_cost" "$work/run.sh" \
	>"$work/out" 2>"$work/log" || lacking $? "the guest failed: $(tail -n 3 "$work/out")"
while read -r name value unit; do
	plain=${name#peer_}
	if [ "$name" = "#" ]; then
		bench_wanted kmod_interrupt_instructions && echo "# $value $unit"
	elif bench_wanted "${plain#ratio_}"; then
		bench_print "$name" "$value" "$unit"
	fi
done <"$work/out"
exit 0
