// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_who.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NR_CPUS_MAX 65536u

enum { PREV_TID, PREV_COMM, NEXT_TID, NEXT_COMM, NR_FIELDS };

struct who_cpu {
	struct trace_runner runs;
	struct trace_runner first; /* thread that ran at the beginning of the last stretch */
	bool is_found;		   /* a switch in the current stretch has set `first` */
	bool has_exec;		   /* the stretch has an exec before its first switch */
};

struct trace_who {
	const struct ctf_event *event; /* sched_switch; NULL: not in the trace */
	unsigned int fields[NR_FIELDS];
	const struct ctf_event *exec; /* sched_process_exec; NULL: not in the trace */
	unsigned int filename;
	unsigned int exec_tid;
	bool tells_tid; /* the exec event has a field for the tid: exec_tid */
	struct who_cpu *cpus;
	unsigned int nr_cpus;
	struct trace_runner leaves; /* thread that leaves the CPU, if the last record is a switch */
};

/* Finds the indexes of the named fields; returns whether the event has all of them. */
static bool find_fields(const struct ctf_event *event, const char *const *names, unsigned int nr,
			unsigned int *fields)
{
	for (unsigned int i = 0; i < nr; i++) {
		fields[i] = 0;
		while (fields[i] < event->nr_fields &&
		       strcmp(event->fields[fields[i]].name, names[i]) != 0)
			fields[i]++;
		if (fields[i] == event->nr_fields)
			return false;
	}
	return true;
}

int trace_who_create(struct trace_who **who, const struct ctf_trace *trace)
{
	static const char *const of_switch[NR_FIELDS] = {"prev_tid", "prev_comm", "next_tid",
							 "next_comm"};
	static const char *const of_exec[] = {"filename"}, *const of_tid[] = {"tid"};
	struct trace_who *made = calloc(1, sizeof(*made));

	*who = made;
	if (!made)
		return -ENOMEM;
	for (unsigned int i = 0; i < trace->nr_events; i++) {
		const struct ctf_event *event = &trace->events[i];

		if (!strcmp(event->name, "sched_switch") &&
		    find_fields(event, of_switch, NR_FIELDS, made->fields))
			made->event = event;
		if (!strcmp(event->name, "sched_process_exec") &&
		    find_fields(event, of_exec, 1, &made->filename)) {
			made->exec = event;
			made->tells_tid = find_fields(event, of_tid, 1, &made->exec_tid);
		}
	}
	return 0;
}

void trace_who_destroy(struct trace_who *who)
{
	if (!who)
		return;
	free(who->cpus);
	free(who);
}

static const struct trace_runner nobody = {.tid = TRACE_WHO_UNKNOWN};

static int need_cpus(struct trace_who *who, unsigned int nr)
{
	struct who_cpu *bigger;

	if (nr <= who->nr_cpus)
		return 0;
	bigger = nr > NR_CPUS_MAX ? NULL : realloc(who->cpus, nr * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	who->cpus = bigger;
	for (; who->nr_cpus < nr; who->nr_cpus++)
		bigger[who->nr_cpus] = (struct who_cpu){.runs = nobody, .first = nobody};
	return 0;
}

static struct trace_runner runner_of(const struct ctf_value *tid, const struct ctf_value *name)
{
	struct trace_runner runner = {.tid = (int32_t)tid->number};
	const size_t room = sizeof(runner.name) - 1;

	memcpy(runner.name, name->bytes, name->nr < room ? name->nr : room);
	return runner;
}

/*
 * Sets the name of a thread that executes another program. As in the kernel, the name is the last
 * part of the program's path, cut to 15 bytes.
 */
static void rename_runner(struct trace_runner *runner, const struct ctf_value *filename)
{
	uint32_t from = filename->nr, nr;

	while (from && filename->bytes[from - 1] != '/')
		from--;
	nr = filename->nr - from < 15 ? filename->nr - from : 15;
	memset(runner->name, 0, sizeof(runner->name));
	memcpy(runner->name, filename->bytes + from, nr);
}

/*
 * Handles an exec event: stores the thread's new name, and also its tid, because a switch to the
 * thread may be missing. If the trace has no switches at all, stores only the name, because any
 * thread may run next.
 */
static void take_exec(const struct trace_who *who, struct trace_runner *runner,
		      const struct ctf_value *values)
{
	rename_runner(runner, &values[who->filename]);
	if (who->event && who->tells_tid)
		runner->tid = (int32_t)values[who->exec_tid].number;
}

/*
 * Returns whether a switch from the idle thread is missing. The idle thread makes no system calls,
 * so a system call shows that another thread runs. Some kernels do not report all switches from
 * the idle thread.
 */
static bool is_idle_thread_wrong(const struct trace_runner *runs, const struct ctf_event *event)
{
	return !runs->tid && (strncmp(event->name, "syscall_entry_", 14) == 0 ||
			      strncmp(event->name, "syscall_exit_", 13) == 0);
}

const struct trace_runner *trace_who_at(struct trace_who *who, const struct ctf_record *record)
{
	const unsigned int cpu = record->packet->cpu_id;
	const struct ctf_value *values = record->values;

	if (cpu == OPROF_PACKET_NO_CPU)
		return &nobody;
	if (cpu >= NR_CPUS_MAX || need_cpus(who, cpu + 1))
		return NULL;
	if (who->exec && record->event == who->exec)
		take_exec(who, &who->cpus[cpu].runs, values);
	if (is_idle_thread_wrong(&who->cpus[cpu].runs, record->event))
		who->cpus[cpu].runs = nobody;
	if (record->event != who->event)
		return &who->cpus[cpu].runs;
	who->leaves = runner_of(&values[who->fields[PREV_TID]], &values[who->fields[PREV_COMM]]);
	who->cpus[cpu].runs =
		runner_of(&values[who->fields[NEXT_TID]], &values[who->fields[NEXT_COMM]]);
	return &who->leaves;
}

/* ---- starting within a trace ---- */

/*
 * Returns whether the record determines the running thread. A switch determines the running thread
 * of its CPU. A stream without a CPU has no running thread.
 */
static bool is_known_by(const void *context, const struct ctf_record *record)
{
	const struct trace_who *who = context;

	return !who->event || record->event == who->event ||
	       record->packet->cpu_id == OPROF_PACKET_NO_CPU;
}

/*
 * If the trace has no switches, a CPU's thread has the name of the last exec, which may be much
 * earlier. All earlier records must then be read.
 */
bool trace_who_known(const struct trace_who *who, struct ctf_known *known)
{
	*known = (struct ctf_known){.by = is_known_by, .context = who};
	return who->event || !who->exec;
}

void trace_who_begin_look(struct trace_who *who)
{
	for (unsigned int i = 0; i < who->nr_cpus; i++)
		who->cpus[i].is_found = who->cpus[i].has_exec = false;
}

int trace_who_look(struct trace_who *who, const struct ctf_record *record)
{
	const unsigned int cpu = record->packet->cpu_id;
	struct who_cpu *at;

	if (cpu == OPROF_PACKET_NO_CPU)
		return 0;
	if (cpu >= NR_CPUS_MAX || need_cpus(who, cpu + 1))
		return -ENOMEM;
	at = &who->cpus[cpu];
	if (at->is_found)
		return 0;
	at->has_exec |= who->exec && record->event == who->exec;
	if (!who->event || record->event != who->event)
		return 0;
	at->is_found = true;
	at->first = runner_of(&record->values[who->fields[PREV_TID]],
			      &record->values[who->fields[PREV_COMM]]);
	return 0;
}

void trace_who_end_look(struct trace_who *who)
{
	for (unsigned int i = 0; i < who->nr_cpus; i++) {
		struct who_cpu *cpu = &who->cpus[i];

		if (cpu->has_exec)
			memset(cpu->first.name, 0, sizeof(cpu->first.name));
		cpu->runs = cpu->first;
	}
}

void trace_who_is_behind(struct trace_who *who)
{
	for (unsigned int i = 0; i < who->nr_cpus; i++)
		who->cpus[i].first = who->cpus[i].runs;
}
