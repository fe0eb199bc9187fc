# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Call stacks from the sample's interrupt to opreport, in guests: of a program
# whose paths and their shares are known, by frame pointers (the module), by
# unwind tables (perf), and of Debian's own programs for arm64.

# stacks_program GUEST NAME FLAG...
stacks_program()
{
	program_for=$1
	program_name=$2
	shift 2
	guest_compile "$(guest_arch "$program_for")" -D_GNU_SOURCE -I"$GUEST/../.." -O1 -fno-optimize-sibling-calls \
		-pthread "$@" -o "$T/$program_for/$program_name" "$GUEST/load_stacks.c" ||
		tap_bail "load_stacks.c does not compile"
}

part_stacks() # GUEST
{
	profile_prepare "$1" || return
	stacks_program "$1" stacks_fp -DFRAMES -fno-omit-frame-pointer
	stacks_program "$1" stacks_bare -fomit-frame-pointer
	set -- "$1" "$T/$1/stacks_fp" "$T/$1/stacks_bare" "$profile_programs/oprof-module"
	# Of x86-64, test_unwind.sh has them.
	if [ "$(guest_arch "$1")" = arm64 ]; then
		root=$("$SCRIPTS/guest-programs" --sysroot arm64 2>"$T/err") || {
			profile_lacks "$1" $? "$T/err"
			return
		}
		set -- "$@" "$root/usr/bin/mawk" "$root/usr/bin/aarch64-linux-gnu-objdump"
	fi
	stacks_for=$1
	shift
	profile_run "$stacks_for" "$GUEST/inside_stacks.sh" "$@"
}
