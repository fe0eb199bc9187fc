// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotated_mixed.h"
#include "lib/utf8.h"
#include "pp/annotate/annotated_output.h"
#include "pp/annotate/annotated_text.h"
#include "pp/annotate/annotation_sums.h"
#include "pp/code/disassembly.h"
#include "pp/annotate/format_annotated.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_text.h"
#include "pp/profile/image_search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct assembly {
	const struct annotation *annotation;
	const struct annotated_options *options;
	FILE *err;
	struct diag *diag;
	struct annotated_cells cells;
	struct annotated_output output;
	struct annotation_sums scratch; /* has one element: the sums of the current line */
	struct mixed_sources *mixed;	/* NULL: instructions only */
	uint64_t nr_left_out;		/* samples of functions below the threshold */
};

/* A function to show, and the range of its code. */
struct shown_function {
	size_t function; /* index in annotation->functions */
	struct disassembly_range range;
};

/* The state while one image is written. */
struct assembly_writing {
	struct assembly *assembly;
	const struct annotation_image *image;
	struct symbol_table symbols;
	struct disassembly code;
	/* sorted by key; ranges are empty for code outside all symbols */
	struct shown_function *shown;
	size_t nr_shown;
	struct mixed *mixed; /* NULL: instructions only */
};

static const struct selection_image *selected_of(const struct assembly_writing *writing)
{
	const struct annotation *annotation = writing->assembly->annotation;

	return &annotation->profile->selection->images[writing->image->image];
}

static const struct annotation_function *function_of(const struct assembly_writing *writing,
						     const struct shown_function *shown)
{
	return &writing->assembly->annotation->functions[shown->function];
}

/* ---- choice of functions ---- */

/* Returns the symbol that contains `key`, or NULL. */
static const struct symbol *find_symbol(const struct symbol_table *table, uint64_t key)
{
	size_t low = 0, high = table->nr_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].start <= key)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || key - table->symbols[low - 1].start >= table->symbols[low - 1].nr_bytes)
		return NULL;
	return &table->symbols[low - 1];
}

static struct disassembly_range range_of(const struct assembly_writing *writing, size_t function)
{
	const struct annotation *annotation = writing->assembly->annotation;
	const struct annotation_function *wanted = &annotation->functions[function];
	uint64_t key = annotation->profile->details[annotation->keys[wanted->first]].key;
	const struct symbol *symbol = wanted->name ? find_symbol(&writing->symbols, key) : NULL;

	return symbol ? (struct disassembly_range){.start = symbol->start,
						   .end = symbol->start + symbol->nr_bytes}
		      : (struct disassembly_range){.start = key, .end = key};
}

static int choose_functions(struct assembly_writing *writing)
{
	struct assembly *assembly = writing->assembly;
	const struct annotation *annotation = assembly->annotation;
	const struct profile *profile = annotation->profile;

	writing->shown = malloc((writing->image->nr_functions + 1) * sizeof(*writing->shown));
	if (!writing->shown)
		return -ENOMEM;
	for (size_t i = 0; i < writing->image->nr_functions; i++) {
		size_t function = writing->image->first_function + i;

		if (column_passes(
			    profile,
			    annotation_shares(annotation, &annotation->function_sums, function),
			    assembly->options->threshold))
			writing->shown[writing->nr_shown++] =
				(struct shown_function){.function = function};
		else
			assembly->nr_left_out += annotated_sum(
				profile, annotation_counts(annotation, &annotation->function_sums,
							   function));
	}
	return 0;
}

/* ---- code ---- */

static int load_symbols(struct assembly_writing *writing, const struct image_search *search)
{
	const struct selection *selection = writing->assembly->annotation->profile->selection;
	int error = symbol_table_load(&writing->symbols,
				      image_search_path(selection, writing->image->image),
				      &selected_of(writing)->section->identity,
				      selected_of(writing)->kind, &search->search);

	for (size_t i = 0; i < writing->nr_shown && !error; i++)
		writing->shown[i].range = range_of(writing, writing->shown[i].function);
	return error;
}

/*
 * Returns the code ranges of the functions to show, without empty and repeated ranges; malloc'ed.
 */
static struct disassembly_range *collect_ranges(const struct assembly_writing *writing,
						size_t *nr_ranges)
{
	struct disassembly_range *ranges = malloc((writing->nr_shown + 1) * sizeof(*ranges));
	uint64_t end = 0;

	*nr_ranges = 0;
	for (size_t i = 0; ranges && i < writing->nr_shown; i++) {
		const struct disassembly_range *range = &writing->shown[i].range;

		if (range->start >= range->end || range->start < end)
			continue;
		ranges[(*nr_ranges)++] = *range;
		end = range->end;
	}
	return ranges;
}

static int load_code(struct assembly_writing *writing)
{
	const struct assembly *assembly = writing->assembly;
	const struct selection *selection = assembly->annotation->profile->selection;
	struct disassembly_request request = {.symbols = &writing->symbols,
					      .demangle = assembly->options->demangle};
	struct disassembly_range *ranges;
	struct image_search search;
	int error;

	image_search_init(&search, selection, writing->image->image, assembly->options->profile);
	error = load_symbols(writing, &search);
	if (error)
		return error;
	ranges = collect_ranges(writing, &request.nr_ranges);
	if (!ranges)
		return -ENOMEM;
	request.ranges = ranges;
	if (request.nr_ranges)
		error = disassembly_load(&writing->code,
					 image_search_path(selection, writing->image->image),
					 &selected_of(writing)->section->identity,
					 selected_of(writing)->kind, &search.search, &request);
	free(ranges);
	return error;
}

/* Loads the code and, if requested, the source lines. */
static int load_image(struct assembly_writing *writing)
{
	struct assembly *assembly = writing->assembly;
	size_t index = (size_t)(writing->image - assembly->annotation->images);
	const char *what = "code";
	int error = load_code(writing);

	if (!error && assembly->mixed) {
		what = "source lines";
		error = mixed_begin(&writing->mixed, assembly->mixed, index, &assembly->cells);
	}
	return error ? diag_set(assembly->diag, error, "cannot read the %s of %s: %s", what,
				selected_of(writing)->path, strerror(-error))
		     : 0;
}

/* ---- lines ---- */

/*
 * Adds up the samples of the function's keys from index *next up to and including the key `last`.
 * Advances *next past these keys. Returns false if there are no such keys.
 */
static bool sum_keys(struct assembly *assembly, const struct annotation_function *function,
		     size_t *next, uint64_t last)
{
	const struct annotation *annotation = assembly->annotation;
	const struct profile *profile = annotation->profile;
	size_t first = *next;

	for (; *next < function->first + function->nr; (*next)++) {
		uint32_t detail = annotation->keys[*next];
		size_t at = detail * profile->nr_columns;

		if (profile->details[detail].key > last)
			break;
		if (*next == first) {
			assembly->scratch.nr = 0;
			(void)annotation_sums_add(&assembly->scratch, profile);
		}
		annotation_sums_count(&assembly->scratch, profile, 0, profile->detail_counts + at,
				      profile->detail_shares + at);
	}
	return *next > first;
}

static const char hex_digits[] = "0123456789abcdef";

/*
 * Writes the address like fprintf() with "%8lx:\t", but faster: there may be millions of addresses.
 */
static void write_address(FILE *out, uint64_t address)
{
	char text[18];
	char *end = text + sizeof(text), *at = end;

	*--at = '\t';
	*--at = ':';
	do
		*--at = hex_digits[address & 15];
	while (address >>= 4);
	while (end - at < 10)
		*--at = ' ';
	(void)fwrite_unlocked(at, 1, (size_t)(end - at), out);
}

static void write_line(struct assembly_writing *writing, FILE *out,
		       const struct disassembly_cursor *line,
		       const struct annotation_function *function, size_t *next)
{
	struct assembly *assembly = writing->assembly;

	if (sum_keys(assembly, function, next, line->key + (line->nr_bytes - 1)))
		annotated_cells_write(&assembly->cells, out, assembly->scratch.counts,
				      assembly->scratch.shares);
	else
		annotated_cells_blank(&assembly->cells, out);
	(void)fputc_unlocked(':', out);
	write_address(out, line->address);
	utf8_write_masked_line(out, line->text);
	(void)fputc_unlocked('\n', out);
}

/* Writes the function's remaining samples, which belong to no instruction. */
static void write_unclaimed(struct assembly_writing *writing, FILE *out,
			    const struct annotation_function *function, size_t *next,
			    const char *why)
{
	struct assembly *assembly = writing->assembly;

	if (!sum_keys(assembly, function, next, UINT64_MAX))
		return;
	annotated_cells_write(&assembly->cells, out, assembly->scratch.counts,
			      assembly->scratch.shares);
	(void)fprintf(out, ":/* %s */\n", why);
}

static void write_function_head(struct assembly_writing *writing, FILE *out,
				const struct shown_function *shown)
{
	struct assembly *assembly = writing->assembly;
	const struct annotation *annotation = assembly->annotation;
	const struct annotation_function *function = function_of(writing, shown);

	(void)fputc('\n', out);
	annotated_cells_blank(&assembly->cells, out);
	(void)fprintf(out, ":%016" PRIx64 " <", function->address);
	annotated_name_write(out, function->name, assembly->options->demangle);
	(void)fputs(">: /* ", out);
	annotated_name_write(out, function->name, assembly->options->demangle);
	(void)fputs(" total: ", out);
	annotated_cells_write(
		&assembly->cells, out,
		annotation_counts(annotation, &annotation->function_sums, shown->function),
		annotation_shares(annotation, &annotation->function_sums, shown->function));
	(void)fputs("*/\n", out);
}

static int write_function(struct assembly_writing *writing, FILE *out,
			  const struct shown_function *shown)
{
	const struct annotation_function *function = function_of(writing, shown);
	struct disassembly_cursor line;
	size_t next = function->first;
	bool more = shown->range.start < shown->range.end &&
		    disassembly_first(&writing->code, shown->range.start, &line);
	int error = 0;

	write_function_head(writing, out, shown);
	for (; more && !error; more = disassembly_next(&writing->code, &line)) {
		if (writing->mixed)
			error = mixed_write(writing->mixed, out, line.key);
		write_line(writing, out, &line, function, &next);
	}
	write_unclaimed(writing, out, function, &next,
			function->name ? "no code" : "outside every symbol");
	if (writing->mixed)
		mixed_end_function(writing->mixed);
	return error;
}

/* ---- images ---- */

static void write_image_head(struct assembly_writing *writing, FILE *out)
{
	struct assembly *assembly = writing->assembly;
	const struct annotation *annotation = assembly->annotation;
	size_t index = (size_t)(writing->image - annotation->images);

	(void)fputs("/*\n * Total samples for image : \"", out);
	annotated_comment_write(out, selected_of(writing)->path);
	(void)fputs("\"\n *\n * ", out);
	annotated_cells_write(&assembly->cells, out,
			      annotation_counts(annotation, &annotation->image_sums, index),
			      annotation_shares(annotation, &annotation->image_sums, index));
	(void)fputs("\n */\n", out);
}

/* Reports the samples of functions whose code is not available. */
static void tell_code(const struct assembly_writing *writing)
{
	const struct assembly *assembly = writing->assembly;
	const struct annotation *annotation = assembly->annotation;
	uint64_t nr_samples = 0;

	if (!writing->code.note)
		return;
	for (size_t i = 0; i < writing->nr_shown; i++)
		nr_samples +=
			annotated_sum(annotation->profile,
				      annotation_counts(annotation, &annotation->function_sums,
							writing->shown[i].function));
	utf8_write_masked(assembly->err, selected_of(writing)->path);
	(void)fputs(": no code, ", assembly->err);
	annotated_samples_write(assembly->err, annotation->profile, nr_samples);
	(void)fputs(": ", assembly->err);
	utf8_write_masked(assembly->err, writing->code.note);
	(void)fputc('\n', assembly->err);
}

static int compare_shown(const void *a, const void *b, void *context)
{
	const size_t *places = context; /* rank of each function of the image, by samples */
	size_t left = places[((const struct shown_function *)a)->function];
	size_t right = places[((const struct shown_function *)b)->function];

	return left < right ? -1 : left > right;
}

/*
 * Sorts the shown functions by samples, most first. collect_ranges() must be called before this
 * function, because it needs the functions sorted by key.
 */
static int sort_shown(struct assembly_writing *writing)
{
	const struct annotation *annotation = writing->assembly->annotation;
	size_t first = writing->image->first_function;
	size_t nr = writing->image->nr_functions;
	size_t *order = annotated_order(annotation->profile, &annotation->function_sums, first, nr);
	size_t *places = malloc((nr + 1) * sizeof(*places));
	int error = order && places ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !error; i++)
		places[order[i] - first] = i;
	for (size_t i = 0; i < writing->nr_shown && !error; i++)
		writing->shown[i].function -= first;
	if (!error)
		qsort_r(writing->shown, writing->nr_shown, sizeof(*writing->shown), compare_shown,
			places);
	for (size_t i = 0; i < writing->nr_shown && !error; i++)
		writing->shown[i].function += first;
	free(order);
	free(places);
	return error;
}

static int write_functions(struct assembly_writing *writing)
{
	struct assembly *assembly = writing->assembly;
	struct annotated_output *output = &assembly->output;
	int error = annotated_output_begin(output, selected_of(writing)->path);

	if (!error && output->dir)
		error = annotated_head_write(output->out, assembly->annotation, assembly->options);
	if (error)
		return error;
	write_image_head(writing, output->out);
	for (size_t i = 0; i < writing->nr_shown && !error; i++)
		error = write_function(writing, output->out, &writing->shown[i]);
	if (error)
		return error;
	if (!output->dir)
		(void)fputs("\n\n", output->out);
	return annotated_output_end(output, assembly->diag);
}

static int write_image(struct assembly *assembly, size_t index)
{
	struct assembly_writing writing = {.assembly = assembly,
					   .image = &assembly->annotation->images[index]};
	int error = choose_functions(&writing);

	if (!error && writing.nr_shown) {
		error = load_image(&writing);
		tell_code(&writing);
		if (!error)
			error = sort_shown(&writing);
		if (!error)
			error = write_functions(&writing);
	}
	mixed_end(writing.mixed);
	disassembly_deinit(&writing.code);
	symbol_table_deinit(&writing.symbols);
	free(writing.shown);
	return error;
}

static int write_images(struct assembly *assembly)
{
	const struct annotation *annotation = assembly->annotation;
	size_t *order = annotated_order(annotation->profile, &annotation->image_sums, 0,
					annotation->nr_images);
	int error = order ? 0 : -ENOMEM;

	for (size_t i = 0; i < annotation->nr_images && !error; i++)
		error = write_image(assembly, order[i]);
	free(order);
	return error;
}

static void tell_sums(const struct assembly *assembly)
{
	if (assembly->nr_left_out) {
		(void)fputs("symbols below the threshold: ", assembly->err);
		annotated_samples_write(assembly->err, assembly->annotation->profile,
					assembly->nr_left_out);
		(void)fputc('\n', assembly->err);
	}
	if (assembly->mixed)
		annotated_write_lines_lack(assembly->err, assembly->annotation);
	annotated_output_write_sum(&assembly->output, assembly->err);
}

int annotated_format_assembly(const struct annotation *annotation,
			      const struct annotated_options *options, FILE *out, FILE *err,
			      struct diag *diag)
{
	struct assembly assembly = {.annotation = annotation,
				    .options = options,
				    .err = err,
				    .diag = diag,
				    .output = {.dir = options->output_dir, .all = out}};
	int error = annotated_cells_init(&assembly.cells, annotation->profile);

	/* Allocates the only element of assembly.scratch. */
	if (!error && annotation_sums_add(&assembly.scratch, annotation->profile) == SIZE_MAX)
		error = -ENOMEM;
	if (!error && options->source)
		error = mixed_sources_create(&assembly.mixed, annotation, options, err);
	if (!error && !options->output_dir)
		error = annotated_head_write(out, annotation, options);
	if (!error)
		error = write_images(&assembly);
	if (!error)
		tell_sums(&assembly);
	mixed_sources_destroy(assembly.mixed);
	annotation_sums_deinit(&assembly.scratch);
	annotated_output_deinit(&assembly.output);
	annotated_cells_deinit(&assembly.cells);
	return error == -ENOMEM ? diag_set(diag, error, "out of memory") : error;
}
