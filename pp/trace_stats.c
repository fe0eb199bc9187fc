// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace_stats.h"

#include "pp/json_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1

/* In the order of the table. */
static const struct {
	enum cpu_state state;
	const char *title, *key;
} cpu_states[NR_CPU_STATES] = {
	{CPU_IDLE, "idle", "idle_ns"},		{CPU_USER, "user", "user_ns"},
	{CPU_SYSCALL, "syscall", "syscall_ns"}, {CPU_RUNNING, "program", "program_ns"},
	{CPU_KERNEL, "kernel", "kernel_ns"},	{CPU_IRQ, "irq", "irq_ns"},
	{CPU_SOFTIRQ, "softirq", "softirq_ns"}, {CPU_LOST, "lost", "lost_ns"},
	{CPU_UNKNOWN, "unknown", "unknown_ns"},
};

static const struct {
	enum thread_state state;
	const char *title, *key;
} thread_states[NR_THREAD_STATES] = {
	{THREAD_USER, "user", "user_ns"},
	{THREAD_SYSCALL, "syscall", "syscall_ns"},
	{THREAD_RUNNING, "program", "program_ns"},
	{THREAD_KERNEL, "kernel", "kernel_ns"},
	{THREAD_INTERRUPTED, "interr.", "interrupted_ns"},
	{THREAD_READY, "ready", "ready_ns"},
	{THREAD_DISK, "disk", "disk_ns"},
	{THREAD_UNINTERRUPTIBLE, "uninterr.", "uninterruptible_ns"},
	{THREAD_SLEEPING, "sleeping", "sleeping_ns"},
	{THREAD_STOPPED, "stopped", "stopped_ns"},
	{THREAD_UNKNOWN, "unknown", "unknown_ns"},
};

static uint64_t ran_ns(const struct trace_thread *thread)
{
	return thread->ns[THREAD_USER] + thread->ns[THREAD_SYSCALL] + thread->ns[THREAD_RUNNING] +
	       thread->ns[THREAD_KERNEL];
}

struct row {
	const struct trace_thread *thread;
	uint64_t ran_ns;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->ran_ns != y->ran_ns)
		return x->ran_ns < y->ran_ns ? 1 : -1;
	return (x->thread->tid > y->thread->tid) - (x->thread->tid < y->thread->tid);
}

/* By the time they ran; NULL: no memory, or none. */
static struct row *sorted(const struct trace_states *states)
{
	const size_t nr = trace_states_nr_threads(states);
	struct row *rows = nr ? calloc(nr, sizeof(*rows)) : NULL;

	for (size_t i = 0; rows && i < nr; i++) {
		rows[i].thread = trace_states_thread(states, i);
		rows[i].ran_ns = ran_ns(rows[i].thread);
	}
	if (rows)
		qsort(rows, nr, sizeof(*rows), compare);
	return rows;
}

/* ---- the table ---- */

static void show_cpus(const struct trace_states *states, uint64_t window_ns, FILE *out)
{
	(void)fprintf(out, "%4s", "CPU");
	for (unsigned int i = 0; i < NR_CPU_STATES; i++)
		(void)fprintf(out, " %8s", cpu_states[i].title);
	(void)fprintf(out, " %10s %10s %10s\n", "switches", "irqs", "softirqs");
	for (unsigned int cpu = 0; cpu < trace_states_nr_cpus(states); cpu++) {
		const struct trace_cpu_times *times = trace_states_cpu(states, cpu);

		if (!times)
			continue;
		(void)fprintf(out, "%4u", cpu);
		for (unsigned int i = 0; i < NR_CPU_STATES; i++)
			(void)fprintf(out, " %7.3f%%",
				      window_ns ? 100.0 * (double)times->ns[cpu_states[i].state] /
							  (double)window_ns
						: 0);
		(void)fprintf(out, " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
			      times->nr_switches, times->nr_irqs, times->nr_softirqs);
	}
}

static void show_thread(const struct trace_thread *thread, FILE *out)
{
	(void)fprintf(out, "%8" PRId32 " %-16s", thread->tid, thread->name);
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		(void)fprintf(out, " %11.3f", (double)thread->ns[thread_states[i].state] / 1e6);
	(void)fprintf(out, " %8" PRIu64 " %9" PRIu64 " %8" PRIu64, thread->nr_switches,
		      thread->nr_syscalls, thread->nr_wakeups);
	if (thread->nr_wakeups_run)
		(void)fprintf(out, " %9.1f %9.1f\n",
			      (double)thread->wakeup_ns_sum / 1e3 / (double)thread->nr_wakeups_run,
			      (double)thread->wakeup_ns_max / 1e3);
	else
		(void)fprintf(out, " %9s %9s\n", "-", "-");
}

static void show_threads(const struct trace_states *states, size_t nr_shown, FILE *out)
{
	struct row *rows = sorted(states);
	const size_t nr = rows ? trace_states_nr_threads(states) : 0;

	(void)fprintf(out, "\n%8s %-16s", "TID", "NAME, times in ms");
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		(void)fprintf(out, " %11s", thread_states[i].title);
	(void)fprintf(out, " %8s %9s %8s %9s %9s\n", "switches", "syscalls", "wake-ups",
		      "to run us", "max us");
	for (size_t i = 0; i < nr && (!nr_shown || i < nr_shown); i++)
		if (rows[i].thread->nr_switches || rows[i].thread->nr_wakeups || rows[i].ran_ns)
			show_thread(rows[i].thread, out);
	free(rows);
}

void trace_stats_show(const struct trace_states *states, const struct trace_sums *sums,
		      size_t nr_threads, FILE *out)
{
	(void)fprintf(out, "%.9f s\n\n", (double)sums->window_ns / 1e9);
	show_cpus(states, sums->window_ns, out);
	show_threads(states, nr_threads, out);
}

/* ---- JSON ---- */

static void write_cpu(struct json_writer *json, unsigned int cpu,
		      const struct trace_cpu_times *times)
{
	json_begin(json, NULL, '{');
	json_number(json, "cpu", cpu);
	for (unsigned int i = 0; i < NR_CPU_STATES; i++)
		json_number(json, cpu_states[i].key, times->ns[cpu_states[i].state]);
	json_number(json, "switches", times->nr_switches);
	json_number(json, "irqs", times->nr_irqs);
	json_number(json, "softirqs", times->nr_softirqs);
	json_end(json, '}');
}

static void write_thread(struct json_writer *json, const struct trace_thread *thread)
{
	json_begin(json, NULL, '{');
	json_signed(json, "tid", thread->tid);
	json_signed(json, "pid", thread->pid);
	json_text(json, "name", thread->name);
	json_bool(json, "kernel", thread->is_kernel);
	json_bool(json, "ended", thread->has_ended);
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		json_number(json, thread_states[i].key, thread->ns[thread_states[i].state]);
	json_number(json, "switches", thread->nr_switches);
	json_number(json, "syscalls", thread->nr_syscalls);
	json_number(json, "wakeups", thread->nr_wakeups);
	json_number(json, "wakeups_run", thread->nr_wakeups_run);
	json_number(json, "wakeup_ns_sum", thread->wakeup_ns_sum);
	json_number(json, "wakeup_ns_max", thread->wakeup_ns_max);
	json_end(json, '}');
}

void trace_stats_show_json(const struct trace_states *states, const struct trace_sums *sums,
			   FILE *out)
{
	struct row *rows = sorted(states);
	const size_t nr = rows ? trace_states_nr_threads(states) : 0;
	struct json_writer json;

	json_writer_init(&json, out, 2);
	json_begin(&json, NULL, '{');
	json_number(&json, "version", JSON_VERSION);
	json_number(&json, "window_ns", sums->window_ns);
	json_number(&json, "records", sums->nr_records);
	json_number(&json, "lost_events", sums->lost_events);
	json_number(&json, "lost_packets", sums->lost_packets);
	json_number(&json, "damaged", sums->nr_damaged);
	json_begin(&json, "cpus", '[');
	for (unsigned int cpu = 0; cpu < trace_states_nr_cpus(states); cpu++)
		if (trace_states_cpu(states, cpu))
			write_cpu(&json, cpu, trace_states_cpu(states, cpu));
	json_end(&json, ']');
	json_begin(&json, "threads", '[');
	for (size_t i = 0; i < nr; i++)
		write_thread(&json, rows[i].thread);
	json_end(&json, ']');
	json_end(&json, '}');
	json_writer_finish(&json);
	free(rows);
}
