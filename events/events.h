/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event tables (text, a folder per CPU: doc/events.md) and the one parser of
 * them and of what users write after -e and --event.
 */
#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_NAME_BYTES 64

/* Samples a second and CPU where nothing else is asked for. */
#define EVENT_HZ_LEFT_ON 99  /* always on, the whole machine */
#define EVENT_HZ_RUN	 997 /* one program, one run: operf, oprof run */
#define EVENT_HZ_MAX	 100000

struct event_unit_mask_value {
	uint32_t value;
	char *name; /* NULL: only a number */
	char *text;
};

enum event_unit_mask_type { UNIT_MASK_MANDATORY, UNIT_MASK_BITMASK, UNIT_MASK_EXCLUSIVE };

struct event_unit_mask {
	char *name;
	enum event_unit_mask_type type;
	uint32_t default_value;
	struct event_unit_mask_value *values;
	size_t nr_values;
};

/*
 * perf_type of events that no counter counts: made by the daemon of the records
 * that a CPU went from one task to another (off-cpu).
 */
#define EVENT_TYPE_SWITCHES UINT32_C(0x53570000)

struct event {
	char name[EVENT_NAME_BYTES];
	char *description;
	uint64_t code;	    /* event: field; attr.config for perf's own types */
	uint32_t perf_type; /* PERF_TYPE_* or EVENT_TYPE_SWITCHES: of the table it stands in */
	uint64_t counters;  /* bit per counter that can count it; 0: any */
	uint64_t min_period;
	const struct event_unit_mask *unit_mask;
};

struct event_table; /* all events of one cpu type, with what it includes */

/*
 * Load the tables for cpu_type, e.g. "perf/software", from dir; NULL loads
 * every perf/ table (software, hardware, cache). dir NULL: OPROF_EVENTS_DIR
 * of the environment, else events/ beside the program, else the installed folder.
 * 0, -EINVAL with file and line in diag, -ENOENT, -ENOMEM.
 */
int event_table_load(struct event_table **table, const char *dir, const char *cpu_type,
		     struct diag *diag);
void event_table_destroy(struct event_table *table);
size_t event_table_nr(const struct event_table *table);
const struct event *event_table_get(const struct event_table *table, size_t index);
/* NULL when there is none of that name. */
const struct event *event_table_find(const struct event_table *table, const char *name);

/* What was asked of one event. Plain data: may be copied. */
struct event_choice {
	char name[EVENT_NAME_BYTES];
	char description[256];
	uint32_t perf_type;
	uint64_t config;
	uint32_t unit_mask;
	bool frequency;	       /* period_or_hz is in Hz (-F) */
	uint64_t period_or_hz; /* events between samples (COUNT), or samples a second */
	bool kernel, user;     /* sample in these modes */
};

/*
 * "NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]]" or "default"; hz != 0 (-F) where no
 * COUNT is given (COUNT may be left empty: "cpu-clock::0:1:1"). cpu-clock's and
 * task-clock's COUNT is in ns. off-cpu takes nothing but its name (and what
 * event_choice_format makes of it): each nanosecond is told, so its period is
 * 1. Checks minimum, unit mask, 0/1 flags.
 * "default": cycles where the machine can count them (probed by the caller:
 * has_cycles), else cpu-clock, at EVENT_HZ_LEFT_ON unless hz says otherwise. 0 or -EINVAL / -ENOENT
 * (unknown name; diag gives near names).
 */
int event_choice_parse(const struct event_table *table, const char *text, uint64_t hz,
		       bool has_cycles, struct event_choice *choice, struct diag *diag);

/* Back to the text that parses to it: "NAME:COUNT:UM:K:U" ("" COUNT under -F). */
void event_choice_format(const struct event_choice *choice, char *text, size_t nr_bytes);

/* Has the event a counter of its own? Off-cpu has none: the daemon derives it from other records.
 */
bool event_choice_is_sampled(const struct event_choice *choice);

/* The events that each sample stands for, or 0 if each sample carries its own number. */
uint64_t event_choice_period(const struct event_choice *choice);

/* cpu type and speed for report headers, from /proc/cpuinfo; speed 0: not known. */
void event_cpu_name(char *name, size_t nr_bytes, uint32_t *khz);

#endif
