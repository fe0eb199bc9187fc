// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_stats.h"

#include "lib/utf8.h"
#include "pp/trace/trace_processes.h"
#include "pp/trace/trace_stats_names.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BAR_COLUMNS 40u

struct stats_table {
	const struct trace_states *states;
	const struct trace_stats_choice *choice;
	FILE *out;
	bool has_block_events;
};

/* A row's sort key, and the index of its process, thread, call or interrupt. */
struct row {
	uint64_t weight;
	size_t index;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Sorts the rows and returns the number of rows to show. */
static size_t sort(const struct stats_table *table, struct row *rows, size_t nr)
{
	if (nr)
		qsort(rows, nr, sizeof(*rows), compare);
	return table->choice->nr_rows && nr > table->choice->nr_rows ? table->choice->nr_rows : nr;
}

/* Allocates at least one row, so NULL always means out of memory. */
static struct row *make_rows(size_t nr)
{
	return calloc(nr + 1, sizeof(struct row));
}

/*
 * A name to be shown. Names of threads, drivers and programs may contain any byte, so control
 * characters are replaced to keep the line whole.
 */
struct shown_text {
	char text[64];
};

static struct shown_text shown(const char *name, size_t nr_bytes)
{
	struct shown_text shown = {""};
	const size_t room = sizeof(shown.text) - 1;

	memcpy(shown.text, name, strnlen(name, nr_bytes < room ? nr_bytes : room));
	utf8_mask(shown.text, "");
	return shown;
}

/* ---- distributions ---- */

static void show_bar(const struct stats_table *table, unsigned int power, uint64_t nr,
		     uint64_t most)
{
	const double unit = power < 10 ? 1 : power < 20 ? 1e3 : power < 30 ? 1e6 : 1e9;
	const char *unit_name = power < 10 ? "ns" : power < 20 ? "us" : power < 30 ? "ms" : "s";
	const double low = power ? (double)((uint64_t)1 << power) / unit : 0;
	int columns = (int)((double)nr / (double)most * BAR_COLUMNS);

	columns = columns || !nr ? columns : 1;

	(void)fprintf(table->out, "%14.*f %-2s %10" PRIu64 " %.*s\n", power < 10 ? 0 : 1, low,
		      unit_name, nr, columns, "########################################");
}

static void show_histogram(const struct stats_table *table,
			   const struct trace_distribution *distribution)
{
	unsigned int first = TRACE_DISTRIBUTION_POWERS, last = 0;
	uint64_t most = 0;

	if (!table->choice->histograms)
		return;
	for (unsigned int power = 0; power < TRACE_DISTRIBUTION_POWERS; power++) {
		const uint64_t nr = trace_distribution_power(distribution, power);

		if (!nr)
			continue;
		first = first < power ? first : power;
		last = power;
		most = nr > most ? nr : most;
	}
	for (unsigned int power = first; power <= last && most; power++)
		show_bar(table, power, trace_distribution_power(distribution, power), most);
}

static void show_us(const struct stats_table *table, uint64_t ns)
{
	(void)fprintf(table->out, " %10.1f", (double)ns / 1e3);
}

static void show_none(const struct stats_table *table, unsigned int nr)
{
	while (nr--)
		(void)fprintf(table->out, " %10s", "-");
}

static void title_distribution(const struct stats_table *table)
{
	(void)fprintf(table->out, " %12s %10s %10s %10s %10s %10s", "total ms", "min us", "mean us",
		      "p50 us", "p99 us", "max us");
}

static void show_distribution(const struct stats_table *table,
			      const struct trace_distribution *distribution)
{
	if (!distribution->nr) {
		(void)fprintf(table->out, " %12s", "-");
		show_none(table, 5);
		return;
	}
	(void)fprintf(table->out, " %12.3f", (double)distribution->sum / 1e6);
	show_us(table, distribution->min);
	show_us(table, trace_distribution_mean(distribution));
	show_us(table, trace_distribution_percentile(distribution, 50));
	show_us(table, trace_distribution_percentile(distribution, 99));
	show_us(table, distribution->max);
}

/* ---- CPUs ---- */

static void show_cpus(const struct stats_table *table, uint64_t window_ns)
{
	FILE *out = table->out;

	(void)fprintf(out, "\n%4s", "CPU");
	for (unsigned int i = 0; i < NR_CPU_STATES; i++)
		(void)fprintf(out, " %8s", cpu_states[i].title);
	(void)fprintf(out, " %10s %10s %10s\n", "switches", "irqs", "softirqs");
	for (unsigned int cpu = 0; cpu < trace_states_nr_cpus(table->states); cpu++) {
		const struct trace_cpu_times *times = trace_states_cpu(table->states, cpu);

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

/* ---- processes and threads ---- */

/* Returns whether a state has a column. THREAD_DISK has one only if the trace has block events. */
static bool is_shown(const struct stats_table *table, enum thread_state state)
{
	return state != THREAD_DISK || table->has_block_events;
}

static void title_states(const struct stats_table *table)
{
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		if (is_shown(table, thread_states[i].state))
			(void)fprintf(table->out, " %11s", thread_states[i].title);
	(void)fprintf(table->out, " %8s %9s %8s %8s %10s %10s %10s\n", "switches", "syscalls",
		      "errors", "wake-ups", "p50 us", "p99 us", "max us");
}

static void show_states(const struct stats_table *table, const uint64_t ns[NR_THREAD_STATES])
{
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		if (is_shown(table, thread_states[i].state))
			(void)fprintf(table->out, " %11.3f",
				      (double)ns[thread_states[i].state] / 1e6);
}

static void show_counts(const struct stats_table *table, uint64_t nr_switches, uint64_t nr_syscalls,
			uint64_t nr_errors, uint64_t nr_wakeups,
			const struct trace_distribution *wakeups)
{
	(void)fprintf(table->out, " %8" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64, nr_switches,
		      nr_syscalls, nr_errors, nr_wakeups);
	if (wakeups->nr) {
		show_us(table, trace_distribution_percentile(wakeups, 50));
		show_us(table, trace_distribution_percentile(wakeups, 99));
		show_us(table, wakeups->max);
	} else {
		show_none(table, 3);
	}
	(void)fputc('\n', table->out);
	show_histogram(table, wakeups);
}

static void show_process(const struct stats_table *table, const struct trace_process *process)
{
	if (process->pid >= 0)
		(void)fprintf(table->out, "%8" PRId32 " %-16s %7" PRIu64, process->pid,
			      shown(process->name, NAME_MAX).text, process->nr_threads);
	else
		(void)fprintf(table->out, "%8s %-16s %7" PRIu64, "?", "not known",
			      process->nr_threads);
	show_states(table, process->ns);
	show_counts(table, process->nr_switches, process->nr_syscalls, process->nr_errors,
		    process->nr_wakeups, &process->wakeups);
}

static int show_processes(const struct stats_table *table)
{
	struct trace_processes processes;
	const int error = trace_processes_init(&processes, table->states);
	struct row *rows = error ? NULL : make_rows(processes.nr);
	size_t nr = 0;

	if (error)
		return error;
	for (size_t i = 0; rows && i < processes.nr; i++) {
		const struct trace_process *process = &processes.processes[i];

		if (process->is_seen || process->nr_wakeups || ran_ns(process->ns))
			rows[nr++] = (struct row){ran_ns(process->ns), i};
	}
	(void)fprintf(table->out, "\n%8s %-16s %7s", "PID", "PROCESS, in ms", "threads");
	title_states(table);
	nr = rows ? sort(table, rows, nr) : 0;
	for (size_t i = 0; i < nr; i++)
		show_process(table, &processes.processes[rows[i].index]);
	trace_processes_deinit(&processes);
	free(rows);
	return rows ? 0 : -ENOMEM;
}

static void show_thread(const struct stats_table *table, const struct trace_thread *thread)
{
	(void)fprintf(table->out, "%8" PRId32 " %-16s", thread->tid,
		      shown(thread->name, sizeof(thread->name)).text);
	show_states(table, thread->ns);
	show_counts(table, thread->nr_switches, thread->nr_syscalls, thread->nr_errors,
		    thread->nr_wakeups, &thread->wakeups);
}

static int show_threads(const struct stats_table *table)
{
	const size_t nr_threads = trace_states_nr_threads(table->states);
	struct row *rows = make_rows(nr_threads);
	size_t nr = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr_threads; i++) {
		const struct trace_thread *thread = trace_states_thread(table->states, i);

		if (thread->is_chosen &&
		    (thread->is_seen || thread->nr_wakeups || ran_ns(thread->ns)))
			rows[nr++] = (struct row){ran_ns(thread->ns), i};
	}
	(void)fprintf(table->out, "\n%8s %-16s", "TID", "THREAD, in ms");
	title_states(table);
	nr = sort(table, rows, nr);
	for (size_t i = 0; i < nr; i++)
		show_thread(table, trace_states_thread(table->states, rows[i].index));
	free(rows);
	return 0;
}

/* ---- system calls, interrupts, wake-ups ---- */

static int show_calls(const struct stats_table *table)
{
	const struct trace_calls *calls = trace_states_calls(table->states);
	struct row *rows = make_rows(calls->nr);
	size_t nr = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < calls->nr; i++)
		if (trace_call_is_used(&calls->calls[i]))
			rows[nr++] = (struct row){calls->calls[i].ns.sum, i};
	(void)fprintf(table->out, "\n%-24s %10s %9s", "SYSTEM CALL", "calls", "errors");
	title_distribution(table);
	(void)fputc('\n', table->out);
	nr = sort(table, rows, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct trace_call *call = &calls->calls[rows[i].index];

		(void)fprintf(table->out, "%-24s %10" PRIu64 " %9" PRIu64,
			      shown(call->name, call->nr_name).text, call->nr, call->nr_errors);
		show_distribution(table, &call->ns);
		if (call->nr_unsure)
			(void)fprintf(table->out, "  and %" PRIu64 " calls while events were lost",
				      call->nr_unsure);
		(void)fputc('\n', table->out);
		show_histogram(table, &call->ns);
	}
	free(rows);
	return 0;
}

static void show_interrupt(const struct stats_table *table, const struct trace_interrupt *interrupt)
{
	static const char *const kinds[NR_INTERRUPT_KINDS] = {"irq", "softirq", "vector"};

	(void)fprintf(table->out, "%-8s %4" PRId64 " %-20s %10" PRIu64, kinds[interrupt->kind],
		      interrupt->number, shown(interrupt->name, sizeof(interrupt->name)).text,
		      interrupt->nr);
	show_distribution(table, &interrupt->ns);
	(void)fputc('\n', table->out);
	show_histogram(table, &interrupt->ns);
}

static int show_interrupts(const struct stats_table *table)
{
	const struct trace_interrupts *interrupts = trace_states_interrupts(table->states);
	struct row *rows = make_rows(interrupts->nr);
	size_t nr = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < interrupts->nr; i++)
		if (interrupts->interrupts[i].nr || interrupts->interrupts[i].ns.nr)
			rows[nr++] = (struct row){interrupts->interrupts[i].ns.sum, i};
	(void)fprintf(table->out, "\n%-34s %10s", "INTERRUPT", "number");
	title_distribution(table);
	(void)fputc('\n', table->out);
	nr = sort(table, rows, nr);
	for (size_t i = 0; i < nr; i++)
		show_interrupt(table, &interrupts->interrupts[rows[i].index]);
	free(rows);
	return 0;
}

static void show_wakeups(const struct stats_table *table)
{
	const struct trace_distribution *wakeups = trace_states_wakeups(table->states);

	(void)fprintf(table->out, "\n%-34s %10s", "FROM BEING WOKEN TO RUNNING", "number");
	title_distribution(table);
	(void)fprintf(table->out, "\n%-34s %10" PRIu64, "all threads", wakeups->nr);
	show_distribution(table, wakeups);
	(void)fputc('\n', table->out);
	show_histogram(table, wakeups);
}

int trace_stats_show(const struct trace_states *states, const struct trace_sums *sums,
		     const struct trace_stats_choice *choice, FILE *out)
{
	const struct stats_table table = {.states = states,
					  .choice = choice,
					  .out = out,
					  .has_block_events =
						  trace_states_has_block_events(states)};
	int error = 0;

	(void)fprintf(out, "%.9f s", (double)sums->window_ns / 1e9);
	if (sums->from_ns)
		(void)fprintf(out, ", from %.9f s on", (double)sums->from_ns / 1e9);
	(void)fputc('\n', out);
	if (choice->tables & TRACE_TABLE_CPUS)
		show_cpus(&table, sums->window_ns);
	if (choice->tables & TRACE_TABLE_PROCESSES)
		error = show_processes(&table);
	if (!error && choice->tables & TRACE_TABLE_THREADS)
		error = show_threads(&table);
	if (!error && choice->tables & TRACE_TABLE_CALLS)
		error = show_calls(&table);
	if (!error && choice->tables & TRACE_TABLE_INTERRUPTS)
		error = show_interrupts(&table);
	if (!error && choice->tables & TRACE_TABLE_WAKEUPS)
		show_wakeups(&table);
	return error;
}
