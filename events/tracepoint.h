/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint of a kernel as tracefs describes it (events/SYSTEM/NAME/format),
 * and the values in its raw records, as perf_event_open hands them over.
 *
 * A record begins with the common fields (type, flags, preemption, pid), which
 * are left out here: every source has them elsewhere. Offsets count from the
 * record's first byte. The byte order is the machine's.
 */
#ifndef EVENTS_TRACEPOINT_H
#define EVENTS_TRACEPOINT_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACEPOINT_NR_FIELDS_MAX    128u
#define TRACEPOINT_FORMAT_BYTES_MAX ((size_t)1 << 20)

enum tracepoint_kind {
	TRACEPOINT_INTEGER,  /* of element_bytes */
	TRACEPOINT_TEXT,     /* nr_elements bytes, shown up to their first NUL */
	TRACEPOINT_ARRAY,    /* nr_elements integers of element_bytes */
	TRACEPOINT_STRING,   /* elsewhere in the record: bytes up to a NUL, mostly */
	TRACEPOINT_SEQUENCE, /* elsewhere in the record: integers of element_bytes */
};

struct tracepoint_field {
	char *type; /* as C has it, without brackets */
	char *name;
	enum tracepoint_kind kind;
	uint32_t offset;	/* of the value, or of the word that says where the value is */
	uint32_t element_bytes; /* 1, 2, 4 or 8 */
	uint32_t nr_elements;	/* of a text or an array; else 0 */
	bool is_signed;
	bool is_pointer;  /* an address: to be shown in base 16 */
	bool is_relative; /* the word counts from behind itself */
};

struct tracepoint {
	char *system, *name;
	uint32_t id; /* attr.config of perf's type tracepoint; common_type of a record */
	struct tracepoint_field *fields; /* in the order of the text */
	unsigned int nr_fields;
	/* Without a size, as ftrace's own ones have them: nothing says where they end. */
	unsigned int nr_fields_left_out;
};

/*
 * Parse the text of a format file, which is not kept; file is for diag only.
 * 0; -EINVAL: not such a text, or fields that no record can have; -ENOMEM.
 */
int tracepoint_parse(struct tracepoint **tracepoint, const char *system, const char *file,
		     const char *text, struct diag *diag);

/* Of the kernel whose tracefs is at folder. -ENOENT: it has none such; -errno; as above. */
int tracepoint_read(struct tracepoint **tracepoint, const char *folder, const char *system,
		    const char *name, struct diag *diag);

void tracepoint_destroy(struct tracepoint *tracepoint); /* NULL: nothing */

/* The field of that name; NULL: there is none. */
const struct tracepoint_field *tracepoint_find(const struct tracepoint *tracepoint,
					       const char *name);

/*
 * Where a field's value lies in a record: *nr_bytes at *bytes, not aligned.
 * False: not in the record, which is damaged. A string's bytes end before its
 * NUL; a sequence's are whole elements.
 */
bool tracepoint_value(const struct tracepoint_field *field, const uint8_t *record,
		      size_t nr_record_bytes, const uint8_t **bytes, size_t *nr_bytes);

/* An element at bytes, as field has them; a signed one extended to 64 bits. */
uint64_t tracepoint_number(const struct tracepoint_field *field, const uint8_t *bytes);

/*
 * Calls found, in the order of system and name, for each tracepoint that fits
 * pattern: "SYSTEM:NAME", or "NAME" of any system, with * and ? as the shell
 * has them. Those that only ftrace itself may use are not among them. found
 * returns 0 to go on; anything else ends it and is returned. -ENOENT: none
 * fits; -errno: the folder cannot be read.
 */
int tracepoint_list(const char *folder, const char *pattern,
		    int (*found)(const char *system, const char *name, void *context),
		    void *context, struct diag *diag);

#endif
