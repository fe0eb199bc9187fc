#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What an attacker can do who controls one of the processes that handle data of others: a preloaded
# library makes system calls in each of these processes after the process has given up its rights.
# The answers must be the same as in the tables of doc/security.md.
# OPROF_SECURITY_PAGE: another page. OPROF_TAKEN_OVER_SHOW=1: also print what was measured.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: takes over processes of root"
perf_system_works || tap_skip_all "performance events are refused here"
grep -q '^Seccomp:' /proc/self/status || tap_skip_all "the kernel has no seccomp"
unshare -m true 2>/dev/null || tap_skip_all "no mount namespaces: the test adds users in one"
[ "$(cat /proc/sys/kernel/cap_last_cap)" -ge 40 ] || tap_skip_all "needs CAP_CHECKPOINT_RESTORE (Linux 5.9)"
own=$(awk '$1 == "CapEff:" { print $2 }' /proc/self/status)
# chown, dac_override, dac_read_search, kill, setgid, setuid, sys_ptrace, sys_admin, syslog, perfmon,
# checkpoint_restore
[ $((0x$own & 0x144002800E7)) -eq $((0x144002800E7)) ] ||
	tap_skip_all "root lacks capabilities that the tables name: it has $own"
! grep -q __asan_init "$BIN/oprofiled" || tap_skip_all "with sanitizers, no process is confined"
ns=$(readlink /proc/self/ns/mnt)
# In the second run, the parent is still in the outer namespace.
outer=$(readlink "/proc/$PPID/ns/mnt")
[ -n "$outer" ] || tap_skip_all "the mount namespace of the parent process cannot be read"
if [ "${OPROF_OUTER_NS:-}" != "$outer" ] || [ "$outer" = "$ns" ]; then
	[ "$outer" = "$ns" ] || tap_skip_all "the process that started the test is in another mount namespace"
	rm -rf "$T"
	OPROF_OUTER_NS=$ns exec unshare -m sh "$0"
fi
page=${OPROF_SECURITY_PAGE:-$E2E/../../doc/security.md}

# ---- what is attacked ----

oprof=61234
parse=61235
someone=61300
as_someone="setpriv --reuid=$someone --regid=$someone --clear-groups"
$as_someone true 2>/dev/null || tap_skip_all "setpriv cannot start programs of other users here"
$as_someone test -x "$T" || tap_skip_all "other users cannot enter TMPDIR, where the test has its programs"
grep -v "^oprof" /etc/passwd >"$T/passwd"
cat >>"$T/passwd" <<END
oprof:x:$oprof:$oprof::/nonexistent:/usr/sbin/nologin
oprof-parse:x:$parse:$parse::/nonexistent:/usr/sbin/nologin
END
mount --bind "$T/passwd" /etc/passwd || tap_skip_all "cannot add users here"

build()
{
	$CC -O1 -fPIC -shared -o "$T/taken_over.so" "$E2E/taken_over.c" "$E2E/taken_over_calls.c" &&
		$CC -O1 -o "$T/taken_over_main" "$E2E/taken_over_main.c" &&
		$CC -O1 -o "$T/whole" "$E2E/guest_load.c" &&
		# Only the opener can open the debug file with the symbols of load.
		$CC -g -O2 -o "$T/load.debug" "$E2E/guest_load.c" &&
		strip -o "$T/load" "$T/load.debug" &&
		objcopy --add-gnu-debuglink="$T/load.debug" "$T/load"
}
for command in nm objcopy strip; do
	command -v $command >/dev/null || tap_skip_all "$command is not installed (binutils)"
done
build || tap_bail "the test's programs do not build"

# imports PROGRAM FUNCTION...: the program must call functions that the library replaces by the names that the library has
imports()
{
	imports_program=$1
	shift
	nm -D --undefined-only "$BIN/$imports_program" 2>/dev/null | sed 's/@.*//; s/.* //' >"$T/imported"
	for imports_one in fork prctl syscall setgroups setresgid setresuid "$@"; do
		grep -Eqx "$imports_one(64)?" "$T/imported" ||
			tap_bail "$imports_program does not import $imports_one(), which the preloaded library replaces"
	done
}
imports oprofiled munmap recv recvmsg accept4
imports opreport memfd_create socketpair fcntl recvmsg
imports opimport pread flock
imports oprof-tracer poll

# Others cannot enter the build folder.
mkdir "$T/bin" "$T/victim" "$T/victim/closed" "$T/victim/mount"
mkdir -m 1777 "$T/victim/open"
for program in oprofiled opcontrol opreport oparchive opimport oprof-tracer; do
	cp "$BIN/$program" "$T/bin/" || tap_bail "$program is not built"
done
cp -r "$OPROF_EVENTS_DIR" "$T/events"
chmod -R a+rX "$T/bin" "$T/events"
export OPROF_EVENTS_DIR="$T/events"
echo secret >"$T/victim/secret"
chmod 600 "$T/victim/secret"
"$T/taken_over_main" victims "$T/victim" 61301 &
cleanup_pid $!
until_true test -s "$T/victim/victims"

# ---- measuring ----

# attack CONTEXT PROCESSES COMMAND...: the command with the library, as the user of that context:
# root, oprof (whom root's programs become) or user; what follows a "-" is another run.
# before: what the command is run with
attack()
{
	attack_context=$1
	attack_processes=$2
	shift 2
	set -- env LD_PRELOAD="$T/taken_over.so" TAKEN_OVER="$attack_processes" \
		TAKEN_OVER_FILE="$T/$attack_context/answers" TAKEN_OVER_FOLDER="$T/victim" \
		TAKEN_OVER_SESSION="$T/$attack_context/session" XDG_CACHE_HOME=/nonexistent DEBUGINFOD_URLS= "$@"
	# shellcheck disable=SC2086 # words
	[ "$attack_context" != user ] ||
		set -- $as_someone "$@"
	# shellcheck disable=SC2086 # words
	$before "$@"
}

# context_make CONTEXT [UID]: its folder, with a session folder of the user
context_make()
{
	mkdir "$T/$1"
	mkdir -m 700 "$T/$1/session" "$T/$1/imported" "$T/$1/archive"
	"$T/taken_over_main" make "$T/$1/answers"
	chown "${2:-0}:${2:-0}" "$T/$1/session" "$T/$1/imported" "$T/$1/archive"
	[ "$1" != user ] || chown $someone:$someone "$T/user" "$T/user/answers"
}

# answered CONTEXT PROCESS...: the processes have made their calls
answered()
{
	"$T/taken_over_main" show "$T/$1/answers" >"$T/$1/shown"
	answered_file=$T/$1/shown
	shift
	for answered_one in "$@"; do
		grep -q "^$answered_one status" "$answered_file" || return 1
	done
}

# Runs a program, and then others whose files are removed while they run: the daemon copies their symbols. Each file has a
# number at its end, so that its copy has another name. Waits for the file go. Ends when the file run is removed, or after
# 20 minutes.
cat >"$T/loads" <<'END'
end=$(($(date +%s) + 1200))
goes_on()
{
	[ -e run ] && [ "$(date +%s)" -lt "$end" ]
}
echo $$ >pid
while goes_on && [ ! -e go ]; do sleep 0.05; done
[ ! -e go ] || "$1" 300
i=0
while goes_on; do
	i=$((i + 1))
	cp "$2" load.$i
	echo $i >>load.$i
	./load.$i 200 &
	until [ /proc/$!/exe -ef load.$i ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
	rm load.$i
	wait $!
done
END

control()
{
	control_context=$1
	shift
	before=
	attack "$control_context" "" env -u LD_PRELOAD "$T/bin/opcontrol" \
		"--session-dir=$T/$control_context/session" "$@"
}

# run_daemon CONTEXT PROCESSES [COMMAND TEXT]: profiles until the processes have made their calls or,
# with a command, until it succeeds
run_daemon()
{
	mkdir "$T/$1/loads"
	: >"$T/$1/loads/run"
	[ "$1" != user ] || chown $someone "$T/$1/loads"
	before=
	(cd "$T/$1/loads" && attack "$1" "" env -u LD_PRELOAD sh "$T/loads" "$T/load" "$T/whole") &
	loads=$!
	target=--system
	# What is counted of all binaries must be the test's own.
	if [ "$1" = user ] || [ -n "${3:-}" ]; then
		until_true test -s "$T/$1/loads/pid"
		target=--pid=$(cat "$T/$1/loads/pid")
	fi
	before="timeout --foreground -k 10 1200 $T/taken_over_main terminal $T/victim"
	attack "$1" "$2" "$T/bin/oprofiled" "--session-dir=$T/$1/session" --foreground --start \
		--event=cpu-clock::::1 "$target" 2>"$T/$1/log" &
	ended=$!
	until_true test -S "$T/$1/session/control"
	cleanup_pid "$(cat "$T/$1/session/lock")"
	control "$1" --status >"$T/out" # the daemon accepts a client, and answers when it samples
	: >"$T/$1/loads/go"
	if [ -n "${3:-}" ]; then
		until_true "$3" "$1"
		tap_ok $? "$1: $4" || tap_show "$T/$1/log"
	else
		# shellcheck disable=SC2086 # processes are words
		until_true answered "$1" $2
		tap_ok $? "$1: the daemon's processes make their calls: $2" || tap_show "$T/$1/log"
	fi
	control "$1" --dump
	control "$1" --status >"$T/$1/status"
	rm -f "$T/$1/loads/run"
	wait $loads
	kill "$(cat "$T/$1/session/lock")" 2>/dev/null
	wait $ended
	tap_is $? 0 "$1: and the daemon ends well" || tap_show "$T/$1/log"
	cleanup_pids=${cleanup_pids% *} # another process may get this number
}

# run_others CONTEXT: report tools, opimport, and root's tracer
run_others()
{
	before="$T/taken_over_main terminal $T/victim"
	attack "$1" "report helper opener" "$T/bin/opreport" "--session-dir=$T/$1/session" -l \
		"image:$T/load" >"$T/out" 2>"$T/err"
	tap_ok $? "$1: a report" || tap_show "$T/err"
	attack "$1" "" "$T/bin/oparchive" "--session-dir=$T/$1/session" -o "$T/$1/archive/a.tar.zst" \
		"image:$T/load" 2>"$T/err"
	attack "$1" unpacker "$T/bin/opreport" "archive:$T/$1/archive/a.tar.zst" >"$T/out" 2>"$T/err"
	tap_ok $? "$1: a report on an archive" || tap_show "$T/err"
	attack "$1" "opimport-begin opimport" "$T/bin/opimport" "--session-dir=$T/$1/imported" \
		"$T/plain.data" >"$T/out" 2>&1
	tap_ok $? "$1: an import" || tap_show "$T/out"
	case $1 in
	root*)
		if [ -n "$has_tracefs" ]; then
			attack "$1" tracer "$T/bin/oprof-tracer" -e sched_switch -o "$T/$1/trace" -d 1 2>"$T/err"
			tap_ok $? "$1: a trace" || tap_show "$T/err"
		fi
		;;
	esac
}

# measured CONTEXT: "PROCESS WHAT VALUE" lines, as the page's tables have them
measured()
{
	"$T/taken_over_main" show "$T/$1/answers" | awk -v context="${1%%-*}" -v all="$all_capabilities" \
		-v some="$some_capabilities" -v users="0=root $oprof=oprof $parse=oprof-parse $someone=user" '
	function hex(text,   i, value) { # mawk has no strtonum()
		for (i = 1; i <= length(text); i++)
			value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
		return value
	}
	function bit(value, nr) { return int(value / 2 ^ nr) % 2 }
	function capabilities(text,   nr, list, value) {
		if (text == all)
			return "all"
		value = hex(text)
		for (nr = 0; nr < 41; nr++)
			if (bit(value, nr) && nr in names)
				list = list (list ? " " : "") names[nr]
			else if (bit(value, nr))
				list = list (list ? " " : "") "capability-" nr
		# Without CAP_SYS_RESOURCE, the daemon cannot raise its limit of locked memory.
		if (some)
			sub(/ipc_lock /, "", list)
		return list ? list : "none"
	}
	function user(number) { return number in user_of ? user_of[number] : number }
	function put(what, value) {
		print context, process, what, value
	}
	BEGIN {
		split("0=chown 1=dac_override 2=dac_read_search 5=kill 6=setgid 7=setuid 14=ipc_lock " \
			"19=sys_ptrace 21=sys_admin 34=syslog 38=perfmon 40=checkpoint_restore", words, " ")
		for (i in words) {
			split(words[i], pair, "=")
			names[pair[1]] = pair[2]
		}
		split(users, words, " ")
		for (i in words) {
			split(words[i], pair, "=")
			user_of[pair[1]] = pair[2]
		}
	}
	$2 == "Uid:" {
		process = $1
		uid = $4
		text = user($4)
		if ($5 != $4 || $6 != $4)
			text = text ", saved " user($5) ", files " user($6)
		if ($3 != $4)
			text = text ", real " user($3)
	}
	$2 == "Gid:" && ($3 != uid || $4 != uid || $5 != uid || $6 != uid) { text = text ", in group " $4 }
	$2 == "Groups:" && uid && NF > 2 { text = text ", in more groups" }
	$2 == "CapEff:" { put("user", text); put("capabilities", capabilities($3)); effective = $3 }
	$2 == "CapPrm:" { permitted[$1] = $3 }
	$2 == "Seccomp:" {
		filter[$1] = $3
		if (permitted[$1] != effective)
			put("permitted", capabilities(permitted[$1]))
	}
	$2 == "status" && $3 != "yes" { process = $1; put("status", $3) }
	$2 !~ /:/ && $2 != "status" {
		process = $1
		put($2, $3)
		kills[$1] += $3 == "killed"
	}
	END {
		for (process in filter)
			put("refusal", !filter[process] ? "none" : kills[process] ? "killed" : "EPERM")
	}' | sort
}

# The page: "CONTEXT PROCESS WHAT VALUE" lines. A table is one of rights, or one of calls.
page_cells()
{
	awk -F'|' '
	function trim(text) {
		gsub(/^[ \t]+|[ \t]+$|`/, "", text)
		return text
	}
	/^## / { context = /ordinary user/ ? "user" : /`oprof`/ ? "oprof" : /of root/ ? "root" : "" }
	!/^\|/ { nr = 0 }
	!/^\|/ || context == "" { next }
	trim($2) ~ /^-+$/ { next }
	!nr++ { # the head
		for (i = 2; i < NF; i++)
			head[i] = trim($i)
		next
	}
	{
		name = $2
		if (head[2] == "call") {
			sub(/^[^`]*`/, "", name)
			sub(/`.*/, "", name)
		}
		for (i = 3; i < NF; i++)
			if (trim($i) != "")
				print context, head[2] == "call" ? head[i] " " name : trim(name) " " head[i], trim($i)
	}' "$1" | sed 's/ other calls / refusal /; s/, / /g' | sort
}

# compare PAGE MEASURED: the lines that differ, of calls that can be tried here
compare()
{
	page_cells "$1" >"$T/cells"
	sed 's/, / /g' "$2" | grep -Ev "$untried" | sort >"$T/measured"
	grep -Ev "$untried" "$T/cells" | sort | diff - "$T/measured" | grep '^[<>]'
}

# check CONTEXT PROCESS: after compare, the cells of the page are those that were measured
check()
{
	grep "^[<>] $1 $2 " "$T/differs" >"$T/own"
	[ ! -s "$T/own" ] && grep -q "^$1 $2 " "$T/cells"
	tap_ok $? "$1: $2 can do what the page says: $(grep -c "^$1 $2 " "$T/measured") cells" && return
	tap_note "< the page, > measured:"
	tap_show "$T/own"
	# After a restart of the keeper, the rights of both are others.
	case $2 in
	keeper | copier) tap_note "$(grep '^keeper_restarts ' "$T/$1/status")" ;;
	esac
}

# change LINE COLUMN: the page with another cell in that column of the line that begins so
change()
{
	awk -F'|' -v OFS='|' -v section="$1" -v begin="$2" -v column="$3" '
		/^## / { here = index($0, section) }
		here && index($0, begin) == 1 { $column = " another "; here = 0 }
		{ print }' "$page" >"$T/page"
}

all_capabilities=$own
some_capabilities=
[ $((0x$own >> 24 & 1)) -eq 1 ] || some_capabilities=1
cp "$E2E/../fuzz/corpus/perf_data/plain.data" "$T/plain.data"
chmod 644 "$T/plain.data"
has_tracefs=
[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
[ ! -e /sys/kernel/tracing/events ] || has_tracefs=1
daemons="oprofiled reader keeper copier"
others="report opener helper unpacker opimport-begin opimport${has_tracefs:+ tracer}"

# ---- before the processes give up their rights ----

# With the same library, which turns the calls that give up rights into calls that do nothing.
TAKEN_OVER_UNCONFINED=1
export TAKEN_OVER_UNCONFINED
context_make root-unconfined
run_daemon root-unconfined "$daemons"
run_others root-unconfined
unset TAKEN_OVER_UNCONFINED
measured root-unconfined >"$T/unconfined"

# What not even root can do on this machine cannot be tried.
untried='^$'
never=$(awk '$2 == "report" && $3 !~ /^(user|capabilities|refusal)$/ && $4 != "yes" { print $3, $4 }' "$T/unconfined")
skip()
{
	tap_skip "$2" "$3"
	untried="$untried|$1"
}
echo "$never" >"$T/never"
while read -r call answer; do
	case "$call $answer" in
	' ') ;;
	mount\ E* | bpf\ E* | namespace\ E* | network\ E* | terminal\ E* | perf\ E* | ptrace\ E* | vm-read\ E* | mem-*\ E*)
		skip "^[a-z]* [^ ]* $call " "the call $call" "root is refused here, too: $answer"
		;;
	*) tap_ok 1 "root can make the call $call: $answer" ;;
	esac
done <"$T/never"
[ -n "$has_tracefs" ] || skip "^root tracer " "the tracer" "there is no tracefs here"
$as_someone unshare -U true 2>/dev/null ||
	skip "^(oprof|user) [^ ]* namespace " "namespaces of users" "users may not create them here"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] ||
	skip "^(oprof|user) [^ ]* perf " "performance events of users" "users may profile the machine here"
[ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ] ||
	skip "^user report terminal " "typing into a user's terminal" "the kernel refuses it to users (dev.tty.legacy_tiocsti)"
contexts="root oprof user"
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
	skip "^user " "processes of an ordinary user" "users may not profile here (kernel.perf_event_paranoid)"
	contexts="root oprof"
fi
grep -Ev "$untried" "$T/unconfined" >"$T/tried"
for process in $daemons $others; do
	tap_is "$(grep "^root $process " "$T/tried" | awk '$3 !~ /^(user|capabilities|refusal)$/ { print $4 }' | sort | uniq -c | tr -s ' ')" \
		" $(grep "^root report " "$T/tried" | grep -c " yes$") yes" "unconfined, $process can do everything"
done

# ---- after ----

for context in $contexts; do
	case $context in
	root) context_make root ;;
	oprof) context_make oprof $oprof ;;
	user) context_make user $someone ;;
	esac
	run_daemon "$context" "$daemons"
	run_others "$context"
done
for context in $contexts; do
	measured "$context"
done >"$T/all"
[ -z "${OPROF_TAKEN_OVER_SHOW:-}" ] || cat "$T/all"
compare "$page" "$T/all" >"$T/differs"
for context in $contexts; do
	for process in $daemons $others; do
		[ "$context/$process" = oprof/tracer ] || [ "$context/$process" = user/tracer ] ||
			check "$context" "$process"
	done
done
tap_is "$(wc -l <"$T/measured") $(wc -l <"$T/differs")" "$(grep -Evc "$untried" "$T/cells") 0" "the page has no other cells"
tap_note "$(wc -l <"$T/measured") cells were measured"

# ---- would the test notice? ----

# A table of the page with another user, other rights, or another answer.
for context in $contexts; do
	case $context in
	root) section="folder of root" ;;
	oprof) section="\`oprof\`" ;;
	user) section="ordinary user" ;;
	esac
	for cell in "| \`keeper\` |:3" "| \`reader\` |:4" "| \`copier\` |:5" "| \`read-file\`:3" "| \`write-tmp\`:4" \
		"| \`kill-root\`:5" "| \`exec\`:6"; do
		change "$section" "${cell%:*}" "${cell##*:}"
		tap_is "$(compare "$T/page" "$T/all" | grep -c "^< $context .* another")" 1 \
			"a wrong cell is noticed: $context, ${cell%:*}, column ${cell##*:}"
	done
done
# A process that gives up nothing.
for process in $daemons opener helper unpacker opimport; do
	grep -v "^root $process " "$T/all" >"$T/mixed"
	grep "^root $process " "$T/unconfined" >>"$T/mixed"
	sort -o "$T/mixed" "$T/mixed"
	[ "$(compare "$page" "$T/mixed" | grep -c "^> root $process ")" -ge 3 ]
	tap_ok $? "without its confinement, $process is noticed"
done

# ---- what the parents do ----

kept()
{
	control "$1" --status >"$T/out" && [ "$(awk '$1 == "images_kept" { print $2 }' "$T/out")" -ge 1 ]
}

kept_in_spite()
{
	kept "$1" && [ "$(awk '$1 == "images_unreadable" { print $2 }' "$T/out")" = 1 ]
}

context_make root-empty
run_daemon root-empty "" kept "with an empty list of calls, the daemon copies symbols"
before=

# report PROCESS [OPTION...]: the symbols of both programs, while the process makes the last call
report()
{
	rm "$T/root-empty/answers"
	"$T/taken_over_main" make "$T/root-empty/answers"
	report_process=$1
	shift
	attack root-empty "$report_process" "$T/bin/opreport" "--session-dir=$T/root-empty/session" -V -l \
		"image:$T/load,$T/root-empty/loads/$copied" "$@" >"$T/out" 2>"$T/err"
}

# A program whose file was gone only after the daemon had looked for it is not copied.
"$T/bin/opreport" "--session-dir=$T/root-empty/session" -l >"$T/out" 2>"$T/err"
copied=$(awk '$3 ~ /^load\.[0-9]/ && $NF == "guest_hot" { print $3; exit }' "$T/out")
report ""
tap_is "$? $(grep -c "guest_hot" "$T/out")" "0 2" "which a report shows" || tap_show "$T/out"
TAKEN_OVER_LAST="exec"
export TAKEN_OVER_LAST
report helper
tap_is "$? $(grep -c "guest_hot" "$T/out")" "0 1" "after a helper was killed, the report goes on without its symbols" ||
	tap_show "$T/err"
tap_has "$T/err" "forbidden system call \(SIGSYS\): the file may be an attack" "and shows why"
report opener
tap_is "$? $(grep -c "guest_hot" "$T/out")" "0 1" "after an opener was killed, it goes on without the debug file" ||
	tap_show "$T/out"
"$T/bin/oparchive" "--session-dir=$T/root-empty/session" -o "$T/root-empty/archive/a.tar.zst" \
	"image:$T/load" 2>"$T/err"
rm "$T/root-empty/answers"
"$T/taken_over_main" make "$T/root-empty/answers"
attack root-empty unpacker "$T/bin/opreport" "archive:$T/root-empty/archive/a.tar.zst" >"$T/out" 2>"$T/err"
tap_is "$? $(grep -c . "$T/out")" "1 0" "after an unpacker was killed, there is no report"
tap_has "$T/err" "forbidden system call \(SIGSYS\): the archive may be an attack" "and an error shows why"
context_make root-killed
run_daemon root-killed copier kept_in_spite "after a copier was killed, the daemon counts it, and copies other symbols"
tap_end
