// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works: a row is encoded as a 64-bit word, which contains the index of a run of 16-bit
 * words in the array `saved` (code_format.h). Hash tables ensure that equal rows and equal runs
 * are stored once. An entry is a key and the index of the row that is valid from this key. The
 * writer numbers the rows by frequency. Then it appends the entries to the stream, bucket by bucket
 * (a bucket is 1 KiB of code).
 */
#include "unwind/code_builder.h"

#include "lib/array.h"
#include "lib/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two masks, and one word for each slot, rounded up to whole 64-bit words for hash_words(). */
#define WORDS_MAX ((2 + CODE_SLOTS_MAX + 3) / 4 * 4)

/* ---- rows ---- */

struct row_words {
	uint16_t words[WORDS_MAX]; /* the first nr are used, the others are 0 */
	size_t nr;
};

/* Hashes four words in one step, since the hash is computed for each entry of the table. */
static uint64_t hash_words(const struct row_words *row)
{
	uint64_t hash = row->nr;

	for (size_t i = 0; i < row->nr; i += 4) {
		uint64_t four;

		memcpy(&four, row->words + i, sizeof(four));
		hash = index_table_hash(hash, four);
	}
	return hash;
}

/*
 * Returns the length of a run of words: two masks, and one word for each slot whose bit is set in
 * a mask.
 */
static size_t nr_words_of(const uint16_t *saved)
{
	return 2 + (size_t)__builtin_popcount(saved[0] | saved[1]);
}

static bool same_words(uint32_t index, const void *key, void *context)
{
	const struct row_words *words = key;
	const struct code_builder *builder = context;
	const uint16_t *saved = builder->saved + index;

	return nr_words_of(saved) == words->nr &&
	       !memcmp(saved, words->words, words->nr * sizeof(*saved));
}

static bool same_row(uint32_t index, const void *key, void *context)
{
	const struct code_builder *builder = context;

	return builder->rows[index] == *(const uint64_t *)key;
}

/*
 * Encodes a rule other than CFA and SAME. If the value does not fit, the result is CODE_RULE_HARD.
 */
static uint16_t other_word(const struct code_place *place)
{
	int32_t value = place->value;

	if (place->rule == CODE_RULE_FP && value % 8 == 0)
		value /= 8;
	else if (place->rule == CODE_RULE_FP)
		return CODE_RULE_HARD;
	if (value < -4096 || value > 4095)
		return CODE_RULE_HARD;
	return (uint16_t)((uint32_t)value << 3 | place->rule);
}

static bool fits_cfa(const struct code_place *place)
{
	return place->rule == CODE_RULE_CFA && place->value % 8 == 0 &&
	       place->value / 8 >= INT16_MIN && place->value / 8 <= INT16_MAX;
}

static void encode_places(const struct code_row *row, struct row_words *words)
{
	uint16_t others[CODE_SLOTS_MAX];
	size_t nr_others = 0;

	memset(words, 0, sizeof(*words));
	words->nr = 2;
	for (size_t i = 0; i < CODE_SLOTS_MAX; i++) {
		struct code_place place = row->places[i];

		if (place.rule == CODE_RULE_SAME)
			continue;
		if (fits_cfa(&place)) {
			words->words[0] |= (uint16_t)(1u << i);
			words->words[words->nr++] = (uint16_t)(place.value / 8);
			continue;
		}
		if (place.rule == CODE_RULE_CFA)
			place = (struct code_place){CODE_RULE_HARD, 0};
		words->words[1] |= (uint16_t)(1u << i);
		others[nr_others++] = other_word(&place);
	}
	memcpy(&words->words[words->nr], others, nr_others * sizeof(*others));
	words->nr += nr_others;
}

static int intern_places(struct code_builder *builder, const struct code_row *row, uint32_t *index)
{
	struct row_words words;
	uint64_t hash;

	encode_places(row, &words);
	hash = hash_words(&words);
	*index = index_table_find(&builder->saved_table, hash, same_words, &words, builder);
	if (*index != INDEX_TABLE_NONE)
		return 0;
	*index = (uint32_t)builder->nr_saved;
	if (builder->nr_saved + words.nr > CODE_FORMAT_SAVED_MAX)
		return -EFBIG;
	if (array_reserve(&builder->saved, &builder->saved_room, builder->nr_saved, words.nr) ||
	    index_table_put(&builder->saved_table, hash, *index))
		return -ENOMEM;
	memcpy(builder->saved + builder->nr_saved, words.words, words.nr * sizeof(*words.words));
	builder->nr_saved += words.nr;
	return 0;
}

/* Returns whether the format can express this row. Other rows are stored as hard rows. */
static bool can_be_told(const struct code_row *row)
{
	const struct code_place *place = &row->places[CODE_SLOT_RETURN];

	if (place->rule == CODE_RULE_CFA && !fits_cfa(place))
		return false;
	if (place->rule == CODE_RULE_FP && other_word(place) == CODE_RULE_HARD)
		return false;
	return !code_format_adds(row->cfa) ||
	       (row->cfa_offset >= INT16_MIN && row->cfa_offset <= INT16_MAX &&
		row->cfa_add >= INT16_MIN && row->cfa_add <= INT16_MAX);
}

static uint64_t encode_row(const struct code_row *row, uint32_t saved)
{
	const uint64_t offset =
		code_format_adds(row->cfa)
			? (uint16_t)row->cfa_offset | (uint32_t)(uint16_t)row->cfa_add << 16
			: (uint32_t)row->cfa_offset;

	return (uint64_t)(row->cfa & 7u) | (uint64_t)(row->cfa_register & 31u) << 3 |
	       (uint64_t)saved << 8 | offset << 32;
}

static int intern_row(struct code_builder *builder, const struct code_row *row, uint32_t *index)
{
	uint32_t saved = 0;
	uint64_t word, hash;
	int error = intern_places(builder, row, &saved);

	if (error)
		return error;
	word = encode_row(row, saved);
	hash = index_table_hash(0, word);
	*index = index_table_find(&builder->row_table, hash, same_row, &word, builder);
	if (*index != INDEX_TABLE_NONE)
		return 0;
	*index = (uint32_t)builder->nr_rows;
	if (builder->nr_rows > CODE_FORMAT_ROW_MAX)
		return -EFBIG;
	if (array_reserve(&builder->rows, &builder->rows_room, builder->nr_rows, 1) ||
	    index_table_put(&builder->row_table, hash, *index))
		return -ENOMEM;
	builder->rows[builder->nr_rows++] = word;
	return 0;
}

/* ---- entries ---- */

int code_builder_init(struct code_builder *builder, enum code_machine machine)
{
	memset(builder, 0, sizeof(*builder));
	builder->machine = machine;
	if (array_reserve(&builder->rows, &builder->rows_room, 0, 1))
		return -ENOMEM;
	/*
	 * Row 0 means that there is no function. Row 0 is not in row_table, so no other row can
	 * become row 0.
	 */
	builder->rows[builder->nr_rows++] = 0;
	return 0;
}

void code_builder_deinit(struct code_builder *builder)
{
	free(builder->entries);
	free(builder->rows);
	index_table_deinit(&builder->row_table);
	free(builder->saved);
	index_table_deinit(&builder->saved_table);
}

static int put_entry(struct code_builder *builder, uint32_t key, uint32_t row, bool start)
{
	struct code_builder_entry *last =
		builder->nr_entries ? &builder->entries[builder->nr_entries - 1] : NULL;
	const uint32_t flag = start && row ? CODE_BUILDER_START : 0;

	if (last && last->key == key) {
		last->row = row ? row | ((last->row | flag) & CODE_BUILDER_START) : 0;
		return 0;
	}
	if (last && !start && (last->row & ~CODE_BUILDER_START) == row)
		return 0;
	if (array_reserve(&builder->entries, &builder->entries_room, builder->nr_entries, 1))
		return -ENOMEM;
	builder->entries[builder->nr_entries++] = (struct code_builder_entry){key, row | flag};
	return 0;
}

int code_builder_add(struct code_builder *builder, uint64_t key, const struct code_row *row,
		     bool start)
{
	const struct code_row hard = {.cfa = CODE_CFA_HARD};
	uint32_t index = 0;
	int error = 0;

	if (key > UINT32_MAX)
		return -EFBIG;
	if (row && !can_be_told(row))
		row = &hard;
	if (row)
		error = intern_row(builder, row, &index);
	if (error)
		return error;
	builder->nr_functions += start;
	return put_entry(builder, (uint32_t)key, index, start);
}

/* ---- writing ---- */

struct code_writer {
	const struct code_builder *builder;
	struct code_format_header header;
	uint32_t *numbers; /* numbers[i]: number in the file of the builder's row i */
	uint32_t *order;   /* the inverse of numbers */
	struct code_format_bucket *buckets;
	uint8_t *stream;
	size_t nr_stream, stream_room;
};

static uint32_t row_of(const struct code_builder_entry *entry)
{
	return entry->row & ~CODE_BUILDER_START;
}

/*
 * Returns whether the row is hard. Frames with a hard row cannot be unwound. Rows of outermost
 * frames are not hard.
 */
static bool row_is_hard(const struct code_builder *builder, uint32_t index)
{
	const uint64_t row = builder->rows[index];
	const uint16_t *saved;

	if (!index || code_format_cfa(row) != CODE_CFA_HARD)
		return false;
	saved = builder->saved + code_format_saved(row);
	return !(saved[1] & 1u << CODE_SLOT_RETURN);
}

static void count_bytes(struct code_writer *writer)
{
	const struct code_builder *builder = writer->builder;

	for (size_t i = 0; i + 1 < builder->nr_entries; i++) {
		const struct code_builder_entry *entry = &builder->entries[i];
		const uint32_t nr_bytes = entry[1].key - entry->key;

		writer->header.nr_functions += !!(entry->row & CODE_BUILDER_START);
		writer->header.code_bytes += row_of(entry) ? nr_bytes : 0;
		writer->header.hard_bytes += row_is_hard(builder, row_of(entry)) ? nr_bytes : 0;
	}
}

static int compare_counts(const void *a, const void *b, void *counts)
{
	const uint32_t *nr = counts;
	const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;

	if (nr[one] != nr[two])
		return nr[one] > nr[two] ? -1 : 1;
	return (one > two) - (one < two);
}

/*
 * Numbers the rows. Frequent rows get low numbers, which have short codes. Sets header.start_row
 * to the row with which most functions begin.
 */
static int number_rows(struct code_writer *writer)
{
	const struct code_builder *builder = writer->builder;
	uint32_t *counts = calloc(builder->nr_rows, sizeof(*counts));
	uint32_t *starts = calloc(builder->nr_rows, sizeof(*starts));
	uint32_t start_row = 0;

	writer->numbers = calloc(builder->nr_rows, sizeof(*writer->numbers));
	writer->order = calloc(builder->nr_rows, sizeof(*writer->order));
	if (!counts || !starts || !writer->numbers || !writer->order) {
		free(counts);
		free(starts);
		return -ENOMEM;
	}
	for (size_t i = 0; i < builder->nr_entries; i++) {
		counts[row_of(&builder->entries[i])]++;
		starts[row_of(&builder->entries[i])] +=
			!!(builder->entries[i].row & CODE_BUILDER_START);
	}
	for (uint32_t i = 0; i < builder->nr_rows; i++) {
		writer->order[i] = i;
		if (starts[i] > starts[start_row])
			start_row = i;
	}
	qsort_r(writer->order + 1, builder->nr_rows - 1, sizeof(*writer->order), compare_counts,
		counts);
	for (uint32_t i = 0; i < builder->nr_rows; i++)
		writer->numbers[writer->order[i]] = i;
	writer->header.start_row = writer->numbers[start_row];
	free(counts);
	free(starts);
	return 0;
}

/* Returns 2 if all keys are multiples of 4, as is usual on AArch64, else 0. */
static uint8_t find_unit_shift(const struct code_builder *builder)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < builder->nr_entries; i++)
		bits |= builder->entries[i].key;
	return bits & 3 ? 0 : 2;
}

static void put_code(struct code_writer *writer, const struct code_builder_entry *entry)
{
	const uint32_t number = writer->numbers[row_of(entry)];
	uint8_t *stream = writer->stream;

	if (entry->row & CODE_BUILDER_START) {
		if (number == writer->header.start_row) {
			stream[writer->nr_stream++] = CODE_FORMAT_START;
			return;
		}
		stream[writer->nr_stream++] = CODE_FORMAT_START_ROW;
	}
	if (!number) {
		stream[writer->nr_stream++] = CODE_FORMAT_GAP;
	} else if (number - 1 <= UINT8_MAX - CODE_FORMAT_ROWS) {
		stream[writer->nr_stream++] = (uint8_t)(CODE_FORMAT_ROWS + number - 1);
	} else {
		stream[writer->nr_stream++] = CODE_FORMAT_WIDE;
		stream[writer->nr_stream++] = number & 0xff;
		stream[writer->nr_stream++] = number >> 8 & 0xff;
		stream[writer->nr_stream++] = number >> 16 & 0xff;
	}
}

/* Appends an entry to the stream. `units` is the distance from the preceding entry. */
static int put_entry_bytes(struct code_writer *writer, uint32_t units,
			   const struct code_builder_entry *entry)
{
	const size_t nr_bytes_max = units / CODE_FORMAT_STEP_MAX + 8;

	if (array_reserve(&writer->stream, &writer->stream_room, writer->nr_stream, nr_bytes_max))
		return -ENOMEM;
	for (; units > CODE_FORMAT_STEP_MAX; units -= CODE_FORMAT_STEP_MAX)
		writer->stream[writer->nr_stream++] = CODE_FORMAT_FAR;
	writer->stream[writer->nr_stream++] = (uint8_t)units;
	put_code(writer, entry);
	return 0;
}

static int put_stream(struct code_writer *writer)
{
	const struct code_builder *builder = writer->builder;
	const struct code_format_header *header = &writer->header;
	struct code_format_bucket force = {.row = 0};
	size_t next = 0;

	for (uint32_t i = 0; i <= header->nr_buckets; i++) {
		const uint64_t begin = (uint64_t)(header->first_bucket + i) << header->bucket_shift;
		const uint64_t end = begin + (1u << header->bucket_shift);
		uint32_t position = (uint32_t)begin;

		if (writer->nr_stream > UINT32_MAX)
			return -EFBIG;
		force.stream = (uint32_t)writer->nr_stream;
		writer->buckets[i] = force;
		for (; next < builder->nr_entries && builder->entries[next].key < end; next++) {
			const struct code_builder_entry *entry = &builder->entries[next];

			if (put_entry_bytes(writer, (entry->key - position) >> header->unit_shift,
					    entry))
				return -ENOMEM;
			position = entry->key;
			force.row = writer->numbers[row_of(entry)];
			if (entry->row & CODE_BUILDER_START)
				force.function = entry->key;
		}
	}
	return 0;
}

static void fill_header(struct code_writer *writer)
{
	const struct code_builder *builder = writer->builder;
	struct code_format_header *header = &writer->header;

	memcpy(header->magic, CODE_FORMAT_MAGIC, sizeof(header->magic));
	header->version = CODE_FORMAT_VERSION;
	header->byte_order = CODE_FORMAT_BYTE_ORDER;
	header->header_bytes = sizeof(*header);
	header->machine = (uint8_t)builder->machine;
	header->bucket_shift = CODE_FORMAT_BUCKET_SHIFT;
	header->unit_shift = find_unit_shift(builder);
	header->nr_rows = (uint32_t)builder->nr_rows;
	header->nr_saved = (uint32_t)builder->nr_saved;
	header->nr_entries = (uint32_t)builder->nr_entries;
	header->nr_functions_lost = (uint32_t)builder->nr_functions_lost;
	if (builder->nr_entries) {
		const uint32_t last = builder->entries[builder->nr_entries - 1].key;

		header->first_bucket = builder->entries[0].key >> header->bucket_shift;
		header->nr_buckets = (last >> header->bucket_shift) - header->first_bucket + 1;
	}
	count_bytes(writer);
}

static void *append(uint8_t *bytes, size_t *at, const void *part, size_t nr_bytes)
{
	void *to = bytes + *at;

	if (nr_bytes)
		memcpy(to, part, nr_bytes);
	*at += nr_bytes;
	return to;
}

static int write_file(struct code_writer *writer, int fd, uint64_t max_bytes)
{
	const struct code_builder *builder = writer->builder;
	struct code_format_header *header = &writer->header;
	size_t at = 0;
	uint8_t *bytes;
	int error;

	header->nr_stream = (uint32_t)writer->nr_stream;
	header->nr_bytes = code_format_bytes(header);
	if (header->nr_bytes > max_bytes)
		return -EFBIG;
	bytes = malloc((size_t)header->nr_bytes);
	if (!bytes)
		return -ENOMEM;
	append(bytes, &at, header, sizeof(*header));
	for (size_t i = 0; i < builder->nr_rows; i++)
		append(bytes, &at, &builder->rows[writer->order[i]], sizeof(*builder->rows));
	append(bytes, &at, writer->buckets,
	       ((size_t)header->nr_buckets + 1) * sizeof(*writer->buckets));
	append(bytes, &at, builder->saved, builder->nr_saved * sizeof(*builder->saved));
	append(bytes, &at, writer->stream, writer->nr_stream);
	header->sum = code_format_sum(bytes, at);
	memcpy(bytes, header, sizeof(*header));
	error = file_write_all(fd, bytes, at);
	free(bytes);
	return error;
}

int code_builder_write(struct code_builder *builder, int fd, uint64_t max_bytes)
{
	struct code_writer writer = {.builder = builder};
	int error;

	if (builder->nr_entries > UINT32_MAX)
		return -EFBIG;
	fill_header(&writer);
	error = number_rows(&writer);
	writer.buckets = calloc((size_t)writer.header.nr_buckets + 1, sizeof(*writer.buckets));
	if (!error && !writer.buckets)
		error = -ENOMEM;
	if (!error)
		error = put_stream(&writer);
	if (!error)
		error = write_file(&writer, fd, max_bytes);
	free(writer.numbers);
	free(writer.order);
	free(writer.buckets);
	free(writer.stream);
	return error;
}
