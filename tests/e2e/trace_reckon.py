# SPDX-License-Identifier: GPL-2.0-or-later
"""
What optrace stats tells of a trace without losses, reckoned once more from
babeltrace2's text, by none of its code: each CPU's time idle, in interrupts and
busy, each thread's time running, system calls by name, all to the nanosecond.

    trace_reckon.py OPTRACE FOLDER [spoil]

prints what differs, and fails then; with spoil, one ns is put wrong.
"""
import collections, json, re, subprocess, sys

optrace, trace, spoil = sys.argv[1], sys.argv[2], len(sys.argv) > 3
line_of = re.compile(r"\[(\d+)\] .*?(\w+): \{ cpu_id = (\d+),.*?\}, \{(.*)\}$")
tid_of = {which: re.compile(r"\b" + which + r"_tid = (-?\d+)") for which in ("prev", "next")}
records = []
text = subprocess.run(["babeltrace2", "--clock-cycles", trace], check=True,
                      stdout=subprocess.PIPE).stdout.decode(errors="replace")
trace_begin = int(re.match(r"\[(\d+)\]", text).group(1))
for line in text.splitlines():
    found = line_of.match(line)
    if found:
        records.append((int(found[1]), found[2], int(found[3]), found[4]))
first, last = {}, {}
for time, name, cpu, _ in records:
    if name == "sched_switch":
        first.setdefault(cpu, time)
        last[cpu] = time
# From where who runs is known everywhere up to where it still is.
begin, end = max(first.values()) + 1000000, min(last.values())
assert end - begin > 100000000, "the trace is too short"

class Cpu:
    def __init__(self):
        self.tid, self.since, self.irqs, self.softirqs = None, None, 0, 0
        self.now = collections.Counter()  # since the last switch
        self.ns = collections.Counter()

cpus = collections.defaultdict(Cpu)
ran, calls, call_ns = collections.Counter(), collections.Counter(), collections.Counter()
nr_timed, in_call = collections.Counter(), {}

def spend(cpu, time):
    if cpu.since is not None and time > max(cpu.since, begin):
        what = ("irq" if cpu.irqs else "softirq" if cpu.softirqs else
                "idle" if cpu.tid == 0 else "busy")
        cpu.now[what] += time - max(cpu.since, begin)
    cpu.since = time

def settle(cpu, is_sound):
    for what, ns in cpu.now.items():
        if not is_sound and what in ("idle", "busy"):
            what = "unknown"
        cpu.ns[what] += ns
        if cpu.tid and what != "unknown":
            ran[cpu.tid] += ns
    cpu.now.clear()

for time, name, number, fields in records:
    if time >= end:
        break
    cpu = cpus[number]
    if cpu.tid is not None:
        spend(cpu, time)
    if name == "sched_switch":
        prev, tid = (int(tid_of[which].search(fields)[1]) for which in ("prev", "next"))
        settle(cpu, prev == cpu.tid)
        cpu.tid, cpu.since, cpu.irqs, cpu.softirqs = tid, time, 0, 0
    elif name in ("irq_handler_entry",) or re.match("irq_vectors_.*_entry$", name):
        cpu.irqs += 1
    elif name in ("irq_handler_exit",) or re.match("irq_vectors_.*_exit$", name):
        cpu.irqs = max(cpu.irqs - 1, 0)
    elif name == "irq_softirq_entry":
        cpu.softirqs += 1
    elif name == "irq_softirq_exit":
        cpu.softirqs = max(cpu.softirqs - 1, 0)
    elif name.startswith("syscall_entry_") and cpu.tid:
        call = name[len("syscall_entry_"):]
        in_call[cpu.tid] = call, time
        calls[call] += time >= begin
    elif name.startswith("syscall_exit_") and cpu.tid:
        call, since = in_call.pop(cpu.tid, (None, 0))
        if call == name[len("syscall_exit_"):] and time >= begin:
            nr_timed[call] += 1
            call_ns[call] += time - since
for cpu in cpus.values():
    spend(cpu, end)
    settle(cpu, True)
if spoil:
    ran[max(ran)] += 1

def seconds(time):
    return "%d.%09d" % divmod(time - trace_begin, 1000000000)

told = json.loads(subprocess.run(
    [optrace, "stats", "--json", "--from", seconds(begin), "--to", seconds(end), trace],
    check=True, stdout=subprocess.PIPE).stdout)
nr_wrong = 0

def same(what, ours, theirs):
    global nr_wrong
    if ours != theirs:
        nr_wrong += 1
        print(what, "reckoned", ours, "told", theirs)

same("window", end - begin, told["window_ns"])
for cpu in told["cpus"]:
    ours = cpus[cpu["cpu"]].ns
    where = "cpu %d " % cpu["cpu"]
    for what in ("idle", "irq", "softirq", "unknown"):
        same(where + what, ours[what], cpu[what + "_ns"])
    same(where + "busy", ours["busy"],
         sum(cpu[key] for key in ("user_ns", "syscall_ns", "kernel_ns", "program_ns")))
same("cpus", sorted(first), [cpu["cpu"] for cpu in told["cpus"]])
theirs = collections.Counter()
for thread in told["threads"]:
    theirs[thread["tid"]] += sum(thread[key] for key in (
        "user_ns", "syscall_ns", "kernel_ns", "program_ns", "interrupted_ns"))
for tid in sorted(set(ran) | set(theirs)):
    same("thread %d" % tid, ran[tid], theirs[tid])
of = {call["name"]: call for call in told["calls"]}
for call in sorted(set(calls) | set(call_ns) | set(of)):
    time = of.get(call, {}).get("time", {})
    same(call, (calls[call], nr_timed[call], call_ns[call]),
         (of.get(call, {}).get("calls", 0), time.get("nr", 0), time.get("sum_ns", 0)))
print("%d CPUs, %d threads, %d calls of %d names, %d differ" %
      (len(cpus), len(theirs), sum(calls.values()), len(of), nr_wrong))
sys.exit(nr_wrong != 0)
