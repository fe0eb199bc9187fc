// SPDX-License-Identifier: GPL-2.0-or-later
/* oparchive: collects the files that reports read, for use on another machine. */
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/log.h"
#include "lib/stop_signal.h"
#include "pp/archive/archive_content.h"
#include "pp/options/select_options.h"
#include "pp/selection/select_place.h"
#include "pp/options/tool_options.h"
#include "pp/session/archive_unpack.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OPTION_OUTPUT = 1,
	OPTION_LIST,
	OPTION_EXCLUDE_DEPENDENT,
};

static const struct poptOption option_table[] = {
	{"output-directory", 'o', ARG_TEXT, OPTION_OUTPUT,
	 "the archive to write: a new folder, or a compressed file if the name ends in .tar.zst",
	 "ARCHIVE"},
	{"list-files", 'l', ARG_NONE, OPTION_LIST,
	 "list the files that would be archived, and write nothing", NULL},
	{"exclude-dependent", 'x', ARG_NONE, OPTION_EXCLUDE_DEPENDENT,
	 "omit dependent images: an application's libraries, and the kernel if its samples are "
	 "stored separately for each application",
	 NULL},
	TOOL_TABLE_END};

struct archive_options {
	struct tool_options tool;
	char *output;
	bool list;
	struct selection_options selection;
	struct spec spec;
};

static int take_option(void *tool, int option, const char *text, struct diag *diag)
{
	struct archive_options *options = tool;

	switch (option) {
	case OPTION_OUTPUT:
		return select_keep_text(&options->output, "-o", text, diag);
	case OPTION_LIST:
		options->list = true;
		return 0;
	default:
		options->selection.exclude_dependent = true;
		return 0;
	}
}

static int take_words(void *tool, const char *const *words, size_t nr_words, int64_t now_ns,
		      struct diag *diag)
{
	struct archive_options *options = tool;
	int error = spec_parse(&options->spec, words, nr_words, now_ns, diag);

	if (error)
		return error;
	if (!options->output && !options->list)
		return diag_set(diag, -EINVAL,
				"no output is given: use -o FOLDER or -o FILE.tar.zst (or -l "
				"to list what would be archived)");
	return tool_options_set_range(&options->tool, &options->spec, 1, now_ns, diag);
}

static const struct tool_command command = {
	.name = "oparchive",
	.usage = "-o ARCHIVE [OPTION...] [PROFILE SPECIFICATION...]",
	.contains = "libbfd",
	.options = option_table,
	.take = take_option,
	.take_words = take_words,
};

/* ---- writing the archive ---- */

static void tell_made(const struct archive_options *options, const struct archive_content *content,
		      uint64_t nr_bytes)
{
	log_info("%s: %zu %s, %zu debug file%s, %.1f MB; report on it with "
		 "archive:%s",
		 options->output, content->nr_binaries,
		 content->nr_binaries == 1 ? "binary" : "binaries", content->nr_debug_files,
		 content->nr_debug_files == 1 ? "" : "s", (double)nr_bytes / 1e6, options->output);
	if (content->nr_missing == 1)
		log_warning("1 binary was not archived: its samples will have no symbols");
	else if (content->nr_missing)
		log_warning("%zu binaries were not archived: their samples will have no symbols",
			    content->nr_missing);
}

/* Warns if reports will refuse the compressed file because it exceeds a limit. */
static void warn_of_limits(const struct archive_options *options,
			   const struct archive_content *content)
{
	struct archive_extent extent;
	char what[ARCHIVE_EXCESS_BYTES];

	if (archive_writer_extent(content->writer, &extent) &&
	    !archive_is_within(&archive_default_limits, &extent, what))
		log_warning("%s: reports will refuse this file, because it contains %s; unpack it "
			    "with tar, and give the folder: archive:FOLDER",
			    options->output, what);
}

static int fill(const struct archive_options *options, struct archive_content *content)
{
	struct diag diag;
	int error = 0;

	if (!options->list) {
		stop_signal_catch();
		/*
		 * SIGXFSZ is ignored: if the archive exceeds the limit of file sizes, write() then
		 * returns an error, as it does on a full disk.
		 */
		(void)signal(SIGXFSZ, SIG_IGN);
		error = archive_writer_open(&content->writer, options->output, &diag);
	}
	if (!error)
		error = archive_content_add(content, &diag);
	if (!error && content->writer)
		error = archive_writer_finish(content->writer, &diag);
	if (error && !stop_signal_came())
		log_error("%s", diag_show(&diag));
	if (!error && content->writer) {
		tell_made(options, content, archive_writer_nr_bytes(content->writer));
		warn_of_limits(options, content);
	}
	archive_writer_close(content->writer);
	return error;
}

static int make(const struct archive_options *options, const struct selection *selection)
{
	const struct tool_options *tool = &options->tool;
	const struct profile_options profile = {
		.root = tool->root,
		.image_path = tool->image_path,
		.cache_path = tool->root || tool->image_path ? NULL : tool->cache_path,
	};
	struct archive_content content = {
		.selection = selection,
		.session_dir = options->selection.session_at,
		.options = &profile,
		.list = options->list	? stdout
			: tool->verbose ? stderr
					: NULL,
		.skip = select_skip_file,
	};

	return fill(options, &content);
}

static int archive(struct archive_options *options)
{
	struct selection selection;
	struct select_place place;
	struct diag diag;
	int error;

	/* Merging does not change the archive, because slices keep all separations. */
	options->selection.merge = MERGE_ALL;
	options->selection.stacks = true;
	select_allow_descriptors();
	error = select_place_find(&place, &options->spec, 1, options->tool.session_dir,
				  &options->selection, &diag);
	if (!error && options->selection.archives[0])
		error = diag_set(&diag, -EINVAL,
				 "archive: can only select the input of reports; this input is "
				 "already an archive");
	if (!error)
		error = selection_make(&selection, &options->spec, 1, &options->selection,
				       select_skip_file, &diag);
	if (error) {
		log_error("%s", diag_show(&diag));
	} else {
		error = make(options, &selection);
		selection_deinit(&selection);
	}
	select_place_deinit(&place);
	return error;
}

int main(int argc, const char **argv)
{
	struct archive_options options = {0};
	struct diag diag;
	int error;

	log_init("oparchive", LOG_LEVEL_INFO);
	(void)umask(077); /* same permissions as the session folder */
	error = tool_options_parse(&options.tool, &command, &options, argc, argv,
				   clock_realtime_ns(), &diag);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.tool.what != TOOL_RUN)
		tool_options_show(&command, options.tool.what);
	else
		error = archive(&options);
	free(options.output);
	spec_deinit(&options.spec);
	tool_options_deinit(&options.tool);
	stop_signal_end();
	return tool_end(error);
}
