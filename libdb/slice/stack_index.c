// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/stack_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LOG2_MIN	3u /* log2 of the minimum number of lines */
#define LOG2_MAX	28u
#define LOG2_SMALL	15u /* 2 MB of lines */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/*
 * Returns how many slots of a table of 2^log2 lines may be used: on average, six of the eight slots
 * of a line.
 */
static uint32_t room_of(uint32_t log2)
{
	return (1u << log2) * 6;
}

/*
 * Allocates zeroed memory that is aligned to lines. For large tables it requests huge pages:
 * accesses are random, and with huge pages each one costs one cache miss instead of two.
 */
static int lines_make(struct stack_index *index, uint32_t log2)
{
	const size_t nr_bytes = sizeof(*index->lines) << log2;
	const size_t align = nr_bytes < HUGE_PAGE_BYTES ? sizeof(*index->lines) : HUGE_PAGE_BYTES;
	uintptr_t start;

	index->memory = calloc(1, nr_bytes + align);
	if (!index->memory)
		return -ENOMEM;
	start = ((uintptr_t)index->memory + align - 1) & ~(uintptr_t)(align - 1);
	index->lines = (struct stack_line *)start;
	if (align == HUGE_PAGE_BYTES)
		(void)madvise(index->lines, nr_bytes, MADV_HUGEPAGE);
	index->shift = 32 - log2;
	index->mask = (1u << log2) - 1;
	index->nr_room = room_of(log2);
	return 0;
}

/*
 * Copies the slots of a line to the two empty lines that replace it in a table of twice the size.
 * All hashes in the line must select this line. The loop has no branches: empty slots are copied,
 * too, and the next slot overwrites them.
 */
static void line_split(const struct stack_line *line, struct stack_line *pair, uint32_t shift)
{
	uint32_t nr[2] = {0, 0};

	for (uint32_t slot = 0; slot < STACK_LINE_SLOTS; slot++) {
		const uint32_t half = line->hashes[slot] >> shift & 1;

		pair[half].hashes[nr[half]] = line->hashes[slot];
		pair[half].numbers[nr[half]] = line->numbers[slot];
		nr[half] += line->numbers[slot] != 0;
	}
}

static bool is_empty(const struct stack_line *line)
{
	return !line->numbers[0];
}

static void line_move(struct stack_index *to, const struct stack_line *line)
{
	for (uint32_t slot = 0; slot < STACK_LINE_SLOTS && line->numbers[slot]; slot++)
		stack_index_put(to, line->hashes[slot], line->numbers[slot]);
}

/*
 * Copies all slots to a larger table. A line can have slots that belong to earlier lines only if
 * the preceding line is full. A line without such slots is split if its two new lines are still
 * empty; the slots of all other lines are added one by one.
 */
static void slots_move(struct stack_index *to, const struct stack_index *from)
{
	const bool doubled = to->shift + 1 == from->shift;
	bool alone = doubled && !stack_line_is_full(&from->lines[from->mask]);

	for (uint32_t i = 0; i <= from->mask; i++) {
		const struct stack_line *line = &from->lines[i];

		if (alone && is_empty(&to->lines[2 * i]) && is_empty(&to->lines[2 * i + 1]))
			line_split(line, &to->lines[2 * i], to->shift);
		else
			line_move(to, line);
		alone = doubled && !stack_line_is_full(line);
	}
	to->nr_used = from->nr_used;
}

int stack_index_grow(struct stack_index *index, uint32_t nr)
{
	const uint64_t wanted = (uint64_t)index->nr_used + nr;
	struct stack_index bigger = {0};
	uint32_t log2 = LOG2_MIN;

	while (log2 < LOG2_MAX && room_of(log2) < wanted)
		log2++;
	/* Small tables grow by more, so that they are moved less often. */
	if (index->lines && log2 < LOG2_SMALL)
		log2++;
	if (room_of(log2) < wanted || lines_make(&bigger, log2))
		return -ENOMEM;
	if (index->lines)
		slots_move(&bigger, index);
	free(index->memory);
	*index = bigger;
	return 0;
}

void stack_index_empty(struct stack_index *index)
{
	if (index->lines)
		memset(index->lines, 0, ((size_t)index->mask + 1) * sizeof(*index->lines));
	index->nr_used = 0;
}

void stack_index_deinit(struct stack_index *index)
{
	free(index->memory);
	memset(index, 0, sizeof(*index));
}
