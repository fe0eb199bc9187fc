// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/layout.h"

#include <string.h>

#define FIELD(part, name, member, is_time)                                                         \
	{                                                                                          \
		CTF_LAYOUT_##part, name, sizeof(((struct oprof_packet_header *)0)->member),        \
			offsetof(struct oprof_packet_header, member), is_time                      \
	}

const struct ctf_layout_field ctf_layout_fields[CTF_LAYOUT_NR_FIELDS] = {
	FIELD(HEADER, "magic", magic, false),
	FIELD(HEADER, "uuid", uuid, false),
	FIELD(HEADER, "stream_id", stream_id, false),
	FIELD(CONTEXT, "timestamp_begin", time_begin, true),
	FIELD(CONTEXT, "timestamp_end", time_end, true),
	FIELD(CONTEXT, "content_size", content_bits, false),
	FIELD(CONTEXT, "packet_size", packet_bits, false),
	FIELD(CONTEXT, "packet_seq_num", seq, false),
	FIELD(CONTEXT, "events_discarded", lost, false),
	FIELD(CONTEXT, "cpu_id", cpu_id, false),
	FIELD(CONTEXT, "nr_records", nr_records, false),
	FIELD(CONTEXT, "lost_full", lost_by[OPROF_LOST_FULL], false),
	FIELD(CONTEXT, "lost_nested", lost_by[OPROF_LOST_NESTED], false),
	FIELD(CONTEXT, "lost_too_big", lost_by[OPROF_LOST_TOO_BIG], false),
	FIELD(CONTEXT, "lost_stopped", lost_by[OPROF_LOST_STOPPED], false),
	FIELD(CONTEXT, "lost_killed", lost_by[OPROF_LOST_KILLED], false),
};

void ctf_layout_decode(const struct ctf_layout *layout, const void *packet,
		       struct oprof_packet_header *header)
{
	for (unsigned int i = 0; i < CTF_LAYOUT_NR_FIELDS; i++)
		memcpy((char *)header + ctf_layout_fields[i].offset,
		       (const char *)packet + layout->at[i], ctf_layout_fields[i].nr_bytes);
}
