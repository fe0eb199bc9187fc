#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What perf recorded, as a session: as many samples, for those programs, and
# where perf is installed, the functions that it tells.
. "$(dirname "$0")/lib.sh"

D=$OPROF_TOP_SRCDIR/tests/data/perf
cd "$T" || tap_bail "no folder"

# import FILE WORD...
import()
{
	from=$1
	shift
	"$BIN/opimport" -d "$T/session" "$@" "$from" >"$T/out" 2>"$T/err"
}

# samples: of the flat report
samples()
{
	"$BIN/opreport" "--session-dir=$T/session" -m all 2>/dev/null |
		awk '!/^\t/ && $1 ~ /^[0-9]+$/ { sum += $1 } END { print sum + 0 }'
}

for file in plain:7 chains:7 packed:7 piped:7 dwarf:2; do
	import "$D/${file%:*}.data"
	tap_is $? 0 "${file%:*}: imported"
	tap_is "$(samples)" "${file#*:}" "${file%:*}: as many samples as perf tells"
done
"$BIN/opreport" "--session-dir=$T/session" 2>/dev/null | grep -q gzip
tap_ok $? "its program has its name"
tap_has "$T/session/samples/current/meta/info" '^source perf.data$' "the session says what it is of"
import "$D/chains.data"
"$BIN/opreport" "--session-dir=$T/session" --folded >"$T/folded" 2>/dev/null
tap_is "$(awk '{ sum += $NF } END { print sum }' "$T/folded")" 7 "chains: a stack for each sample"
import "$D/plain.data" && import "$D/packed.data" -a
tap_is "$(samples)" 14 "-a adds"
head -c 700 "$D/packed.data" >cut.data
import cut.data
tap_is $? 0 "a file that is cut is imported"
grep -q 'is truncated' "$T/err"
tap_ok $? "and is said to be cut"
import "$D/README"
tap_is $? 1 "what is no recording is refused"
grep -q README "$T/err"
tap_ok $? "by its name"

# ---- what is no file ----

mkfifo pipe || tap_bail "no pipe"
timeout 60 "$BIN/opimport" -d "$T/session" pipe 2>"$T/err"
tap_is $? 1 "a pipe that nobody writes to is refused, not waited for"

# ---- interrupted ----

# many_samples NUMBER: a recording with so many copies of each of its samples
many_samples()
{
	perl -e 'local $/; open(my $f, "<:raw", $ARGV[0]) or exit 1; my $t = <$f>; my $all = "";
		print substr($t, 0, 16);
		for (my $at = 16; $at + 8 <= length $t;) {
			my ($type, $misc, $size) = unpack("LSS", substr($t, $at, 8));
			last unless $size;
			print substr($t, $at, $size);
			$all .= substr($t, $at, $size) if $type == 9;
			$at += $size;
		}
		print $all x $ARGV[1]' "$D/piped.data" "$1"
}

# many_files NUMBER: a session of OProfile, as its daemon laid files out on x86-64
many_files()
{
	perl -e 'use File::Path; for my $i (1 .. $ARGV[0]) {
			my $at = "old/samples/current/{root}/bin/x$i/{dep}/{root}/bin/x$i";
			File::Path::make_path($at);
			open(my $f, ">:raw", "$at/CPU_CLK_UNHALTED.100000.0.all.all.all") or exit 1;
			print $f "DAE\n", "\0" x 80, pack("L", 3), "\0" x 40, pack("QLL", 16, 1, 0),
				pack("QLL", 32, 2, 0);
		}' "$1"
}

# interrupt FROM WATCHED: import FROM, and let a signal come when WATCHED is there. SIGINT is
# ignored by what a shell runs in the background: not so here.
interrupt()
{
	rm -rf "$T/session"
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$BIN/opimport" -d "$T/session" "$1" 2>"$T/err" &
	interrupt_pid=$!
	cleanup_pid $interrupt_pid
	perl -e 'for (1 .. 60000) { exit 0 if grep { -e } glob $ARGV[0]; last unless kill 0, $ARGV[1];
		select undef, undef, undef, 0.001 }' "$2" $interrupt_pid
	kill -INT $interrupt_pid 2>/dev/null
	wait $interrupt_pid
}

# interrupt_much MAKER FROM WATCHED: of more and more, until it does not end before the signal
interrupt_much()
{
	much=$4
	for more in 1 2 3 4; do
		if [ "$1" = many_files ]; then
			many_files "$much"
		else
			many_samples "$much" >"$2"
		fi
		interrupt "$2" "$3"
		interrupted=$?
		[ $interrupted -eq 0 ] || break
		tap_note "$more: done with $much before the signal"
		much=$((much * 4))
	done
}

# In the midst of storing: with none stored there is nothing to report.
interrupt_much many_samples much.data "$T/session/samples/current/?root?/*/*" 20000
tap_is "$interrupted" 130 "recording: Ctrl-C ends it, and who started it is told"
tap_has "$T/err" "interrupted after" "and it says how far it came"
"$BIN/opreport" "--session-dir=$T/session" >"$T/out" 2>"$T/report"
tap_has "$T/report" "imported in part" "each report says that it is a part"
[ "$(samples)" -lt $((much * 7)) ]
tap_ok $? "which it is"
tap_is "$(session_counters "$T/session" | awk '$1 == "seen" { seen = $2 }
	$1 == "stored" || $1 == "idle" || $1 ~ /^lost_/ { rest += $2 } END { print seen - rest }')" 0 \
	"what was seen is stored or lost"

TMPDIR=$T/tmp
mkdir "$TMPDIR" || tap_bail "no folder"
export TMPDIR
interrupt_much many_samples much.data "$TMPDIR/oprof-import.*" 20000
tap_is "$interrupted" 130 "recording, looked through: Ctrl-C ends it"
if ! grep -q "nothing was imported" "$T/err"; then
	tap_note "it was past that already"
fi
tap_is "$(ls "$TMPDIR")" "" "and nothing is left of it"
unset TMPDIR

interrupt_much many_files old "$T/session/samples/current/meta/info" 500
tap_is "$interrupted" 130 "OProfile: Ctrl-C ends it, and who started it is told"
"$BIN/opreport" "--session-dir=$T/session" >"$T/out" 2>"$T/report"
[ "$(samples)" -lt $((much * 3)) ]
tap_ok $? "what it has is a part"
grep -q "^note partial " "$T/session/samples/current/meta/info"
tap_ok $? "and says so"

# ---- kernels ----

# Of another machine: its vmlinux, as its build-id says.
import "$D/period.data"
"$BIN/opreport" "--session-dir=$T/session" -l >"$T/out" 2>"$T/report"
if grep -q "in vmlinux:" "$T/report"; then
	tap_has "$T/report" "vmlinux: imported" "of a kernel that does not run here: what is to be done"
else
	tap_note "no samples of the kernel in it"
fi

if command -v perf >/dev/null 2>&1 && perf_system_works; then
	$CC -O1 -g -pthread -o "$T/program" "$E2E/report_program.c" || tap_bail "does not build"
	# perf 6.1 smashes its stack on some kernels when it looks for build-ids or BPF programs.
	perf record -q -N -B --no-bpf-event -e cpu-clock -F 997 -o "$T/now.data" \
		"$T/program" 500 3000 >/dev/null 2>&1
	perf report -i "$T/now.data" --stdio --no-children -n 2>/dev/null |
		awk '!/^#/ && NF { print $2, $NF }' | sort >"$T/theirs"
	import "$T/now.data"
	"$BIN/opreport" "--session-dir=$T/session" -l -n 2>/dev/null |
		awk '{ print $1, $NF }' | sort >"$T/ours"
	theirs=$(awk '/ report_/' "$T/theirs")
	ours=$(awk '/ report_/' "$T/ours")
	if [ -z "$theirs" ]; then
		tap_note "this perf can't record or report here"
	else
		tap_is "$ours" "$theirs" "functions of the program have the samples that perf tells"
	fi

	# -B left its build-ids out: the kernel that runs is known by its host, name and addresses.
	kernel=$("$BIN/opreport" "--session-dir=$T/session" -l 2>"$T/report" |
		awk '$3 == "vmlinux" { all += $1; if ($NF != "vmlinux") named += $1 }
			END { print all + 0, named + 0 }')
	if [ "$(id -u)" -ne 0 ] || [ "${kernel% *}" -eq 0 ]; then
		tap_note "no kernel that may be read here"
	else
		tap_is "${kernel#* }" "${kernel% *}" "functions of the running kernel have their names"
	fi
	host=$(uname -n)
	other=$(echo "$host" | sed 's/./X/g')
	sed "s/$host/$other/" "$T/now.data" >"$T/other.data"
	import "$T/other.data"
	"$BIN/opreport" "--session-dir=$T/session" -l >"$T/out" 2>"$T/report"
	if [ "${kernel% *}" -ne 0 ]; then
		tap_has "$T/report" "record without -B" "another machine's, without build-ids: what is to be done"
		! grep -q "profile as root" "$T/report"
		tap_ok $? "and not what would not help"
	fi

	# There is no hurry: the first stacks, too, are walked by tables.
	perf record -q -N -B --no-bpf-event -e cpu-clock -F 997 --call-graph dwarf,8192 \
		-o "$T/dwarf.data" "$T/program" 300 1000 >/dev/null 2>&1
	import "$T/dwarf.data"
	"$BIN/opreport" "--session-dir=$T/session" --folded >"$T/folded" 2>/dev/null
	if grep -q "report_spin" "$T/folded" && [ "$(uname -m)" = x86_64 ]; then
		tap_is "$(grep 'report_spin' "$T/folded" | grep -c 'broken')" 0 \
			"stacks that were copied are whole from the first one on"
	else
		tap_note "this perf copies no stacks here"
	fi

	# Another user may have written the recording, with the device and inode of root's program.
	if [ "$(id -u)" -eq 0 ]; then
		$CC -O1 -pthread -Wl,--build-id=none -o "$T/secret" "$E2E/report_program.c" ||
			tap_bail "does not build"
		perf record -q -N -B --no-bpf-event -e cpu-clock -F 997 -o "$T/secret.data" \
			"$T/secret" 300 1000 >/dev/null 2>&1
		chmod 700 "$T/secret"
		import "$T/secret.data"
		"$BIN/oparchive" "--session-dir=$T/session" -o "$T/archive" >"$T/out" 2>"$T/err"
		grep "$T/secret: left out: not every user may read this file" "$T/err"
		tap_ok $? "a binary that a recording names is not archived unless every user may read it"
		chmod 755 "$T/secret"
		"$BIN/oparchive" "--session-dir=$T/session" -o "$T/public" >"$T/out" 2>"$T/err"
		tap_ok $? "a binary that every user may read is archived"
		find "$T/public" -path "*$T/secret" | grep -q .
		tap_ok $? "with its content"
	fi
fi
tap_end
