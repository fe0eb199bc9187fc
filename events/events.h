/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event tables (text files, a folder per CPU type: doc/events.md), their
 * parser, and the parser of the values of -e and --event.
 */
#ifndef EVENTS_EVENTS_H
#define EVENTS_EVENTS_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_NAME_BYTES 64

/* Samples per second and CPU: defaults and maximum. */
#define EVENT_HZ_LEFT_ON 99  /* default for profiling the whole machine all the time */
#define EVENT_HZ_RUN	 997 /* default for profiling one run of a program: operf, oprof run */
#define EVENT_HZ_MAX	 100000

struct event_unit_mask_value {
	uint32_t value;
	char *name; /* NULL: the value has only a number */
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
 * perf_type of events without a counter (off-cpu): the daemon derives them from the records of
 * task switches.
 */
#define EVENT_TYPE_SWITCHES UINT32_C(0x53570000)

struct event {
	char name[EVENT_NAME_BYTES];
	char *description;
	uint64_t code;	    /* field "event:" of the table; attr.config for perf's own types */
	uint32_t perf_type; /* PERF_TYPE_* or EVENT_TYPE_SWITCHES, given by the table */
	uint64_t counters;  /* one bit for each counter that can count the event; 0: any */
	uint64_t min_period;
	const struct event_unit_mask *unit_mask;
};

struct event_table; /* all events of one cpu type, also from the tables that its files include */

/*
 * Loads the tables for cpu_type, such as "perf/software", from dir; cpu_type
 * NULL loads all perf/ tables (software, hardware, cache, switches). If dir is
 * NULL, the folder is OPROF_EVENTS_DIR of the environment, otherwise events/ in
 * the program's folder, otherwise the installed one. Returns 0, -EINVAL (diag
 * has file and line), -ENOENT, -ENOMEM, or -errno of a failed read.
 */
int event_table_load(struct event_table **table, const char *dir, const char *cpu_type,
		     struct diag *diag);
void event_table_destroy(struct event_table *table);
size_t event_table_nr(const struct event_table *table);
const struct event *event_table_get(const struct event_table *table, size_t index);
/* Returns the event with this name, or NULL. */
const struct event *event_table_find(const struct event_table *table, const char *name);

/* The user's choice of one event. Plain data, may be copied. */
struct event_choice {
	char name[EVENT_NAME_BYTES];
	char description[256];
	uint32_t perf_type;
	uint64_t config;
	uint32_t unit_mask;
	bool frequency;	       /* period_or_hz is in Hz (-F) */
	uint64_t period_or_hz; /* events between samples (COUNT), or samples per second */
	bool kernel, user;     /* whether to sample in kernel mode, and in user mode */
};

/*
 * Parses "NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]]" or "default". If COUNT is
 * missing or empty, as in "cpu-clock::0:1:1", the event is sampled at hz (-F);
 * -EINVAL if hz is 0. The COUNT of cpu-clock and task-clock is in ns. off-cpu
 * takes only its name (or the text of event_choice_format()): it records every
 * nanosecond, so its period is 1. The parser checks the minimum count, the unit
 * mask, and that KERNEL and USER are 0 or 1. Instead of KERNEL and USER, the
 * last part may be a mode in perf's notation: "NAME[:COUNT[:UNITMASK]]:MODE"
 * with the letters u (samples of programs), k (samples of the kernel) or both.
 *
 * "default" stands for cycles if has_cycles is set (the caller has probed
 * whether the machine can count cycles), otherwise for cpu-clock. The event is
 * sampled at hz, or at EVENT_HZ_LEFT_ON if hz is 0.
 *
 * Returns 0, -EINVAL, or -ENOENT (unknown name; diag suggests similar names).
 */
int event_choice_parse(const struct event_table *table, const char *text, uint64_t hz,
		       bool has_cycles, struct event_choice *choice, struct diag *diag);

/*
 * Writes choice as a text that event_choice_parse() accepts: "NAME:COUNT:UM:K:U". COUNT is empty if
 * the event has a frequency (-F).
 */
void event_choice_format(const struct event_choice *choice, char *text, size_t nr_bytes);

/*
 * Returns true if a counter samples the event. off-cpu is not sampled: the daemon derives it
 * from other records.
 */
bool event_choice_is_sampled(const struct event_choice *choice);

/*
 * Returns the number of events that each sample stands for, or 0 if each sample
 * contains its own number.
 */
uint64_t event_choice_period(const struct event_choice *choice);

/* Finds the CPU's name and speed for report headers, in /proc/cpuinfo. *khz is 0 if unknown. */
void event_cpu_name(char *name, size_t nr_bytes, uint32_t *khz);

#endif
