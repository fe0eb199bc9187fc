// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/gprof/gprof_data.h"

#include "lib/clock.h"
#include "libdb/sample_name.h"
#include "pp/gprof/gmon.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMAGES_SHOWN 6

/* ---- choosing the image ---- */

static bool has_samples(const struct profile *profile, uint32_t image)
{
	for (size_t i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].image == image)
			return true;
	return false;
}

static bool is_app(const struct selection *selection, uint32_t image)
{
	for (size_t i = 0; i < selection->nr_apps; i++)
		if (!strcmp(selection->apps[i], selection->images[image].path))
			return true;
	return false;
}

/*
 * Returns the number of images with samples. If apps_only is set, counts only applications. *found
 * is the last image that was counted.
 */
static size_t count_images(const struct profile *profile, bool apps_only, uint32_t *found)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < profile->selection->nr_images; i++) {
		if (!has_samples(profile, i) || (apps_only && !is_app(profile->selection, i)))
			continue;
		*found = i;
		nr++;
	}
	return nr;
}

static int refuse_images(const struct profile *profile, size_t nr, struct diag *diag)
{
	const struct selection *selection = profile->selection;
	char *list = NULL;
	size_t nr_bytes;
	size_t shown = 0;
	FILE *out = open_memstream(&list, &nr_bytes);

	if (!out)
		return -ENOMEM;
	for (uint32_t i = 0; i < selection->nr_images && shown < IMAGES_SHOWN; i++)
		if (has_samples(profile, i))
			(void)fprintf(out, "%s%s", shown++ ? ", " : "", selection->images[i].path);
	if (fclose(out)) {
		free(list);
		return -ENOMEM;
	}
	diag_set(diag, -EINVAL,
		 "gprof reads one binary at a time, but %zu binaries have samples; choose one with "
		 "image:PATH or lib-image:PATH (available: %s%s); if a binary was replaced during "
		 "the session, choose a time range with time:FROM..TO",
		 nr, list, nr > shown ? ", ..." : "");
	free(list);
	return -EINVAL;
}

int gprof_data_choose(const struct profile *profile, uint32_t *image, struct diag *diag)
{
	size_t nr = count_images(profile, false, image);

	if (!nr)
		return diag_set(diag, -ENOENT, "there are no samples");
	if (nr == 1 || count_images(profile, true, image) == 1)
		return 0;
	return refuse_images(profile, nr, diag);
}

/* ---- properties of the binary ---- */

static struct gmon_target find_target(const char *path)
{
	struct gmon_target target = {.big_endian = __BYTE_ORDER == __BIG_ENDIAN,
				     .wide = sizeof(void *) == 8};
	uint8_t ident[EI_NIDENT];
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	if (fd >= 0 && pread(fd, ident, sizeof(ident), 0) == (ssize_t)sizeof(ident) &&
	    !memcmp(ident, ELFMAG, SELFMAG)) {
		target.big_endian = ident[EI_DATA] == ELFDATA2MSB;
		target.wide = ident[EI_CLASS] == ELFCLASS64;
	}
	if (fd >= 0)
		(void)close(fd);
	return target;
}

/*
 * Sets the histogram's unit, and its rate: the number of samples for one unit. The unit is seconds
 * if the event is a clock or has a frequency.
 */
static void set_unit(struct gmon_histogram *histogram, const struct class_key *key)
{
	bool is_clock = !strcmp(key->event, "cpu-clock") || !strcmp(key->event, "task-clock");

	histogram->unit = key->event;
	histogram->rate = 1;
	if (!is_clock && !key->frequency)
		return;
	histogram->unit = "seconds";
	if (key->frequency)
		histogram->rate = (uint32_t)key->period_or_hz;
	else if (key->period_or_hz && key->period_or_hz < NS_PER_SECOND)
		histogram->rate = (uint32_t)(NS_PER_SECOND / key->period_or_hz);
}

/* ---- samples ---- */

struct gmon_writing {
	FILE *out;
	const struct profile *profile;
	struct gmon_target target;
	struct gmon_histogram histogram;
	uint64_t *counts;
	size_t room;
	struct gprof_data_result *result;
};

static int make_room(struct gmon_writing *writing, size_t nr_bins)
{
	uint64_t *bigger;

	if (writing->counts && nr_bins <= writing->room)
		return 0;
	bigger = reallocarray(writing->counts, nr_bins + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	writing->counts = bigger;
	writing->room = nr_bins;
	return 0;
}

static int compare_addresses(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	const struct profile_row *left = &profile->rows[*(const size_t *)a];
	const struct profile_row *right = &profile->rows[*(const size_t *)b];

	return left->address < right->address ? -1 : left->address > right->address;
}

static void add_row(struct gmon_writing *writing, size_t row)
{
	const struct profile *profile = writing->profile;
	const struct gmon_histogram *histogram = &writing->histogram;

	for (size_t i = profile->first_detail[row]; i < profile->first_detail[row + 1]; i++) {
		uint64_t address = profile->details[i].address;
		uint64_t nr = profile->detail_counts[i * profile->nr_columns];

		if (address < histogram->start || address >= histogram->end) {
			writing->result->nr_outside += nr;
			continue;
		}
		writing->counts[(address - histogram->start) / GMON_BIN_BYTES] += nr;
		writing->result->nr_samples += nr;
	}
}

/*
 * Returns the start of a row's range. A range consists of whole bins, which begin at multiples of
 * the bin width.
 */
static uint64_t bin_start(const struct profile_row *row)
{
	return row->address / GMON_BIN_BYTES * GMON_BIN_BYTES;
}

static uint64_t bin_end(const struct profile_row *row)
{
	return (row->address + row->nr_bytes + GMON_BIN_BYTES - 1) / GMON_BIN_BYTES *
	       GMON_BIN_BYTES;
}

/* Writes the histogram of the addresses [start, end), with the samples of `nr` rows. */
static int write_stretch(struct gmon_writing *writing, const size_t *rows, size_t nr,
			 uint64_t start, uint64_t end)
{
	size_t nr_records = 0;
	size_t nr_bins = (end - start) / GMON_BIN_BYTES;
	int error = gmon_check_range(&writing->target, start, end);

	if (!error)
		error = make_room(writing, nr_bins);
	if (error)
		return error;
	writing->histogram.start = start;
	writing->histogram.end = end;
	writing->histogram.counts = writing->counts;
	memset(writing->counts, 0, nr_bins * sizeof(*writing->counts));
	for (size_t i = 0; i < nr; i++)
		add_row(writing, rows[i]);
	error = gmon_write_histogram(writing->out, &writing->target, &writing->histogram,
				     &nr_records);
	writing->result->nr_histograms += nr_records;
	return error;
}

/*
 * Writes the histograms of `nr` rows. A symbol has a row for each application; rows that overlap
 * are added up in one histogram.
 */
static int write_symbols(struct gmon_writing *writing, size_t *rows, size_t nr)
{
	const struct profile *profile = writing->profile;
	uint64_t start = 0;
	uint64_t end = 0;
	size_t begin = 0;
	int error = 0;

	qsort_r(rows, nr, sizeof(*rows), compare_addresses, (void *)(uintptr_t)profile);
	for (size_t i = 0; i < nr && !error; i++) {
		const struct profile_row *row = &profile->rows[rows[i]];

		if (i > begin && bin_start(row) >= end) {
			error = write_stretch(writing, rows + begin, i - begin, start, end);
			begin = i;
		}
		if (i == begin) {
			start = bin_start(row);
			end = 0;
		}
		if (bin_end(row) > end)
			end = bin_end(row);
	}
	return !error && nr > begin ? write_stretch(writing, rows + begin, nr - begin, start, end)
				    : error;
}

static int write_samples(struct gmon_writing *writing, uint32_t image)
{
	const struct profile *profile = writing->profile;
	size_t *rows = calloc(profile->nr_rows + 1, sizeof(*rows));
	size_t nr = 0;
	int error;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_rows; i++) {
		if (profile->rows[i].image != image)
			continue;
		if (profile->rows[i].name)
			rows[nr++] = i;
		else
			writing->result->nr_outside += profile_counts(profile, i)[0];
	}
	error = write_symbols(writing, rows, nr);
	free(rows);
	return error;
}

/* ---- arcs ---- */

static bool is_of_image(const struct call_tree *tree, uint32_t function,
			const struct selection_image *image)
{
	const struct call_function *of = &tree->functions[function];

	return of->image != CALL_IMAGE_NONE && of->name &&
	       !strcmp(tree->images[of->image].path, image->path) &&
	       sample_identity(&tree->images[of->image].identity) == image->identity;
}

static int write_arcs(struct gmon_writing *writing, const struct call_graph *graph,
		      const struct selection_image *image)
{
	const struct call_tree *tree = graph->tree;
	int error = 0;

	for (size_t i = 0; i < graph->nr_arcs && !error; i++) {
		const struct call_arc *arc = &graph->arcs[i];
		uint64_t count = graph->arc_counts[i * tree->nr_columns];

		if (!count || !is_of_image(tree, arc->caller, image) ||
		    !is_of_image(tree, arc->callee, image))
			continue;
		error = gmon_write_arc(writing->out, &writing->target,
				       tree->functions[arc->caller].address,
				       tree->functions[arc->callee].address, count);
		writing->result->nr_arcs++;
	}
	return error;
}

int gprof_data_write(FILE *out, const struct profile *profile, uint32_t image, const char *path,
		     const struct call_graph *graph, struct gprof_data_result *result,
		     struct diag *diag)
{
	const struct selection_image *selected = &profile->selection->images[image];
	struct gmon_writing writing = {
		.out = out, .profile = profile, .target = find_target(path), .result = result};
	int error;

	*result = (struct gprof_data_result){0};
	set_unit(&writing.histogram, &profile->selection->classes.classes[0].key);
	gmon_write_header(out, &writing.target);
	error = write_samples(&writing, image);
	if (!error && graph)
		error = write_arcs(&writing, graph, selected);
	free(writing.counts);
	if (error == -ERANGE)
		diag_set(diag, error,
			 "an address of %s does not fit into 32 bits, the word size of the file",
			 selected->path);
	else if (error)
		diag_set(diag, error, "%s: %s", selected->path, strerror(-error));
	return error;
}
