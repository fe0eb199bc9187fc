/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint of the kernel as tracefs describes it
 * (events/SYSTEM/NAME/format), and the values in its raw records, as
 * perf_event_open() delivers them.
 *
 * A record begins with the common fields (type, flags, preemption, pid). struct
 * tracepoint does not have these fields, because each source provides their
 * values in its own way. Offsets count from the record's first byte. The byte
 * order is the machine's.
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
	TRACEPOINT_INTEGER,  /* one integer of element_bytes */
	TRACEPOINT_TEXT,     /* nr_elements bytes, printed up to the first NUL */
	TRACEPOINT_ARRAY,    /* nr_elements integers of element_bytes */
	TRACEPOINT_STRING,   /* bytes at a variable offset in the record, usually up to a NUL */
	TRACEPOINT_SEQUENCE, /* integers of element_bytes at a variable offset in the record */
};

struct tracepoint_field {
	char *type; /* type in C notation, without brackets */
	char *name;
	enum tracepoint_kind kind;
	uint32_t offset;	/* offset of the value, or of the word that locates the value */
	uint32_t element_bytes; /* size of one element: 1, 2, 4 or 8 */
	uint32_t nr_elements;	/* number of elements of a text or an array; otherwise 0 */
	bool is_signed;
	bool is_pointer; /* an address, to be printed in base 16 */
	/*
	 * The offset in the word that locates the value counts from the end of
	 * this word, not from the record's start.
	 */
	bool is_relative;
};

struct tracepoint {
	char *system, *name;
	uint32_t id; /* attr.config of PERF_TYPE_TRACEPOINT; common_type of a record */
	struct tracepoint_field *fields; /* in the order of the format file */
	unsigned int nr_fields;
	/*
	 * Number of ignored fields. The format file gives their size as 0, so
	 * their end is unknown. ftrace's own tracepoints have such fields.
	 */
	unsigned int nr_fields_left_out;
};

/*
 * Parses the text of a format file; the text is not kept. file is only a name
 * for diag. Returns 0; -EINVAL: not a format file, or invalid fields; -ENOMEM.
 */
int tracepoint_parse(struct tracepoint **tracepoint, const char *system, const char *file,
		     const char *text, struct diag *diag);

/*
 * Reads and parses the format file below folder, the kernel's tracefs. Returns
 * 0; -ENOENT: the kernel has no such tracepoint; another -errno of a failed
 * read; or an error of tracepoint_parse().
 */
int tracepoint_read(struct tracepoint **tracepoint, const char *folder, const char *system,
		    const char *name, struct diag *diag);

void tracepoint_destroy(struct tracepoint *tracepoint); /* NULL is allowed */

/* Returns the field with this name, or NULL. */
const struct tracepoint_field *tracepoint_find(const struct tracepoint *tracepoint,
					       const char *name);

/*
 * Locates a field's value in a record: *nr_bytes at *bytes, unaligned. Returns false if the
 * record is damaged, so that the value would lie outside the record. The bytes of a string end
 * before its NUL; a sequence has only whole elements.
 */
bool tracepoint_value(const struct tracepoint_field *field, const uint8_t *record,
		      size_t nr_record_bytes, const uint8_t **bytes, size_t *nr_bytes);

/* Returns the element at bytes; a signed element is sign-extended to 64 bits. */
uint64_t tracepoint_number(const struct tracepoint_field *field, const uint8_t *bytes);

/*
 * Calls found() for each tracepoint that matches pattern, ordered by system and
 * name. pattern is "SYSTEM:NAME", or "NAME" for any system, with * and ? as in
 * the shell. Records of ftrace's own tracers, which are not tracepoints, are
 * ignored. found() returns 0 to continue; any other value ends the listing and
 * is returned. -ENOENT: no tracepoint matches; -errno: the folder cannot be
 * read.
 */
int tracepoint_list(const char *folder, const char *pattern,
		    int (*found)(const char *system, const char *name, void *context),
		    void *context, struct diag *diag);

#endif
