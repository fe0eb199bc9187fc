/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on the events of a trace. When one becomes true, a snapshot is taken. A condition is
 *
 *	BEGIN..END>TIME		two events in one thread are more than TIME apart
 *	BEGIN[FIELD]..END[FIELD]>TIME	two events with equal FIELDs are more than TIME apart
 *	wakeup>TIME		a thread waited longer to run after it was woken
 *	syscall>TIME, syscall:NAME>TIME	any system call, or this one, took longer
 *	irq>TIME, softirq>TIME	the handler of an interrupt, or of a soft interrupt, took longer
 *	EVENT			the event occurs
 *	EVENT/FIELD OP VALUE/	the event occurs and FIELD matches. OP for numbers: == != < <= > >=
 *				and & (common bits); for text: == !=
 *	signal			the tracer receives SIGUSR1
 *
 * TIME is a whole number followed by ns, us, ms or s; EVENT, BEGIN and END are SYSTEM:NAME, or
 * NAME. Records are noted as they are read, CPU by CPU. Later they are checked in the order of
 * their times.
 */
#ifndef DAEMON_TRACE_TRIGGER_H
#define DAEMON_TRACE_TRIGGER_H

#include "ctf/ctf.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_TRIGGER_NONE   UINT32_MAX
#define TRACE_TRIGGER_NO_TID INT32_MIN

struct trace_trigger;

/*
 * Parses the conditions for the kernel whose tracefs is at folder. The strings in texts are
 * borrowed. Returns 0; -EINVAL or -ENOENT: a condition is invalid, or its event, field or system
 * call does not exist; or -ENOMEM. Fills diag on errors.
 */
int trace_trigger_create(struct trace_trigger **trigger, const char *const *texts, size_t nr_texts,
			 const char *folder, struct diag *diag);
void trace_trigger_destroy(struct trace_trigger *trigger); /* NULL: does nothing */

/*
 * Returns the event with number i, from 0, among the events that the conditions need. Returns false
 * if i is too large.
 */
bool trace_trigger_event(const struct trace_trigger *trigger, uint32_t i, const char **system,
			 const char **name);
/*
 * Returns the number of an event for struct trace_trigger_record; TRACE_TRIGGER_NONE: no condition
 * needs the event.
 */
uint32_t trace_trigger_find(const struct trace_trigger *trigger, const char *system,
			    const char *name);

/*
 * From now on, records of the event have the layout of `fields` instead of tracefs' layout. The
 * fields are packed; only the last field may be a string. The fields are found by the kernel's
 * names; "pid" may also be called "tid". Returns 0, or -EOPNOTSUPP and diag if a field that a
 * condition needs is missing. If is_trial is set, only checks for missing fields, and the layout
 * does not change.
 */
int trace_trigger_lay_out(struct trace_trigger *trigger, uint32_t event,
			  const struct ctf_field *fields, unsigned int nr_fields, bool is_trial,
			  struct diag *diag);

/*
 * A record of an event. event is its number, from trace_trigger_find. Records may be noted in any
 * order. tid is the thread in which the event occurred, or TRACE_TRIGGER_NO_TID.
 */
struct trace_trigger_record {
	uint32_t event;
	unsigned int cpu;
	int32_t tid;
	uint64_t time;
	/* the record, in tracefs' layout or the layout given to trace_trigger_lay_out */
	const uint8_t *bytes;
	size_t nr_bytes;
};
void trace_trigger_note(struct trace_trigger *trigger, const struct trace_trigger_record *record);

/*
 * To be called when all records up to the time `until` have been noted. Returns the text of the
 * first condition that became true since the last call, or NULL.
 */
const char *trace_trigger_decide(struct trace_trigger *trigger, uint64_t until);

/* Returns the text of the condition "signal"; NULL: the conditions do not include it. */
const char *trace_trigger_signal(const struct trace_trigger *trigger);

/* Returns the number of records that were not noted because memory was short. */
uint64_t trace_trigger_lost(const struct trace_trigger *trigger);

#endif
