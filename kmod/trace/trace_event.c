// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_event.h"

#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "kmod/trace/trace_tracepoint.h"
#include "kmod/trace/trace_write.h"

/* ---- kinds ---- */

struct kind {
	const char *tracepoint;
	void *const *probe;
	u32 payload_bytes;
};

#define KIND(KIND, kind, system, tracepoint, name)                                                 \
	[OPROF_KTRACE_##KIND] = {tracepoint, &trace_probe_##kind,                                  \
				 sizeof(struct oprof_ktrace_payload_##kind)},
static const struct kind kinds[OPROF_KTRACE_NR_KINDS] = {OPROF_KTRACE_EVENTS(KIND)};

static_assert(OPROF_KTRACE_NR_KINDS <= 64, "a bit for each");

static void mark(struct tracepoint *tracepoint, void *data)
{
	u64 *known = data;
	unsigned int i;

	for (i = 0; i < OPROF_KTRACE_NR_KINDS; i++) {
		if (*kinds[i].probe && !strcmp(tracepoint->name, kinds[i].tracepoint))
			*known |= 1ull << i;
	}
}

u64 trace_events_known(void)
{
	u64 known = 0;

	for_each_kernel_tracepoint(mark, &known);
	return known;
}

/* ---- events of a session ---- */

static int event_register(struct trace_event *event, const struct kind *kind)
{
	struct tracepoint *tracepoint = trace_tracepoint_find(kind->tracepoint);

	if (!tracepoint || !*kind->probe)
		return -ENOENT;
	return tracepoint_probe_register(tracepoint, *kind->probe, event);
}

int trace_events_add(struct trace_session *session, const struct oprof_ktrace_event *call)
{
	struct trace_event *event;
	int error;

	if (call->kind >= OPROF_KTRACE_NR_KINDS || call->reserved)
		return -EINVAL;
	if (session->events[call->kind])
		return -EEXIST;
	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!event)
		return -ENOMEM;
	error = trace_event_init(event, session, call->channel, call->event_id, &call->compare,
				 kinds[call->kind].payload_bytes);
	if (!error)
		error = event_register(event, &kinds[call->kind]);
	if (error)
		kfree(event);
	else
		session->events[call->kind] = event;
	return error;
}

void trace_events_unregister(struct trace_session *session)
{
	unsigned int i;

	for (i = 0; i < OPROF_KTRACE_NR_KINDS; i++) {
		if (session->events[i])
			(void)tracepoint_probe_unregister(
				trace_tracepoint_find(kinds[i].tracepoint), *kinds[i].probe,
				session->events[i]);
	}
}

void trace_events_free(struct trace_session *session)
{
	unsigned int i;

	for (i = 0; i < OPROF_KTRACE_NR_KINDS; i++) {
		kfree(session->events[i]);
		session->events[i] = NULL;
	}
}
