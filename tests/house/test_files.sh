#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SPDX lines and shape of files: the checker refuses what it must, and finds
# nothing here.
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

one_file() { # PATH TEXT
	rm -rf "$tree/src"
	mkdir -p "$tree/src/$(dirname "$1")"
	printf '%s\n' "$2" >"$tree/src/$1"
}

refuses() { # PATH TEXT NAME
	one_file "$1" "$2"
	! "$top/scripts/check-files" "$tree/src" >/dev/null
	result $? "$3"
}

accepts() {
	one_file "$1" "$2"
	"$top/scripts/check-files" "$tree/src"
	result $? "$3"
}

# In two pieces, so that this file is not read as carrying them.
spdx="SPDX-License""-Identifier:"
long=$(printf '%0101d' 0)

echo 1..11
refuses lib/a.c 'int a;' "a_file_without_its_licence_is_refused"
refuses include/oprof/a.h "/* $spdx GPL-2.0-or-later */" "a_contract_under_another_licence_is_refused"
refuses lib/a.c "// $spdx MIT" "a_foreign_licence_in_lib_is_refused"
refuses lib/a.c "// $spdx GPL-2.0-or-later
int a; " "blanks_at_the_end_of_a_line_are_refused"
refuses lib/a.c "// $spdx GPL-2.0-or-later
// $long" "a_line_beyond_the_wall_is_refused"
refuses tests/data/x/a.bin "data" "data_without_a_readme_is_refused"
refuses doc/images/a.png "data" "a_picture_without_a_readme_is_refused"
one_file tests/data/README "$spdx GPL-2.0-or-later"
mkdir "$tree/src/tests/data/x"
echo data >"$tree/src/tests/data/x/a.bin"
"$top/scripts/check-files" "$tree/src"
result $? "data_below_a_readme_is_accepted"
accepts lib/a.c "// $spdx GPL-2.0-or-later" "a_file_with_its_licence_is_accepted"
accepts doc/a.md "<!-- $spdx GPL-2.0-or-later -->" "a_page_with_its_licence_is_accepted"
"$top/scripts/check-files"
result $? "every_file_of_this_tree_is_in_order"
