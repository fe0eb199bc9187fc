#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An archive tells what the machine told that it was made on, after all of
# that is gone: session, program and all.
. "$(dirname "$0")/lib.sh"

perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -g -pthread -o "$T/program" "$E2E/report_program.c" || tap_bail "the program does not build"
cd "$T" || tap_bail "no folder"
TMPDIR=$T
export TMPDIR

# reports THE_SAME [PROFILE]...: as the session itself did
reports()
{
	what=$1
	shift
	"$BIN/opreport" -l "$@" >"$T/after" 2>"$T/err"
	grep -q report_spin "$T/after" && cmp -s "$T/before" "$T/after"
	tap_ok $? "$what: the same report"
	head -n 1 "$T/err" | grep -q "of ${1#archive:}"
	tap_ok $? "$what: and it says whose"
	tap_is "$(find "$T" -maxdepth 1 -name 'oprof-archive.*' | wc -l)" 0 "$what: nothing stays behind"
}

"$BIN/operf" -d "$T/session" -- "$T/program" 300 3000 >/dev/null 2>"$T/err"
tap_is $? 0 "a profile"
"$BIN/opreport" --session-dir="$T/session" -l >"$T/before" 2>/dev/null
"$BIN/oparchive" --session-dir="$T/session" -o whole.tar.zst 2>"$T/err"
tap_is $? 0 "a compressed archive"
if command -v zstd >/dev/null; then
	zstd -dcq whole.tar.zst >whole.tar && tar -tf whole.tar >"$T/in_tar" 2>"$T/err"
	tap_is $? 0 "tar reads it"
	tap_is "$(cat "$T/err")" "" "without a warning"
	tap_has "$T/in_tar" "session/samples/current/" "what is in it"
fi
"$BIN/oparchive" --session-dir="$T/session" -o whole 2>"$T/err"
tap_is $? 0 "an archive that is a folder"
tap_is "$(find whole -type f -perm /022)" "" "that nobody else may change"
"$BIN/oparchive" --session-dir="$T/session" -l >"$T/listed" 2>/dev/null
(cd whole && find . -type f) | sed 's,^\./,,' | sort >"$T/there"
sort "$T/listed" | cmp -s - "$T/there"
tap_ok $? "-l lists what goes in"
"$BIN/oparchive" --session-dir="$T/session" -o whole 2>"$T/err"
tap_is $? 1 "a folder that is full is refused"
"$BIN/oparchive" --session-dir="$T/session" -o part "image:$T/program" 2>"$T/err"
tap_is $? 0 "an archive of one program"
"$BIN/oparchive" --session-dir="$T/session" -o part.tar.zst "image:$T/program" 2>"$T/err"
tap_is $? 0 "and a compressed one"
# A binary that compresses better than the reports' limits allow. Its end is a hole.
grep -q "reports will refuse" "$T/err"
tap_is $? 1 "and reports will accept it"
cp -p "$T/program" "$T/kept"
truncate -s 200M "$T/program"
"$BIN/oparchive" --session-dir="$T/session" -x -o large.tar.zst "image:$T/program" 2>"$T/err"
tap_is $? 0 "an archive of a program with a large hole"
tap_has "$T/err" 'large.tar.zst.*reports will refuse.*more than [0-9]+ MB.*archive:FOLDER' "and a warning"
"$BIN/opreport" -l archive:large.tar.zst >"$T/out" 2>"$T/err"
tap_is $? 1 "reports refuse it"
tap_has "$T/err" 'large.tar.zst.*contains more than [0-9]+ MB' "for the same reason"
mv "$T/kept" "$T/program"

rm -r "$T/session" "$T/program" large.tar.zst
reports folder archive:whole
reports "compressed file" archive:whole.tar.zst
"$BIN/opreport" -l archive:part >"$T/out" 2>"$T/err"
tap_is $? 0 "a part of it is reported on"
grep -q "the daemon stored" "$T/err"
tap_is $? 1 "and is not said to have lost the rest"
"$BIN/opreport" -l '{' archive:whole '}' '{' archive:whole.tar.zst '}' >"$T/out" 2>"$T/err"
tap_is $? 0 "two archives are compared"
sed -n '3,$p' "$T/out" | grep -qE '\+\+\+|---'
tap_is $? 1 "and have the same functions"

# A small file that would fill the disk.
if command -v zstd >/dev/null; then
	mkdir bomb
	truncate -s 2G bomb/zeros
	tar -C bomb -cf - zeros | zstd -q -o bomb.tar.zst
	tap_is "$(find bomb.tar.zst -size +1000k)" "" "2 GB of zeros become less than 1 MB"
	"$BIN/opreport" archive:bomb.tar.zst >"$T/out" 2>"$T/err"
	tap_is $? 1 "an archive that grows out of proportion is refused"
	tap_has "$T/err" 'bomb.tar.zst.*contains more than [0-9]* MB' "and the message has its name and the limit"
	tap_has "$T/err" 'archive:FOLDER' "and the remedy"
	tap_is "$(find "$T" -maxdepth 1 -name 'oprof-archive.*' | wc -l)" 0 "nothing stays behind"
fi

truncate -s 30000 whole.tar.zst
"$BIN/opreport" archive:whole.tar.zst >"$T/out" 2>"$T/err"
tap_is $? 1 "a damaged archive is refused"
grep -q whole.tar.zst "$T/err"
tap_ok $? "by its name"
rm whole/oprof-archive
"$BIN/opreport" archive:whole >"$T/out" 2>"$T/err"
tap_is $? 1 "so is one that was not finished"
tap_end
