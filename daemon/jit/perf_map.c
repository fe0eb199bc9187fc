// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/perf_map.h"

#include "lib/file.h"

#include <errno.h>
#include <string.h>

/* User space is the lower half of the addresses. */
#define ADDRESS_MAX (UINT64_C(1) << 63)

/* Parses a hexadecimal number, with or without 0x, and the blanks after it. */
static bool take_hex(const char **text, const char *end, uint64_t *value)
{
	const char *at = *text;
	const char *first;

	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	*value = 0;
	for (first = at; at < end; at++) {
		unsigned int digit;

		if (*at >= '0' && *at <= '9')
			digit = (unsigned int)(*at - '0');
		else if ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'f')
			digit = (unsigned int)((*at | 0x20) - 'a' + 10);
		else
			break;
		if (*value >> 60)
			return false;
		*value = *value << 4 | digit;
	}
	if (at == first || at == end || (*at != ' ' && *at != '\t'))
		return false;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	*text = at;
	return true;
}

int perf_map_parse_line(const char *text, size_t nr_bytes, struct perf_map_line *line)
{
	const char *end = text + nr_bytes;
	uint64_t size;

	if (nr_bytes && end[-1] == '\r')
		end--;
	if (!take_hex(&text, end, &line->start) || !take_hex(&text, end, &size) || text == end)
		return -EINVAL;
	if (!size || line->start >= ADDRESS_MAX || size > ADDRESS_MAX - line->start)
		return -EINVAL;
	line->end = line->start + size;
	line->name = text;
	line->nr_name_bytes = (size_t)(end - text);
	return 0;
}

static void add_line(struct code_map *map, const char *text, size_t nr_bytes,
		     struct perf_map_counts *counts)
{
	struct perf_map_line line;
	struct code_name *name;

	if (perf_map_parse_line(text, nr_bytes, &line)) {
		counts->nr_bad_lines++;
		return;
	}
	counts->nr_lines++;
	name = code_pool_get(map->pool, line.name, line.nr_name_bytes);
	if (!name) {
		/* Remove the existing name of the range, since it is the name of earlier code. */
		(void)code_map_cut(map, line.start, line.end);
		counts->nr_left_out++;
		return;
	}
	if (code_map_add(map, line.start, line.end, name))
		counts->nr_left_out++;
	code_name_put(map->pool, name);
}

size_t perf_map_parse(struct perf_map *state, const char *text, size_t nr_bytes,
		      struct code_map **map, struct perf_map_counts *counts)
{
	const char *end = text + nr_bytes;
	const char *next = text;
	const char *newline;

	if (nr_bytes && code_map_own(map)) {
		counts->nr_left_out++;
		return 0;
	}
	while ((newline = memchr(next, '\n', (size_t)(end - next)))) {
		if (state->skipping || newline - next > (ptrdiff_t)PERF_MAP_LINE_MAX)
			counts->nr_bad_lines++;
		else
			add_line(*map, next, (size_t)(newline - next), counts);
		state->skipping = false;
		next = newline + 1;
	}
	if (end - next > (ptrdiff_t)PERF_MAP_LINE_MAX) {
		state->skipping = true;
		next = end;
	}
	return (size_t)(next - text);
}

/* Stores the last bytes of text as the new tail. text begins with the old tail. */
static void keep_tail(struct perf_map *state, const char *text, size_t nr_bytes)
{
	size_t nr = nr_bytes < PERF_MAP_TAIL ? nr_bytes : PERF_MAP_TAIL;

	memcpy(state->tail, text + nr_bytes - nr, nr);
	state->nr_tail = (uint32_t)nr;
}

/*
 * Reads and parses one buffer. Returns 0: the end of the file was reached; 1: there may be more
 * data; or an error that perf_map_read returns.
 */
static int read_some(struct perf_map *state, int fd, struct code_map **map, char *buffer,
		     size_t nr_buffer, struct perf_map_counts *counts)
{
	size_t nr_tail = state->nr_tail;
	ssize_t nr = file_pread_all(fd, buffer, nr_buffer, (off_t)(state->position - nr_tail));
	size_t taken;

	if (nr < 0)
		return (int)nr;
	if ((size_t)nr < nr_tail || memcmp(buffer, state->tail, nr_tail) != 0)
		return -ESTALE;
	taken = perf_map_parse(state, buffer + nr_tail, (size_t)nr - nr_tail, map, counts);
	state->position += taken;
	if (taken)
		keep_tail(state, buffer, nr_tail + taken);
	return taken && (size_t)nr == nr_buffer;
}

int perf_map_read(struct perf_map *state, int fd, struct code_map **map, char *buffer,
		  size_t nr_buffer, struct perf_map_counts *counts)
{
	uint64_t until = state->position + PERF_MAP_READ_MAX;
	int more = 1;

	while (more > 0 && state->position < until)
		more = read_some(state, fd, map, buffer, nr_buffer, counts);
	return more;
}
