// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the events of a trace that perf_event_open records. */
#include "daemon/trace/trace_sample.h"
#include "daemon/trace/trace_state.h"
#include "daemon/tracer/tracer_perf_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The few compact ids are used for tracepoints. All other events have extended ids. */
#define FIRST_ID_EXTENDED (OPROF_EVENT_ESCAPE + 1)
/*
 * Number of events that are not in the choice: two for system calls, one for samples, and one for
 * mappings.
 */
#define NR_OTHER_EVENTS 4u

/* ---- events ---- */

static uint32_t id_of(size_t i)
{
	/*
	 * The first events get the compact ids, the others extended ids. The ids between these two
	 * ranges are reserved.
	 */
	return i <= OPROF_EVENT_COMPACT_MAX
		       ? (uint32_t)i
		       : (uint32_t)(i - OPROF_EVENT_COMPACT_MAX - 1 + FIRST_ID_EXTENDED);
}

static void add_samples(struct tracer_perf *tracer)
{
	tracer->events[tracer->nr_events++] =
		(struct trace_perf_event){.name = "sample",
					  .kind = TRACE_RECORD_SAMPLE,
					  .samples_hz = tracer->base.config.choice->samples_hz};
	if (tracer_perf_keeps_tasks(tracer))
		return;
	tracer->events[tracer->nr_events++] = (struct trace_perf_event){
		.name = "mappings, which samples need", .kind = TRACE_RECORD_MAPPING};
}

static int name_event(struct tracer_perf *tracer, const char *system, const char *name, uint32_t id,
		      const char *filter)
{
	char *text;

	if (asprintf(&text, "%s:%s", system, name) < 0)
		return -ENOMEM;
	tracer->names[tracer->nr_events] = text;
	tracer->events[tracer->nr_events++] =
		(struct trace_perf_event){.name = text, .id = id, .filter = filter};
	return 0;
}

static int add_layout(struct tracer_perf *tracer, const struct trace_chosen *chosen,
		      struct diag *diag)
{
	struct trace_layout *layout = &tracer->layouts[tracer->nr_layouts];
	struct tracepoint *tracepoint;
	int error = tracepoint_read(&tracepoint, tracer->base.config.tracefs, chosen->system,
				    chosen->name, diag);

	if (!error)
		error = trace_layout_init(layout, tracepoint, id_of(tracer->nr_layouts),
					  TRACER_STREAM, diag);
	if (error)
		return error;
	tracer->nr_layouts++;
	return name_event(tracer, chosen->system, chosen->name, tracepoint->id, chosen->filter);
}

static int add_call(struct tracer_perf *tracer, struct call_tracepoint *call, const char *name,
		    const char *rest, const char *filter, struct diag *diag)
{
	int error = tracepoint_read(&call->tracepoint, tracer->base.config.tracefs, "raw_syscalls",
				    name, diag);

	if (error)
		return error;
	call->id = tracepoint_find(call->tracepoint, "id");
	call->rest = tracepoint_find(call->tracepoint, rest);
	if (!call->id || !call->rest)
		return diag_set(diag, -EINVAL,
				"raw_syscalls:%s has no fields id and %s on this kernel", name,
				rest);
	return name_event(tracer, "raw_syscalls", name, call->tracepoint->id, filter);
}

static int add_calls(struct tracer_perf *tracer, const char *filter, struct diag *diag)
{
	int error = trace_syscalls_create(&tracer->syscalls, tracer->base.config.tracefs,
					  tracer->sample_id + TRACE_SAMPLE_NR_EVENTS, TRACER_STREAM,
					  diag);

	if (!error)
		error = add_call(tracer, &tracer->entry, "sys_enter", "args", filter, diag);
	if (!error)
		error = add_call(tracer, &tracer->exit, "sys_exit", "ret", filter, diag);
	return error;
}

static int choose_events(struct tracer_perf *tracer, struct diag *diag)
{
	const struct trace_choice *choice = tracer->base.config.choice;
	const char *filter;
	int error = 0;

	tracer->layouts = calloc(choice->nr_events + 1, sizeof(*tracer->layouts));
	tracer->events = calloc(choice->nr_events + NR_OTHER_EVENTS, sizeof(*tracer->events));
	tracer->names = calloc(choice->nr_events + NR_OTHER_EVENTS, sizeof(*tracer->names));
	if (!tracer->layouts || !tracer->events || !tracer->names)
		return diag_set(diag, -ENOMEM, "out of memory for %zu events", choice->nr_events);
	for (size_t i = 0; !error && i < choice->nr_events; i++)
		error = add_layout(tracer, &choice->events[i], diag);
	tracer->state_id = id_of(tracer->nr_layouts);
	if (tracer->state_id < FIRST_ID_EXTENDED)
		tracer->state_id = FIRST_ID_EXTENDED;
	tracer->sample_id = tracer->state_id + TRACE_STATE_NR_EVENTS;
	if (!error && trace_choice_has_syscalls(choice, &filter))
		error = add_calls(tracer, filter, diag);
	if (!error && choice->samples_hz)
		add_samples(tracer);
	return error;
}

static void choose_trigger(struct tracer_perf *tracer, unsigned int event,
			   const struct tracepoint *tracepoint)
{
	assert(tracepoint); /* the layout of a chosen event always has a tracepoint */
	tracer->trigger_events[event] = trace_trigger_find(tracer->base.config.trigger,
							   tracepoint->system, tracepoint->name);
}

/* For each event that the trigger needs, stores the number that the trigger gives the event. */
static int choose_triggers(struct tracer_perf *tracer, struct diag *diag)
{
	if (!tracer->base.config.trigger)
		return 0;
	tracer->trigger_events =
		calloc(tracer->nr_events + (size_t)1, sizeof(*tracer->trigger_events));
	if (!tracer->trigger_events)
		return diag_set(diag, -ENOMEM, "out of memory for conditions");
	for (unsigned int i = 0; i < tracer->nr_events; i++)
		tracer->trigger_events[i] = TRACE_TRIGGER_NONE;
	for (unsigned int i = 0; i < tracer->nr_layouts; i++)
		choose_trigger(tracer, i, tracer->layouts[i].tracepoint);
	if (tracer->syscalls) {
		choose_trigger(tracer, (unsigned int)tracer->nr_layouts, tracer->entry.tracepoint);
		choose_trigger(tracer, (unsigned int)tracer->nr_layouts + 1,
			       tracer->exit.tracepoint);
	}
	return 0;
}

/* ---- description ---- */

static int describe(struct tracer_perf *tracer, struct diag *diag)
{
	struct ctf_trace *trace = &tracer->base.trace;
	const unsigned int nr_calls =
		tracer->syscalls ? trace_syscalls_nr_events(tracer->syscalls) : 0;
	int error = tracer_describe(&tracer->base, diag);

	if (error)
		return error;
	trace_describe_clock(&trace->clock);
	tracer->trace_events = calloc(tracer->nr_layouts + TRACE_STATE_NR_EVENTS +
					      TRACE_SAMPLE_NR_EVENTS + nr_calls,
				      sizeof(*tracer->trace_events));
	if (!tracer->trace_events)
		return diag_set(diag, -ENOMEM, "out of memory for the events' descriptions");
	for (size_t i = 0; i < tracer->nr_layouts; i++)
		tracer->trace_events[trace->nr_events++] = tracer->layouts[i].event;
	trace_state_events(tracer->trace_events + trace->nr_events, tracer->state_id,
			   TRACER_STREAM);
	trace->nr_events += TRACE_STATE_NR_EVENTS;
	trace_sample_events(tracer->trace_events + trace->nr_events, tracer->sample_id,
			    TRACER_STREAM);
	trace->nr_events += TRACE_SAMPLE_NR_EVENTS;
	for (unsigned int i = 0; i < nr_calls; i++)
		tracer->trace_events[trace->nr_events++] =
			*trace_syscalls_event(tracer->syscalls, i);
	trace->events = tracer->trace_events;
	return 0;
}

int tracer_perf_choose(struct tracer_perf *tracer, struct diag *diag)
{
	int error = choose_events(tracer, diag);

	if (!error)
		error = choose_triggers(tracer, diag);
	return error ? error : describe(tracer, diag);
}
