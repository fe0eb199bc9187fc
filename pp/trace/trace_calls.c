// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct named {
	const char *name;
	size_t nr_name;
	struct trace_rule *rule;
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const size_t nr = x->nr_name < y->nr_name ? x->nr_name : y->nr_name;
	const int order = memcmp(x->name, y->name, nr);

	return order ? order : (x->nr_name > y->nr_name) - (x->nr_name < y->nr_name);
}

static void number_names(struct trace_calls *calls, const struct named *named, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!i || compare(&named[i - 1], &named[i]) != 0)
			calls->calls[calls->nr++] = (struct trace_call){
				.name = named[i].name, .nr_name = named[i].nr_name};
		named[i].rule->call = (uint32_t)(calls->nr - 1);
	}
}

int trace_calls_init(struct trace_calls *calls, const struct ctf_trace *trace,
		     struct trace_rule *rules)
{
	struct named *named = calloc(trace->nr_events + (size_t)1, sizeof(*named));
	size_t nr = 0;

	*calls = (struct trace_calls){
		.calls = calloc(trace->nr_events + (size_t)1, sizeof(*calls->calls))};
	if (!named || !calls->calls) {
		free(named);
		trace_calls_deinit(calls);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < trace->nr_events; i++)
		if (rules[i].action == ACT_SYSCALL_ENTRY || rules[i].action == ACT_SYSCALL_EXIT) {
			named[nr].name =
				trace_rule_name(&rules[i], &trace->events[i], &named[nr].nr_name);
			named[nr++].rule = &rules[i];
		}
	if (nr)
		qsort(named, nr, sizeof(*named), compare);
	number_names(calls, named, nr);
	free(named);
	return 0;
}

bool trace_call_is_used(const struct trace_call *call)
{
	return call->nr || call->nr_errors || call->nr_unsure || call->ns.nr;
}

void trace_calls_clear(struct trace_calls *calls)
{
	for (size_t i = 0; i < calls->nr; i++) {
		struct trace_call *call = &calls->calls[i];

		trace_distribution_deinit(&call->ns);
		call->nr = call->nr_errors = call->nr_unsure = 0;
	}
}

void trace_calls_deinit(struct trace_calls *calls)
{
	trace_calls_clear(calls);
	free(calls->calls);
	*calls = (struct trace_calls){0};
}
