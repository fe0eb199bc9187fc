#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Include directions: the checker refuses what it must, and finds nothing here.
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

# One file PATH holding LINE, alone in a tree of its own.
one_file() {
	rm -rf "$tree/src"
	mkdir -p "$tree/src/$(dirname "$1")"
	printf '%s\n' "$2" >"$tree/src/$1"
}

refuses() { # PATH LINE NAME
	one_file "$1" "$2"
	! "$top/scripts/check-includes" "$tree/src" >/dev/null
	result $? "$3"
}

accepts() {
	one_file "$1" "$2"
	"$top/scripts/check-includes" "$tree/src"
	result $? "$3"
}

echo 1..10
refuses lib/a.c '#include "daemon/source.h"' "lib_must_not_include_from_daemon"
refuses control/a.c '#include "libdb/sdb.h"' "control_must_not_include_from_libdb"
refuses include/oprof/a.h '#include "lib/diag.h"' "contracts_include_nothing_of_ours"
refuses pp/a.c '#  include "daemon/source.h" /* x */' "reports_must_not_include_from_daemon"
refuses daemon/a.c '#include <elfutils/libdw.h>' "a_board_has_no_libdw"
refuses libdb/a.c '#include "sdb.h"' "includes_are_written_from_the_top"
refuses misc/a.c '#include <stdio.h>' "an_unknown_folder_is_refused"
accepts daemon/a.c '#include "libdb/sdb.h"' "daemon_may_include_from_libdb"
accepts pp/a.c '#include <bfd.h>' "reports_may_use_libbfd"
"$top/scripts/check-includes"
result $? "no_include_of_this_tree_leads_the_wrong_way"
