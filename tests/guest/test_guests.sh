#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each guest boots, runs what it is given and tells how it went.
. "$(dirname "$0")/lib.sh"

files_go_in_and_out()
{
	guest_compile "$(guest_arch "$guest")" -O1 -o "$T/hello" "$GUEST/hello.c" -lm ||
		tap_bail "hello.c does not compile for $guest"
	mkdir -p "$T/tree/below"
	echo "of a file" >"$T/file"
	echo "of a tree" >"$T/tree/below/file"
	guest_options="-o $T/out-$guest" guest_run "$guest" "$GUEST/inside_guests.sh" \
		"$T/hello" "$T/file=/given/file" "$T/tree=/tree"
	tap_is $? 3 "$guest: the script's status comes back"
	cat - >"$T/expected" <<-END
		$(cat "$(cat "$T/guest.kernel")/release")
		hello 3
		of a file
		of a tree
		2
		$(sha256sum <"$T/out-$guest/folder/random")
	END
	printf 'a line that does not end with one\n' >>"$T/expected"
	cmp "$T/guest.out" "$T/expected"
	tap_ok $? "$guest: its kernel, a program, files in and out"
	[ $tap_failed -eq 0 ] || guest_show
}

the_log_is_judged()
{
	guest_run "$guest" "$GUEST/inside_warning.sh"
	tap_is $? 125 "$guest: a warning in the kernel's log fails the run"
	tap_has "$T/guest.out" "of_a_test.c" "$guest: and is shown"
	guest_run "$guest" "$GUEST/inside_emulator.sh"
	tap_is $? 0 "$guest: what the emulator causes does not"
}

a_death_is_told()
{
	guest_run "$guest" "$GUEST/inside_panic.sh"
	tap_is $? 125 "$guest: a kernel that dies fails the run"
	tap_has "$T/guest.out" "Kernel panic" "$guest: and its last words are shown"
}

options_do_what_they_say()
{
	guest_options="-i -k quiet=oprof_word" guest_run "$guest" "$GUEST/inside_options.sh"
	tap_is $? 0 "$guest: counts instructions"
	tap_is "$(cat "$T/guest.out")" "1 1" "$guest: on one CPU, and the kernel is told what was given"
	case $guest in
	x86-kasan | x86-kcsan | arm64-nmi) return ;; # what they need is built in
	esac
	guest_options="-M overlay" guest_run "$guest" "$GUEST/inside_overlay.sh"
	tap_is $? 0 "$guest: a module of its own, and those that it needs"
	[ $tap_failed -eq 0 ] || guest_show
}

for guest in $(guest_names); do
	guest_ready "$guest" || continue
	files_go_in_and_out
	the_log_is_judged
	a_death_is_told
	options_do_what_they_say
done
tap_end
