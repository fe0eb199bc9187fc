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

# ---- every arrow between folders and between rooms, from scripts/include-rooms ----

# "FROM TO yes|no" for each two folders, and for each two rooms of a folder: whether arrows lead from
# one to the other. Unlike the checker, this walks along the arrows from each place.
pairs() {
	awk '
	function walk(from, at,   i, nr, to) {
		nr = split(arrows[at], to, " ")
		for (i = 1; i <= nr; i++)
			if (!((from, to[i]) in reached)) {
				reached[from, to[i]] = 1
				walk(from, to[i])
			}
	}
	/^[a-z]+(\/[a-z_.]+)?:/ {
		from = substr($1, 1, length($1) - 1)
		in_folder[from] = ""
		if (from ~ /\//)
			in_folder[from] = substr(from, 1, index(from, "/"))
		places[++nr_places] = from
		for (i = 2; i <= NF; i++)
			arrows[from] = arrows[from] " " in_folder[from] $i
	}
	END {
		for (i = 1; i <= nr_places; i++)
			walk(places[i], places[i])
		for (i = 1; i <= nr_places; i++)
			for (j = 1; j <= nr_places; j++) {
				a = places[i]
				b = places[j]
				if (i != j && in_folder[a] == in_folder[b])
					print a, b, (a, b) in reached ? "yes" : "no"
			}
	}' "$top/scripts/include-rooms"
}

# For each of these a file that includes from one to the other; all in one tree.
plant_pairs() {
	rm -rf "$tree/src"
	pairs >"$tree/pairs"
	mkdir "$tree/src"
	(cd "$tree/src" && awk '{ print $1 }' "$tree/pairs" | sort -u | xargs mkdir -p &&
		awk '{
			to = $2
			sub(/\/\.$/, "", to)
			sub(/^include$/, "oprof", to)
			path = $1 "/a" NR ".c"
			print "#include \"" to "/x.h\"" >path
			close(path)
		}' "$tree/pairs")
	"$top/scripts/check-includes" "$tree/src" >"$tree/refused"
	awk '$3 == "no" { print $1, $2 }' "$tree/pairs" | sort >"$tree/expected"
	sed -n 's/^.*: \([^ ]*\) must not include from \([^ ]*\).*/\1 \2/p' "$tree/refused" |
		sed 's,/ , ,; s,/$,,' | sort >"$tree/got"
}

# A table of which a line was changed, for a tree with one file; $tree/refused says why.
refuses_table() { # SED_COMMAND PATTERN NAME
	rm -rf "$tree/scripts"
	mkdir "$tree/scripts"
	cp "$top/scripts/check-includes" "$top/scripts/list-files" "$tree/scripts"
	sed "$1" "$top/scripts/include-rooms" >"$tree/scripts/include-rooms"
	one_file daemon/a.c '#include <stdio.h>'
	! "$tree/scripts/check-includes" "$tree/src" >"$tree/refused" && grep -q "$2" "$tree/refused"
	result $? "$3"
}

echo 1..32
refuses lib/a.c '#include "daemon/source.h"' "lib_must_not_include_from_daemon"
refuses control/a.c '#include "libdb/sdb.h"' "control_must_not_include_from_libdb"
refuses client/a.c '#include "daemon/command/control_message.h"' "client_must_not_include_from_daemon"
refuses lib/a.c '#include "client/client.h"' "lib_must_not_include_from_client"
accepts pp/top/a.c '#include "client/client.h"' "reports_may_include_from_client"
accepts daemon/command/a.c '#include "client/message_head.h"' "daemon_may_include_from_client"
refuses session/a.c '#include "daemon/session/session.h"' "session_must_not_include_from_daemon"
accepts daemon/session/a.c '#include "session/session_info.h"' "daemon_may_include_from_session"
accepts pp/session/a.c '#include "session/session_info.h"' "reports_may_include_from_session"
refuses include/oprof/a.h '#include "lib/diag.h"' "contracts_include_nothing_of_ours"
refuses pp/a.c '#  include "daemon/source.h" /* x */' "reports_must_not_include_from_daemon"
refuses daemon/a.c '#include <elfutils/libdw.h>' "a_board_has_no_libdw"
refuses libdb/a.c '#include "sdb.h"' "includes_are_written_from_the_top"
refuses lib/a.c '#include "lib/../daemon/system/x.h"' "no_include_goes_up_to_another_folder"
refuses misc/a.c '#include <stdio.h>' "an_unknown_folder_is_refused"
accepts daemon/a.c '#include "libdb/sdb.h"' "daemon_may_include_from_libdb"
accepts pp/a.c '#include <bfd.h>' "reports_may_use_libbfd"
refuses daemon/perf/a.c '#include "daemon/perf_source/perf_source.h"' "a_room_must_not_include_from_one_above_it"
refuses control/daemon/a.c '#include "control/trace/trace_args.h"' "control_of_the_daemon_must_not_include_from_that_of_traces"
accepts control/trace/a.c '#include "control/base/option.h"' "control_of_traces_may_include_from_its_base"
refuses daemon/misc/a.c '#include <stdio.h>' "an_unknown_room_is_refused"
refuses pp/format/a.c '#include "daemon/image/image.h"' "a_room_must_not_include_from_another_folder_that_its_own_may_not"
accepts daemon/service/a.c '#include "daemon/system/notify.h"' "arrows_between_rooms_are_transitive"
accepts daemon/perf/a.c '#include "daemon/source.h"' "an_open_header_is_for_all_rooms"
plant_pairs
[ "$(grep -c . "$tree/expected")" -gt 250 ] && grep -q '^lib daemon$' "$tree/expected" &&
	cmp "$tree/expected" "$tree/got"
result $? "each_arrow_that_the_table_lacks_is_refused_and_no_other"
refuses daemon/a.c '#include <libdb/sdb.h>' "what_is_in_the_tree_is_not_written_in_angle_brackets"
refuses lib/a.h '#include <oprof/packet.h>' "nor_is_a_contract"
refuses daemon/source.h '#include "daemon/perf/perf_ring.h"' "an_open_header_leads_to_no_room"
refuses_table 's,^daemon/perf:.*,daemon/perf: perf_source,' "lead back to it" \
	"a_table_whose_arrows_form_a_circle_is_refused"
refuses_table 's,^daemon/perf:.*,daemon/perf: nowhere,' "daemon/nowhere, which has no line" \
	"a_table_that_names_a_place_without_a_line_is_refused"
printf '#!/bin/sh\nexit 1\n' >"$tree/scripts/list-files"
cp "$top/scripts/include-rooms" "$tree/scripts"
! "$tree/scripts/check-includes" "$tree/src" >/dev/null
result $? "a_list_of_files_that_can_t_be_had_is_not_an_empty_one"
"$top/scripts/check-includes"
result $? "no_include_of_this_tree_leads_the_wrong_way"
