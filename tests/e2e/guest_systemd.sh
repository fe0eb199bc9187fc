#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest: oprof.service under systemd itself, the first process of a pid
# namespace, with no more units than it needs; the tests are one of them. TAP,
# run by test_systemd.sh.
export OPROF_EVENTS_DIR=/events
nr=0

ok()
{
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
	fi
}

until_true()
{
	left=3000
	while ! "$@" >/dev/null 2>&1 && [ $left -gt 0 ]; do
		sleep 0.2
		left=$((left - 1))
	done
	[ $left -gt 0 ]
}

outside()
{
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mkdir -p /run && mount -t tmpfs run /run
	units=/etc/systemd/system
	mkdir -p $units/oprof.service.d $units/oprof-module.service.d /var/log /var/tmp /home /usr/lib/modules
	for target in sysinit basic shutdown multi-user; do
		printf '[Unit]\nDefaultDependencies=no\n' >$units/$target.target
	done
	cp /unit/oprof.service /unit/oprof-module.service $units/
	# There is no journal here.
	printf '[Service]\nEnvironment=OPROF_EVENTS_DIR=/events\n%s\n%s\n' \
		StandardOutput=append:/run/oprof.out StandardError=append:/run/oprof.out \
		>$units/oprof.service.d/guest.conf
	cp $units/oprof.service.d/guest.conf $units/oprof-module.service.d/
	printf '[Unit]\n%s\n[Service]\nType=simple\n%s\n%s\n%s\n%s\n' \
		DefaultDependencies=no \
		Environment="PATH=/bin HOME=/root" "ExecStart=/bin/sh /run.sh inside" \
		StandardOutput=append:/run/tests.out StandardError=inherit >$units/tests.service
	echo 0123456789abcdef0123456789abcdef >/etc/machine-id
	printf 'ID=guest\n' >/etc/os-release
	container=oprof-test unshare -p -f -m --mount-proc systemd --system \
		--unit=tests.service --log-target=console --log-level=warning \
		--show-status=no >/run/systemd.out 2>&1 &
	until_true grep -q '^1\.\.' /run/tests.out
	cat /run/tests.out
	sed 's/^/# /' /run/oprof.out /run/systemd.out | head -60
}

if [ "${1:-}" != inside ]; then
	outside
	exit 0
fi

oprof start --boot
started=$?
ok $started "oprof start --boot"
if [ $started -ne 0 ]; then
	systemctl show -p ExecMainStatus -p Result oprof.service
	cat /run/oprof.out
	echo "1..$nr"
	exit
fi
systemctl is-enabled --quiet oprof.service
ok $? "the unit is enabled"
[ "$(systemctl show -p SubState --value oprof.service)" = running ]
ok $? "and runs"
systemctl show -p StatusText --value oprof.service | grep -q sampling
ok $? "and told systemd how it goes"
pid=$(systemctl show -p MainPID --value oprof.service)
[ -d /sys/module/oprof ] && grep -q ' /dev/oprofile oprofilefs ' "/proc/$pid/mounts"
ok $? "it has loaded the module that was built before, and sees its files"
echo "# main process $pid, its own $(oprof status --raw | grep -E '^(pid|capabilities)' | tr '\n' ' ')"
guest_load 3000
opcontrol --dump
# Samples of the processes outside this pid namespace are lost, and said to be: trouble, perhaps.
oprof status >/run/status
cat /run/status
grep -q 'profiles the whole machine' /run/status && ! grep -q 'trouble.*cannot' /run/status
ok $? "oprof status tells how it does"
opreport -n 2>/dev/null | grep -q guest_load
ok $? "the workload is in the report"
opreport -l -n 2>/dev/null | grep -q guest_hot
ok $? "by its function"
opreport -l -n image:vmlinux 2>/dev/null | grep -v 'no symbols' | grep -q '[0-9] .*[a-z_]'
ok $? "and the kernel by its symbols"

systemctl kill -s KILL oprof.service
until_true sh -c '[ "$(systemctl show -p NRestarts --value oprof.service)" = 1 ] &&
	systemctl is-active oprof.service'
ok $? "killed, it is started again"
[ "$(systemctl show -p StartLimitIntervalUSec --value oprof.service)" = 0 ]
ok $? "and would be however often it failed"
oprof stop
until_true sh -c '! systemctl is-active oprof.service'
ok $? "oprof stop ends it"
sleep 12
! systemctl is-active oprof.service
ok $? "and systemd does not start it again"
systemctl start oprof.service
ok $? "but does when asked"
systemctl reload oprof.service
ok $? "a reload does no harm"
systemctl kill -s STOP oprof.service
until_true sh -c '[ "$(systemctl show -p Result --value oprof.service)" = watchdog ] ||
	[ "$(systemctl show -p NRestarts --value oprof.service)" -gt 0 ]'
ok $? "one that hangs is found by the watchdog"
until_true systemctl is-active oprof.service
ok $? "and started again"
oprof stop --boot
ok $? "oprof stop --boot"
! systemctl is-enabled --quiet oprof.service
ok $? "disables it"
opcheck /var/lib/oprofile
ok $? "all files are in order"

# In a folder of the user oprof's, the unit's daemon is this user.
echo "root:x:0:0::/root:/bin/sh
oprof:x:990:990::/:/usr/sbin/nologin
oprof-parse:x:991:991::/:/usr/sbin/nologin" >/etc/passwd
chown -hR 990:990 /var/lib/oprofile
is_oprofs()
{
	pid=$(systemctl show -p MainPID --value oprof.service)
	[ "$pid" != 0 ] && grep -q '^Uid:.990.990.990.990$' "/proc/$pid/status"
}
oprof start --boot && is_oprofs
ok $? "the daemon of the user oprof's folder"
[ "$(oprof status --raw | grep '^user ')" = "user oprof" ]
ok $? "says so"
guest_load 3000
systemctl kill -s KILL oprof.service
until_true sh -c '[ "$(systemctl show -p NRestarts --value oprof.service)" = 1 ] &&
	systemctl is-active oprof.service' && is_oprofs
ok $? "killed, it is started again as that user"
systemctl restart oprof.service && is_oprofs
ok $? "and so it is after a restart"
oprof stop --boot
[ -z "$(find /var/lib/oprofile ! -user 990)" ]
ok $? "and all its files are that user's"
opcheck /var/lib/oprofile
ok $? "and in order"
echo "1..$nr"
