// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/pprof_writer.h"

#include "lib/array.h"
#include "lib/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- top-level fields ---- */

static void flush_field(struct pprof_writer *writer)
{
	writer->failed |= writer->field.failed;
	gzip_writer_add(writer->gzip, writer->field.bytes, writer->field.nr_bytes);
	protobuf_clear(&writer->field);
}

void pprof_write_number(struct pprof_writer *writer, enum profile_field field, uint64_t value)
{
	protobuf_number(&writer->field, field, value);
	flush_field(writer);
}

void pprof_write_message(struct pprof_writer *writer, enum profile_field field)
{
	protobuf_message(&writer->field, field, &writer->message);
	protobuf_clear(&writer->message);
	flush_field(writer);
}

void pprof_write_part(struct pprof_writer *writer, uint32_t field)
{
	protobuf_message(&writer->message, field, &writer->part);
	protobuf_clear(&writer->part);
}

/* ---- texts ---- */

static bool same_text(uint32_t index, const void *key, void *context)
{
	const struct pprof_writer *writer = context;

	return writer->text_of[index] == key;
}

static int add_text(struct pprof_writer *writer, const char *kept, uint64_t hash)
{
	if (array_reserve(&writer->text_of, &writer->texts_room, writer->nr_texts, 1) ||
	    index_table_put(&writer->text_table, hash, (uint32_t)writer->nr_texts))
		return -ENOMEM;
	writer->text_of[writer->nr_texts++] = kept;
	return 0;
}

/*
 * Keeps a copy of `text` in which utf8_mask() has replaced characters, because Protocol Buffers has
 * no escapes: programs that read the profile may refuse text that is not UTF-8, or may write the
 * text to a terminal.
 */
static const char *keep_masked(struct pprof_writer *writer, const char *text)
{
	char *masked = strdup(text);
	const char *kept;

	if (!masked)
		return NULL;
	utf8_mask(masked, "");
	kept = strings_keep(&writer->texts, masked);
	free(masked);
	return kept;
}

uint64_t pprof_number_text(struct pprof_writer *writer, const char *text)
{
	const char *kept = keep_masked(writer, text);
	uint64_t hash = index_table_hash(0, (uint64_t)(uintptr_t)kept);
	uint32_t number;

	if (!kept) {
		writer->failed = true;
		return 0;
	}
	number = index_table_find(&writer->text_table, hash, same_text, kept, writer);
	if (number != INDEX_TABLE_NONE)
		return number;
	if (add_text(writer, kept, hash))
		writer->failed = true;
	return writer->failed ? 0 : writer->nr_texts - 1;
}

void pprof_write_texts(struct pprof_writer *writer)
{
	for (size_t i = 0; i < writer->nr_texts; i++) {
		protobuf_text(&writer->field, PROFILE_STRING_TABLE, writer->text_of[i]);
		flush_field(writer);
	}
}

/* ---- the writer ---- */

int pprof_writer_init(struct pprof_writer *writer, FILE *out)
{
	*writer = (struct pprof_writer){0};
	(void)pprof_number_text(writer, "");
	return writer->failed ? -ENOMEM : gzip_writer_create(&writer->gzip, out);
}

int pprof_writer_end(struct pprof_writer *writer)
{
	gzip_writer_end(writer->gzip);
	writer->gzip = NULL;
	return writer->failed ? -ENOMEM : 0;
}

void pprof_writer_deinit(struct pprof_writer *writer)
{
	if (writer->gzip)
		gzip_writer_end(writer->gzip);
	protobuf_deinit(&writer->field);
	protobuf_deinit(&writer->message);
	protobuf_deinit(&writer->part);
	strings_deinit(&writer->texts);
	index_table_deinit(&writer->text_table);
	free(writer->text_of);
	*writer = (struct pprof_writer){0};
}
