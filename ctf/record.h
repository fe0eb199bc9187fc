/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes the records of a packet, read through a window (window.h). Only ctf/ uses this header. */
#ifndef CTF_RECORD_H
#define CTF_RECORD_H

#include "ctf/stream.h"
#include "ctf/window.h"

/* The events of one kind of stream, for look-up by id. */
struct ctf_event_index {
	const struct ctf_event *events; /* sorted by id */
	unsigned int nr_events;
	const struct ctf_event *compact[OPROF_EVENT_COMPACT_MAX + 1];
};

void ctf_event_index_init(struct ctf_event_index *index, const struct ctf_trace *trace,
			  uint32_t stream_id);

/* The state of reading a packet. Offsets are relative to the start of the file. */
struct ctf_cursor {
	struct ctf_window *window;
	const struct ctf_event_index *index;
	uint64_t packet_start;
	uint64_t next, end; /* end of the last record that was read; end of the content */
	uint64_t time;	    /* time of the last record; at first the packet's time_begin */
	uint64_t time_end;  /* end time of the packet */
	uint32_t id;	    /* event id of the current record */
	const char *fault;  /* the fault, after ctf_record_take returned -EBADMSG */
};

/*
 * Decodes the next record. Returns 1 with its event and values; 2 for a padding record; 0 at the
 * end of the packet's content; -EBADMSG: the record at cursor->next is damaged; -ENOMEM, -EIO.
 */
int ctf_record_take(struct ctf_cursor *cursor, const struct ctf_event **event,
		    struct ctf_value values[CTF_NR_FIELDS_MAX]);

#endif
