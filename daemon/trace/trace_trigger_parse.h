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
	/*
	 * This pointer and the pointers below refer to fields of the event. The field `key`
	 * identifies a span; NULL: the thread identifies the span.
	 */
	const struct tracepoint_field *key;
	bool by_cpu; /* the key is unique only together with the CPU */
	/*
	 * A span ends only if this field is equal in its first and last record; NULL: no field is
	 * compared.
	 */
	const struct tracepoint_field *of;
	/* A record counts only if this field matches the comparison; NULL: every record counts. */
	const struct tracepoint_field *field;
	enum trigger_compare compare;
	uint64_t value;
	char *text;   /* the field is compared with this text; NULL: with value */
	bool is_rest; /* the string is the rest of the record, beginning at field */
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
	struct trigger_rule *rules; /* one for each condition's text */
	uint32_t nr_rules;
	struct trigger_event *events;
	uint32_t nr_events;
	size_t room_events;
	const char *signal; /* text of the condition "signal"; NULL: there is no such condition */
};

/*
 * Parameters and results are those of trace_trigger_create. The caller must deinitialise rules,
 * also after an error.
 */
int trigger_rules_parse(struct trigger_rules *rules, const char *const *texts, size_t nr_texts,
			const char *folder, struct diag *diag);
void trigger_rules_deinit(struct trigger_rules *rules);

#endif
