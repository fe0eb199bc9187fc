#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by test_opcontrol_module.sh: the module by opcontrol, from
# --init to --deinit, and what keeps it from being loaded. boot, a setting:
# plain, or what the kernel was booted with that refuses unsigned modules.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
boot=${boot:-plain}
kept=/var/lib/oprofile/module/$(uname -r)

keep() # FILE: as if oprof-module had built it for this kernel
{
	mkdir -p "$kept"
	cp "$1" "$kept/oprof.ko"
}

run() # COMMAND...
{
	"$@" >"$work/out" 2>"$work/err"
	status=$?
}

has() # FILE PATTERN TEXT
{
	grep -Eq -e "$2" "$work/$1"
	has_status=$?
	ok $has_status "$3"
	[ $has_status -eq 0 ] || { show "$work/out"; show "$work/err"; }
}

value() # KEY
{
	opcontrol --status 2>/dev/null | sed -n "s/^$1 //p" | head -n 1
}

profile_a_while() # SOURCE
{
	run opcontrol --start
	is "$status" 0 "--start"
	[ "$status" = 0 ] || show "$work/err"
	is "$(value source)" "$1" "the daemon samples by $1"
	load_a_while 1000
	run opcontrol --dump
	is "$status" 0 "--dump"
	run opreport -l
	has out ' load_a_while ' "what ran is in the report"
	opcontrol --status >"$work/status" 2>/dev/null
	awk '$1 == "seen" { seen = $2 } $1 == "stored" || $1 == "idle" || $1 ~ /^lost_/ { sum += $2 }
		END { print "# seen", seen, "told", sum; exit !(seen > 0 && seen == sum) }' "$work/status"
	ok $? "seen = stored + idle + lost"
}

# Nothing but the daemon runs for some seconds. A report needs no dump before it.
idle_a_while() # SOURCE
{
	is "$(value source)" "$1" "the daemon samples an idle machine by $1"
	sleep 5
	run opreport -l -n
	has out ' vmlinux +vmlinux +[a-z_][a-z0-9_.]*$' "$1: the kernel's functions have names"
	idle='[^ ]*(safe_halt|default_idle|do_idle|cpuidle|arch_cpu_idle|mwait_idle|psci)[^ ]*$'
	! grep -E " vmlinux +vmlinux +$idle" "$work/out" >"$work/idle"
	ok $? "$1: no idle routine is in the report"
	show "$work/idle" 5
	idle=$(value idle)
	[ "${idle:-0}" -gt 0 ]
	ok $? "$1: the time is counted as idle ($idle samples)"
}

falls_back() # REASON
{
	run opcontrol --init
	is "$status" 0 "--init that gets no module is no error"
	has err "no kernel module: .*$1" "it says why"
	has err '-> .' "and what helps"
	has err 'perf is the source' "and that perf samples"
	[ ! -d /sys/module/oprof ]
	ok $? "nothing is loaded"
	is "$(value module)" absent "status says so"
	value module_reason >"$work/out"
	has out "$1" "and why"
}

# ---- a kernel that takes only signed modules ----

if [ "$boot" != plain ]; then
	keep /bin/oprof.ko
	case $boot in
	sig_enforce)
		if [ "$(cat /sys/module/module/parameters/sig_enforce 2>/dev/null)" != Y ]; then
			note "this kernel knows no signatures"
			ok 0 "signatures # SKIP the kernel was built without"
			finish
		fi
		falls_back 'only signed modules \(module.sig_enforce\), but .*oprof.ko is not signed'
		;;
	lockdown)
		# Where that is not mounted only the kernel's own refusal is seen.
		falls_back 'refused .* \(Operation not permitted\).*locked down|does not trust'
		if ! mount -t securityfs none /sys/kernel/security ||
			! grep -q '\[integrity\]' /sys/kernel/security/lockdown; then
			ok 1 "the kernel is locked down"
			finish
		fi
		falls_back 'locked down \(integrity\) and accepts only signed modules, but .* is not signed'
		;;
	esac
	profile_a_while perf
	run opcontrol --deinit
	is "$status" 0 "--deinit"
	finish
fi

# ---- nothing, and a module of another kernel ----

falls_back 'sources are not in|no kernel headers'
keep /bin/other.ko
falls_back 'is for the kernel other-kernel.*, not .*; '
run opcontrol --init --no-build
has err 'must be built first' "--no-build builds none"

# ---- from --init to --deinit ----

keep /bin/oprof.ko
run oprof-module status
is "$status" 0 "oprof-module status: it could be loaded"
run opcontrol --init
is "$status" 0 "--init"
has out 'Kernel module loaded; its files are in /dev/oprofile' "says what it did"
[ -r /dev/oprofile/version ]
ok $? "the control filesystem is mounted"
run opcontrol --init
is "$status" 0 "a second --init"
has out 'already loaded' "finds it there"
is "$(value module)" mounted "status says so"
is "$(value module_reason)" "" "and has forgotten what was in the way"
is "$(value source)" kmod "a start would take it"
profile_a_while kmod
idle_a_while kmod
run oprof status
has out '^  source    kmod' "oprof status names the source"
run oprof-module unload
is "$status" 1 "a module in use is not unloaded"
has err 'in use: .* mounted at /dev/oprofile' "and it is said by what"

# ---- what others left behind ----

kill -9 "$(cat /var/lib/oprofile/lock)"
run opcontrol --start
is "$status" 0 "--start right after the daemon was killed"
[ "$status" = 0 ] || show "$work/err"
is "$(value source)" kmod "samples by the module, too"
run opcontrol --shutdown
run opcontrol --setup --buffer-size=2048 --start
is "$status" 0 "--start with a buffer that is smaller than the module's own watershed"
is "$(value source)" kmod "samples by the module"
is "$(cat /dev/oprofile/buffer_size)" 2048 "with that buffer"
run opcontrol --shutdown
run opcontrol --setup --buffer-size=0
(exec 3</dev/oprofile/buffer; : >"$work/held"; sleep 0.5) &
until_true test -e "$work/held"
run opcontrol --start
is "$(value source)" kmod "a buffer that is let go soon is waited for"
mkdir -p /mnt/o
mount -t oprofilefs none /mnt/o
run opcontrol --deinit
is "$status" 1 "--deinit of one that is mounted elsewhere, too"
has err 'mounted at /mnt/o, too: umount /mnt/o' "tells where"
umount /mnt/o
is "$(value source_reason)" "the kernel module is loaded, but its control filesystem is not mounted: run opcontrol --init" \
	"status tells of one that is loaded only"
run opcontrol --init

(exec 3</dev/oprofile/cpu_type; exec sleep 100000) &
holder=$!
until_true grep -q '^sleep$' /proc/$holder/comm
run opcontrol --deinit
is "$status" 1 "--deinit does not take it from who has a file open"
has err "in use by process $holder \(sleep\)" "and says who that is"
[ -d /sys/module/oprof ]
ok $? "it is still there"
kill $holder
wait $holder 2>/dev/null
run opcontrol --deinit
is "$status" 0 "--deinit"
[ "$status" = 0 ] || show "$work/err"
[ ! -d /sys/module/oprof ] && [ ! -e /dev/oprofile ]
ok $? "nothing is left of it"
run opcontrol --deinit
is "$status" 0 "a second --deinit"

echo x >/dev/oprofile
run opcontrol --init
has err '-> move /dev/oprofile away' "a file where the control filesystem goes is to be moved"
rm -f /dev/oprofile
run opcontrol --deinit

# ---- what was chosen ----

run opcontrol --setup --source=perf --init
is "$status" 0 "--source=perf"
[ ! -d /sys/module/oprof ]
ok $? "leaves the module alone"
run opcontrol --reset
run opcontrol --start
is "$status" 0 "starts with perf"
idle_a_while perf
run opcontrol --shutdown
run opcontrol --setup --source=kmod --init
is "$status" 0 "--source=kmod"
run opcontrol --start
is "$status" 0 "starts with the module"
run opcontrol --setup --source=perf --start
is "$status" 1 "a daemon that samples by the module does not become one that does by perf"
has err 'source is kmod, but the setup has perf' "and says so"
run opcontrol --deinit
is "$status" 0 "one --deinit ends daemon and module"
[ ! -d /sys/module/oprof ]
ok $? "which is gone"
finish
