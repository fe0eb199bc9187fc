#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_chains.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
case $guest in
arm64*) event=0:0:1000000 ;;
*) event=0x544d0000:0:1000000 ;;
esac
module_load || bail "the module does not load"

# chains DEPTH PROGRAM NR_RECURSE: $work/chains
chains()
{
	kmod_chains $event "$1" 1 "/bin/$2" "/bin/$2.symbols" "$3" >"$work/chains" 2>&1
	ok $? "depth $1, $3 calls deep: the stream is as it must be"
	show "$work/chains"
	is "$(awk '$4 == "wrong" { nr += $5 } END { print nr + 0 }' "$work/chains")" 0 \
		"depth $1, $3 calls deep: no chain is wrong"
}

# PLACE WORD: how many
number_of()
{
	awk -v place="$1" -v word="$2" '$1 == place { for (i = 2; i < NF; i++)
		if ($i == word) print $(i + 1) }' "$work/chains"
}

# some PLACE TEXT: there are right ones
some()
{
	[ "$(number_of "$1" right)" -gt 0 ]
	ok $? "$2"
}

chains 0 load_chain 20
some spin "without chains samples are what they were"
chains 1 load_chain 20
some spin "a depth of 1 has one caller, and says that there are more"
chains 127 load_chain 20
some spin "the program's callers are all there, and in order"
is "$(number_of spin broken)" 0 "none is told to be broken"
some call "those of code in the kernel go on in the program"
[ "$(awk '$1 == "kernel_callers" { print $2 }' "$work/chains")" -gt 0 ]
ok $? "behind callers in the kernel"
some astray "a frame pointer that leads nowhere is told"
some nowhere "a frame that returns to 0 is the last one"
# On x86-64 it is the top of the stack, which in a frame is anything.
case $guest in
arm64*)
	[ "$(awk '$1 == "links" { print $2 }' "$work/chains")" -gt 0 ]
	ok $? "what the register of the link holds is told beside them"
	;;
esac
chains 127 load_chain_deep 200
some spin "of 202 callers 127 are told, and that there are more"
module_let_go
module_unload
ok $? "the module is unloaded"
finish
