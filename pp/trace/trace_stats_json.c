// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_stats.h"

#include "pp/base/json_writer.h"
#include "pp/trace/trace_processes.h"
#include "pp/trace/trace_stats_names.h"

#include <stdio.h>

#define JSON_VERSION 2
/*
 * Number of outer levels of JSON whose elements are written on lines of their own: the top level
 * and the rows.
 */
#define MAX_LINES 2

static void write_distribution(struct json_writer *json, const char *key,
			       const struct trace_distribution *distribution)
{
	json_begin(json, key, '{');
	json_number(json, "nr", distribution->nr);
	json_number(json, "sum_ns", distribution->sum);
	json_number(json, "min_ns", distribution->min);
	json_number(json, "mean_ns", trace_distribution_mean(distribution));
	json_number(json, "p50_ns", trace_distribution_percentile(distribution, 50));
	json_number(json, "p99_ns", trace_distribution_percentile(distribution, 99));
	json_number(json, "max_ns", distribution->max);
	json_begin(json, "histogram", '[');
	for (unsigned int power = 0; power < TRACE_DISTRIBUTION_POWERS; power++) {
		const uint64_t pair[] = {power ? (uint64_t)1 << power : 0,
					 trace_distribution_power(distribution, power)};

		if (pair[1])
			json_numbers(json, NULL, pair, 2);
	}
	json_end(json, ']');
	json_end(json, '}');
}

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

static void write_states(struct json_writer *json, const uint64_t ns[NR_THREAD_STATES])
{
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		json_number(json, thread_states[i].key, ns[thread_states[i].state]);
}

static void write_process(struct json_writer *json, const struct trace_process *process)
{
	json_begin(json, NULL, '{');
	json_signed(json, "pid", process->pid);
	json_text(json, "name", process->name);
	json_bool(json, "kernel", process->is_kernel);
	json_number(json, "threads", process->nr_threads);
	write_states(json, process->ns);
	json_number(json, "switches", process->nr_switches);
	json_number(json, "syscalls", process->nr_syscalls);
	json_number(json, "errors", process->nr_errors);
	json_number(json, "wakeups", process->nr_wakeups);
	write_distribution(json, "wakeup", &process->wakeups);
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
	write_states(json, thread->ns);
	json_number(json, "switches", thread->nr_switches);
	json_number(json, "syscalls", thread->nr_syscalls);
	json_number(json, "errors", thread->nr_errors);
	json_number(json, "wakeups", thread->nr_wakeups);
	write_distribution(json, "wakeup", &thread->wakeups);
	json_end(json, '}');
}

static void write_call(struct json_writer *json, const struct trace_call *call)
{
	char name[256]; /* longer than any event's name */

	if (!trace_call_is_used(call))
		return;
	(void)snprintf(name, sizeof(name), "%.*s", (int)call->nr_name, call->name);
	json_begin(json, NULL, '{');
	json_text(json, "name", name);
	json_number(json, "calls", call->nr);
	json_number(json, "errors", call->nr_errors);
	json_number(json, "unsure", call->nr_unsure);
	write_distribution(json, "time", &call->ns);
	json_end(json, '}');
}

static void write_interrupt(struct json_writer *json, const struct trace_interrupt *interrupt)
{
	static const char *const kinds[NR_INTERRUPT_KINDS] = {"irq", "softirq", "vector"};

	if (!interrupt->nr && !interrupt->ns.nr)
		return;
	json_begin(json, NULL, '{');
	json_text(json, "kind", kinds[interrupt->kind]);
	json_signed(json, "number", interrupt->number);
	json_text(json, "name", interrupt->name);
	json_number(json, "interrupts", interrupt->nr);
	write_distribution(json, "time", &interrupt->ns);
	json_end(json, '}');
}

static void write_sums(struct json_writer *json, const struct trace_states *states,
		       const struct trace_sums *sums)
{
	json_number(json, "version", JSON_VERSION);
	json_number(json, "window_ns", sums->window_ns);
	json_number(json, "from_ns", sums->from_ns);
	json_number(json, "records", sums->nr_records);
	json_number(json, "lost_events", sums->lost_events);
	json_number(json, "lost_packets", sums->lost_packets);
	json_number(json, "damaged", sums->nr_damaged);
	json_bool(json, "block_events", trace_states_has_block_events(states));
}

static void write_rows(struct json_writer *json, const struct trace_states *states,
		       const struct trace_processes *processes)
{
	const struct trace_calls *calls = trace_states_calls(states);
	const struct trace_interrupts *interrupts = trace_states_interrupts(states);

	json_begin(json, "cpus", '[');
	for (unsigned int cpu = 0; cpu < trace_states_nr_cpus(states); cpu++)
		if (trace_states_cpu(states, cpu))
			write_cpu(json, cpu, trace_states_cpu(states, cpu));
	json_end(json, ']');
	json_begin(json, "processes", '[');
	for (size_t i = 0; i < processes->nr; i++)
		write_process(json, &processes->processes[i]);
	json_end(json, ']');
	json_begin(json, "threads", '[');
	for (size_t i = 0; i < trace_states_nr_threads(states); i++) {
		const struct trace_thread *thread = trace_states_thread(states, i);

		if (thread->is_chosen && !thread->is_before)
			write_thread(json, thread);
	}
	json_end(json, ']');
	json_begin(json, "calls", '[');
	for (size_t i = 0; i < calls->nr; i++)
		write_call(json, &calls->calls[i]);
	json_end(json, ']');
	json_begin(json, "interrupts", '[');
	for (size_t i = 0; i < interrupts->nr; i++)
		write_interrupt(json, &interrupts->interrupts[i]);
	json_end(json, ']');
}

int trace_stats_show_json(const struct trace_states *states, const struct trace_sums *sums,
			  FILE *out)
{
	struct trace_processes processes;
	struct json_writer json;
	const int error = trace_processes_init(&processes, states);

	if (error)
		return error;
	json_writer_init(&json, out, MAX_LINES);
	json_begin(&json, NULL, '{');
	write_sums(&json, states, sums);
	write_rows(&json, states, &processes);
	write_distribution(&json, "wakeups", trace_states_wakeups(states));
	json_end(&json, '}');
	json_writer_finish(&json);
	trace_processes_deinit(&processes);
	return 0;
}
