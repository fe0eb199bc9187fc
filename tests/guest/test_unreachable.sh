#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A source that can't be reached is said by name, and is no success: with an
# empty cache and an apt that finds nobody at its mirror's door.
. "$(dirname "$0")/lib.sh"

[ "$(uname -m)" = x86_64 ] || tap_skip_all "only x86-64 hosts have guests"
command -v apt-get >/dev/null || tap_skip_all "there is no apt"
echo 'Acquire::http::Proxy "http://127.0.0.1:9"; Acquire::https::Proxy "http://127.0.0.1:9";
	Acquire::Retries "0";' >"$T/apt.conf"

# What can't be had leaves nothing that looks ready.
unreachable() # PATTERN TEXT COMMAND...
{
	unreachable_pattern=$1
	unreachable_text=$2
	shift 2
	OPROF_GUEST_CACHE=$T/cache APT_CONFIG=$T/apt.conf "$@" >"$T/out" 2>"$T/err" </dev/null
	tap_is $? 77 "$unreachable_text: 77"
	tap_has "$T/err" "$unreachable_pattern" "$unreachable_text: it is named"
}

cp "$GUEST/inside_emulator.sh" "$T/script"
unreachable "can't download linux-image-[0-9]" "a kernel of Debian" "$SCRIPTS/guest" "$T/script"
unreachable "can't download linux-source-6.12" "the source of a kernel" "$SCRIPTS/guest-kernel" arm64-nmi
unreachable "lists of arm64 can't be fetched" "another architecture" "$SCRIPTS/guest-kernel" arm64-6.1
unreachable "lists of sid can't be fetched" "another suite" "$SCRIPTS/guest-kernel" x86-7.2
unreachable "lists of arm64 can't be fetched" "a sysroot" "$SCRIPTS/guest-programs" --sysroot arm64
OPROF_GUEST_CACHE=$T/cache "$SCRIPTS/guest-kernel" --list >"$T/out"
! grep -q ' ready' "$T/out"
tap_ok $? "and none is said to be ready"

"$SCRIPTS/guest-kernel" vax-1.0 >"$T/out" 2>"$T/err"
tap_is $? 2 "a guest that does not exist: 2"
tap_has "$T/err" "arm64-nmi" "and those that do are told"
tap_end
