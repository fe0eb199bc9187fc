/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of conditions (trace_trigger.h) as rules: which events mean what to which. */
#ifndef DAEMON_TRACE_TRIGGER_PARSE_H
#define DAEMON_TRACE_TRIGGER_PARSE_H

#include "events/tracepoint.h"
#include "lib/diag.h"

#include <errno.h>

enum trigger_role {
	TRIGGER_HIT,	/* the condition is true */
	TRIGGER_CANCEL, /* what has begun does not count */
	TRIGGER_END,
	TRIGGER_BEGIN,
};

enum trigger_compare {
	TRIGGER_EQUAL,
	TRIGGER_OTHER,
	TRIGGER_LESS,
	TRIGGER_LESS_EQUAL,
	TRIGGER_GREATER,
	TRIGGER_GREATER_EQUAL,
	TRIGGER_BITS,
};

/* What an event means to a rule. */
struct trigger_use {
	uint32_t rule;
	enum trigger_role role;
	const struct tracepoint_field *key; /* of its event, as all; NULL: the thread */
	bool by_cpu;			    /* key is of the CPU alone */
	const struct tracepoint_field *of; /* of both ends the same, or it is no span; NULL: none */
	/* Only where it is so; field NULL: always. */
	const struct tracepoint_field *field;
	enum trigger_compare compare;
	uint64_t value;
	char *text;   /* in the place of value; NULL: field is a number */
	bool is_rest; /* of text: it goes to the record's end */
};

struct trigger_event {
	struct tracepoint *tracepoint;
	struct trigger_use *uses;
	unsigned int nr_uses;
	size_t room_uses;
};

struct trigger_rule {
	const char *text;
	uint64_t longer_ns; /* of spans */
};

struct trigger_rules {
	struct trigger_rule *rules; /* one for each text */
	uint32_t nr_rules;
	struct trigger_event *events;
	uint32_t nr_events;
	size_t room_events;
	const char *signal; /* a text; NULL: none */
};

/* As trace_trigger_create. rules is to be deinitialised after an error, too. */
int trigger_rules_parse(struct trigger_rules *rules, const char *const *texts, size_t nr_texts,
			const char *folder, struct diag *diag);
void trigger_rules_deinit(struct trigger_rules *rules);

#endif
