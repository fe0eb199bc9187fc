#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What scripts/lint remembers as passed: nothing whose text, or any text that judges it, has changed.
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

export LINT_CACHE="$tree/cache" LINT_TOOLS="clang 1" LINT_CPPFLAGS="-I."
mkdir -p "$tree/cache" "$tree/lib" "$tree/include/oprof" "$tree/scripts"
cd "$tree" || exit 99
cp "$top/scripts/lint-keys" "$top/scripts/lint-file" scripts/
: >.clang-format
: >.clang-tidy
cat >lib/a.c <<END
#include "lib/a.h"
#include <errno.h>
#if 0
#  include "near.h" /* beside it */
#endif
#define PORT_H "lib/port.h"
END
echo '#include <oprof/far.h>' >lib/a.h
echo '#include PORT_H' >lib/near.h
: >lib/port.h
: >lib/other.h
: >include/oprof/far.h

keys() {
	scripts/lint-keys lib/a.c 2>&1
}

[ "$(keys | sed 's/^[0-9a-f]\{64\} //')" = lib/a.c ] && [ "$(keys)" = "$(keys)" ]
result $? "a_file_has_a_key"
before=$(keys)
echo >>lib/other.h
[ "$(keys)" = "$before" ]
result $? "which_stays_where_what_it_does_not_include_has_changed"
for path in lib/a.c lib/a.h lib/near.h lib/port.h include/oprof/far.h .clang-format .clang-tidy scripts/lint-file \
	scripts/lint-keys; do
	before=$(keys)
	echo >>"$path"
	[ "$(keys)" != "$before" ] && [ -n "$(keys)" ]
	result $? "a_change_of_${path}_is_another_key"
done
before=$(keys)
[ "$(LINT_TOOLS="clang 2" keys)" != "$before" ] && [ "$(LINT_CPPFLAGS=-DX keys)" != "$before" ]
result $? "and_so_is_one_of_tools_and_flags"
for line in '#include' '#include lib/other.h' '#include "lib/other.h'; do
	printf '\n%s\n' "$line" >lib/near.h
	[ "$(keys)" = "lib/near.h:2: lint-keys can't tell what is included" ] && ! keys >/dev/null
	result $? "what_can_t_be_followed_is_told_$nr"
done
: >lib/near.h

# ---- what passes is remembered ----

# A compiler, and what else judges a file, that changes what it reads if $tree/changing says so.
mkdir bin
for tool in clang clang-tidy cppcheck; do
	printf '#!/bin/sh\n[ ! -e changing ] || echo >>lib/a.h\n[ ! -e failing ]\n' >bin/$tool
	chmod +x bin/$tool
done
export PATH="$tree/bin:$PATH" CLANG=clang CLANG_TIDY=clang-tidy CLANG_FORMAT=

judge() {
	key=$(keys | cut -d' ' -f1)
	scripts/lint-file "$key" lib/a.c
}

: >failing
! judge && [ -n "$(keys)" ]
result $? "what_fails_is_judged_again"
rm failing
: >changing
judge && [ -n "$(keys)" ] && [ ! -e "cache/$key" ]
result $? "what_changed_meanwhile_is_judged_again"
rm changing
judge && [ -z "$(keys)" ]
result $? "what_passes_is_not"
echo >>lib/near.h
[ -n "$(keys)" ]
result $? "until_it_changes"
echo "1..$nr"
