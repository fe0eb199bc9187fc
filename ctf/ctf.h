/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace folder's metadata tells (doc/trace-folder.md): clock,
 * environment, and what the records of each event hold. Described by who
 * writes a trace, found by who reads one. The layout of packets and of record
 * headers is include/oprof/packet.h's and not described here.
 */
#ifndef CTF_CTF_H
#define CTF_CTF_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTF_UUID_BYTES	   16
#define CTF_UUID_TEXT	   37 /* with NUL */
#define CTF_NAME_BYTES_MAX 255

/* More than anybody needs; a bound for hostile folders. */
#define CTF_NR_FIELDS_MAX  256u
#define CTF_NR_EVENTS_MAX  100000u
#define CTF_NR_STREAMS_MAX 1024u
#define CTF_NR_LABELS_MAX  4096u
#define CTF_NR_ENVS_MAX	   1024u

enum ctf_field_kind {
	CTF_FIELD_INTEGER,
	CTF_FIELD_TEXT,	    /* nr bytes; shown up to their first NUL */
	CTF_FIELD_STRING,   /* bytes up to a NUL */
	CTF_FIELD_ARRAY,    /* nr integers */
	CTF_FIELD_SEQUENCE, /* a number of length_bits, then that many integers */
	CTF_NR_FIELD_KINDS,
};

/* A name for one value of an integer. */
struct ctf_label {
	const char *name;
	int64_t value;
};

/* All little-endian and packed. Names are C identifiers. */
struct ctf_field {
	const char *name;
	enum ctf_field_kind kind;
	/* Of the integer, or of each in an array or sequence. */
	unsigned int bits; /* 8, 16, 32 or 64 */
	unsigned int base; /* to show it in: 10 or 16 */
	bool is_signed;

	unsigned int length_bits; /* of a sequence: 8, 16 or 32 */
	uint32_t nr;		  /* of a text or an array; from 1 */

	/* Of a single integer: in order of value, each once; may be none. */
	const struct ctf_label *labels;
	unsigned int nr_labels;
};

struct ctf_event {
	uint32_t id;	    /* not those of packet.h's padding and escape */
	uint32_t stream_id; /* one of the trace's */
	const char *name;   /* any text */
	/* Of the payload's first byte, in the packet: 1, 2, 4 or 8. Without fields: 1. */
	unsigned int alignment;
	unsigned int nr_fields;
	const struct ctf_field *fields;
};

/* Said of the whole trace: a text, or where that is NULL a number. */
struct ctf_env {
	const char *name;
	const char *text;
	int64_t number;
};

/* Seconds since 1970 of a stamp: offset_s + (offset + stamp) / freq_hz. */
struct ctf_clock {
	const char *name;	 /* a C identifier */
	const char *description; /* any text */
	bool has_uuid;		 /* the same in traces whose stamps may be compared */
	uint8_t uuid[CTF_UUID_BYTES];
	uint64_t freq_hz;
	int64_t offset_s;
	uint64_t offset; /* ticks */
};

struct ctf_trace {
	uint8_t uuid[CTF_UUID_BYTES];
	struct ctf_clock clock;
	unsigned int nr_envs, nr_streams, nr_events;
	const struct ctf_env *envs;
	const uint32_t *streams; /* ids: kinds of streams, not files */
	const struct ctf_event *events;
};

/* Whether it is as said above, no name or id twice. 0 or -EINVAL. */
int ctf_trace_check(const struct ctf_trace *trace, struct diag *diag);

/* C's identifiers, of at most CTF_NAME_BYTES_MAX bytes. */
bool ctf_is_identifier(const char *name);
/* Those that TSDL, the metadata's language, keeps for itself. */
bool ctf_is_keyword(const char *name);

/* Into text, as 8-4-4-4-12 hexadecimal digits. */
void ctf_uuid_show(const uint8_t uuid[CTF_UUID_BYTES], char text[CTF_UUID_TEXT]);

#endif
