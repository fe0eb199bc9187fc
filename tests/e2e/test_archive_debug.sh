#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An archive holds all that lines and inlined functions are read from, wherever
# a program's debug information lies: what it says is the same when all of that is gone.
. "$(dirname "$0")/lib.sh"

umask 022
cd "$T" || tap_bail "no folder"
export TMPDIR="$T"
mkdir src bin obj
cat >src/inner.h <<'C'
extern volatile int sink[100];
static inline __attribute__((always_inline)) int inner(int x)
{
	sink[x & 7] += x;
	return sink[x & 3] * 3;
}
C
cat >src/program.c <<'C'
#include "inner.h"
volatile int sink[100];
static inline __attribute__((always_inline)) int middle(int x)
{
	int sum = 0;
	for (int i = 0; i < x; i++)
		sum += inner(i);
	return sum;
}
__attribute__((noinline)) int outer(int x)
{
	return middle(x) + middle(x + 2);
}
int main(int argc, char **argv)
{
	return outer(argc) + inner(argc);
}
C

# build NAME OPTION...: bin/NAME, of which the object's folder is obj/NAME
build()
{
	name=$1
	shift
	mkdir -p "obj/$name/deep"
	(cd "obj/$name/deep" && $CC -O2 "$@" -c -o ../program.o "$T/src/program.c" &&
		$CC -Wl,--build-id "$@" -o "$T/bin/$name" ../program.o) || tap_bail "$name does not build"
}

# separate NAME: its debug information to .debug beside it, by a link
separate()
{
	mkdir -p bin/.debug
	objcopy --only-keep-debug "bin/$1" "bin/.debug/$1.debug"
	objcopy --strip-all --add-gnu-debuglink="bin/.debug/$1.debug" "bin/$1" ||
		tap_bail "$1 can't be separated"
}

programs=
add()
{
	programs="$programs $1"
}

build plain -g
add plain
build linked -g
separate linked
add linked
cp bin/linked bin/twin # both have the same debug file
add twin
# root archives a binary without a build-id only if every user may read it.
if [ "$(id -u)" != 0 ] || setpriv --reuid=65534 --clear-groups test -r "$T/bin/plain"; then
	build noid -g -Wl,--build-id=none
	separate noid
	add noid
else
	tap_note "not every user may read $T: no binary without a build-id is archived"
fi
build dwo -g -gsplit-dwarf
add dwo
build dwo4 -gdwarf-4 -gsplit-dwarf
add dwo4
# A folder of the compiler that reports find no more, but for their name.
build moved -g -gsplit-dwarf
mv obj/moved/program.dwo bin/
rm -r obj/moved
mkdir -p obj/moved
add moved
build zstd -g
if objcopy --compress-debug-sections=zstd bin/zstd 2>/dev/null; then
	add zstd
fi
if command -v dwp >/dev/null; then
	build dwp -gdwarf-4 -gsplit-dwarf
	(cd obj/dwp/deep && dwp -e "$T/bin/dwp") && rm obj/dwp/program.dwo
	add dwp
fi
if command -v dwz >/dev/null; then
	build dwz -g
	cp bin/dwz bin/dwz_other
	(cd bin && dwz -m shared.debug dwz dwz_other)
	add dwz
	# As distributions have it: the link leads from where the file is to what all share.
	build dwz_debug -g
	cp bin/dwz_debug bin/dwz_debug_other
	separate dwz_debug
	separate dwz_debug_other
	mkdir -p bin/.debug/.dwz
	(cd bin/.debug && dwz -m .dwz/shared -M .dwz/shared dwz_debug.debug dwz_debug_other.debug)
	objcopy --remove-section .gnu_debuglink bin/dwz_debug
	objcopy --add-gnu-debuglink=bin/.debug/dwz_debug.debug bin/dwz_debug
	add dwz_debug
fi

# report NAME FILE [PROFILE]...: its lines, and its instructions with what was inlined there
report()
{
	report_of=$1
	report_to=$2
	shift 2
	"$BIN/opreport" -l -g -n "image:$T/bin/$report_of" "$@" >"$report_to" 2>"$T/err"
	"$BIN/opannotate" -s -a "image:$T/bin/$report_of" "$@" 2>>"$T/err" |
		grep -v '^ . Command line:' >>"$report_to"
}

# shellcheck disable=SC2086 # words
(cd bin && "$BIN/tests/tools/session_make" -k 4000 "$T/session" $programs >/dev/null) ||
	tap_bail "no session"
# No report has the source, which is in no archive.
rm -r src
for name in $programs; do
	report "$name" "before.$name" --session-dir="$T/session"
	tap_has "before.$name" 'program.c:1[12]' "$name: lines are known"
	tap_has "before.$name" 'inner.h:[45]: inlined inner ' "$name: and what was inlined"
done
"$BIN/oparchive" --session-dir="$T/session" -o whole.tar.zst 2>"$T/err"
tap_is $? 0 "a compressed archive"
tap_show "$T/err"
"$BIN/oparchive" --session-dir="$T/session" -o whole 2>"$T/err"
tap_is $? 0 "an archive that is a folder"
nr_elf=$(find whole -type f | while IFS= read -r file; do
	[ "$(head -c 4 "$file" | tail -c 3 | tr -d '\0')" = ELF ] && echo "$file"
done | wc -l)
nr_programs=$(echo "$programs" | wc -w)
tap_has err " $nr_programs binaries, $((nr_elf - nr_programs)) debug files, " \
	"the message counts the binaries and debug files that are there"
(cd whole && find . -name '*.d*' -o -path '*build-id*' -type f) | sed 's/^/# /'

mkdir gone
mv bin obj session gone/
rm -r "$XDG_CACHE_HOME"
mkdir "$XDG_CACHE_HOME"
for archive in whole whole.tar.zst; do
	for name in $programs; do
		report "$name" after "archive:$archive"
		cmp -s "before.$name" after
		tap_ok $? "$archive, $name: the same lines and inlined functions"
		cmp -s "before.$name" after || diff "before.$name" after | sed 's/^/# /' | head -20
	done
done
tap_end
