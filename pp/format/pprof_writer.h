/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a profile in the format of github.com/google/pprof (profile.proto). Top-level fields may
 * be in any order, so each sample is written immediately, and the strings are written last.
 */
#ifndef PP_PPROF_WRITER_H
#define PP_PPROF_WRITER_H

#include "lib/index_table.h"
#include "pp/base/gzip_writer.h"
#include "pp/base/protobuf.h"
#include "pp/base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
};

struct pprof_writer {
	struct gzip_writer *gzip;
	/* In progress: a top-level field, the message in this field, and a part of this message. */
	struct protobuf field, message, part;
	struct strings texts;
	const char **text_of; /* indexed by the text's number; number 0 is "" */
	size_t nr_texts, texts_room;
	struct index_table text_table;
	bool failed; /* memory ran out */
};

int pprof_writer_init(struct pprof_writer *writer, FILE *out); /* 0 or -ENOMEM */
/* Completes the output. Returns 0, or -ENOMEM if any call failed. */
int pprof_writer_end(struct pprof_writer *writer);
void pprof_writer_deinit(struct pprof_writer *writer);

void pprof_write_number(struct pprof_writer *writer, enum profile_field field, uint64_t value);
/* Writes the current message as a field, and empties the message. */
void pprof_write_message(struct pprof_writer *writer, enum profile_field field);
/* Adds the current part to the message as a field, and empties the part. */
void pprof_write_part(struct pprof_writer *writer, uint32_t field);
/* Returns the number of a text in the table of texts. Adds the text if it is new. */
uint64_t pprof_number_text(struct pprof_writer *writer, const char *text);
/* Writes the table of texts. */
void pprof_write_texts(struct pprof_writer *writer);

#endif
