/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile.proto of github.com/google/pprof being written: the numbers of its
 * fields are theirs. Fields of the whole may come in any order, so that
 * samples are written as they are met and the texts behind them.
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
	struct protobuf field, message, part; /* in hand: the whole's, within it, and within that */
	struct strings texts;
	const char **text_of; /* by number; 0 is "" */
	size_t nr_texts, texts_room;
	struct index_table text_table;
	bool failed; /* no memory */
};

int pprof_writer_init(struct pprof_writer *writer, FILE *out); /* 0 or -ENOMEM */
int pprof_writer_end(struct pprof_writer *writer);	       /* all is written. 0 or -ENOMEM */
void pprof_writer_deinit(struct pprof_writer *writer);

void pprof_write_number(struct pprof_writer *writer, enum profile_field field, uint64_t value);
/* The message in hand, which is then empty again. */
void pprof_write_message(struct pprof_writer *writer, enum profile_field field);
/* The part in hand into the message. */
void pprof_write_part(struct pprof_writer *writer, uint32_t field);
/* The number of a text in the table of texts; the table itself. */
uint64_t pprof_number_text(struct pprof_writer *writer, const char *text);
void pprof_write_texts(struct pprof_writer *writer);

#endif
