// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_write.h"

bool trace_is_event_id(u32 id)
{
	return id != OPROF_EVENT_PADDING_EMPTY && id != OPROF_EVENT_PADDING &&
	       id != OPROF_EVENT_ESCAPE && id != OPROF_KTRACE_NO_EVENT;
}

int trace_event_init(struct trace_event *event, struct trace_session *session, u32 channel, u32 id,
		     const struct oprof_ktrace_compare *compare, u32 bytes)
{
	if (session->is_finalised)
		return -ESHUTDOWN;
	if (channel >= session->nr_channels || !trace_is_event_id(id) ||
	    !trace_is_comparison(compare, bytes))
		return -EINVAL;
	*event = (struct trace_event){
		.session = session,
		.cpus = session->channels[channel]->cpus,
		.id = id,
		.compare = *compare,
	};
	return 0;
}
