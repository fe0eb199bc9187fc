// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotated_output.h"
#include "lib/utf8.h"
#include "pp/annotate/annotated_text.h"
#include "pp/annotate/format_annotated.h"
#include "pp/format/format_columns.h"
#include "pp/format/format_text.h"
#include "pp/annotate/source_function.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOTALS_SHOWN  8 /* how many totals of functions are written after one line at most */
#define CALLERS_SHOWN 4
#define LACKS_SHOWN   5 /* how many images with samples without a line are listed at most */

/* A total that is written after the line where a function begins. */
struct total {
	uint32_t file, line;
	bool inlined; /* true: index is in annotation->inlined; false: in annotation->functions */
	size_t index;
};

struct sources {
	const struct annotation *annotation;
	const struct annotated_options *options;
	FILE *err;
	struct diag *diag;
	struct annotated_cells cells;
	struct annotated_output output;
	struct total *totals; /* sorted by file, then line, then samples, most samples first */
	size_t nr_totals;
	uint64_t nr_left_out; /* samples of files not requested, or below the threshold */
	uint64_t nr_missing;  /* samples of files that cannot be read */
	size_t nr_missing_files;
};

/* The state while one file is written. */
struct source_writing {
	struct sources *sources;
	const struct annotation_file *file;
	uint32_t index;	  /* index of file */
	size_t next_line; /* index in annotation->lines */
	size_t next_total;
	struct source_file text; /* has no lines if the file could not be read */
};

/* ---- totals of functions ---- */

static const uint64_t *shares_of(const struct annotation *annotation, const struct total *total)
{
	return annotation_shares(
		annotation, total->inlined ? &annotation->inlined_sums : &annotation->function_sums,
		total->index);
}

static const uint64_t *counts_of(const struct annotation *annotation, const struct total *total)
{
	return annotation_counts(
		annotation, total->inlined ? &annotation->inlined_sums : &annotation->function_sums,
		total->index);
}

static const char *name_of(const struct annotation *annotation, const struct total *total)
{
	return total->inlined ? annotation->inlined[total->index].function
			      : annotation->functions[total->index].name;
}

static int compare_totals(const void *a, const void *b, void *context)
{
	const struct annotation *annotation = context;
	const struct total *left = a, *right = b;
	uint64_t left_share = *shares_of(annotation, left);
	uint64_t right_share = *shares_of(annotation, right);

	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	if (left_share != right_share)
		return left_share > right_share ? -1 : 1;
	if (left->inlined != right->inlined)
		return left->inlined ? 1 : -1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static int make_totals(struct sources *sources)
{
	const struct annotation *annotation = sources->annotation;
	size_t nr = annotation->function_sums.nr + annotation->inlined_sums.nr;
	struct total *totals = malloc((nr + 1) * sizeof(*totals));

	if (!totals)
		return -ENOMEM;
	sources->totals = totals;
	for (size_t i = 0; i < annotation->function_sums.nr; i++)
		if (annotation->functions[i].file != ANNOTATION_NO_FILE)
			totals[sources->nr_totals++] =
				(struct total){.file = annotation->functions[i].file,
					       .line = annotation->functions[i].line,
					       .index = i};
	for (size_t i = 0; i < annotation->inlined_sums.nr; i++)
		totals[sources->nr_totals++] = (struct total){.file = annotation->inlined[i].file,
							      .line = annotation->inlined[i].line,
							      .inlined = true,
							      .index = i};
	/* The cast removes const: compare_totals() only reads the annotation. */
	qsort_r(totals, sources->nr_totals, sizeof(*totals), compare_totals,
		(void *)(uintptr_t)annotation);
	return 0;
}

static void write_callers(struct sources *sources, FILE *out,
			  const struct annotation_inlined *inlined)
{
	const struct annotation *annotation = sources->annotation;
	size_t *order = annotated_order(annotation->profile, &annotation->caller_sums,
					inlined->first_caller, inlined->nr_callers);

	for (size_t i = 0; i < inlined->nr_callers && i < CALLERS_SHOWN; i++) {
		size_t caller = order ? order[i] : inlined->first_caller + i;

		(void)fputs(i ? ", " : " into ", out);
		annotated_name_write(out, annotation->callers[caller].function,
				     sources->options->demangle);
		(void)fputc(' ', out);
		annotated_cells_write(
			&sources->cells, out,
			annotation_counts(annotation, &annotation->caller_sums, caller),
			annotation_shares(annotation, &annotation->caller_sums, caller));
	}
	if (inlined->nr_callers > CALLERS_SHOWN)
		(void)fprintf(out, "and %zu more ", inlined->nr_callers - CALLERS_SHOWN);
	free(order);
}

static void write_total(struct sources *sources, FILE *out, const struct total *total)
{
	const struct annotation *annotation = sources->annotation;

	(void)fputs(" /* ", out);
	annotated_name_write(out, name_of(annotation, total), sources->options->demangle);
	(void)fputs(total->inlined ? " inlined: " : " total: ", out);
	annotated_cells_write(&sources->cells, out, counts_of(annotation, total),
			      shares_of(annotation, total));
	if (total->inlined)
		write_callers(sources, out, &annotation->inlined[total->index]);
	(void)fputs("*/", out);
}

/* Writes the totals of the functions that begin in this line. */
static void write_totals(struct source_writing *writing, FILE *out, uint32_t line)
{
	struct sources *sources = writing->sources;
	size_t nr = 0;

	for (; writing->next_total < sources->nr_totals; writing->next_total++) {
		const struct total *total = &sources->totals[writing->next_total];

		if (total->file != writing->index || total->line > line)
			break;
		if (nr++ < TOTALS_SHOWN)
			write_total(sources, out, total);
	}
	if (nr > TOTALS_SHOWN)
		(void)fprintf(out, " /* and %zu more function%s */", nr - TOTALS_SHOWN,
			      nr - TOTALS_SHOWN == 1 ? "" : "s");
}

/*
 * Moves each total from the line of the function's first instruction to the line where the source
 * text defines the function.
 */
static void move_totals(struct source_writing *writing)
{
	struct sources *sources = writing->sources;
	struct total *first = &sources->totals[writing->next_total];
	struct total *end = &sources->totals[sources->nr_totals];
	size_t nr = 0;

	for (; first + nr < end && first[nr].file == writing->index; nr++) {
		const char *name = name_of(sources->annotation, &first[nr]);
		char *shown = name ? symbol_demangle(name, DEMANGLE_NORMAL) : NULL;

		if (shown)
			first[nr].line = (uint32_t)source_function_line(&writing->text,
									first[nr].line, shown);
		free(shown);
	}
	/* The cast removes const: compare_totals() only reads the annotation. */
	qsort_r(first, nr, sizeof(*first), compare_totals, (void *)(uintptr_t)sources->annotation);
}

/* ---- lines ---- */

static const struct annotation_line *next_line(const struct source_writing *writing)
{
	const struct annotation_file *file = writing->file;

	return writing->next_line < file->first_line + file->nr_lines
		       ? &writing->sources->annotation->lines[writing->next_line]
		       : NULL;
}

static bool has_total(const struct source_writing *writing)
{
	const struct sources *sources = writing->sources;

	return writing->next_total < sources->nr_totals &&
	       sources->totals[writing->next_total].file == writing->index;
}

static void write_samples(struct source_writing *writing, FILE *out)
{
	struct sources *sources = writing->sources;
	const struct annotation *annotation = sources->annotation;
	size_t line = writing->next_line++;

	annotated_cells_write(&sources->cells, out,
			      annotation_counts(annotation, &annotation->line_sums, line),
			      annotation_shares(annotation, &annotation->line_sums, line));
}

/* Writes the lines that have text. */
static void write_text(struct source_writing *writing, FILE *out)
{
	const struct annotation_line *line = next_line(writing);

	for (size_t number = 1; number <= writing->text.nr_lines; number++) {
		size_t nr_bytes;
		const char *text = source_file_line(&writing->text, number, &nr_bytes);

		if (line && line->line == number) {
			write_samples(writing, out);
			line = next_line(writing);
		} else {
			annotated_cells_blank(&writing->sources->cells, out);
		}
		(void)fputc_unlocked(':', out);
		source_line_write(out, text, nr_bytes);
		if (has_total(writing) &&
		    writing->sources->totals[writing->next_total].line <= number)
			write_totals(writing, out, (uint32_t)number);
		(void)fputc_unlocked('\n', out);
	}
}

/*
 * Writes the lines that have samples but no text, because they are past the end of the file or the
 * file is missing.
 */
static void write_rest(struct source_writing *writing, FILE *out)
{
	const char *why = writing->text.text ? "past the end of the file" : "the file is missing";

	for (const struct annotation_line *line; (line = next_line(writing));) {
		uint32_t number = line->line;

		write_samples(writing, out);
		(void)fprintf(out, ":/* line %" PRIu32 ": %s */", number, why);
		write_totals(writing, out, number);
		(void)fputc('\n', out);
	}
	if (!has_total(writing))
		return;
	annotated_cells_blank(&writing->sources->cells, out);
	(void)fputc(':', out);
	write_totals(writing, out, UINT32_MAX);
	(void)fputc('\n', out);
}

static void write_file_head(struct source_writing *writing, FILE *out)
{
	struct sources *sources = writing->sources;
	const struct annotation *annotation = sources->annotation;

	(void)fputs("/*\n * Total samples for file : \"", out);
	annotated_comment_write(out, writing->file->path);
	(void)fputs("\"\n *\n * ", out);
	annotated_cells_write(
		&sources->cells, out,
		annotation_counts(annotation, &annotation->file_sums, writing->index),
		annotation_shares(annotation, &annotation->file_sums, writing->index));
	(void)fputs("\n */\n\n", out);
}

/* ---- files ---- */

static void tell_unread(struct source_writing *writing, int error)
{
	struct sources *sources = writing->sources;
	const struct annotation *annotation = sources->annotation;
	uint64_t nr_samples = annotated_sum(
		annotation->profile,
		annotation_counts(annotation, &annotation->file_sums, writing->index));

	(void)fputs("source file ", sources->err);
	utf8_write_masked(sources->err, writing->file->path);
	if (error == -ENOENT)
		(void)fputs(" is missing: ", sources->err);
	else if (error == -EINVAL)
		(void)fputs(" is not a regular file: ", sources->err);
	else
		(void)fprintf(sources->err, " cannot be read (%s): ", strerror(-error));
	annotated_samples_write(sources->err, annotation->profile, nr_samples);
	(void)fputs(sources->nr_missing_files++ ? "\n"
						: "; give the folder of a copy with -d (and -b)\n",
		    sources->err);
	sources->nr_missing += nr_samples;
}

static void tell_newer(const struct source_writing *writing)
{
	const struct sources *sources = writing->sources;
	const struct selection *selection = sources->annotation->profile->selection;

	if (!writing->file->built_ns || writing->text.mtime_ns <= writing->file->built_ns)
		return;
	(void)fputs("source file ", sources->err);
	utf8_write_masked(sources->err, writing->text.path);
	(void)fputs(" is newer than ", sources->err);
	utf8_write_masked(sources->err, selection->images[writing->file->image].path);
	(void)fputs(": line numbers may be wrong\n", sources->err);
}

static int find_text(struct source_writing *writing)
{
	int error = source_file_read(&writing->text, writing->file->path,
				     &writing->sources->options->sources);

	if (error == -ENOMEM)
		return error;
	if (error)
		tell_unread(writing, error);
	else
		tell_newer(writing);
	return 0;
}

static int write_file(struct sources *sources, uint32_t index, size_t first_total)
{
	const struct annotated_options *options = sources->options;
	struct source_writing writing = {.sources = sources,
					 .file = &sources->annotation->files[index],
					 .index = index,
					 .next_line = sources->annotation->files[index].first_line,
					 .next_total = first_total};
	struct annotated_output *output = &sources->output;
	int error = annotated_output_begin(
		output, source_file_strip(writing.file->path, &options->sources));

	if (!error && options->output_dir)
		error = annotated_head_write(output->out, sources->annotation, options);
	if (!error)
		error = find_text(&writing);
	if (error)
		return error;
	move_totals(&writing);
	write_file_head(&writing, output->out);
	write_text(&writing, output->out);
	write_rest(&writing, output->out);
	if (!options->output_dir)
		(void)fputs("\n\n", output->out);
	error = annotated_output_end(output, sources->diag);
	source_file_deinit(&writing.text);
	return error;
}

static bool is_wanted(const struct annotated_options *options, const char *path)
{
	if (options->include_files->nr_patterns &&
	    !spec_list_match_image(options->include_files, path))
		return false;
	return !spec_list_match_image(options->exclude_files, path);
}

/* Returns the index of the first total of a file; totals are sorted by file. */
static size_t find_totals(const struct sources *sources, uint32_t file)
{
	size_t low = 0, high = sources->nr_totals;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sources->totals[middle].file < file)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Writes the files that have samples. A file without samples may be listed because a function
 * begins in it; such a file is not written.
 */
static int write_files(struct sources *sources)
{
	const struct annotation *annotation = sources->annotation;
	const struct profile *profile = annotation->profile;
	const struct annotated_options *options = sources->options;
	size_t *order = annotated_order(profile, &annotation->file_sums, 0, annotation->nr_files);
	int error = order ? 0 : -ENOMEM;

	for (size_t i = 0; i < annotation->nr_files && !error; i++) {
		uint32_t file = (uint32_t)order[i];

		if (!annotation->files[file].nr_lines)
			continue;
		if (is_wanted(options, annotation->files[file].path) &&
		    column_passes(profile,
				  annotation_shares(annotation, &annotation->file_sums, file),
				  options->threshold))
			error = write_file(sources, file, find_totals(sources, file));
		else
			sources->nr_left_out += annotated_sum(
				profile,
				annotation_counts(annotation, &annotation->file_sums, file));
	}
	free(order);
	return error;
}

static void tell_sums(const struct sources *sources)
{
	const struct profile *profile = sources->annotation->profile;

	if (sources->nr_missing) {
		(void)fprintf(sources->err,
			      "source of %zu file%s is missing: ", sources->nr_missing_files,
			      sources->nr_missing_files == 1 ? "" : "s");
		annotated_samples_write(sources->err, profile, sources->nr_missing);
		(void)fputs(", shown by line number\n", sources->err);
	}
	if (sources->nr_left_out) {
		(void)fputs("source files that were not requested: ", sources->err);
		annotated_samples_write(sources->err, profile, sources->nr_left_out);
		(void)fputc('\n', sources->err);
	}
	annotated_write_lines_lack(sources->err, sources->annotation);
	annotated_output_write_sum(&sources->output, sources->err);
}

int annotated_format_source(const struct annotation *annotation,
			    const struct annotated_options *options, FILE *out, FILE *err,
			    struct diag *diag)
{
	struct sources sources = {.annotation = annotation,
				  .options = options,
				  .err = err,
				  .diag = diag,
				  .output = {.dir = options->output_dir, .all = out}};
	int error = annotated_cells_init(&sources.cells, annotation->profile);

	if (!error)
		error = make_totals(&sources);
	if (!error && !options->output_dir)
		error = annotated_head_write(out, annotation, options);
	if (!error)
		error = write_files(&sources);
	if (!error)
		tell_sums(&sources);
	annotated_output_deinit(&sources.output);
	annotated_cells_deinit(&sources.cells);
	free(sources.totals);
	return error == -ENOMEM ? diag_set(diag, error, "out of memory") : error;
}

/* ---- samples without a line ---- */

static void write_image_lack(FILE *err, const struct annotation *annotation, size_t index,
			     uint64_t nr_samples)
{
	const struct annotation_image *image = &annotation->images[index];
	const struct selection *selection = annotation->profile->selection;

	(void)fputs("  ", err);
	utf8_write_masked(err, selection->images[image->image].path);
	(void)fputs(": ", err);
	annotated_samples_write(err, annotation->profile, nr_samples);
	if (image->note) {
		(void)fputs(": ", err);
		utf8_write_masked(err, image->note);
	}
	(void)fputc('\n', err);
}

/* Returns an image's number of samples without a line. The image is order[i]; NULL: image i. */
static uint64_t sum_image(const struct annotation *annotation, const size_t *order, size_t i)
{
	return annotated_sum(
		annotation->profile,
		annotation_counts(annotation, &annotation->no_line, order ? order[i] : i));
}

void annotated_write_lines_lack(FILE *err, const struct annotation *annotation)
{
	const struct profile *profile = annotation->profile;
	size_t *order = annotated_order(profile, &annotation->no_line, 0, annotation->nr_images);
	uint64_t nr_all = 0;
	size_t nr_images = 0;

	for (size_t i = 0; i < annotation->nr_images; i++) {
		nr_all += sum_image(annotation, order, i);
		nr_images += sum_image(annotation, order, i) != 0;
	}
	(void)fputs("no source line: ", err);
	annotated_samples_write(err, profile, nr_all);
	(void)fputc('\n', err);
	for (size_t i = 0; order && i < nr_images && i < LACKS_SHOWN; i++)
		write_image_lack(err, annotation, order[i], sum_image(annotation, order, i));
	if (nr_images > LACKS_SHOWN)
		(void)fprintf(err, "  and %zu more image%s\n", nr_images - LACKS_SHOWN,
			      nr_images - LACKS_SHOWN == 1 ? "" : "s");
	free(order);
}
