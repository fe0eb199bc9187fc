# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Call chains, in guests: of a program whose chains are known to the last
# frame, in it and in the kernel called by it, at several depths.

# chains_program GUEST NAME DEPTH: without a C library; and its symbols by offset in the file
chains_program()
{
	guest_compile "$(guest_arch "$1")" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		-fno-stack-protector -fno-builtin -nostdlib -static -no-pie -Wl,--build-id=none \
		"-DCHAIN_DEPTH=$3" -o "$T/$1/$2" "$GUEST/load_chain.c" ||
		tap_bail "load_chain.c does not compile"
	base=$(readelf -lW "$T/$1/$2" | awk '$1 == "LOAD" && /R E/ { print $2, $3; exit }')
	readelf -sW "$T/$1/$2" | perl -e '
		my ($offset, $address) = map { hex } split(" ", $ARGV[0]);
		my %at;
		while (<STDIN>) {
			$at{$2} = hex($1) if /^\s*\d+:\s*([0-9a-f]+).*\s(_start|chain_\w+)$/;
		}
		printf("%x %s\n", $at{$_} - $address + $offset, $_)
			for sort { $at{$a} <=> $at{$b} } keys %at;' "$base" >"$T/$1/$2.symbols"
}

part_chains() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	chains_program "$1" load_chain 20
	chains_program "$1" load_chain_deep 200
	profile_compile "$1" kmod_chains "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_run "$1" "$GUEST/inside_chains.sh" "$T/$1/kmod_chains" "$T/$1/load_chain" \
		"$T/$1/load_chain.symbols" "$T/$1/load_chain_deep" "$T/$1/load_chain_deep.symbols"
}
