# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: what samples hold is let go of (load_references). Passes are
# counted, by dumps, each of which waits for a whole one.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh

seconds=2
[ -z "$all" ] || seconds=20

set_to() # NAME VALUE
{
	echo "$2" >"$control/$1"
}

# Open the buffer, which nobody reads, and sample.
begin()
{
	exec 5<"$control/buffer" && set_to enable 1
}

# Disabling makes the pass that reads what was sampled last.
stop_and_dump_twice()
{
	set_to enable 0 && set_to dump 1 && set_to dump 1
}

end_run()
{
	exec 5<&-
}

mount_load()
{
	mkdir -p "$work/fs" && mount -t tmpfs none "$work/fs" &&
		cp /bin/load_references "$work/fs/load"
}

# Has the reader read something, and no more since the last call?
bytes_read=0
is_read()
{
	bytes_before=$bytes_read
	bytes_read=$(wc -c <"$work/stream")
	[ "$bytes_read" -gt 0 ] && [ "$bytes_read" = "$bytes_before" ]
}

let_go_of() # TEXT
{
	[ "$(stat_of references_taken)" -gt 0 ]
	ok $? "$1: address spaces were held"
	module_let_go "$1"
	module_balances "$1"
}

module_load
set_to 0/type 0x544d0000
set_to 0/count 300000
set_to 0/enabled 1

# ---- two passes ----

begin
load_references spin 300
stop_and_dump_twice
let_go_of "two passes after the last sample"
end_run

# ---- nobody reads, and there is no room any more ----

set_to buffer_watershed 1
set_to buffer_size 1024
begin
load_references exits $seconds
stop_and_dump_twice
[ "$(stat_of lost_buffer)" -gt 0 ]
ok $? "the buffer was full"
let_go_of "with a full buffer"
end_run
set_to buffer_size 131072

# ---- processes that end all the time ----

begin
load_references exits $seconds >"$work/said"
stop_and_dump_twice
note "$(cat "$work/said"), kicks $(stat_of kicks) of $(stat_of passes) passes, processes $(stat_of processes), ended $(stat_of processes_ended)"
let_go_of "a storm of exits"
end_run

# ---- a file system whose program has ended ----

# Nobody asks for the program's descriptor: it is held for who will.
mount_load
begin
"$work/fs/load" spin 300
stop_and_dump_twice
! umount "$work/fs" 2>/dev/null
ok $? "a file whose descriptor was not asked for keeps its file system busy"
end_run
until_true umount "$work/fs" 2>/dev/null
ok $? "until the buffer is closed"

# kmod_read asks at once; sampling goes on, the program ended, two passes are made.
cat >"$work/script" <<END
sleep 0.5
"$work/fs/load" spin 500
sleep 0.5
echo 1 >$control/dump
echo 1 >$control/dump
. /bin/inside.sh
until_true umount "$work/fs" 2>/dev/null && echo unmounted
END
mount_load
kmod_read -d 4 -w 1 -n 300000 -- sh "$work/script" >"$work/read"
is $? 0 "the stream of that has no fault"
grep -q '/fs/load' "$work/read"
ok $? "the program was sampled"
grep -q '^unmounted' "$work/read"
ok $? "then its file system can be unmounted while sampling goes on"

# ---- more than may be held ----

# Each switch between tasks is a context too; the worker seldom gets to run.
set_to cpu_buffer_size 262144
set_to switches 1
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
begin
load_references cap 60
stop_and_dump_twice
[ "$(stat_of lost_references)" -gt 0 ]
ok $? "what is held has a bound, and samples beyond it are counted"
let_go_of "at the bound"
# Room: all is read that is there.
: >"$work/stream"
cat <&5 >"$work/stream" &
reader=$!
until_true is_read
kill $reader
wait $reader 2>/dev/null
before=$(stat_of stored)
set_to enable 1
load_references spin 300
stop_and_dump_twice
[ "$(stat_of stored)" -gt "$before" ]
ok $? "samples are stored again after it"
let_go_of "after the bound"
end_run

module_unload
ok $? "the module is unloaded"
finish
