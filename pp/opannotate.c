// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opannotate: writes source lines or instructions with their samples. This file runs the stages in
 * order.
 */
#include "events/events.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/log.h"
#include "pp/annotate/annotate_options.h"
#include "pp/annotate/annotation.h"
#include "pp/format/coverage.h"
#include "pp/annotate/format_annotated.h"
#include "pp/profile/profile.h"
#include "pp/options/select_options.h"
#include "pp/selection/select_place.h"
#include "pp/selection/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STDOUT_BYTES (1u << 20)

static void tell_images(const struct profile *profile)
{
	const struct selection *selection = profile->selection;

	for (size_t i = 0; i < selection->nr_parts; i++)
		log_info("read %s", selection_part_path(selection, &selection->parts[i]));
	for (size_t i = 0; i < selection->nr_images; i++)
		if (profile->images[i].note)
			log_info("%s: %s", selection->images[i].path, profile->images[i].note);
}

static int annotate_profile(const struct profile *profile, const struct annotate_options *options)
{
	const struct annotated_options *shown = &options->shown;
	struct annotation annotation;
	struct diag diag;
	int error = annotation_build(&annotation, profile, &options->profile, shown->source);

	if (error) {
		log_error("cannot read source lines: %s", strerror(-error));
		return error;
	}
	if (shown->assembly)
		error = annotated_format_assembly(&annotation, shown, stdout, stderr, &diag);
	else
		error = annotated_format_source(&annotation, shown, stdout, stderr, &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	annotation_deinit(&annotation);
	return error;
}

static int annotate_selection(const struct selection *selection,
			      const struct annotate_options *options)
{
	struct profile profile;
	struct diag diag;
	int error = profile_build(&profile, selection, &options->profile, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	if (options->tool.verbose)
		tell_images(&profile);
	coverage_write_before(stderr, &profile, options->selection.session_dir);
	error = annotate_profile(&profile, options);
	if (!error)
		coverage_write_after(stderr, &profile);
	profile_deinit(&profile);
	return error;
}

static int annotate_place(struct annotate_options *options)
{
	struct event_table *events = NULL;
	struct selection selection;
	struct diag diag;
	int error = selection_make(&selection, options->sides, options->nr_sides,
				   &options->selection, select_skip_file, &diag);

	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	/* Without event tables, the header only lacks the descriptions of events. */
	if (event_table_load(&events, NULL, NULL, &diag))
		events = NULL;
	options->shown.events = events;
	error = annotate_selection(&selection, options);
	event_table_destroy(events);
	selection_deinit(&selection);
	return error;
}

static int annotate(struct annotate_options *options)
{
	struct select_place place;
	struct diag diag;
	int error;

	options->profile.skip = select_skip_file;
	options->selection.ask_daemon = true;
	select_tell_times(options->sides, options->nr_sides);
	select_allow_descriptors();
	error = select_place_find(&place, options->sides, options->nr_sides,
				  options->tool.session_dir, &options->selection, &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else
		error = annotate_place(options);
	select_place_deinit(&place);
	return error;
}

int main(int argc, const char **argv)
{
	static char buffer[STDOUT_BYTES];
	struct annotate_options options;
	struct diag diag;
	int error;

	log_init("opannotate", LOG_LEVEL_INFO);
	(void)setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	error = annotate_options_parse(&options, argc, argv, clock_realtime_ns(), &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.tool.what != TOOL_RUN)
		annotate_options_show(options.tool.what);
	else
		error = annotate(&options);
	annotate_options_deinit(&options);
	return tool_end(error);
}
