#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPUs run at the same time only under an emulator that bears it (scripts/guests/emulator.sh),
# shown by ones that only say their version and what they were asked for.
. "$(dirname "$0")/lib.sh"

guest=x86-6.1
guest_ready $guest || {
	tap_end
	exit
}
# Kernels are there, but nothing else can be had.
mkdir -p "$T/cache" "$T/bin"
ln -s "$(cat "$T/guest.kernel")" "$T/cache/$guest"
echo 'Acquire::http::Proxy "http://127.0.0.1:9"; Acquire::https::Proxy "http://127.0.0.1:9";
	Acquire::Retries "0";' >"$T/apt.conf"
cat >"$T/bin/qemu-system-x86_64" <<'END'
#!/bin/sh
[ "$1" != --version ] || exec echo "QEMU emulator version $FAKE_VERSION"
printf 'guest: %s\n' begin "asked for $*" 'status 0' 'log begin' 'log end' over
END
chmod +x "$T/bin/qemu-system-x86_64"

threads_of() # VERSION: $threads, and what is said in $T/guest.err
{
	threads=$(PATH=$T/bin:$PATH FAKE_VERSION=$1 OPROF_GUEST_CACHE=$T/cache APT_CONFIG=$T/apt.conf \
		"$SCRIPTS/guest" -g $guest "$GUEST/inside_emulator.sh" 2>"$T/guest.err" </dev/null |
		sed -n 's/.*thread=\([a-z]*\).*/\1/p')
}

for version in "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)" 8.0.5; do
	threads_of "$version"
	tap_is "$threads" single "CPUs take turns in one thread under $version"
	tap_has "$T/guest.err" "older than 8.1" "and it is said why"
done
for version in 8.1.0 "8.2.2 (Debian 1:8.2.2+ds-0ubuntu1)" 10.0.13; do
	threads_of "$version"
	tap_is "$threads" multi "they run at the same time under $version"
	tap_is "$(wc -c <"$T/guest.err")" 0 "and nothing is to be said"
done
tap_end
