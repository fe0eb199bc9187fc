#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel module is built of is whole: each of its sources is in
# Kbuild's list and the other way round, and the tree that is installed has all
# that they include.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
nr=0

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
	fi
}

# sources of FOLDER (kmod or ring) that Kbuild does not have, or has and are not there
unlisted() { # TREE FOLDER
	(cd "$1" && find "$2" -maxdepth 1 -name '*.c' | sort) >"$tree/there"
	grep -oE "$2/[a-z0-9_]+\.o" "$1/Kbuild" | sed 's/o$/c/' | sort -u >"$tree/listed"
	diff "$tree/there" "$tree/listed" | sed -n 's/^[<>] //p'
}

# what files of the tree include of ours that it does not have
unresolved() { # TREE
	(cd "$1" && grep -rhoE '^#[[:space:]]*include "[^"]+"' --include='*.[ch]' kmod ring include |
		sed 's/.*"\(.*\)"/\1/' | sort -u | while read -r path; do
		case $path in
		kmod/compat_probed.h | */trace_*) continue ;; # made when it is built
		esac
		[ -f "$path" ] || [ -f "include/$path" ] || echo "$path"
	done)
}

echo 1..6
"$top/scripts/kmod-tree" "$tree/tree"
result $? "the tree is laid out"
found=$(unlisted "$tree/tree" kmod; unlisted "$tree/tree" ring)
[ -z "$found" ] || printf '# in one of folder and Kbuild only: %s\n' "$found"
[ -z "$found" ]
result $? "kbuild_lists_each_source_and_no_other"
# What only user space includes may be elsewhere: of ring/ that is its other port.
found=$(unresolved "$tree/tree" | grep -v -E '^(lib|tests|ctf|daemon)/')
[ -z "$found" ] || printf '# included, and not in the tree: %s\n' "$found"
[ -z "$found" ]
result $? "the_tree_has_all_that_is_included"

# And the checks find what they are for.
echo 'int a;' >"$tree/tree/kmod/forgotten.c"
[ "$(unlisted "$tree/tree" kmod)" = kmod/forgotten.c ]
result $? "a_source_left_out_of_kbuild_is_found"
rm "$tree/tree/kmod/forgotten.c" "$tree/tree/kmod/main.c"
[ "$(unlisted "$tree/tree" kmod)" = kmod/main.c ]
result $? "a_source_that_is_not_there_is_found"
rm "$tree/tree/ring/ring.h"
unresolved "$tree/tree" | grep -qx ring/ring.h
result $? "a_header_left_out_of_the_tree_is_found"
