/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a packet's header according to the metadata: the offsets of the fields of struct
 * oprof_packet_header. Headers of later versions may have additional fields, between the known
 * ones or after them.
 */
#ifndef CTF_LAYOUT_H
#define CTF_LAYOUT_H

#include "oprof/packet.h"

#include <stdbool.h>
#include <stddef.h>

#define CTF_LAYOUT_BYTES_MAX 4096u

enum ctf_layout_part { CTF_LAYOUT_HEADER, CTF_LAYOUT_CONTEXT };

/* The name of a header field in CTF, and the field's offset in struct oprof_packet_header. */
struct ctf_layout_field {
	enum ctf_layout_part part;
	const char *name;
	unsigned int nr_bytes;
	unsigned int offset;
	bool is_time;
};

#define CTF_LAYOUT_NR_FIELDS 16
extern const struct ctf_layout_field ctf_layout_fields[CTF_LAYOUT_NR_FIELDS];

struct ctf_layout {
	unsigned int at[CTF_LAYOUT_NR_FIELDS]; /* offset of each field in the packet */
	unsigned int nr_bytes;		       /* size of the whole packet header */
};

/* Copies the known fields from the packet's first layout->nr_bytes bytes to header. */
void ctf_layout_decode(const struct ctf_layout *layout, const void *packet,
		       struct oprof_packet_header *header);

#endif
