// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/trace/trace_tracepoint.h"

#include <linux/string.h>
#include <linux/tracepoint.h>

struct search {
	const char *name;
	struct tracepoint *found;
};

static void look(struct tracepoint *tracepoint, void *data)
{
	struct search *search = data;

	if (!strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

struct tracepoint *trace_tracepoint_find(const char *name)
{
	struct search search = {name, NULL};

	for_each_kernel_tracepoint(look, &search);
	return search.found;
}
