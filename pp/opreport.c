// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport: images or symbols with their samples. The stages in their order, and nothing else. */
#include "events/events.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/log.h"
#include "pp/coverage.h"
#include "pp/format_text.h"
#include "pp/profile.h"
#include "pp/report_options.h"
#include "pp/selection.h"
#include "pp/session_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static void skip_file(const char *path, const struct diag *diag)
{
	if (diag->file[0])
		log_warning("%s", diag_show(diag));
	else
		log_warning("%s: %s", path, diag_show(diag));
}

static void write_header(FILE *out, const struct profile *profile)
{
	struct event_table *table = NULL;
	struct diag unused;

	/* Without tables the header only has fewer words. */
	if (event_table_load(&table, NULL, NULL, &unused))
		table = NULL;
	text_format_header(out, profile, table);
	event_table_destroy(table);
}

static int write_report(FILE *out, const struct profile *profile,
			const struct report_options *options)
{
	int error;

	if (options->text.header)
		write_header(out, profile);
	if (options->profile.symbols)
		error = text_format_symbols(out, profile, &options->text);
	else
		error = text_format_flat(out, profile, &options->text);
	if (!error && (fflush(out) || ferror(out)))
		error = errno ? -errno : -EIO;
	return error;
}

/* The whole report, then the file at once: readers see the old one or the new one. */
static int replace_file(const char *path, const struct profile *profile,
			const struct report_options *options)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);
	char *true_path;
	int error;

	if (!out)
		return -ENOMEM;
	error = write_report(out, profile, options);
	if (fclose(out) && !error)
		error = -errno;
	true_path = realpath(path, NULL); /* a link stays one */
	if (!error)
		error = file_replace(true_path ? true_path : path, text, nr_bytes, 0644);
	free(true_path);
	free(text);
	return error;
}

/* Devices and pipes are written to, files are replaced. */
static int write_file(const char *path, const struct profile *profile,
		      const struct report_options *options)
{
	struct stat st;
	FILE *out;
	int error;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return replace_file(path, profile, options);
	out = fopen(path, "we");
	if (!out)
		return -errno;
	error = write_report(out, profile, options);
	if (fclose(out) && !error)
		error = -errno;
	return error;
}

static int write_output(const struct profile *profile, const struct report_options *options)
{
	const char *path = options->output ? options->output : "standard output";
	int error;

	if (options->output)
		error = write_file(options->output, profile, options);
	else
		error = write_report(stdout, profile, options);
	if (error)
		log_error("%s: the report can't be written: %s", path, strerror(-error));
	return error;
}

static void tell_images(const struct profile *profile)
{
	const struct selection *selection = profile->selection;

	for (size_t i = 0; i < selection->nr_sessions; i++)
		for (size_t j = 0; j < selection->sessions[i].parts.nr_slices; j++)
			log_info("read %s", selection->sessions[i].parts.slices[j].path);
	for (size_t i = 0; i < selection->nr_parts; i++)
		if (selection_live(selection, &selection->parts[i]))
			log_info("read %s", selection_part_path(selection, &selection->parts[i]));
	for (size_t i = 0; i < selection->nr_images; i++)
		if (profile->images[i].note)
			log_info("%s: %s", selection->images[i].path, profile->images[i].note);
}

static int report_selection(const struct selection *selection, const struct report_options *options)
{
	struct profile profile;
	struct diag diag;
	int error = profile_build(&profile, selection, &options->profile, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	if (options->verbose)
		tell_images(&profile);
	coverage_write_before(stderr, &profile, options->selection.session_dir);
	error = write_output(&profile, options);
	if (!error)
		coverage_write_after(stderr, &profile);
	profile_deinit(&profile);
	return error;
}

/* A time of day that is still to come today is no mistake, but it may be. */
static void tell_times(const struct report_options *options)
{
	char shown[TIME_RANGE_SHOWN_BYTES];

	for (size_t i = 0; i < options->nr_sides; i++) {
		const struct time_range *range = &options->sides[i].range;

		if (!options->sides[i].timed || !range->day_before)
			continue;
		time_range_show(range->begin_ns, range->end_ns, shown);
		log_info("that time is still to come today; taken as yesterday's: %s", shown);
	}
}

/* Each slice of a long stretch is a descriptor. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int report(struct report_options *options)
{
	struct selection selection;
	struct diag diag;
	int error;

	options->profile.skip = skip_file;
	/* Two stretches are compared: both are to be cut alike. */
	options->selection.ask_daemon = options->nr_sides == 1;
	tell_times(options);
	allow_descriptors();
	error = session_dir_find(options->session_dir, &options->selection.session_dir, &diag);
	if (!error)
		error = selection_make(&selection, options->sides, options->nr_sides,
				       &options->selection, skip_file, &diag);
	if (error) {
		log_error("%s", diag_show(&diag));
		/* The columns' error names no folder. */
		if (error == -EINVAL && !options->session_dir)
			log_info("these were samples of %s", options->selection.session_dir);
		return error;
	}
	error = report_selection(&selection, options);
	selection_deinit(&selection);
	return error;
}

static int64_t now_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, const char **argv)
{
	struct report_options options;
	struct diag diag;
	int error;

	log_init("opreport", LOG_LEVEL_INFO);
	error = report_options_parse(&options, argc, argv, now_ns(), &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.what == REPORT_VERSION)
		(void)puts("opreport: oprof " OPROF_VERSION "\n"
			   "License GPL-3.0-or-later: this program contains libbfd. There is no "
			   "warranty.");
	else if (options.what != REPORT_RUN)
		report_options_help(options.what == REPORT_USAGE);
	else
		error = report(&options);
	report_options_deinit(&options);
	if (!error && (fflush(stdout) || ferror(stdout)))
		error = -EIO;
	return error ? 1 : 0;
}
