/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the texts of conditions (trace_trigger.h) into rules, and determines the role of each
 * event in each rule.
 */
#ifndef DAEMON_TRACE_TRIGGER_PARSE_H
#define DAEMON_TRACE_TRIGGER_PARSE_H

#include "events/tracepoint.h"
#include "lib/diag.h"

#include <errno.h>

enum trigger_role {
	TRIGGER_HIT,	/* makes the condition true */
	TRIGGER_CANCEL, /* discards a span that has begun */
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

/* The role of an event in a rule. */
struct trigger_use {
	uint32_t rule;
	enum trigger_role role;
	/* Field of the event, like all below, that identifies a span; NULL: the thread does. */
	const struct tracepoint_field *key;
	bool by_cpu; /* the key is unique only together with the CPU */
	/* Must be equal at begin and end of a span; NULL: nothing to compare. */
	const struct tracepoint_field *of;
	/* A record counts only if this field matches; NULL: always. */
	const struct tracepoint_field *field;
	enum trigger_compare compare;
	uint64_t value;
	char *text;   /* compared instead of value; NULL: field is a number */
	bool is_rest; /* text is compared with the rest of the record, from field on */
};

struct trigger_event {
	struct tracepoint *tracepoint;
	struct trigger_use *uses;
	unsigned int nr_uses;
	size_t room_uses;
};

struct trigger_rule {
	const char *text;
	uint64_t longer_ns; /* a span makes the condition true if it is longer than this */
};

struct trigger_rules {
	struct trigger_rule *rules; /* one for each text */
	uint32_t nr_rules;
	struct trigger_event *events;
	uint32_t nr_events;
	size_t room_events;
	const char *signal; /* text of the condition "signal"; NULL: none */
};

/*
 * Parameters and results are those of trace_trigger_create. The caller must deinitialise rules,
 * also after an error.
 */
int trigger_rules_parse(struct trigger_rules *rules, const char *const *texts, size_t nr_texts,
			const char *folder, struct diag *diag);
void trigger_rules_deinit(struct trigger_rules *rules);

#endif
