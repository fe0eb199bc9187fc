/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content of a trace folder's metadata (doc/trace-folder.md): the clock, the environment, and
 * the fields of each event's records. The writer of a trace fills these structs; the reader gets
 * them from the metadata. include/oprof/packet.h defines the layout of packets and record headers.
 */
#ifndef CTF_CTF_H
#define CTF_CTF_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTF_UUID_BYTES	   16
#define CTF_UUID_TEXT	   37 /* including the NUL */
#define CTF_NAME_BYTES_MAX 255

/* Limits that protect against hostile folders. Real traces stay far below them. */
#define CTF_NR_FIELDS_MAX  256u
#define CTF_NR_EVENTS_MAX  100000u
#define CTF_NR_STREAMS_MAX 1024u
#define CTF_NR_LABELS_MAX  4096u
#define CTF_NR_ENVS_MAX	   1024u

enum ctf_field_kind {
	CTF_FIELD_INTEGER,
	CTF_FIELD_TEXT,	    /* a text of nr bytes; its part up to the first NUL is shown */
	CTF_FIELD_STRING,   /* a string that ends with a NUL */
	CTF_FIELD_ARRAY,    /* nr integers */
	CTF_FIELD_SEQUENCE, /* a count of length_bits bits, then this number of integers */
	CTF_NR_FIELD_KINDS,
};

/* A label: the name of one value of an integer. */
struct ctf_label {
	const char *name;
	int64_t value;
};

/* Fields are little-endian and packed. Their names are C identifiers. */
struct ctf_field {
	const char *name;
	enum ctf_field_kind kind;
	/* The next three members describe the integer, or each integer of an array or sequence. */
	unsigned int bits; /* 8, 16, 32 or 64 */
	unsigned int base; /* base in which the integer is shown: 10 or 16 */
	bool is_signed;

	unsigned int length_bits; /* size of a sequence's count: 8, 16 or 32 */
	uint32_t nr;		  /* bytes of a text, or integers of an array; at least 1 */

	/*
	 * Only for a single integer: labels of its values, sorted by value, at most one for each
	 * value.
	 */
	const struct ctf_label *labels;
	unsigned int nr_labels;
};

struct ctf_event {
	uint32_t id;	    /* not one of the ids that packet.h reserves (padding, escape) */
	uint32_t stream_id; /* one of ctf_trace.streams */
	const char *name;   /* any text of at most CTF_NAME_BYTES_MAX bytes */
	/*
	 * Alignment of the payload in the packet: 1, 2, 4 or 8. For an event without fields it is
	 * 1.
	 */
	unsigned int alignment;
	unsigned int nr_fields;
	const struct ctf_field *fields;
};

/*
 * A property of the whole trace: its value is a text of at most 4096 bytes or, if text is NULL, a
 * number. Its name is a C identifier and not a reserved word of TSDL.
 */
struct ctf_env {
	const char *name;
	const char *text;
	int64_t number;
};

/* A time stamp in seconds since 1970 is offset_s + (offset + stamp) / freq_hz. */
struct ctf_clock {
	const char *name;	 /* a C identifier and not a reserved word of TSDL */
	const char *description; /* any text of at most CTF_NAME_BYTES_MAX bytes */
	bool has_uuid;
	uint8_t uuid[CTF_UUID_BYTES]; /* equal in traces whose time stamps can be compared */
	uint64_t freq_hz;
	int64_t offset_s;
	uint64_t offset; /* in ticks */
};

struct ctf_trace {
	uint8_t uuid[CTF_UUID_BYTES];
	struct ctf_clock clock;
	unsigned int nr_envs, nr_streams, nr_events;
	const struct ctf_env *envs;
	const uint32_t *streams; /* ids of kinds of streams, not of files */
	const struct ctf_event *events;
};

/*
 * Checks that the trace satisfies all rules in the comments above, and that no name or id occurs
 * twice. Returns 0, -EINVAL or -ENOMEM.
 */
int ctf_trace_check(const struct ctf_trace *trace, struct diag *diag);

/* Returns whether name is a C identifier of at most CTF_NAME_BYTES_MAX bytes. */
bool ctf_is_identifier(const char *name);
/* Returns whether name is a reserved word of TSDL, the language of the metadata. */
bool ctf_is_keyword(const char *name);

/* Writes uuid as 8-4-4-4-12 hexadecimal digits to text. */
void ctf_uuid_show(const uint8_t uuid[CTF_UUID_BYTES], char text[CTF_UUID_TEXT]);

#endif
