#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest of test_guest.sh: Debian's 6.1 kernel. Prints TAP.
nr=0
ok()
{
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then echo "ok $nr - $2"; else echo "not ok $nr - $2"; fi
}
show()
{
	sed 's/^/# | /' "$1" | head -30
}
counter()
{
	awk -v n="$2" '$1 == n { print $2 }' "$1"
}
export OPROF_EVENTS_DIR=/events
mkdir -p /tmp/user
chown nobody /tmp/user
cd /tmp/user || exit 1

echo "# $(uname -r), perf_event_paranoid $(cat /proc/sys/kernel/perf_event_paranoid)"
if su nobody -c 'oprof run -- guest_load 200' >/tmp/refused 2>&1; then refused=1; else refused=0; fi
ok $refused "Debian's kernel refuses users, and oprof run fails"
show /tmp/refused
grep -c 'perf_event_paranoid=' /tmp/refused | grep -qx 1
ok $? "one message gives the command that helps"
remedy=$(grep -o 'sysctl [-a-z ]*kernel.perf_event_paranoid=[-0-9]*' /tmp/refused | head -1)
$remedy >/dev/null
ok $? "that command works: $remedy"
su nobody -c 'oprof run -- guest_load 3000' >/tmp/run 2>&1
ok $? "then a user profiles their own program"
show /tmp/run
su nobody -c 'opreport -l -n' >/tmp/symbols 2>/tmp/coverage
grep -q 'guest_hot' /tmp/symbols
ok $? "and finds its hot function"
show /tmp/symbols
show /tmp/coverage

# CPU 1 goes and comes back while the whole machine is profiled.
mkdir /tmp/root
cd /tmp/root || exit 1
oprofiled --session-dir=/tmp/root/s --system --event=cpu-clock --frequency=499 --separate=cpu --start
ok $? "root profiles the whole machine"
echo 0 >/sys/devices/system/cpu/cpu1/online
[ "$(cat /sys/devices/system/cpu/cpu1/online)" = 0 ]
ok $? "a CPU goes"
sleep 3
guest_load 1000
echo 1 >/sys/devices/system/cpu/cpu1/online
[ "$(cat /sys/devices/system/cpu/cpu1/online)" = 1 ]
ok $? "and comes back"
sleep 3
opcontrol --session-dir=/tmp/root/s --dump
opcontrol --session-dir=/tmp/root/s --status >/tmp/before
taskset 2 guest_load 2000
opcontrol --session-dir=/tmp/root/s --dump
opcontrol --session-dir=/tmp/root/s --status >/tmp/after
opcontrol --session-dir=/tmp/root/s --shutdown >/tmp/end 2>&1
ok $? "the daemon has lived through it"
opreport -l -n --session-dir=/tmp/root/s cpu:1 >/tmp/cpu1 2>/tmp/coverage1
grep -q guest_hot /tmp/cpu1
ok $? "the CPU that came back is sampled again"
show /tmp/cpu1
show /tmp/coverage1
seen=$(counter /tmp/after seen)
sum=$(awk '$1 == "stored" || $1 == "idle" || $1 ~ /^lost_/ { s += $2 } END { print s }' /tmp/after)
[ -n "$seen" ] && [ "$seen" -gt 0 ] && [ "$seen" = "$sum" ]
ok $? "seen ($seen) = stored + idle + lost ($sum)"
echo "1..$nr"
exit 0
