// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/page/page_code.h"

#include "lib/saturate.h"
#include "pp/code/disassembly.h"
#include "pp/profile/image_search.h"
#include "pp/annotate/source_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX  160
#define BYTES_MAX      (192u << 10) /* maximum size of the code of all functions together */
#define FUNCTION_MAX   (48u << 10)  /* maximum size of the code of one function */
#define LINES_MAX      1200	    /* maximum number of source lines of one function */
#define LINES_AROUND   4
#define LINE_MAX_BYTES 400

struct lines_loading {
	struct page_code *code;
	const struct profile *profile;
	const struct profile_options *options;
};

/* ---- choice of functions ---- */

static uint64_t share_of_row(const struct profile *profile, size_t row)
{
	return saturate_total(profile_shares(profile, row), profile->nr_columns);
}

static int compare_shares(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	size_t left = *(const size_t *)a;
	size_t right = *(const size_t *)b;
	uint64_t share_left = share_of_row(profile, left);
	uint64_t share_right = share_of_row(profile, right);

	if (share_left != share_right)
		return share_left > share_right ? -1 : 1;
	return left < right ? -1 : left > right;
}

static bool is_chosen_already(const struct lines_loading *loading, const struct profile_row *row)
{
	for (size_t i = 0; i < loading->code->nr_functions; i++) {
		const struct profile_row *other =
			&loading->profile->rows[loading->code->functions[i].row];

		if (other->image == row->image && other->symbol == row->symbol)
			return true;
	}
	return false;
}

/*
 * Chooses the functions with the most samples. A function that several
 * applications use is represented by its row with the most samples.
 */
static int choose(struct lines_loading *loading)
{
	const struct profile *profile = loading->profile;
	size_t *rows = calloc(profile->nr_rows + 1, sizeof(*rows));
	uint64_t nr_bytes = 0;

	loading->code->functions = calloc(FUNCTIONS_MAX, sizeof(*loading->code->functions));
	if (!rows || !loading->code->functions) {
		free(rows);
		return -ENOMEM;
	}
	for (size_t i = 0; i < profile->nr_rows; i++)
		rows[i] = i;
	qsort_r(rows, profile->nr_rows, sizeof(*rows), compare_shares, (void *)(uintptr_t)profile);
	for (size_t i = 0; i < profile->nr_rows && loading->code->nr_functions < FUNCTIONS_MAX;
	     i++) {
		const struct profile_row *row = &profile->rows[rows[i]];

		if (!row->name || row->nr_bytes > FUNCTION_MAX ||
		    nr_bytes + row->nr_bytes > BYTES_MAX || is_chosen_already(loading, row))
			continue;
		nr_bytes += row->nr_bytes;
		loading->code->functions[loading->code->nr_functions++].row = rows[i];
	}
	free(rows);
	return 0;
}

/* ---- instructions ---- */

static int compare_starts(const void *a, const void *b)
{
	const struct disassembly_range *left = a;
	const struct disassembly_range *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

static size_t collect_ranges(const struct lines_loading *loading, uint32_t image,
			     struct disassembly_range *ranges)
{
	size_t nr = 0;

	for (size_t i = 0; i < loading->code->nr_functions; i++) {
		const struct profile_row *row =
			&loading->profile->rows[loading->code->functions[i].row];

		if (row->image == image)
			ranges[nr++] =
				(struct disassembly_range){row->start, row->start + row->nr_bytes};
	}
	qsort(ranges, nr, sizeof(*ranges), compare_starts);
	return nr;
}

static int take_instruction(struct lines_loading *loading, struct page_function *function,
			    uint64_t offset, const char *text)
{
	struct page_instruction *to = &function->instructions[function->nr_instructions];

	to->offset = offset;
	to->text = strings_keep(&loading->code->strings, text);
	function->nr_instructions += to->text != NULL;
	return to->text ? 0 : -ENOMEM;
}

/*
 * Adds all instructions of a function. They are in the part of the disassembly that begins at the
 * function's first byte. A function of N bytes has at most N instructions.
 */
static int take_instructions(struct lines_loading *loading, struct page_function *function,
			     const struct disassembly *from)
{
	const struct profile_row *row = &loading->profile->rows[function->row];
	struct disassembly_cursor at;
	int error = 0;

	function->instructions = calloc((size_t)row->nr_bytes + 1, sizeof(*function->instructions));
	if (!function->instructions)
		return -ENOMEM;
	for (bool more = disassembly_first(from, row->start, &at);
	     more && !error && at.key - row->start < row->nr_bytes;
	     more = disassembly_next(from, &at))
		error = take_instruction(loading, function, at.key - row->start, at.text);
	return error;
}

static int disassemble(struct lines_loading *loading, uint32_t image,
		       struct disassembly *disassembly, const struct disassembly_range *ranges,
		       size_t nr_ranges)
{
	const struct selection *selection = loading->profile->selection;
	const struct slice_section *section = selection->images[image].section;
	const char *path = image_search_path(selection, image);
	struct symbol_table symbols;
	const struct disassembly_request request = {.ranges = ranges,
						    .nr_ranges = nr_ranges,
						    .symbols = &symbols,
						    .demangle = loading->options->demangle};
	struct image_search search;
	int error;

	image_search_init(&search, selection, image, loading->options);
	error = symbol_table_load(&symbols, path, &section->identity, section->image_kind,
				  &search.search);
	if (error)
		return error;
	error = disassembly_load(disassembly, path, &section->identity, section->image_kind,
				 &search.search, &request);
	symbol_table_deinit(&symbols);
	return error;
}

static int load_image(struct lines_loading *loading, uint32_t image)
{
	struct disassembly_range ranges[FUNCTIONS_MAX];
	size_t nr_ranges = collect_ranges(loading, image, ranges);
	struct disassembly disassembly;
	int error;

	error = disassemble(loading, image, &disassembly, ranges, nr_ranges);
	if (error)
		return error;
	for (size_t i = 0; i < loading->code->nr_functions && !error; i++) {
		struct page_function *function = &loading->code->functions[i];

		if (loading->profile->rows[function->row].image != image)
			continue;
		error = take_instructions(loading, function, &disassembly);
		if (!error && disassembly.note) {
			function->note = strings_keep(&loading->code->strings, disassembly.note);
			error = function->note ? 0 : -ENOMEM;
		}
	}
	disassembly_deinit(&disassembly);
	return error;
}

/* ---- source ---- */

/*
 * Finds the range of lines with samples in the function's own file, and adds
 * some lines before and after. Returns false if there are no lines or too many.
 */
static bool find_lines(const struct lines_loading *loading, const struct page_function *function,
		       uint32_t *low, uint32_t *high)
{
	const struct profile *profile = loading->profile;
	const struct line_place *begin = &profile->row_lines[function->row];

	*low = *high = begin->line;
	if (!begin->line)
		return false;
	for (size_t i = profile->first_detail[function->row];
	     i < profile->first_detail[function->row + 1]; i++) {
		const struct line_place *place = &profile->detail_lines[i];

		if (!place->line || place->file != begin->file)
			continue;
		*low = place->line < *low ? place->line : *low;
		*high = place->line > *high ? place->line : *high;
	}
	*low = *low > LINES_AROUND ? *low - LINES_AROUND : 1;
	*high = *high < UINT32_MAX - LINES_AROUND ? *high + LINES_AROUND : *high;
	return *high - *low < LINES_MAX;
}

static int take_line(struct lines_loading *loading, struct page_function *function,
		     const struct source_file *source, size_t number)
{
	char text[LINE_MAX_BYTES + 1];
	size_t nr_bytes;
	const char *line = source_file_line(source, number, &nr_bytes);

	if (nr_bytes > LINE_MAX_BYTES)
		nr_bytes = LINE_MAX_BYTES;
	memcpy(text, line, nr_bytes);
	text[nr_bytes] = '\0';
	function->lines[function->nr_lines] = strings_keep(&loading->code->strings, text);
	return function->lines[function->nr_lines++] ? 0 : -ENOMEM;
}

static int take_source(struct lines_loading *loading, struct page_function *function)
{
	static const struct spec_list none;
	const struct source_search search = {
		.search_dirs = &none, .base_dirs = &none, .root = loading->options->root};
	const struct profile *profile = loading->profile;
	struct source_file source;
	uint32_t low, high;
	int error = 0;

	if (!find_lines(loading, function, &low, &high))
		return 0;
	function->file = profile->row_lines[function->row].file;
	function->first_line = low;
	if (source_file_read(&source, profile->files[function->file], &search))
		return 0; /* the file is not available */
	if (high > source.nr_lines)
		high = (uint32_t)source.nr_lines;
	function->lines = calloc(LINES_MAX + 1, sizeof(*function->lines));
	if (!function->lines)
		error = -ENOMEM;
	for (size_t i = low; i <= high && !error; i++)
		error = take_line(loading, function, &source, i);
	source_file_deinit(&source);
	return error;
}

int page_code_load(struct page_code *code, const struct profile *profile,
		   const struct profile_options *options)
{
	struct lines_loading loading = {.code = code, .profile = profile, .options = options};
	int error;

	*code = (struct page_code){0};
	error = choose(&loading);
	/* One call of load_image() fills all functions of the image. */
	for (size_t i = 0; i < code->nr_functions && !error; i++)
		if (!code->functions[i].instructions)
			error = load_image(&loading, profile->rows[code->functions[i].row].image);
	for (size_t i = 0; i < code->nr_functions && !error && profile->row_lines; i++)
		error = take_source(&loading, &code->functions[i]);
	if (error)
		page_code_deinit(code);
	return error;
}
