/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a tracepoint's raw record to the payload of an event in a trace. The layout consists of
 * the event's name and fields for CTF, and the bytes to copy. Fields are packed in the tracepoint's
 * order, without the kernel's common fields and holes. The layout is made when an event is chosen,
 * so that writing a record needs no look-up.
 *
 * Event names are LTTng's, because readers of kernel traces know these: NAME if it begins with
 * "SYSTEM_", otherwise SYSTEM_NAME. Fields of the scheduler's events that identify a thread are
 * called "tid" instead of the kernel's "pid".
 */
#ifndef DAEMON_TRACE_LAYOUT_H
#define DAEMON_TRACE_LAYOUT_H

#include "ctf/ctf.h"
#include "events/tracepoint.h"

/* One step of copying: consecutive bytes of the raw record, or a value elsewhere in the record. */
struct trace_copy {
	/* The field whose value is elsewhere in the record; NULL: consecutive bytes. */
	const struct tracepoint_field *elsewhere;
	uint32_t offset, nr_bytes; /* the consecutive bytes in the raw record */
};

struct trace_layout {
	struct ctf_event event; /* its pointers refer to memory of this layout */
	struct tracepoint *tracepoint;
	struct ctf_field *fields;
	struct trace_copy *copies;
	unsigned int nr_copies;
};

/* A value elsewhere in the record is cut to this length. */
#define TRACE_ELSEWHERE_BYTES_MAX 4096u

/*
 * Takes ownership of tracepoint, also after an error. Returns 0; -EINVAL with diag: CTF does not
 * allow one of the names; or -ENOMEM.
 */
int trace_layout_init(struct trace_layout *layout, struct tracepoint *tracepoint, uint32_t id,
		      uint32_t stream_id, struct diag *diag);
void trace_layout_deinit(struct trace_layout *layout);

/*
 * Returns the size of the payload for record; -EBADMSG: record is shorter than its tracepoint
 * requires.
 */
int64_t trace_layout_bytes(const struct trace_layout *layout, const uint8_t *record,
			   size_t nr_record_bytes);
/* Writes the payload of a record. trace_layout_bytes has returned its size. */
void trace_layout_write(const struct trace_layout *layout, const uint8_t *record,
			size_t nr_record_bytes, uint8_t *payload);

/* Returns whether traces may use the name `name` for the field that the kernel calls `kernels`. */
bool trace_layout_is_named(const char *name, const char *kernels);

#endif
