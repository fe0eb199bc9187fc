// SPDX-License-Identifier: GPL-2.0-or-later
/* opimport: converts recordings of other profilers to a session that reports can read. */
#include "daemon/import/import_events.h"
#include "daemon/import/import_interrupt.h"
#include "daemon/import/import_oprofile.h"
#include "daemon/import/import_source.h"
#include "daemon/import/import_trace.h"
#include "daemon/profiler/profiler.h"
#include "daemon/session/separation.h"
#include "daemon/system/run_user.h"
#include "lib/deny_calls.h"
#include "lib/folder.h"
#include "lib/log.h"
#include "lib/number.h"
#include "lib/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define SESSION_DIR_DEFAULT "./oprofile_data"
#define CHAIN_DEPTH	    127

enum {
	OPTION_SESSION_DIR = 1,
	OPTION_APPEND,
	OPTION_SEPARATE,
	OPTION_FROM,
	OPTION_TO,
	OPTION_THREAD,
	OPTION_QUIET,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP,
	OPTION_USAGE,
};

static const struct poptOption option_table[] = {
	{"session-dir", 'd', POPT_ARG_STRING, NULL, OPTION_SESSION_DIR,
	 "session directory to write to (" SESSION_DIR_DEFAULT ")", "DIR"},
	{"append", 'a', POPT_ARG_NONE, NULL, OPTION_APPEND,
	 "add to the existing session instead of replacing it", NULL},
	{"separate", 0, POPT_ARG_STRING, NULL, OPTION_SEPARATE,
	 "how to separate samples: none, lib, kernel, thread, cpu, cgroup, all (lib)", "LIST"},
	{"from", 0, POPT_ARG_STRING, NULL, OPTION_FROM,
	 "for a trace: import only samples taken SECONDS or more after its beginning", "SECONDS"},
	{"to", 0, POPT_ARG_STRING, NULL, OPTION_TO,
	 "for a trace: import only samples taken less than SECONDS after its beginning", "SECONDS"},
	{"thread", 't', POPT_ARG_STRING, NULL, OPTION_THREAD,
	 "for a trace: import only samples of the threads with these numbers, separated by commas",
	 "LIST"},
	{"quiet", 'q', POPT_ARG_NONE, NULL, OPTION_QUIET, "print warnings and errors only", NULL},
	{"verbose", 'V', POPT_ARG_NONE, NULL, OPTION_VERBOSE, "print more", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, OPTION_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, OPTION_HELP, "show this text", NULL},
	{"usage", 0, POPT_ARG_NONE, NULL, OPTION_USAGE, "show brief usage", NULL},
	POPT_TABLEEND};

struct import_options {
	char *session_dir, *from;
	unsigned int separation;
	bool separated, append, quiet, verbose;
	/* If the input is a trace: the chosen threads; NULL: all threads. */
	char *threads;
	/* If the input is a trace: time range; to_ns 0: up to the trace's end. */
	uint64_t from_ns, to_ns;
	enum { IMPORT_RUN, IMPORT_VERSION, IMPORT_HELP, IMPORT_USAGE } what;
};

/* ---- perf.data ---- */

static bool has_chains(const struct perf_file *file)
{
	for (size_t i = 0; i < file->nr_events; i++)
		if (file->events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

/* Drains round by round until the source ends. An interrupted import also ends the source. */
static void drain_all(struct profiler *profiler, const struct perf_file *file)
{
	struct progress progress;
	size_t nr_steps = (size_t)(file->data_bytes >> 20) + 1;

	progress_begin(&progress, "importing", nr_steps);
	while (!profiler_ended(profiler)) {
		size_t done = (size_t)(import_source_position() >> 20);

		progress_step(&progress, done < nr_steps ? done : nr_steps, NULL);
		profiler_round(profiler, SOURCE_DRAIN_ALL);
	}
	progress_end(&progress);
	if (import_source_fault()->text[0])
		profiler_note(profiler, &import_part_note);
}

static void tell_imported(const struct session *session, const struct import_options *options)
{
	const struct stats *stats = &session->stats;

	if (!options->quiet)
		log_info("%" PRIu64 " samples, %" PRIu64 " stored, %" PRIu64 " idle, %" PRIu64
			 " lost; see them with: opreport --session-dir=%s",
			 stats->values[STATS_SEEN], stats->values[STATS_STORED],
			 stats->values[STATS_IDLE],
			 stats_accounted(stats) - stats->values[STATS_STORED] -
				 stats->values[STATS_IDLE],
			 options->session_dir);
	if (import_source_fault()->text[0])
		log_warning("%s", diag_show(import_source_fault()));
}

static int run_profiler(const struct import_options *options, struct perf_file *file,
			struct session *session, struct diag *diag)
{
	struct event_choice events[SOURCE_EVENTS_MAX];
	struct profiler_config config = {
		.ops = &source_import,
		.separation = options->separation,
		.begin = options->append ? SESSION_APPEND : SESSION_FRESH,
		.history = {.now = import_source_now},
		.source =
			{
				.events = events,
				.nr_events = file->nr_events,
				.target = SOURCE_SYSTEM,
				.chain_depth = has_chains(file) ? CHAIN_DEPTH : 0,
				.want_cgroup = true,
			},
	};
	static struct profiler profiler; /* too big for the stack */
	int error;

	import_events_choose(file, events);
	error = profiler_open(&profiler, session, &config, diag);
	if (error)
		return error;
	error = profiler_start(&profiler);
	if (error)
		(void)diag_set(diag, error, "cannot begin: %s", strerror(-error));
	else
		drain_all(&profiler, file);
	profiler_close(&profiler);
	if (!error)
		tell_imported(session, options);
	return error;
}

/* Imports the file, and closes it even after an error. */
static int import_file(const struct import_options *options, struct perf_file *file,
		       struct diag *diag)
{
	struct session session;
	int error;

	import_source_set(file);
	if (file->nr_events > SOURCE_EVENTS_MAX) {
		error = diag_set_at(diag, -EOPNOTSUPP, file->path, 0,
				    "has %zu events: at most %d can be imported", file->nr_events,
				    SOURCE_EVENTS_MAX);
		perf_file_close(file);
		return error;
	}
	error = run_user_enter(options->session_dir, "--session-dir", 0, diag);
	if (!error)
		error = session_lock(&session, ".", diag);
	if (!error) {
		error = run_profiler(options, file, &session, diag);
		session_unlock(&session);
	}
	perf_file_close(file);
	return error;
}

static int import_perf_data(const struct import_options *options, struct diag *diag)
{
	struct perf_file file;
	const int error = perf_file_open(&file, options->from, diag);

	return error ? error : import_file(options, &file, diag);
}

/* ---- traces ---- */

static void tell_trace(const struct import_options *options, const struct import_trace *trace)
{
	if (trace->lost_events)
		log_warning("%" PRIu64 " events were lost when %s was recorded: some of these "
			    "events may be samples",
			    trace->lost_events, options->from);
	if (trace->nr_damaged)
		log_warning("%s is damaged or truncated in %" PRIu64 " place%s", options->from,
			    trace->nr_damaged, trace->nr_damaged == 1 ? "" : "s");
	if (trace->nr_unkept)
		log_warning("%s: %" PRIu64
			    " mappings exceeded the memory limit: samples in them may have no "
			    "symbols",
			    options->from, trace->nr_unkept);
}

static int import_trace(const struct import_options *options, struct diag *diag)
{
	struct import_trace trace = {
		.from_ns = options->from_ns, .to_ns = options->to_ns, .threads = options->threads};
	const int fd = import_trace_convert(&trace, options->from, diag);
	struct perf_file file;
	int error;

	if (fd < 0)
		return fd;
	error = perf_file_open_fd(&file, fd, options->from, diag);
	if (error)
		return error;
	file.is_trace = true;
	tell_trace(options, &trace);
	return import_file(options, &file, diag);
}

/* ---- the command line ---- */

static int keep_text(char **field, const char *text, struct diag *diag)
{
	free(*field);
	*field = strdup(text ? text : "");
	return *field ? 0 : diag_set(diag, -ENOMEM, "out of memory");
}

static int take_option(struct import_options *options, int option, const char *text,
		       struct diag *diag)
{
	switch (option) {
	case OPTION_SESSION_DIR:
		return keep_text(&options->session_dir, text, diag);
	case OPTION_APPEND:
		options->append = true;
		return 0;
	case OPTION_SEPARATE:
		if (!options->separated)
			options->separation = 0;
		options->separated = true;
		return separation_parse(text, &options->separation, diag);
	case OPTION_FROM:
		return number_parse_seconds("--from", text, &options->from_ns, diag);
	case OPTION_TO:
		return number_parse_seconds("--to", text, &options->to_ns, diag);
	case OPTION_THREAD:
		return keep_text(&options->threads, text, diag);
	case OPTION_QUIET:
		options->quiet = true;
		return 0;
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	case OPTION_VERSION:
		options->what = IMPORT_VERSION;
		return 0;
	case OPTION_HELP:
		options->what = IMPORT_HELP;
		return 0;
	default:
		options->what = IMPORT_USAGE;
		return 0;
	}
}

static int take_words(struct import_options *options, const char **words, struct diag *diag)
{
	if (options->what != IMPORT_RUN)
		return 0;
	if (!words || !words[0] || words[1])
		return diag_set(
			diag, -EINVAL,
			"give one perf.data file, one folder of a trace, or one session folder of "
			"OProfile (--help shows more)");
	if (options->to_ns && options->to_ns <= options->from_ns)
		return diag_set(diag, -EINVAL, "--to must be later than --from");
	return keep_text(&options->from, words[0], diag);
}

static int parse(struct import_options *options, int argc, const char **argv, struct diag *diag)
{
	poptContext context = poptGetContext("opimport", argc, argv, option_table, 0);
	int error = context ? keep_text(&options->session_dir, SESSION_DIR_DEFAULT, diag) : -ENOMEM;
	int option = 0;

	while (!error && (option = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);

		error = take_option(options, option, text, diag);
		free(text);
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s (--help lists the options)",
				 poptBadOption(context, POPT_BADOPTION_NOALIAS),
				 poptStrerror(option));
	if (!error)
		error = take_words(options, poptGetArgs(context), diag);
	poptFreeContext(context);
	return error;
}

static void show_help(bool usage)
{
	const char *argv[] = {"opimport", NULL};
	poptContext context = poptGetContext("opimport", 1, argv, option_table, 0);

	poptSetOtherOptionHelp(context, "[options] PERF.DATA | FOLDER");
	if (usage)
		poptPrintUsage(context, stdout, 0);
	else
		poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}

/* ---- running ---- */

static int prepare(struct diag *diag)
{
	struct rlimit limit;
	int error;

	(void)umask(077);
	(void)deny_calls(); /* if the kernel has no seccomp, the import works without it */
	import_interrupt_catch();
	(void)signal(SIGXFSZ, SIG_IGN);
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	error = stats_catch_sigbus();
	if (!error)
		error = sdb_catch_sigbus();
	return error ? diag_set(diag, error, "cannot catch SIGBUS: %s", strerror(-error)) : 0;
}

static int import(const struct import_options *options, struct diag *diag)
{
	struct stat st;
	int error = prepare(diag);

	if (error)
		return error;
	if (stat(options->from, &st))
		return diag_set_at(diag, -errno, options->from, 0, "cannot be read: %s",
				   strerror(errno));
	if (S_ISDIR(st.st_mode) && import_trace_is(options->from))
		return import_trace(options, diag);
	if (options->from_ns || options->to_ns || options->threads)
		return diag_set_at(
			diag, -EINVAL, options->from, 0,
			"is not a trace: --from, --to and --thread require a trace (for a session, "
			"give time: and tid: to the report instead)");
	if (S_ISDIR(st.st_mode))
		return import_oprofile(options->from, options->session_dir, options->append, diag);
	return import_perf_data(options, diag);
}

int main(int argc, const char **argv)
{
	struct import_options options = {.separation = SEPARATION_LIB};
	struct diag diag;
	int error;

	log_init("opimport", LOG_LEVEL_INFO);
	diag_clear(&diag);
	error = parse(&options, argc, argv, &diag);
	if (!error && options.verbose)
		log_init("opimport", LOG_LEVEL_DEBUG);
	if (error)
		log_error("%s", diag_show(&diag));
	else if (options.what == IMPORT_VERSION)
		(void)puts("opimport: oprof " OPROF_VERSION "\n"
			   "License GPL-2.0-or-later. There is no warranty.");
	else if (options.what != IMPORT_RUN)
		show_help(options.what == IMPORT_USAGE);
	else {
		error = import(&options, &diag);
		if (error)
			log_error("%s", diag_show(&diag));
	}
	free(options.session_dir);
	free(options.from);
	free(options.threads);
	if (!error && (fflush(stdout) || ferror(stdout)))
		error = -EIO;
	import_interrupt_end();
	return error ? 1 : 0;
}
