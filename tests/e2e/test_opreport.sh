#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport on a recorded session of two events, apart by thread and by CPU:
# columns, what merges and what does not, choices that add up, options, what
# is said where a report can't be made. Page faults are counted one by one, so
# that the truth is known exactly.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
$CC -O1 -g -pthread -o "$T/program" "$E2E/report_program.c" || tap_bail "the program does not build"
pages=1000
S="$T/session"

# report WORD...: to $T/out, $T/err; its status
report()
{
	"$BIN/opreport" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

# column N: the sum of column N over the lines of applications or symbols
column()
{
	awk -v column="$1" '!/^\t/ && $1 ~ /^[0-9]+$/ { sum += $column } END { print sum + 0 }' "$T/out"
}

"$BIN/operf" -d "$S" -t -c -e cpu-clock:1000000 -e page-faults:1 "$T/program" 800 $pages \
	>"$T/threads" 2>"$T/err" || tap_bail "operf: $(cat "$T/err")"
spin=$(awk '$1 == "spin" { print $2 }' "$T/threads")
touch=$(awk '$1 == "touch" { print $2 }' "$T/threads")
spin_cpu=$(awk '$1 == "spin" { print $3 }' "$T/threads")
touch_cpu=$(awk '$1 == "touch" { print $3 }' "$T/threads")
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
stored=$(session_counter "$S" stored)
[ "$stored" = "$(session_counter "$S" seen)" ] || tap_note "samples were lost: truths are less exact"

# ---- one axis ----

report
tap_is $? 1 "events, threads and CPUs at once are refused"
[ ! -s "$T/out" ]
tap_ok $? "with nothing on standard output"
tap_has "$T/err" "cpu-clock:1000000, page-faults:1 \(choose one with event:" "the events, and the way out"
tap_has "$T/err" "tid:$spin.*tid:, merge all with --merge=tid" "the threads, and the way out"
if [ "$spin_cpu" != "$touch_cpu" ]; then
	tap_has "$T/err" "cpu:$spin_cpu.*cpu:, merge all with --merge=cpu" "the CPUs, and the way out"
fi

# ---- events side by side ----

report -m all
tap_is $? 0 "merged, events stand side by side"
tap_is "$(grep -c '^Counted ' "$T/out")" 2 "each has its line in the header"
tap_has "$T/out" '^cpu-clock:1000000\|    page-faults:1\|$' "and its column"
tap_is "$(($(column 1) + $(column 3)))" "$stored" "the images' sum is what the daemon stored"
clock=$(column 1)
faults=$(column 3)
report -m all -l
tap_is "$(column 1) $(column 3)" "$clock $faults" "the symbols' sums are the images'"
tap_has "$T/err" 'symbolized .* of cpu-clock:1000000, .* of page-faults:1' "events are symbolized apart"

# ---- a file that attacks its reader ----

# A library makes a system call as soon as a file is read, as code of a hostile file would.
cat >"$T/attack.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>
void *elf_begin(int fd, int command, void *from)
{
	void *(*next)(int, int, void *) = (void *(*)(int, int, void *))dlsym(RTLD_NEXT, "elf_begin");

	syscall(SYS_getppid);
	return next(fd, command, from);
}
EOF
if ! $CC -shared -fPIC -o "$T/attack.so" "$T/attack.c" 2>/dev/null; then
	tap_skip "a file that attacks its reader" "no shared library can be built"
elif ! grep -q '^Seccomp:' /proc/self/status; then
	tap_skip "a file that attacks its reader" "the kernel has no seccomp"
else
	# The cache has the symbols already, so this report must not use it.
	XDG_CACHE_HOME="$T/missing" LD_PRELOAD="$T/attack.so" report -m all -l
	tap_is $? 0 "the report goes on without the symbols of a file that attacks its reader"
	tap_has "$T/err" "in $T/program: .*forbidden system call \(SIGSYS\): the file may be an attack" "and names it"
fi

# ---- threads side by side ----

report -m cpu event:page-faults -l -n
tap_is "$(awk '/report_touch/ { print NF }' "$T/out")" 9 "three threads have columns of their own"
tap_is "$(awk '/report_touch/ { print $1 + $3 + $5 }' "$T/out")" "$pages" "all page faults are there"
tap_is "$(awk '/report_touch/ { print ($1 != 0) + ($3 != 0) + ($5 != 0) }' "$T/out")" 1 \
	"and one thread's alone"
report -m cpu event:cpu-clock
tap_has "$T/out" "^Processes with a thread ID of $spin \(" "the header names the threads"
tap_has "$T/out" "        tid:$spin\|" "and so do the columns' heads"

# ---- choices ----

report -m cpu event:page-faults "tid:$touch" -l -n
tap_is "$(awk '/report_touch/ { print $1 }' "$T/out")" "$pages" "tid: takes one thread"
report -m cpu event:page-faults "tid:$spin" -l -n
tap_is "$(grep -c report_touch "$T/out")" 0 "and not another"
report -m tid,tgid event:cpu-clock "cpu:$spin_cpu" -l -n
here=$(column 1)
tap_is "$(sed -n '1s/.* //p' "$T/out")" report_spin "cpu: takes what ran there"
[ "$here" -gt 0 ] && [ "$here" -le "$clock" ]
tap_ok $? "$here of $clock samples"
report -m tid,tgid event:cpu-clock -n
tap_is "$(awk '!/^\t/ { for (i = 1; i < NF; i += 2) sum += $i } END { print sum }' "$T/out")" "$clock" \
	"the CPUs' samples add up"
report -m all image:program event:cpu-clock -n
mine=$(column 1)
report -m all image-exclude:program event:cpu-clock -n
tap_is "$((mine + $(column 1)))" "$clock" "so do an image and all but it"
report -m all 'event:no-such-*'
tap_is $? 1 "a choice that leaves nothing is an error"
tap_has "$T/err" 'event: excluded [0-9]+ \(values: (cpu-clock, page-faults|page-faults, cpu-clock)\)' \
	"that says what there is"
report event:cpu-clock event:page-faults
tap_is $? 1 "a tag given twice is an error"

# ---- options ----

report -m all event:cpu-clock -l -w -n -i 'report_*'
address=$(awk '/report_spin/ { print $1 }' "$T/out")
tap_is "$address" "$(nm "$T/program" | awk '$3 == "report_spin" { print substr($1, 9) }')" \
	"-w shows the symbol table's address"
tap_is "$(awk '$NF !~ /^report_/' "$T/out")" "" "-i takes these symbols only"
spun=$(awk '/report_spin/ { print $2 }' "$T/out")
report -m all event:cpu-clock -l -n -e report_spin
tap_is "$(($(column 1) + spun))" "$clock" "-e takes these away and nothing else"
report -m all event:cpu-clock -l -n -a
tap_is "$(awk 'END { print $2, $4 }' "$T/out")" "$clock 100.000" "-a ends at all of it"
report -m all event:cpu-clock -l -n -r
tap_is "$(sed -n '$s/.* //p' "$T/out")" report_spin "-r turns the order round"
report -m all event:cpu-clock -l -n -t 20
tap_is "$(sed 's/.* //' "$T/out")" report_spin "-t leaves out what is below"
report -m cpu,tid,tgid -x event:cpu-clock -n
tap_is "$(grep -c '^	' "$T/out")" 0 "-x leaves out dependent images"
report -m all -l
cp "$T/out" "$T/expected"
report -m all -l -o "$T/file"
cmp -s "$T/file" "$T/expected" && [ ! -s "$T/out" ]
tap_ok $? "-o writes the same to a file, and nothing to standard output"
tap_is "$(grep -c ': error: ' "$T/err")" 0 "and reports no error"
report -m lib,cpu,tid,tgid event:cpu-clock -n
tap_is "$(grep -c '^	' "$T/out") $(column 1)" "0 $clock" "-m lib: images for themselves, none lost"

# ---- what goes wrong ----

"$BIN/opreport" "--session-dir=$S" -m all -l -o /dev/full 2>"$T/err"
tap_is $? 1 "a full disk is an error"
tap_has "$T/err" "cannot write the report to /dev/full: No space left" "that is said"
"$BIN/opreport" "--session-dir=$S" -m all -l >/dev/full 2>"$T/err"
tap_is $? 1 "on standard output, too"
tap_has "$T/err" "cannot write the report to standard output: No space left" "that is said"
report -m all --folded
tap_is $? 1 "a format that has no place for two events is an error"
tap_has "$T/err" 'folded stacks can show only one event: choose it with event:' "that is said"
tap_is "$(grep -c ': error: ' "$T/err")" 1 "once"
damaged=$(find "$S" -type f -path '*program*cpu-clock.*' | head -1)
lost=$("$BIN/opcheck" -v "$damaged" | sed -n 's/.* keys, \([0-9]*\) samples.*/\1/p')
printf junk | dd of="$damaged" conv=notrunc 2>/dev/null
report -m all event:cpu-clock -n
tap_is "$? $(column 1)" "0 $((clock - lost))" "a damaged file is left out, and nothing else"
tap_has "$T/err" "^1 sample file could not be read" "which is counted"
"$BIN/opcheck" "$S" >"$T/out"
tap_is "$? $(grep -c . "$T/out")" "1 1" "opcheck finds that one"
report session:other
tap_is $? 1 "a session that is not there is an error"
tap_has "$T/err" "available: current" "that says which there are"
if [ "$(id -u)" = 0 ]; then
	setpriv --reuid=nobody --regid=nogroup --clear-groups \
		"$BIN/opreport" "--session-dir=$S" 2>"$T/err"
	tap_is $? 1 "others may not read root's session"
	tap_has "$T/err" "cannot be read by this user" "and are told so"
fi
tap_end
