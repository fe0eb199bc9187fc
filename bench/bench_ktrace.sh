#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The cost of tracing in the kernel, counted in instructions by an emulated guest: how many
# instructions tracing adds to a system call, and how much longer dbench, tbench and a build take
# (bench/README.md). The peers are LTTng's kernel modules and ftrace. For comparison, also measures
# our own tracer without the module, which then uses perf_event_open.
. "$(dirname "$0")/bench.sh"
bench_init "$@"

has_calls=
has_loads=
! bench_wanted ktrace_instructions && ! bench_wanted ktrace_perf_instructions &&
	! bench_wanted ktrace_monotonic_instructions && ! bench_wanted ktrace_longest_instructions &&
	! bench_wanted ktrace_off_instructions || has_calls=yes
! bench_wanted ktrace_slowdown_dbench && ! bench_wanted ktrace_slowdown_tbench &&
	! bench_wanted ktrace_slowdown_build || has_loads=yes
[ -n "$has_calls$has_loads" ] || exit 0
top=$OPROF_TOP_SRCDIR
build=$OPROF_TOP_BUILDDIR
guest=x86-6.1 # the kernel for which Debian 12 packages LTTng
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

lacking() # STATUS WHAT: reports what is missing, and exits without figures
{
	cat "$work/log" >&2
	echo "bench: $2: no figures of tracing in the kernel" >&2
	[ "$1" = 77 ] && exit 0
	exit 1
}

# ---- what the guest holds ----

"$top/scripts/guest-kernel" $guest >"$work/log" 2>&1 || lacking $? "no guest"
"$top/scripts/kmod-tree" "$work/tree" >"$work/log" 2>&1 || lacking $? "no tree of the module"
"$top/scripts/guest-module" $guest "$work/tree" "$work" >"$work/log" 2>&1 ||
	lacking $? "the module does not build"
${CC:-gcc} -O2 -static -o "$work/ktrace_cost" "$top/bench/ktrace_cost.c" >"$work/log" 2>&1 ||
	lacking $? "ktrace_cost.c does not compile"
set -- -a "$work/oprof.ko" -a "$work/ktrace_cost" -a "$build/optrace" -a "$build/oprof-tracer"

consumer=$(dpkg -L lttng-tools 2>/dev/null | grep '/lttng-consumerd$')
schema=/usr/share/xml/lttng/session.xsd
if command -v lttng-sessiond >/dev/null && [ -n "$consumer" ] && [ -r $schema ] &&
	peer=$("$top/bench/lttng_modules.sh" $guest); then
	set -- "$@" -a "$peer=/lib/modules" -a "$(command -v lttng)" -a "$(command -v lttng-sessiond)" \
		-a "$consumer=$consumer" -a "$schema=$schema"
else
	echo "bench: LTTng is missing, so there is no peer (scripts/setup --all installs it)" >&2
fi

loads=
if [ -n "$has_loads" ]; then
	script=/usr/share/dbench/client.txt
	if command -v dbench >/dev/null && command -v tbench_srv >/dev/null && [ -r $script ]; then
		loads="dbench tbench"
		set -- "$@" -a "$(command -v dbench)" -a "$(command -v tbench)" \
			-a "$(command -v tbench_srv)" -a "$script=/client.txt"
	else
		echo "bench: no dbench and tbench (scripts/setup --all installs them)" >&2
	fi
	compiler=$(${CC:-gcc} -print-prog-name=cc1)
	if [ -x "$compiler" ]; then
		loads="$loads build"
		mkdir "$work/sources"
		for file in lib/number lib/file ctf/packet ring/ring; do
			${CC:-gcc} -E -P -D_GNU_SOURCE -I"$top" -I"$top/include" -I"$build" -o \
				"$work/sources/$(basename $file).i" "$top/$file.c" || exit 1
		done
		set -- "$@" -a "$compiler" -a "$(readlink -f "$(command -v as)")=/bin/as" -a "$work/sources=/sources"
	fi
fi

# ---- what it does ----

cat >"$work/words" <<END
has_calls=$has_calls
loads="$loads"
END
cat >"$work/body" <<'END'
# Prints the inverse of the throughput that a command reports.
throughput()
{
	"$@" 2>&1 | awk '/^Throughput/ { printf "%.3f", 1e6 / $2 }'
}

oprof_with() # [PARAMETER]: loads the module again, with this parameter
{
	! umount /dev/oprofile 2>/dev/null || rmmod oprof || exit
	insmod /bin/oprof.ko "$@" && mkdir -p /dev/oprofile && mount -t oprofilefs none /dev/oprofile ||
		exit
}

tell() # NAME WHAT: measures WHAT and prints the cost with this name
{
	case $2 in
	call) cost=$(ktrace_cost) ;;
	longest) cost=$(ktrace_cost --longest) ;;
	dbench) cost=$(throughput dbench -c /client.txt -t 2 -D /tmp 2) ;;
	tbench) cost=$(throughput tbench -c /client.txt -t 2 2 127.0.0.1) ;;
	build) cost=$(ktrace_cost sh /tmp/build.sh) ;;
	esac
	echo "cost $1 $2 $cost"
}

tell_loads() # NAME: measures all loads
{
	for load in $loads; do
		tell "$1" $load
	done
}

# NAME WHAT OPTION...: measures WHAT while optrace traces with these options. WHAT "load" stands for
# all loads.
ours()
{
	name=$1
	what=$2
	shift 2
	optrace start "$@" >/tmp/log 2>&1 || {
		cat /tmp/log
		return
	}
	if [ "$what" = load ]; then tell_loads "$name"; else tell "$name" "$what"; fi
	optrace stop >/tmp/log 2>&1 || cat /tmp/log
	rm -rf /tmp/trace
}

in_lttng()
{
	lttng --no-sessiond "$@" >>/tmp/log 2>&1
}

lttng_begins()
{
	for module in lttng-tracer lttng-ring-buffer-client-overwrite lttng-ring-buffer-client-discard \
		lttng-ring-buffer-client-mmap-overwrite lttng-ring-buffer-metadata-client \
		lttng-ring-buffer-metadata-mmap-client lttng-probe-sched lttng-probe-irq lttng-probe-signal; do
		modprobe $module || return
	done
	mkdir -p /dev/shm /run /var
	mount -t tmpfs none /dev/shm
	[ -e /var/run ] || ln -s /run /var/run
	export HOME=/tmp LTTNG_HOME=/tmp
	lttng-sessiond -b >/tmp/log 2>&1
	left=20
	until in_lttng list || [ $left = 0 ]; do
		sleep 0.5
		left=$((left - 1))
	done
}

lttng_enables() # OPTION...: options of the channel
{
	in_lttng enable-channel -k --subbuf-size=256K --num-subbuf=4 "$@" c &&
		in_lttng enable-event -k -c c --syscall -a
}

# Enables optrace's default events, except page faults and block requests.
lttng_enables_more()
{
	for event in sched_switch sched_wakeup sched_wakeup_new sched_waking sched_migrate_task \
		sched_process_fork sched_process_exec sched_process_exit irq_handler_entry \
		irq_handler_exit irq_softirq_entry irq_softirq_exit signal_generate signal_deliver; do
		in_lttng enable-event -k -c c $event || return
	done
}

lttng_peer()
{
	lttng_begins || return
	in_lttng create --snapshot s -o /tmp/lttng && lttng_enables --overwrite && in_lttng start || {
		cat /tmp/log
		return
	}
	[ -z "$has_calls" ] || tell lttng call
	if [ -n "$loads" ]; then
		lttng_enables_more
		tell_loads lttng_flight
	fi
	in_lttng snapshot record && [ -n "$(find /tmp/lttng -name 'c_0' -size +4k)" ] || cat /tmp/log
	in_lttng destroy
	[ -n "$loads" ] || return 0
	in_lttng create d -o /tmp/lttng-disk && lttng_enables --discard && lttng_enables_more &&
		in_lttng start && tell_loads lttng_disk || cat /tmp/log
	in_lttng destroy
	rm -rf /tmp/lttng /tmp/lttng-disk
}

ftrace_peer()
{
	(
		cd /sys/kernel/tracing/events || exit
		echo 1 >raw_syscalls/enable
		[ -z "$has_calls" ] || tell ftrace call
		[ -n "$loads" ] || exit
		for event in sched/sched_switch sched/sched_wakeup sched/sched_wakeup_new sched/sched_waking \
			sched/sched_migrate_task sched/sched_process_fork sched/sched_process_exec \
			sched/sched_process_exit irq/irq_handler_entry irq/irq_handler_exit \
			irq/softirq_entry irq/softirq_exit signal; do
			echo 1 >$event/enable
		done
		tell_loads ftrace_flight
	)
	for system in raw_syscalls sched irq signal; do
		echo 0 >/sys/kernel/tracing/events/$system/enable
	done
}

mount -t tmpfs none /tmp
cat >/tmp/build.sh <<'X'
for round in 1 2; do
	for file in /sources/*.i; do
		cc1 -fpreprocessed -quiet -O1 $file -o /tmp/x.s && as /tmp/x.s -o /tmp/x.o
	done
done
X
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
ifconfig lo up
case $loads in
*tbench*) tbench_srv >/dev/null 2>&1 & ;;
esac
[ -z "$has_calls" ] || {
	tell none call
	tell none longest
}
tell_loads none
oprof_with
[ -z "$has_calls" ] || tell loaded call
tell_loads loaded
events=syscalls,sched_switch,sched_wakeup,sched_wakeup_new,sched_waking,sched_migrate_task
events=$events,sched_process_fork,sched_process_exec,sched_process_exit,irq_handler_entry
events=$events,irq_handler_exit,softirq_entry,softirq_exit,signal:*
if [ -n "$has_calls" ]; then
	ours module call --source=module -m overwrite:4x256K -e syscalls
	ours module longest --source=module -m overwrite:4x4K -e syscalls
	ours perf call --source=perf -m overwrite:4x256K -e syscalls
	oprof_with clock=monotonic
	ours monotonic call --source=module -m overwrite:4x256K -e syscalls
	oprof_with
fi
if [ -n "$loads" ]; then
	ours module_flight load --source=module -m overwrite:4x256K -e $events
	ours module_disk load --source=module -m discard:4x256K -e $events -o /tmp/trace
fi
ftrace_peer
[ ! -e /bin/lttng-sessiond ] || lttng_peer
END
cat "$work/words" "$work/body" >"$work/run.sh"
"$top/scripts/guest" -g $guest -m 2048 -i -C -t 900 "$@" "$work/run.sh" >"$work/out" 2>"$work/log" ||
	lacking $? "the guest failed: $(tail -n 3 "$work/out")"
grep -v '^cost ' "$work/out" | sed 's/^/# /' >&2

# ---- what is told ----

cost() # NAME WHAT: prints the cost that the guest reported
{
	awk -v name="$1" -v what="$2" '$1 == "cost" && $2 == name && $3 == what { print $4; exit }' "$work/out"
}

# Prints the ratio of two costs; nothing unless both are above 0.
ratio() # OURS PEER
{
	awk -v a="$1" -v b="$2" 'BEGIN { if (a > 0 && b > 0) printf "%.2f", a / b }'
}

# Prints the value of EXPRESSION, in which a and b stand for A and B; fails if A or B is empty.
of_both() # A B FORMAT EXPRESSION
{
	[ -n "$1" ] && [ -n "$2" ] && awk -v a="$1" -v b="$2" "BEGIN { printf \"$3\", $4 }"
}

added() # NAME [WHAT]: instructions that tracing by NAME adds to a call
{
	of_both "$(cost none "${2:-call}")" "$(cost "$1" "${2:-call}")" %.0f "b - a"
}

slower() # NAME LOAD: the slowdown of a load by NAME, in percent
{
	of_both "$(cost none "$2")" "$(cost "$1" "$2")" %.2f "(b / a - 1) * 100"
}

# NAME OURS UNIT [PEER_SUFFIX=VALUE]...: prints our figure, and the figures of peers with their ratios.
tell_line()
{
	line=$1
	ours=$2
	unit=$3
	shift 3
	[ -z "$ours" ] || bench_print "$line" "$ours" "$unit"
	for pair in "$@"; do
		value=${pair#*=}
		[ -n "$value" ] || continue
		bench_print "peer_$line${pair%%=*}" "$value" "$unit"
		of_peer=$(ratio "$ours" "$value")
		[ -z "$of_peer" ] || bench_print "ratio_$line${pair%%=*}" "$of_peer" x
	done
}

if [ -n "$has_calls" ]; then
	tell_line ktrace_instructions "$(added module)" instructions "=$(added lttng)" "_ftrace=$(added ftrace)"
	tell_line ktrace_monotonic_instructions "$(added monotonic)" instructions
	tell_line ktrace_longest_instructions "$(added module longest)" instructions
	tell_line ktrace_perf_instructions "$(added perf)" instructions "=$(added lttng)" "_ftrace=$(added ftrace)"
	tell_line ktrace_off_instructions "$(added loaded)" instructions
fi
for load in $loads; do
	tell_line "ktrace_slowdown_${load}_flight" "$(slower module_flight "$load")" % \
		"=$(slower lttng_flight "$load")" "_ftrace=$(slower ftrace_flight "$load")"
	tell_line "ktrace_slowdown_${load}_disk" "$(slower module_disk "$load")" % "=$(slower lttng_disk "$load")"
	tell_line "ktrace_slowdown_${load}_off" "$(slower loaded "$load")" %
done
exit 0
