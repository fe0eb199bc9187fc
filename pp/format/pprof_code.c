// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/pprof_code.h"

#include "lib/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_MEMORY_START = 2,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILE_OFFSET = 4,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINE_NUMBERS = 9,
	MAPPING_HAS_INLINE_FRAMES = 10,
};
enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
	FUNCTION_START_LINE = 5,
};

#define PAGE_BYTES     UINT64_C(4096)
#define BUILD_ID_BYTES (2 * OPROF_BUILD_ID_BYTES_MAX + 1)

/* The range of an image's functions. Addresses are those in the image's file. */
struct pprof_range {
	uint64_t first, last;
	uint64_t first_offset; /* key of first */
	bool used;
};

/*
 * An entry for an inlined function. A function of the tree also has such an entry if some of its
 * code comes from a source file that is not the file in which the function begins.
 */
struct pprof_function {
	const char *name; /* not demangled; borrowed */
	uint32_t file;
};

/*
 * Extends the image's range to include nr_bytes bytes of code at `address`, whose key is `offset`.
 */
static void note_range(struct pprof_code *code, uint32_t image, uint64_t address, uint64_t offset,
		       uint64_t nr_bytes)
{
	struct pprof_range *range = &code->ranges[image];

	if (!range->last || address < range->first) {
		range->first = address;
		range->first_offset = offset;
	}
	if (address + nr_bytes > range->last)
		range->last = address + nr_bytes;
}

static bool same_pprof_function(uint32_t index, const void *key, void *context)
{
	const struct pprof_code *code = context;
	const struct pprof_function *wanted = key;

	return code->functions[index].name == wanted->name &&
	       code->functions[index].file == wanted->file;
}

static void write_function(struct pprof_code *code, uint64_t id, const char *shown,
			   const struct pprof_function *function, uint32_t start_line)
{
	protobuf_number(&code->writer->message, FUNCTION_ID, id);
	protobuf_number(&code->writer->message, FUNCTION_NAME,
			pprof_number_text(code->writer, shown));
	protobuf_number(&code->writer->message, FUNCTION_SYSTEM_NAME,
			pprof_number_text(code->writer, function->name));
	if (function->file)
		protobuf_number(
			&code->writer->message, FUNCTION_FILENAME,
			pprof_number_text(code->writer, code->places->files[function->file]));
	protobuf_number(&code->writer->message, FUNCTION_START_LINE, start_line);
	pprof_write_message(code->writer, PROFILE_FUNCTION);
}

/* Returns a function's id. Writes the function at its first use. */
static uint64_t number_function(struct pprof_code *code, const struct pprof_function *function)
{
	uint64_t hash = index_table_hash(
		index_table_hash(function->file, (uint64_t)(uintptr_t)function->name), 1);
	uint32_t index =
		index_table_find(&code->function_table, hash, same_pprof_function, function, code);
	uint64_t id = code->tree->nr_functions + UINT64_C(1);
	char *shown;

	if (index != INDEX_TABLE_NONE)
		return id + index;
	if (array_reserve(&code->functions, &code->functions_room, code->nr_functions, 1))
		goto failed;
	shown = symbol_demangle(function->name, code->demangle);
	if (!shown || index_table_put(&code->function_table, hash, (uint32_t)code->nr_functions)) {
		free(shown);
		goto failed;
	}
	id += code->nr_functions;
	code->functions[code->nr_functions++] = *function;
	write_function(code, id, shown, function, 0);
	free(shown);
	return id;
failed:
	code->writer->failed = true;
	return 0;
}

/* Returns the id of a function that has the frame's name and the frame's source file. */
static uint64_t frame_function(struct pprof_code *code, uint32_t number,
			       const struct call_frame *frame)
{
	const struct call_function *function = &code->tree->functions[number];
	const struct pprof_function own = {.name = function->name, .file = frame->file};
	const struct pprof_function inlined = {.name = frame->function, .file = frame->file};

	if (frame->function)
		return number_function(code, &inlined);
	if (!frame->file || frame->file == code->places->starts[number].file)
		return number + UINT64_C(1);
	return number_function(code, &own);
}

static void write_line(struct pprof_code *code, uint64_t function_id, uint32_t line)
{
	protobuf_number(&code->writer->part, LINE_FUNCTION_ID, function_id);
	protobuf_number(&code->writer->part, LINE_LINE, line);
	pprof_write_part(code->writer, LOCATION_LINE);
}

static void write_location_head(struct pprof_code *code, uint64_t id, uint32_t image,
				uint64_t address)
{
	protobuf_number(&code->writer->message, LOCATION_ID, id);
	if (image != CALL_IMAGE_NONE)
		protobuf_number(&code->writer->message, LOCATION_MAPPING_ID, image + UINT64_C(1));
	protobuf_number(&code->writer->message, LOCATION_ADDRESS, address);
}

/*
 * Writes the location of one address. If no line is known, the location has the function without
 * lines. If the code is outside all symbols, the location has no function, and only refers to a
 * mapping.
 */
static void write_code_location(struct pprof_code *code, uint32_t number)
{
	const struct call_code *at = &code->places->codes[number];
	const struct call_function *function = &code->tree->functions[at->function];
	uint64_t ids[LINE_FRAMES_MAX + 1];
	uint32_t nr = function->name ? at->nr_frames : 0;

	for (uint32_t i = 0; i < nr; i++)
		ids[i] = frame_function(code, at->function,
					&code->places->frames[at->first_frame + i]);
	write_location_head(code, code->tree->nr_functions + UINT64_C(1) + number, function->image,
			    at->address);
	for (uint32_t i = 0; i < nr; i++)
		write_line(code, ids[i], code->places->frames[at->first_frame + i].line);
	if (function->name && !nr)
		write_line(code, at->function + UINT64_C(1), 0);
	pprof_write_message(code->writer, PROFILE_LOCATION);
	/* A function without a symbol has no known end: each of its addresses extends the range. */
	if (!function->name || function->is_nameless)
		note_range(code, function->image, at->address, at->key, 1);
}

/*
 * Writes a function and the location of the whole function. This location is used for callers,
 * because stacks do not contain call addresses, and for samples whose address is unknown.
 */
static void write_tree_function(struct pprof_code *code, uint32_t number)
{
	const struct call_function *function = &code->tree->functions[number];
	const struct line_place start =
		code->places ? code->places->starts[number] : (struct line_place){0};
	const struct pprof_function of = {.name = function->name, .file = start.file};
	uint64_t id = number + UINT64_C(1);

	write_location_head(code, id, function->image, function->address);
	if (function->name)
		write_line(code, id, 0);
	pprof_write_message(code->writer, PROFILE_LOCATION);
	if (function->name)
		write_function(code, id, code->names->names[number], &of, start.line);
	if (function->image == CALL_IMAGE_NONE)
		return;
	code->ranges[function->image].used = true;
	if (function->name)
		note_range(code, function->image, function->address, function->offset,
			   function->nr_bytes ? function->nr_bytes : 1);
}

static void show_build_id(const struct oprof_image_identity *identity, char text[BUILD_ID_BYTES])
{
	text[0] = '\0';
	for (uint32_t i = 0; i < identity->nr_build_id && i < OPROF_BUILD_ID_BYTES_MAX; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", identity->build_id[i]);
}

static void write_mapping(struct pprof_code *code, uint32_t number)
{
	const struct call_image *image = &code->tree->images[number];
	const struct pprof_range *range = &code->ranges[number];
	uint64_t start = range->first & ~(PAGE_BYTES - 1);
	uint64_t shift = range->first - start;
	char build_id[BUILD_ID_BYTES];

	protobuf_number(&code->writer->message, MAPPING_ID, number + UINT64_C(1));
	protobuf_number(&code->writer->message, MAPPING_MEMORY_START, start);
	protobuf_number(&code->writer->message, MAPPING_MEMORY_LIMIT,
			(range->last + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
	if (range->first_offset >= shift)
		protobuf_number(&code->writer->message, MAPPING_FILE_OFFSET,
				range->first_offset - shift);
	protobuf_number(&code->writer->message, MAPPING_FILENAME,
			pprof_number_text(code->writer, image->path));
	show_build_id(&image->identity, build_id);
	protobuf_number(&code->writer->message, MAPPING_BUILD_ID,
			pprof_number_text(code->writer, build_id));
	protobuf_number(&code->writer->message, MAPPING_HAS_FUNCTIONS, image->has_symbols);
	if (code->places) {
		const struct call_place_image *lines = &code->places->images[number];

		protobuf_number(&code->writer->message, MAPPING_HAS_FILENAMES, lines->has_lines);
		protobuf_number(&code->writer->message, MAPPING_HAS_LINE_NUMBERS, lines->has_lines);
		protobuf_number(&code->writer->message, MAPPING_HAS_INLINE_FRAMES,
				lines->has_inlines);
	}
	pprof_write_message(code->writer, PROFILE_MAPPING);
}

/*
 * Returns the image that is the program of the application with the most samples, or nr_images if
 * this image is not used. The mapping of this image must be written first, because readers use its
 * name for the whole profile.
 */
static uint32_t main_image(const struct pprof_code *code)
{
	const struct call_tree *tree = code->tree;
	uint32_t best = 0, image = 0;

	for (uint32_t i = 1; i < tree->nr_apps; i++)
		if (call_tree_below(tree, i)[0] > call_tree_below(tree, best)[0])
			best = i;
	while (image < tree->nr_images &&
	       (!tree->nr_apps || !code->ranges[image].used ||
		strcmp(tree->images[image].path, tree->apps[tree->nodes[best].function]) != 0))
		image++;
	return image;
}

void pprof_code_write(struct pprof_code *code)
{
	const struct call_tree *tree = code->tree;
	uint32_t first;

	for (uint32_t i = 0; i < tree->nr_functions; i++)
		if (code->function_used[i])
			write_tree_function(code, i);
	for (uint32_t i = 0; code->places && i < code->places->nr_codes; i++)
		if (code->code_used[i])
			write_code_location(code, i);
	first = main_image(code);
	if (first < tree->nr_images)
		write_mapping(code, first);
	for (uint32_t i = 0; i < tree->nr_images; i++)
		if (code->ranges[i].used && i != first)
			write_mapping(code, i);
}

int pprof_code_init(struct pprof_code *code, struct pprof_writer *writer,
		    const struct call_tree *tree, const struct call_names *names,
		    const struct calls_options *options)
{
	*code = (struct pprof_code){.writer = writer,
				    .tree = tree,
				    .names = names,
				    .places = options->places,
				    .demangle = options->text->demangle};
	code->ranges = calloc(tree->nr_images + 1, sizeof(*code->ranges));
	code->function_used = calloc(tree->nr_functions + 1, sizeof(*code->function_used));
	code->code_used =
		calloc(code->places ? code->places->nr_codes + 1 : 1, sizeof(*code->code_used));
	return code->ranges && code->function_used && code->code_used ? 0 : -ENOMEM;
}

void pprof_code_deinit(struct pprof_code *code)
{
	free(code->ranges);
	free(code->function_used);
	free(code->code_used);
	free(code->functions);
	index_table_deinit(&code->function_table);
	*code = (struct pprof_code){0};
}

uint64_t pprof_code_function(struct pprof_code *code, uint32_t function)
{
	code->function_used[function] = true;
	return function + UINT64_C(1);
}

uint64_t pprof_code_place(struct pprof_code *code, uint32_t number)
{
	code->code_used[number] = true;
	return code->tree->nr_functions + UINT64_C(1) + number;
}
