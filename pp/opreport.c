// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport: lists images or symbols with their samples. This file runs the stages in order. */
#include "events/events.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/folder.h"
#include "lib/log.h"
#include "pp/base/read_folder.h"
#include "pp/format/format_document.h"
#include "pp/format/format_terminal.h"
#include "pp/page/format_page.h"
#include "pp/format/format_text.h"
#include "pp/profile/profile.h"
#include "pp/report/report_calls.h"
#include "pp/report/report_notes.h"
#include "pp/report/report_options.h"
#include "pp/selection/select_place.h"
#include "pp/options/select_options.h"
#include "pp/selection/selection.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ERROR_TOLD (-ECANCELED) /* the error was already reported */

/* Returns the display for the report. A report that is written to a file has no terminal. */
static struct display find_display(const struct report_options *options)
{
	struct display display;

	display_find(&display, options->output ? -1 : STDOUT_FILENO, options->color);
	return display;
}

static int write_terminal(FILE *out, const struct profile *profile,
			  const struct report_options *options)
{
	struct display display = find_display(options);

	return terminal_format(out, profile, &options->text, &display);
}

static int write_text(FILE *out, const struct profile *profile,
		      const struct report_options *options, const struct event_table *events)
{
	if (options->layout == LAYOUT_TERMINAL)
		return write_terminal(out, profile, options);
	if (options->text.header)
		text_format_header(out, profile, events);
	if (options->profile.symbols)
		return text_format_symbols(out, profile, &options->text);
	return text_format_flat(out, profile, &options->text);
}

/* The data of a report: the profile, and call stacks if the report shows them. */
struct content {
	const struct profile *profile;
	const struct report_calls *calls; /* for reports about calls; NULL: none */
	/*
	 * The stacks for formats that show them in addition to the flat profile, such as JSON and
	 * pages. NULL: no stacks are shown.
	 */
	const struct call_tree *stacks;
};

static int write_calls(FILE *out, const struct content *content,
		       const struct report_options *options, const struct event_table *events)
{
	const struct display display = find_display(options);
	bool for_terminal = options->layout == LAYOUT_TERMINAL;
	struct diag diag;
	int error;

	if (options->text.header && !for_terminal &&
	    (options->format == REPORT_TEXT || options->format == REPORT_STACKS))
		text_format_header(out, content->profile, events);
	error = report_calls_write(out, content->calls, options, for_terminal ? &display : NULL,
				   &diag);
	if (!error || !diag.text[0])
		return error;
	log_error("%s", diag_show(&diag));
	return ERROR_TOLD;
}

static int write_page(FILE *out, const struct content *content,
		      const struct report_options *options, const struct event_table *events)
{
	struct page_code code;
	const struct page_options page = {.demangle = options->text.demangle,
					  .events = events,
					  .calls = content->stacks,
					  .code = &code};
	int error = page_code_load(&code, content->profile, &options->profile);

	if (error)
		return error;
	error = page_format(out, content->profile, &page);
	page_code_deinit(&code);
	return error;
}

/* Writes XML, and includes the code of symbols if the profile has addresses. */
static int write_xml(FILE *out, const struct profile *profile, const struct report_options *options,
		     struct document_options *document)
{
	struct row_code code;
	int error;

	if (!profile->details || document->graph)
		return document_format_xml(out, profile, document);
	error = row_code_load(&code, profile, &options->profile);
	if (error)
		return error;
	document->code = &code;
	error = document_format_xml(out, profile, document);
	document->code = NULL;
	row_code_deinit(&code);
	return error;
}

static int write_format(FILE *out, const struct content *content,
			const struct report_options *options, const struct event_table *events)
{
	const struct profile *profile = content->profile;
	struct document_options document = {.demangle = options->text.demangle,
					    .events = events,
					    .calls = content->stacks,
					    .graph =
						    content->calls ? &content->calls->graph : NULL};

	if (content->calls && options->format != REPORT_XML)
		return write_calls(out, content, options, events);
	switch (options->format) {
	case REPORT_XML:
		return write_xml(out, profile, options, &document);
	case REPORT_JSON:
		return document_format_json(out, profile, &document);
	case REPORT_PAGE:
		return write_page(out, content, options, events);
	default:
		return write_text(out, profile, options, events);
	}
}

static int write_report(FILE *out, const struct content *content,
			const struct report_options *options)
{
	struct event_table *events = NULL;
	struct diag unused;
	int error;

	/* Without event tables, a report only lacks the descriptions of events. */
	if (event_table_load(&events, NULL, NULL, &unused))
		events = NULL;
	error = write_format(out, content, options, events);
	event_table_destroy(events);
	return error ? error : file_flush(out);
}

/*
 * Builds the whole report in memory, then replaces the file, so that other programs see either the
 * old file or the new one.
 */
static int replace_file(const char *path, const struct content *content,
			const struct report_options *options)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);
	int error;

	if (!out)
		return -ENOMEM;
	error = write_report(out, content, options);
	if (fclose(out) && !error)
		error = -errno;
	if (!error)
		error = folder_replace_file(path, text, nr_bytes, report_file_mode());
	free(text);
	return error;
}

/* Replaces the regular file `path`, or writes to the device or pipe `path`. */
static int write_file(const char *path, const struct content *content,
		      const struct report_options *options)
{
	struct stat st;
	FILE *out;
	int fd, error;

	/*
	 * This process may have been started by root and have become another user. That user has no
	 * right to open root's terminal.
	 */
	if (!strcmp(path, "/dev/stdout"))
		return write_report(stdout, content, options);
	if (stat(path, &st) || S_ISREG(st.st_mode))
		return replace_file(path, content, options);
	fd = folder_open_file(path, O_WRONLY, 0600);
	if (fd < 0)
		return fd;
	out = fdopen(fd, "w");
	if (!out) {
		error = -errno;
		(void)close(fd);
		return error;
	}
	error = write_report(out, content, options);
	if (fclose(out) && !error)
		error = -errno;
	return error;
}

static int write_output(const struct content *content, const struct report_options *options)
{
	const char *path = options->output ? options->output : "standard output";
	int error;

	if (options->output)
		error = write_file(options->output, content, options);
	else
		error = write_report(stdout, content, options);
	if (error && error != ERROR_TOLD)
		log_error("cannot write the report to %s: %s", path, folder_reason(error));
	return error;
}

static int report_profile(const struct content *content, const struct report_options *options)
{
	const struct report_notes notes = {.profile = content->profile,
					   .calls = content->calls,
					   .options = options,
					   .width = find_display(options).width};
	int error;

	report_notes_before(stderr, &notes);
	error = write_output(content, options);
	if (!error)
		report_notes_after(stderr, &notes);
	return error;
}

static int report_calls(struct profile *profile, const struct report_options *options,
			struct diag *diag)
{
	struct report_calls calls;
	const struct content content = {.profile = profile, .calls = &calls};
	int error = report_calls_build(&calls, profile, options, diag);

	if (error)
		return error;
	diag_clear(diag);
	error = report_profile(&content, options);
	report_calls_deinit(&calls);
	return error;
}

/* Writes a report that includes call stacks if there are any. */
static int report_with_stacks(const struct profile *profile, const struct report_options *options)
{
	struct call_tree tree;
	struct content content = {.profile = profile};
	struct diag diag;
	int error = call_tree_build(&tree, profile, &options->profile, &diag);

	if (error && error != -ENODATA) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	if (error)
		return report_profile(&content, options);
	content.stacks = &tree;
	error = report_profile(&content, options);
	call_tree_deinit(&tree);
	return error;
}

static int report_selection(const struct selection *selection, const struct report_options *options)
{
	struct profile_options flat = options->profile;
	struct profile profile;
	const struct content content = {.profile = &profile};
	struct diag diag;
	int error;

	/* Call trees load symbols themselves, and need only the sums of the flat profile. */
	flat.symbols &= !report_needs_stacks(options);
	if (report_calls_has_lines(options))
		flat.symbols = flat.details = true;
	error = profile_build(&profile, selection, &flat, &diag);
	if (error) {
		log_error("%s", diag_show(&diag));
		return error;
	}
	if (report_needs_stacks(options)) {
		error = report_calls(&profile, options, &diag);
		if (error && diag.text[0])
			log_error("%s", diag_show(&diag));
	} else if (report_takes_stacks(options)) {
		error = report_with_stacks(&profile, options);
	} else {
		error = report_profile(&content, options);
	}
	profile_deinit(&profile);
	return error;
}

static int report(struct report_options *options)
{
	struct selection selection;
	struct select_place place;
	struct diag diag;
	int error;

	report_options_choose_layout(options, isatty(STDOUT_FILENO));
	if (options->layout == LAYOUT_TERMINAL)
		(void)setlocale(LC_CTYPE, ""); /* other layouts do not depend on the locale */
	options->profile.skip = select_skip_file;
	options->selection.ask_daemon = true;
	options->selection.stacks = report_needs_stacks(options) || report_takes_stacks(options);
	select_tell_times(options->sides, options->nr_sides);
	select_allow_descriptors();
	error = select_place_find(&place, options->sides, options->nr_sides,
				  options->tool.session_dir, &options->selection, &diag);
	if (!error)
		error = selection_make(&selection, options->sides, options->nr_sides,
				       &options->selection, select_skip_file, &diag);
	if (error) {
		log_error("%s", diag_show(&diag));
		/*
		 * An error about columns does not name the session directory. If the directory is
		 * known, report its name here.
		 */
		if (error == -EINVAL && !options->tool.session_dir &&
		    options->selection.session_dir)
			log_info("the samples were read from %s", options->selection.session_dir);
	} else {
		error = report_selection(&selection, options);
		selection_deinit(&selection);
	}
	select_place_deinit(&place);
	return error;
}

int main(int argc, const char **argv)
{
	struct report_options options;
	struct diag diag;
	int error;

	log_init("opreport", LOG_LEVEL_INFO);
	error = report_options_parse(&options, argc, argv, clock_realtime_ns(), &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.tool.what != TOOL_RUN)
		report_options_show(options.tool.what);
	else
		error = report(&options);
	report_options_deinit(&options);
	return tool_end(error);
}
