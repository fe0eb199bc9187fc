// SPDX-License-Identifier: GPL-2.0-or-later
/* The perf source's reports about itself: losses, notes, counters. */
#include "daemon/perf_source/perf_source_internal.h"

uint64_t perf_source_side_band_lost(const struct perf_source *source)
{
	const struct perf_feed_counters *counters = perf_feed_counters(source->feed);
	uint64_t lost = source->open.features & PERF_FEATURE_LOST ? source->losses.side.nr
								  : counters->side_band_lost;

	return lost + counters->side_band_bad;
}

uint64_t perf_source_switches_lost(const struct perf_source *source)
{
	const struct perf_feed_counters *counters = perf_feed_counters(source->feed);
	uint64_t lost = source->open.features & PERF_FEATURE_LOST ? source->losses.switches.nr
								  : counters->switches_lost;

	return lost + counters->switches_bad;
}

/*
 * Returns whether kernel mode is sampled by a clock event. A clock event samples in a timer
 * interrupt, which is delayed while interrupts are off.
 */
static bool source_is_blind_to_irqs_off(const struct perf_source *source)
{
	for (size_t i = 0; i < source->config.nr_events; i++) {
		const struct event_choice *event = &source->events[i];

		if (event->perf_type == PERF_TYPE_SOFTWARE && event->kernel &&
		    (event->config == PERF_COUNT_SW_CPU_CLOCK ||
		     event->config == PERF_COUNT_SW_TASK_CLOCK))
			return !source->open.user_only;
	}
	return false;
}

static bool source_wants_tables(const struct perf_source *source)
{
	return source->config.chain_depth && source->config.unwind != SOURCE_UNWIND_FP;
}

size_t perf_source_notes(const struct source *base, struct source_note *notes, size_t room)
{
	const struct perf_source *source = (const struct perf_source *)base;
	const struct {
		bool is_so;
		struct source_note note;
	} all[] = {
		{source->open.user_only,
		 {"user_only",
		  "the kernel refused to sample kernel mode: only user space is sampled (oprof "
		  "doctor shows the remedy)"}},
		{!(source->open.features & PERF_FEATURE_LOST),
		 {"last_loss_unknown",
		  "this kernel (before Linux 6.0) does not count lost samples: losses after the "
		  "last record of a ring are unknown"}},
		{source_is_blind_to_irqs_off(source),
		 {"interrupts_off",
		  "cpu-clock and task-clock are timer interrupts: kernel code that runs with "
		  "interrupts off is not sampled"}},
		{source_wants_tables(source) && !source->open.regs,
		 {"no_stack_copies",
		  "this machine or kernel does not copy stacks: call chains of programs follow "
		  "frame pointers, which most programs are built without"}},
		{source->open.regs &&
			 source->open.stack_bytes < perf_open_stack_bytes(&source->config),
		 {"stack_copies_small",
		  "the rings are smaller than requested, and therefore also the copies of stacks: "
		  "more call chains end early (oprof doctor shows the limit of locked memory)"}},
	};
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && nr < room; i++)
		if (all[i].is_so)
			notes[nr++] = all[i].note;
	return nr;
}

size_t perf_source_unread(const struct source *base, struct source_unread *list, size_t room,
			  uint64_t *nr_late)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_state_unread(source->state, list, room, nr_late);
}

uint64_t perf_source_children_cpu_ns(const struct source *base)
{
	const struct perf_source *source = (const struct perf_source *)base;

	return perf_state_children_cpu_ns(source->state);
}

size_t perf_source_counters(const struct source *base, struct source_counter *counters, size_t room)
{
	const struct perf_source *source = (const struct perf_source *)base;
	const struct perf_feed_counters *feed = perf_feed_counters(source->feed);
	const struct source_counter own[] = {
		{"records", feed->records},
		{"late_records", feed->late_records},
		{"unknown_records", feed->unknown_records},
		{"bad_records", feed->bad_records},
		{"side_band_lost", perf_source_side_band_lost(source)},
		{"side_band_scans", source->nr_scans},
		{"switches_lost", perf_source_switches_lost(source)},
		{"drains", source->nr_drains},
		{"ring_errors", source->nr_ring_errors},
		{"rings_halved", source->nr_halvings},
		{"cpu_changes", source->nr_cpu_changes},
	};
	size_t nr = sizeof(own) / sizeof(own[0]);

	for (size_t i = 0; i < nr && i < room; i++)
		counters[i] = own[i];
	return nr + perf_state_counters(source->state, nr < room ? counters + nr : NULL,
					nr < room ? room - nr : 0);
}
