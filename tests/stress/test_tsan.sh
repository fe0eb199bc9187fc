#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The ring under the thread sanitizer: silent as it is; and where what is
# delivered is published without release, a data race is reported.
if [ -n "$OPROF_NO_VARIANTS" ]; then
	echo "1..0 # SKIP what it compiles is the same in every build"
	exit 0
fi
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
nr=0

# The whole program, apart from how the tree is built: other sanitizers do not go with this one.
build() { # PROGRAM OPTION...
	program=$1
	shift
	"$compiler" -D_GNU_SOURCE -I"$top" -I"$top/include" \
		-DRING_PORT_H='"tests/stress/port_stress.h"' -g -O1 -fsanitize=thread "$@" \
		"$top"/tests/stress/*.c "$top"/ring/*.c "$top"/ctf/*.c \
		"$top/lib/array.c" "$top/lib/diag.c" "$top/lib/file.c" "$top/lib/folder.c" "$top/lib/own_user.c" "$top/lib/utf8.c" \
		-o "$folder/$program" -lzstd -lpthread
}

find_compiler() {
	echo 'int main(void) { return 0; }' >"$folder/empty.c"
	for compiler in clang gcc cc; do
		"$compiler" -fsanitize=thread "$folder/empty.c" -o "$folder/empty" 2>/dev/null &&
			"$folder/empty" && return
	done
	echo "1..0 # SKIP no compiler with a thread sanitizer that runs here"
	exit 0
}

run() { # PROGRAM OPTION...
	program=$1
	shift
	TSAN_OPTIONS="halt_on_error=1 exitcode=66" timeout 600 "$folder/$program" --seconds 1 \
		--sub-buffer 256 "$@" >"$folder/log" 2>&1
	status=$?
	sed 's/^/# /' "$folder/log" | head -n 40
}

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
	fi
}

find_compiler
build good || exit 99
build unordered -DRING_GUARD_RELEASE=0 || exit 99
echo "1..4"
for mode in discard overwrite; do
	run good --mode "$mode" --seed 21
	[ "$status" = 0 ]
	result $? "no data race in $mode mode"
done
for mode in discard overwrite; do
	run unordered --mode "$mode" --seed 22
	[ "$status" = 66 ] && grep -q 'WARNING: ThreadSanitizer: data race' "$folder/log"
	result $? "a packet delivered without release is a data race in $mode mode"
done
