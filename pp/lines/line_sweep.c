// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line_builder_finish() makes the ranges in one sweep over the keys.
 *
 * First, the addresses of sequences are converted to keys; line_builder_inlined() has already
 * converted the addresses of inlined functions. Then the sequences and the inlined functions are
 * sorted by start, each with a stable radix sort. The sweep visits the sequences in this order, and
 * the rows of each. It keeps a stack of the inlined functions that contain the current key,
 * innermost last. A new range starts where the row or the innermost function changes. Where
 * sequences overlap, the rows of the first sequence are used. Gaps between sequences become ranges
 * with LINE_NO_FILE.
 */
#include "pp/lines/line_builder.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>

/* ---- sorting ---- */

#define DIGIT_BITS 11
#define NR_DIGITS  (1u << DIGIT_BITS)

/* An item that is sorted by `start`. Items with equal starts keep their order. */
struct sorted {
	uint64_t start;
	size_t index;
};

static void sort_digit(const struct sorted *from, struct sorted *to, size_t nr, unsigned int shift)
{
	size_t places[NR_DIGITS] = {0};
	size_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		places[from[i].start >> shift & (NR_DIGITS - 1)]++;
	for (size_t i = 0; i < NR_DIGITS; i++) {
		size_t here = places[i];

		places[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < nr; i++)
		to[places[from[i].start >> shift & (NR_DIGITS - 1)]++] = from[i];
}

static bool is_sorted(const struct sorted *items, size_t nr, uint64_t *highest)
{
	bool sorted = true;

	*highest = 0;
	for (size_t i = 0; i < nr; i++) {
		if (items[i].start < *highest)
			sorted = false;
		else
			*highest = items[i].start;
	}
	return sorted;
}

/* Sorts nr items. spare: memory for as many items. */
static void sort(struct sorted *items, struct sorted *spare, size_t nr)
{
	uint64_t highest;
	struct sorted *from = items, *to = spare;

	if (is_sorted(items, nr, &highest))
		return;
	for (unsigned int shift = 0; shift < 64 && highest >> shift; shift += DIGIT_BITS) {
		struct sorted *swap = to;

		sort_digit(from, to, nr, shift);
		to = from;
		from = swap;
	}
	if (from != items)
		memcpy(items, from, nr * sizeof(*items));
}

/* ---- the sweep ---- */

/*
 * An inlined function that contains the current key. It is nested in the function before it in
 * sweep.open.
 */
struct open {
	uint64_t end;
	uint32_t node;
};

struct sweep {
	struct line_builder *builder;
	/* arrays for sorting, used for the inlined functions and later for the sequences */
	struct sorted *order, *spare;
	struct line_inlined *inlined; /* sorted by start */
	size_t next;		      /* index in `inlined` of the next function to open */
	struct open *open;
	size_t nr_open, room_open;
	uint64_t done; /* all ranges below this key have been made */
};

/*
 * Converts the addresses of sequences to keys, and cuts each sequence at the end of its code
 * section. Removes the rows of sequences that begin outside code.
 */
static void place_sequences(struct line_builder *builder)
{
	struct dwarf_rows *rows = &builder->rows;

	for (size_t i = 0; i < rows->nr_sequences; i++) {
		struct dwarf_sequence *sequence = &rows->sequences[i];
		const struct line_code *code = NULL;
		uint64_t end = sequence->end;

		if (line_builder_has_code(builder, sequence->start))
			code = builder->last;
		if (!code) {
			sequence->nr_rows = 0;
			continue;
		}
		if (end > code->end)
			end = code->end;
		for (size_t j = 0; j < sequence->nr_rows; j++)
			rows->rows[sequence->row + j].address += code->key - code->start;
		sequence->start += code->key - code->start;
		sequence->end = end + (code->key - code->start);
	}
}

static int order_sequences(struct sweep *sweep)
{
	const struct dwarf_rows *rows = &sweep->builder->rows;

	for (size_t i = 0; i < rows->nr_sequences; i++)
		sweep->order[i] = (struct sorted){.start = rows->sequences[i].start, .index = i};
	sort(sweep->order, sweep->spare, rows->nr_sequences);
	return 0;
}

static int order_inlined(struct sweep *sweep)
{
	const struct line_builder *builder = sweep->builder;
	size_t nr = builder->nr_inlined;

	for (size_t i = 0; i < nr; i++)
		sweep->order[i] = (struct sorted){.start = builder->inlined[i].start, .index = i};
	sort(sweep->order, sweep->spare, nr);
	sweep->inlined = calloc(nr + 1, sizeof(*sweep->inlined));
	if (!sweep->inlined)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		sweep->inlined[i] = builder->inlined[sweep->order[i].index];
	return 0;
}

static void close_open(struct sweep *sweep, uint64_t key)
{
	while (sweep->nr_open && sweep->open[sweep->nr_open - 1].end <= key)
		sweep->nr_open--;
}

static int push_open(struct sweep *sweep, const struct line_inlined *inlined)
{
	uint64_t end = inlined->end;

	if (array_reserve(&sweep->open, &sweep->room_open, sweep->nr_open, 1))
		return -ENOMEM;
	/* A nested function cannot end after the function that contains it. */
	if (sweep->nr_open && end > sweep->open[sweep->nr_open - 1].end)
		end = sweep->open[sweep->nr_open - 1].end;
	sweep->open[sweep->nr_open++] = (struct open){.end = end, .node = inlined->node};
	return 0;
}

/* Opens the inlined functions that contain `key`, and closes those that end at `key` or before. */
static int open_at(struct sweep *sweep, uint64_t key)
{
	int error = 0;

	while (!error && sweep->next < sweep->builder->nr_inlined &&
	       sweep->inlined[sweep->next].start <= key) {
		const struct line_inlined *inlined = &sweep->inlined[sweep->next++];

		close_open(sweep, inlined->start);
		if (inlined->end > key)
			error = push_open(sweep, inlined);
	}
	close_open(sweep, key);
	return error;
}

/* Returns the next key at which the innermost open function changes, or `end` if this is lower. */
static uint64_t next_change(const struct sweep *sweep, uint64_t end)
{
	if (sweep->nr_open && sweep->open[sweep->nr_open - 1].end < end)
		end = sweep->open[sweep->nr_open - 1].end;
	if (sweep->next < sweep->builder->nr_inlined && sweep->inlined[sweep->next].start < end)
		end = sweep->inlined[sweep->next].start;
	return end;
}

static int add_range(struct line_builder *builder, const struct line_wire_range *range)
{
	const struct line_wire_range *last =
		builder->nr_ranges ? &builder->ranges[builder->nr_ranges - 1] : NULL;

	if (last && last->file == range->file && last->line == range->line &&
	    last->node == range->node)
		return 0;
	if (array_reserve(&builder->ranges, &builder->room_ranges, builder->nr_ranges, 1))
		return -ENOMEM;
	builder->ranges[builder->nr_ranges++] = *range;
	return 0;
}

static int add_gap(struct sweep *sweep, uint64_t start)
{
	return add_range(sweep->builder,
			 &(struct line_wire_range){.start = start, .file = LINE_NO_FILE});
}

/* Adds ranges for the keys [start, end), which belong to `row`. */
static int sweep_row(struct sweep *sweep, const struct dwarf_row *row, uint64_t start, uint64_t end)
{
	int error = 0;

	while (!error && start < end) {
		struct line_wire_range range = {
			.start = start, .file = row->file, .line = row->line};

		error = open_at(sweep, start);
		if (sweep->nr_open)
			range.node = sweep->open[sweep->nr_open - 1].node;
		if (!error)
			error = add_range(sweep->builder, &range);
		start = next_change(sweep, end);
	}
	return error;
}

/* Adds the ranges of a sequence, except where earlier sequences cover it. */
static int sweep_sequence(struct sweep *sweep, const struct dwarf_sequence *sequence)
{
	const struct dwarf_row *rows = &sweep->builder->rows.rows[sequence->row];
	int error = 0;

	if (!sequence->nr_rows || sequence->end <= sweep->done)
		return 0;
	if (sequence->start > sweep->done)
		error = add_gap(sweep, sweep->done);
	for (size_t i = 0; !error && i < sequence->nr_rows; i++) {
		uint64_t start = rows[i].address;
		uint64_t end = i + 1 < sequence->nr_rows ? rows[i + 1].address : sequence->end;

		if (end > sequence->end)
			end = sequence->end;
		if (start < sweep->done)
			start = sweep->done;
		error = sweep_row(sweep, &rows[i], start, end);
	}
	sweep->done = sequence->end;
	return error;
}

static int run(struct sweep *sweep)
{
	struct line_builder *builder = sweep->builder;
	const struct dwarf_rows *rows = &builder->rows;
	size_t nr =
		rows->nr_sequences > builder->nr_inlined ? rows->nr_sequences : builder->nr_inlined;
	int error;

	sweep->order = calloc(nr + 1, sizeof(*sweep->order));
	sweep->spare = calloc(nr + 1, sizeof(*sweep->spare));
	if (!sweep->order || !sweep->spare)
		return -ENOMEM;
	error = order_inlined(sweep);
	if (!error)
		error = order_sequences(sweep);
	for (size_t i = 0; !error && i < rows->nr_sequences; i++)
		error = sweep_sequence(sweep, &rows->sequences[sweep->order[i].index]);
	return error ? error : add_gap(sweep, sweep->done);
}

int line_builder_finish(struct line_builder *builder)
{
	struct sweep sweep = {.builder = builder};
	int error;

	place_sequences(builder);
	error = run(&sweep);
	free(sweep.order);
	free(sweep.spare);
	free(sweep.inlined);
	free(sweep.open);
	return error;
}
