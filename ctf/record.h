/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ctf/: takes records out of a packet in a window. */
#ifndef CTF_RECORD_H
#define CTF_RECORD_H

#include "ctf/stream.h"
#include "ctf/window.h"

/* The events of one kind of stream, to be found by id. */
struct ctf_event_index {
	const struct ctf_event *events; /* in order of id */
	unsigned int nr_events;
	const struct ctf_event *compact[OPROF_EVENT_COMPACT_MAX + 1];
};

void ctf_event_index_init(struct ctf_event_index *index, const struct ctf_trace *trace,
			  uint32_t stream_id);

/* Where a packet is read. Offsets are the file's. */
struct ctf_cursor {
	struct ctf_window *window;
	const struct ctf_event_index *index;
	uint64_t packet_start;
	uint64_t next, end; /* behind the last record; of the content */
	uint64_t time;	    /* of the last record, or the packet's begin */
	uint64_t time_end;  /* of the packet */
	uint32_t id;	    /* of the record just begun */
	const char *fault;  /* why ctf_record_take said -EBADMSG */
};

/*
 * The next record's event and values: 1; a padding record: 2; 0: the packet
 * holds no more. -EBADMSG: a fault at cursor->next; -ENOMEM, -EIO.
 */
int ctf_record_take(struct ctf_cursor *cursor, const struct ctf_event **event,
		    struct ctf_value values[CTF_NR_FIELDS_MAX]);

#endif
