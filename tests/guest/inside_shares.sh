#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_shares.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
ms=4000
[ -z "$all" ] || ms=15000
program=shares$seed

[ "$source" != kmod ] || module_load || bail "the module does not load"
measure()
{
	daemon_start shares "$source" -e "$(event_here)" --frequency=997 --separate=lib,kernel
	"$program" "$seed" "$ms" "/bin/lib$program.so" >"$work/truth"
	ok $? "the program of random functions ran"
	load_apps "$seed" "$ms" "/bin/often$seed" 3 "/bin/seldom$seed" 1 >"$work/slices"
	ok $? "the programs that read /dev/zero ran"
	daemon_stop shares
}

# If the kernel throttles the counter, which an emulated one may provoke when its host pauses it, all
# samples of up to half a second are missing, perhaps those of one function: the shares are measured again.
measure
tries=1
while [ "$(status_of shares throttle_episodes)" -gt 0 ] && [ "$tries" -lt 5 ]; do
	note "the kernel throttled the counter for $(status_of shares throttled_ns) ns: once more"
	daemon_end shares
	measure
	tries=$((tries + 1))
done
daemon_balances shares
if [ "$source" = kmod ]; then
	module_balances
	case $guest in
	arm64-nmi)
		is "$(stat_of in_nmi)" "$(stat_of seen)" "all samples were taken in NMI context"
		is "$(stat_of in_interrupt)" 0 "none in hard interrupt context"
		is "$(cat "$control/cpu_type")" armv8_pmuv3 "by the PMU"
		;;
	x86*) is "$(stat_of in_interrupt)" "$(stat_of seen)" "all samples were taken by the timer" ;;
	esac
fi
daemon_end shares
opreport -l -n "--session-dir=$work/shares" >"$work/symbols" 2>"$work/coverage"
ok $? "opreport -l shows it"
show "$work/symbols" 12
show "$work/coverage"
[ "$source" != kmod ] || {
	module_let_go
	module_unload
	ok $? "the module is unloaded"
}

# ---- the functions of one program ----

awk '{ print $NF, $1 }' "$work/symbols" >"$work/functions"
shares_hold "$work/truth" "$work/functions" 4 "function"
while read -r function image; do
	is "$(awk -v f="$function" '$NF == f { print $3, $4 }' "$work/symbols")" "$image $program" \
		"$function is found in its image only, run by its program"
done </bin/names

# ---- the kernel's work for two programs, alike ----

awk '$3 ~ /^(vmlinux|\[kernel\])/ { print $4, $1 }' "$work/symbols" >"$work/kernel"
shares_hold "$work/slices" "$work/kernel" 2 "the kernel for"
finish
