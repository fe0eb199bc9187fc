// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/lines/line_table.h"

#include "lib/file.h"
#include "pp/symbols/debug_fetch.h"
#include "pp/lines/line_reader.h"
#include "pp/lines/line_wire.h"
#include "pp/symbols/symbol_cache.h"
#include "pp/symbols/symbol_helper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/* Number of ranges after the hint that are tried before a binary search. */
#define NR_STEPS 8

/*
 * The memory to which the pointers of a table refer: a mapped cache file, or a copy of the helper's
 * output.
 */
struct line_table_memory {
	struct symbol_cache_map map; /* map.base is NULL if no cache file is mapped */
	/* malloc'ed: room for the cache's header, then the table; NULL: `map` is used */
	char *bytes;
	size_t nr_bytes, nr_front;
	struct line_wire wire;
};

/* ---- loading ---- */

static void memory_destroy(struct line_table_memory *memory)
{
	if (!memory)
		return;
	if (memory->map.base)
		symbol_cache_unmap(&memory->map);
	free(memory->bytes);
	free(memory);
}

static int copy_text(char **text, const char *strings, uint32_t offset)
{
	*text = offset ? strdup(strings + offset) : NULL;
	return offset && !*text ? -ENOMEM : 0;
}

/* Fills the table from memory->wire. After success, the table owns the memory. */
static int fill(struct line_table *table, struct line_table_memory *memory)
{
	const struct line_wire *wire = &memory->wire;
	int error;

	table->files = calloc((size_t)wire->header.nr_files + 1, sizeof(*table->files));
	if (!table->files)
		return -ENOMEM;
	for (uint32_t i = 0; i < wire->header.nr_files; i++)
		table->files[i] = wire->strings + wire->files[i];
	table->nr_files = wire->header.nr_files;
	table->ranges = wire->ranges;
	table->nr_ranges = wire->header.nr_ranges;
	table->lack = (enum symbols_lack)wire->header.lack;
	error = copy_text(&table->debug_path, wire->strings, wire->header.debug_path);
	if (!error)
		error = copy_text(&table->note, wire->strings, wire->header.note);
	if (!error)
		table->memory = memory;
	return error;
}

void line_table_deinit(struct line_table *table)
{
	memory_destroy(table->memory);
	free(table->files);
	free(table->debug_path);
	free(table->note);
	*table = (struct line_table){.ranges = NULL};
}

static int open_memory(struct line_table *table, struct line_table_memory *memory, char *bytes,
		       size_t nr_bytes)
{
	int error = line_wire_open(&memory->wire, bytes, nr_bytes);

	if (!error)
		error = fill(table, memory);
	if (error) {
		line_table_deinit(table);
		memory_destroy(memory);
	}
	return error;
}

static int load_cached(struct line_table *table, const struct symbol_request *request)
{
	struct line_table_memory *memory = calloc(1, sizeof(*memory));
	int error = memory ? 0 : -ENOMEM;

	if (!error)
		error = symbol_cache_map(request, SYMBOL_CACHE_LINES, &memory->map);
	if (error) {
		free(memory);
		return error;
	}
	error = open_memory(table, memory, memory->map.bytes, memory->map.nr_bytes);
	if (error)
		return error == -ENOMEM ? error : -ENOENT;
	if (!table->note ||
	    (!table->memory->map.old && !(table->lack == SYMBOLS_STRIPPED && debug_fetch_wanted())))
		return 0;
	line_table_deinit(table);
	return -ENOENT;
}

/* Arguments of take_table. */
struct line_taking {
	const struct symbol_request *request;
	struct line_table *table;
};

static int read_memory(int fd, size_t nr_front, struct line_table_memory **made)
{
	struct line_table_memory *memory;
	struct stat status;
	ssize_t nr_read;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_size <= 0 || status.st_size > LINE_WIRE_MAX_BYTES)
		return -EILSEQ;
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return -ENOMEM;
	memory->nr_front = nr_front;
	memory->nr_bytes = nr_front + (size_t)status.st_size;
	memory->bytes = malloc(memory->nr_bytes);
	nr_read = memory->bytes
			  ? file_pread_all(fd, memory->bytes + nr_front, (size_t)status.st_size, 0)
			  : -ENOMEM;
	if (nr_read != status.st_size) {
		memory_destroy(memory);
		return nr_read < 0 ? (int)nr_read : -EILSEQ;
	}
	*made = memory;
	return 0;
}

static int take_table(int fd, void *result)
{
	struct line_taking *taking = result;
	struct line_table_memory *memory = NULL;
	int error = read_memory(fd, symbol_cache_front_bytes(taking->request), &memory);

	if (error || !memory)
		return error;
	return open_memory(taking->table, memory, memory->bytes + memory->nr_front,
			   memory->nr_bytes - memory->nr_front);
}

static void keep(const struct line_table *table, const struct symbol_request *request)
{
	const struct line_table_memory *memory = table->memory;

	if (!memory || (memory->wire.header.flags & LINE_WIRE_KEPT))
		return;
	if (table->lack == SYMBOLS_FULL || table->lack == SYMBOLS_STRIPPED)
		symbol_cache_store(request, SYMBOL_CACHE_LINES, memory->bytes, memory->nr_bytes);
}

static int read_table(struct line_table *table, const struct symbol_request *request)
{
	struct line_taking taking = {.request = request, .table = table};
	char *note = NULL;
	int error = symbol_helper_read(request, line_read, take_table, &taking, &note);

	if (!error && note) {
		table->lack = SYMBOLS_DAMAGED;
		table->note = note;
	}
	return error;
}

/* If a server has the debug file, fetches this file and reads the table again. */
static int read_fetched(struct line_table *table, const struct symbol_request *request)
{
	struct symbol_request fetched;
	char *path;
	int error = symbol_helper_fetch(request, &fetched, &path);

	if (!error) {
		line_table_deinit(table);
		error = read_table(table, &fetched);
	} else if (error == -ENOENT) {
		error = 0;
	}
	free(path);
	return error;
}

static int load_file(struct line_table *table, const struct symbol_request *request)
{
	int error = load_cached(table, request);

	if (error != -ENOENT)
		return error;
	error = read_table(table, request);
	if (!error && table->lack == SYMBOLS_STRIPPED)
		error = read_fetched(table, request);
	if (!error)
		keep(table, request);
	return error;
}

static int load_kernel(struct line_table *table, const struct symbol_request *request)
{
	struct symbol_request kernel = *request;
	struct utsname name;

	if (!uname(&name))
		kernel.kernel_release = name.release;
	return load_file(table, &kernel);
}

static int tell_none(struct line_table *table, const char *note)
{
	table->lack = SYMBOLS_NONE;
	table->note = strdup(note);
	return table->note ? 0 : -ENOMEM;
}

int line_table_load(struct line_table *table, const char *path,
		    const struct oprof_image_identity *identity, enum oprof_image_kind kind,
		    const struct symbol_search *search)
{
	const struct symbol_request request = {
		.path = path, .identity = identity, .kind = kind, .search = search};

	*table = (struct line_table){.ranges = NULL};
	switch (kind) {
	case OPROF_IMAGE_FILE:
	case OPROF_IMAGE_VDSO:
		return load_file(table, &request);
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_IDLE:
		return load_kernel(table, &request);
	case OPROF_IMAGE_MODULE:
		return tell_none(table, "source lines of kernel modules cannot be read");
	case OPROF_IMAGE_ANON:
	case OPROF_IMAGE_BPF:
	case OPROF_IMAGE_CODE:
	case OPROF_IMAGE_OFF_CPU:
	default:
		return tell_none(table, "code of this kind has no source lines");
	}
}

/* ---- finding ---- */

/*
 * Returns the index of the last range that begins at `key` or before. ranges[low] must begin at
 * `key` or before; ranges[high] must begin after `key`, or `high` must be the end of the array.
 */
static size_t search_between(const struct line_table *table, uint64_t key, size_t low, size_t high)
{
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (table->ranges[middle].start <= key)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the index of the last range that begins at `key` or before, searching from `index`.
 * ranges[index] must begin at `key` or before.
 */
static size_t search_on(const struct line_table *table, uint64_t key, size_t index)
{
	for (int i = 0; i < NR_STEPS; i++) {
		if (index + 1 == table->nr_ranges || table->ranges[index + 1].start > key)
			return index;
		index++;
	}
	return search_between(table, key, index, table->nr_ranges);
}

static size_t add_frames(const struct line_wire *wire, uint32_t node, struct line_inline *inlines)
{
	size_t nr = 0;

	for (; node && nr < LINE_FRAMES_MAX; node = wire->nodes[node].parent)
		inlines[nr++] =
			(struct line_inline){.function = wire->strings + wire->nodes[node].function,
					     .call = {.file = wire->nodes[node].call_file,
						      .line = wire->nodes[node].call_line}};
	return nr;
}

static int fill_found(const struct line_table *table, size_t index, struct line_found *found)
{
	const struct line_wire_range *range = &table->ranges[index];

	found->end = index + 1 < table->nr_ranges ? range[1].start : UINT64_MAX;
	found->nr_inlines = 0;
	if (range->file == LINE_NO_FILE)
		return -ENOENT;
	found->place = (struct line_place){.file = range->file, .line = range->line};
	found->nr_inlines = add_frames(&table->memory->wire, range->node, found->inlines);
	return 0;
}

int line_table_find(const struct line_table *table, uint64_t key, size_t *hint,
		    struct line_found *found)
{
	size_t index = *hint;

	if (!table->nr_ranges || key < table->ranges[0].start) {
		found->nr_inlines = 0;
		found->end = table->nr_ranges ? table->ranges[0].start : UINT64_MAX;
		return -ENOENT;
	}
	if (index >= table->nr_ranges || table->ranges[index].start > key)
		index = 0;
	*hint = search_on(table, key, index);
	return fill_found(table, *hint, found);
}

int line_table_walk(const struct line_table *table,
		    int (*visit)(void *context, uint64_t start, uint64_t end,
				 const struct line_found *found),
		    void *context)
{
	struct line_found found;
	int result = 0;

	for (size_t i = 0; !result && i < table->nr_ranges; i++)
		if (!fill_found(table, i, &found))
			result = visit(context, table->ranges[i].start, found.end, &found);
	return result;
}
