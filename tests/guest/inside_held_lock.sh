# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a program that is sampled, and whose mmap lock the module
# "hold" keeps for writing. What would hang does not come to its end.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh

is_above() # NAME NUMBER
{
	[ "$(stat_of "$1")" -gt "$2" ]
}

module_load
echo 0x544d0000 >$control/0/type
echo 1000000 >$control/0/count
echo 1 >$control/0/enabled
sh -c 'while :; do :; done' &
program=$!
exec 5<$control/buffer
echo 1 >$control/enable
until_true is_above stored 100
ok $? "the program is sampled"

insmod /bin/hold.ko pid=$program
ok $? "its lock is held"
passes=$(stat_of passes)
until_true is_above lost_locked 0
ok $? "its samples are lost, and counted"
until_true is_above passes $((passes + 3))
ok $? "the worker goes on with its passes"
(echo 0 >$control/enable && echo 1 >$control/dump)
ok $? "and tells what was sampled when it is asked to"
module_balances

exec 5<&-
module_unload
ok $? "the buffer can be closed, and the module unloaded, while the lock is held"
rmmod hold
kill $program
finish
