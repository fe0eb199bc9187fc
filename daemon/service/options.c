// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/options.h"

#include "daemon/history/history.h"
#include "daemon/session/separation.h"
#include "daemon/profiler/unwind_choice.h"
#include "lib/array.h"
#include "lib/number.h"
#include "lib/percent.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES_MAX	16384 /* 64 MB for each ring */
#define CHAIN_DEPTH_MAX 127   /* the kernel's default limit */
#define FREQUENCY_MAX	1000000

/* Limits of the kernel module (doc/kmod.md). */
#define KMOD_BUFFER_MIN	    1024
#define KMOD_BUFFER_MAX	    4194304
#define KMOD_CPU_BUFFER_MIN 128
#define KMOD_CPU_BUFFER_MAX 1048576

enum options_key {
	KEY_EVENT = 1,
	KEY_FREQUENCY,
	KEY_SEPARATE,
	KEY_PID,
	KEY_PARENT,
	KEY_SESSION_OWNER,
	KEY_CALLGRAPH,
	KEY_UNWIND,
	KEY_STACK_BYTES,
	KEY_SAMPLE_PAGES,
	KEY_SIDE_PAGES,
	KEY_SOURCE,
	KEY_BUFFER_SIZE,
	KEY_BUFFER_WATERSHED,
	KEY_CPU_BUFFER_SIZE,
	KEY_READY_FD,
	KEY_HISTORY_BYTES,
	KEY_HISTORY_DAYS,
	KEY_CPU_BUDGET,
	KEY_VERSION,
	KEY_HELP,
};

/* The values as popt stores them; they are converted and checked when all options are known. */
struct options_raw {
	char *session_dir, *log_file, *metrics_file;
	int keep_privileges;
	int foreground, start, append, fresh, system, enable_on_exec, verbose;
	char *events[SOURCE_EVENTS_MAX]; /* each element is the text of one event */
	size_t nr_events;
	uint64_t frequency_hz;
	enum options_result result;
};

static int parse_number(const char *text, const char *option, uint64_t min, uint64_t max,
			uint64_t *number, struct diag *diag)
{
	uint64_t value;

	if (number_parse(text, max, &value) || value < min)
		return diag_set(diag, -EINVAL, "%s=%s: give a number from %" PRIu64 " to %" PRIu64,
				option, text, min, max);
	*number = value;
	return 0;
}

static int parse_pages(const char *text, const char *option, unsigned int *pages, struct diag *diag)
{
	uint64_t number = 0;
	int error = parse_number(text, option, 1, PAGES_MAX, &number, diag);

	if (error)
		return error;
	if (number & (number - 1))
		return diag_set(diag, -EINVAL, "%s=%s: give a power of two", option, text);
	*pages = (unsigned int)number;
	return 0;
}

static int parse_history_bytes(struct options *options, const char *text, struct diag *diag)
{
	uint64_t nr_bytes = 0;

	if (number_parse_bytes(text, &nr_bytes) || nr_bytes < HISTORY_BYTES_MIN)
		return diag_set(diag, -EINVAL,
				"--history-bytes=%s: give a size of at least %" PRIu64
				"M, with K, M or G",
				text, HISTORY_BYTES_MIN >> 20);
	options->history_bytes = nr_bytes;
	return 0;
}

/* Parses "1,2,3" or one number. */
static int parse_pids(struct options *options, char *text, struct diag *diag)
{
	char *one;

	while ((one = strsep(&text, ","))) {
		uint64_t number = 0;
		int error = parse_number(one, "--pid", 1, INT_MAX, &number, diag);

		if (error)
			return error;
		if (array_reserve(&options->pids, &options->room_pids, options->nr_pids, 1))
			return diag_set(diag, -ENOMEM, "out of memory");
		options->pids[options->nr_pids++] = (pid_t)number;
	}
	return 0;
}

static int parse_events(struct options_raw *raw, char *text, struct diag *diag)
{
	char *one;

	while ((one = strsep(&text, ","))) {
		if (raw->nr_events == SOURCE_EVENTS_MAX)
			return diag_set(diag, -EINVAL, "at most %d events", SOURCE_EVENTS_MAX);
		raw->events[raw->nr_events] = strdup(one);
		if (!raw->events[raw->nr_events++])
			/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): raw->events owns the copy */
			return diag_set(diag, -ENOMEM, "out of memory");
	}
	return 0;
}

static int options_value(struct options *options, struct options_raw *raw, int key, char *text,
			 struct diag *diag)
{
	uint64_t number = 0;
	int error;

	switch ((enum options_key)key) {
	case KEY_EVENT:
		return parse_events(raw, text, diag);
	case KEY_FREQUENCY:
		return parse_number(text, "--frequency", 1, FREQUENCY_MAX, &raw->frequency_hz,
				    diag);
	case KEY_SEPARATE:
		return separation_parse(text, &options->separation, diag);
	case KEY_PID:
		return parse_pids(options, text, diag);
	case KEY_PARENT:
		error = parse_number(text, "--parent", 1, INT_MAX, &number, diag);
		options->parent = (pid_t)number;
		return error;
	case KEY_SESSION_OWNER:
		error = parse_number(text, "--session-owner", 1, UINT32_MAX - 1, &number, diag);
		options->session_owner = (uid_t)number;
		return error;
	case KEY_CALLGRAPH:
		error = parse_number(text, "--callgraph", 0, CHAIN_DEPTH_MAX, &number, diag);
		options->chain_depth = (unsigned int)number;
		return error;
	case KEY_UNWIND:
		return unwind_choice_parse(text, &options->unwind)
			       ? diag_set(diag, -EINVAL, "--unwind=%s: give auto, fp or tables",
					  text)
			       : 0;
	case KEY_STACK_BYTES:
		error = parse_number(text, "--stack-bytes", UNWIND_STACK_BYTES_MIN,
				     UNWIND_STACK_BYTES_MAX, &number, diag);
		options->stack_bytes = (unsigned int)number;
		return error;
	case KEY_SAMPLE_PAGES:
		return parse_pages(text, "--sample-pages", &options->sample_pages, diag);
	case KEY_SIDE_PAGES:
		return parse_pages(text, "--side-pages", &options->side_pages, diag);
	case KEY_SOURCE:
		return source_wish_parse(text, &options->source)
			       ? diag_set(diag, -EINVAL, "--source=%s: give auto, kmod or perf",
					  text)
			       : 0;
	case KEY_BUFFER_SIZE:
		return parse_number(text, "--buffer-size", KMOD_BUFFER_MIN, KMOD_BUFFER_MAX,
				    &options->buffer_size, diag);
	case KEY_BUFFER_WATERSHED:
		return parse_number(text, "--buffer-watershed", 1, KMOD_BUFFER_MAX,
				    &options->buffer_watershed, diag);
	case KEY_CPU_BUFFER_SIZE:
		return parse_number(text, "--cpu-buffer-size", KMOD_CPU_BUFFER_MIN,
				    KMOD_CPU_BUFFER_MAX, &options->cpu_buffer_size, diag);
	case KEY_READY_FD:
		error = parse_number(text, "--ready-fd", 0, INT_MAX, &number, diag);
		options->ready_fd = error ? -1 : (int)number;
		return error;
	case KEY_HISTORY_BYTES:
		return parse_history_bytes(options, text, diag);
	case KEY_HISTORY_DAYS:
		error = parse_number(text, "--history-days", 1, HISTORY_DAYS_MAX, &number, diag);
		options->history_days = (unsigned int)number;
		return error;
	case KEY_CPU_BUDGET:
		error = percent_parse(text, &options->cpu_budget);
		return error ? diag_set(diag, -EINVAL,
					"--cpu-budget=%s: give a percentage, 0 (no limit) to 100",
					text)
			     : 0;
	case KEY_VERSION:
	case KEY_HELP:
		break;
	}
	return 0;
}

static int options_read(struct options *options, struct options_raw *raw, poptContext context,
			struct diag *diag)
{
	int key;

	while ((key = poptGetNextOpt(context)) > 0) {
		char *text;
		int error;

		if (key == KEY_VERSION) {
			(void)printf("oprofiled %s\n", OPROF_VERSION);
			raw->result = OPTIONS_DONE;
			return 0;
		}
		if (key == KEY_HELP) {
			poptPrintHelp(context, stdout, 0);
			raw->result = OPTIONS_DONE;
			return 0;
		}
		text = poptGetOptArg(context);
		error = text ? options_value(options, raw, key, text, diag) : -EINVAL;
		free(text);
		if (error)
			return error;
	}
	if (key < -1)
		return diag_set(diag, -EINVAL, "%s: %s (--help lists the options)",
				poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(key));
	if (poptPeekArg(context))
		return diag_set(diag, -EINVAL, "'%s' is not an option (--help lists them)",
				poptPeekArg(context));
	return 0;
}

static int options_popt(struct options *options, struct options_raw *raw, int argc,
			const char **argv, struct diag *diag)
{
	const struct poptOption table[] = {
		{"session-dir", 0, POPT_ARG_STRING, &raw->session_dir, 0,
		 "folder to write to (default /var/lib/oprofile)", "DIR"},
		{"foreground", 0, POPT_ARG_NONE, &raw->foreground, 0,
		 "stay in the foreground and log to the terminal", NULL},
		{"event", 'e', POPT_ARG_STRING, NULL, KEY_EVENT,
		 "event to sample: NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]], or "
		 "NAME[:COUNT[:UNITMASK]]:MODE with MODE u (programs), k (kernel) or uk; may be "
		 "repeated (default: cycles or cpu-clock)",
		 "EVENT"},
		{"frequency", 'F', POPT_ARG_STRING, NULL, KEY_FREQUENCY,
		 "samples per second and CPU, for events without COUNT (default 99)", "HZ"},
		{"separate", 0, POPT_ARG_STRING, NULL, KEY_SEPARATE,
		 "how to separate samples: none, all, or a list of lib,kernel,thread,cpu,cgroup",
		 "KINDS"},
		{"system", 0, POPT_ARG_NONE, &raw->system, 0,
		 "sample the whole machine (the default)", NULL},
		{"pid", 'p', POPT_ARG_STRING, NULL, KEY_PID,
		 "sample only this process and its children; may be repeated", "PID"},
		{"enable-on-exec", 0, POPT_ARG_NONE, &raw->enable_on_exec, 0,
		 "with --pid: begin when the process executes a program", NULL},
		{"parent", 0, POPT_ARG_STRING, NULL, KEY_PARENT,
		 "with --foreground: end when this process, which started the daemon, ends", "PID"},
		{"session-owner", 0, POPT_ARG_STRING, NULL, KEY_SESSION_OWNER,
		 "start only if the session folder belongs to this user", "UID"},
		{"callgraph", 0, POPT_ARG_STRING, NULL, KEY_CALLGRAPH,
		 "callers to record with each sample (default 0)", "DEPTH"},
		{"unwind", 0, POPT_ARG_STRING, NULL, KEY_UNWIND,
		 "how to find callers in programs: by frame pointers, by the binaries' unwind "
		 "tables, or by the best way available (default auto)",
		 "auto|fp|tables"},
		{"stack-bytes", 0, POPT_ARG_STRING, NULL, KEY_STACK_BYTES,
		 "bytes of the stack to copy with each sample, for unwind tables (default 32768)",
		 "N"},
		{"sample-pages", 0, POPT_ARG_STRING, NULL, KEY_SAMPLE_PAGES,
		 "pages of a CPU's ring for samples, a power of two", "N"},
		{"side-pages", 0, POPT_ARG_STRING, NULL, KEY_SIDE_PAGES,
		 "pages of a CPU's ring for maps and tasks, a power of two", "N"},
		{"source", 0, POPT_ARG_STRING, NULL, KEY_SOURCE,
		 "source of samples: the kernel module, perf_event_open, or the first available "
		 "(default auto)",
		 "auto|kmod|perf"},
		{"buffer-size", 0, POPT_ARG_STRING, NULL, KEY_BUFFER_SIZE,
		 "size of the kernel module's buffer (default 131072)", "SAMPLES"},
		{"buffer-watershed", 0, POPT_ARG_STRING, NULL, KEY_BUFFER_WATERSHED,
		 "number of samples in the kernel module's buffer at which the daemon is woken",
		 "SAMPLES"},
		{"cpu-buffer-size", 0, POPT_ARG_STRING, NULL, KEY_CPU_BUFFER_SIZE,
		 "size of the kernel module's ring of each CPU (default 8192)", "SAMPLES"},
		{"history-bytes", 0, POPT_ARG_STRING, NULL, KEY_HISTORY_BYTES,
		 "maximum disk space of the session; the oldest history is deleted first (default "
		 "1G, or a tenth of the disk)",
		 "SIZE[K|M|G]"},
		{"history-days", 0, POPT_ARG_STRING, NULL, KEY_HISTORY_DAYS,
		 "delete history older than N days", "N"},
		{"log-file", 0, POPT_ARG_STRING, &raw->log_file, 0, "file to log to", "FILE"},
		{"metrics", 0, POPT_ARG_STRING, &raw->metrics_file, 0,
		 "with --system: write metrics for Prometheus to this file", "FILE"},
		{"cpu-budget", 0, POPT_ARG_STRING, NULL, KEY_CPU_BUDGET,
		 "with --system: maximum cost of profiling, in percent of one CPU; above this "
		 "cost, the daemon takes fewer samples (default 0: no limit)",
		 "PERCENT"},
		{"keep-privileges", 0, POPT_ARG_NONE, &raw->keep_privileges, 0,
		 "keep all privileges that the daemon was started with", NULL},
		{"verbose", 'V', POPT_ARG_NONE, &raw->verbose, 0, "log more", NULL},
		{"ready-fd", 0, POPT_ARG_STRING, NULL, KEY_READY_FD,
		 "descriptor to which the daemon writes \"ok\" or \"error TEXT\" after its start",
		 "N"},
		{"start", 0, POPT_ARG_NONE, &raw->start, 0,
		 "start sampling immediately, not only on request (opcontrol --start, SIGUSR1)",
		 NULL},
		{"append", 0, POPT_ARG_NONE, &raw->append, 0,
		 "add to the current session (the default)", NULL},
		{"fresh", 0, POPT_ARG_NONE, &raw->fresh, 0, "discard the current session", NULL},
		{"version", 'v', POPT_ARG_NONE, NULL, KEY_VERSION, "print the version", NULL},
		{"help", '?', POPT_ARG_NONE, NULL, KEY_HELP, "print this help", NULL},
		POPT_TABLEEND,
	};
	poptContext context = poptGetContext("oprofiled", argc, argv, table, 0);
	int error;

	if (!context)
		return diag_set(diag, -ENOMEM, "out of memory");
	error = options_read(options, raw, context, diag);
	poptFreeContext(context);
	return error;
}

/* Returns whether the machine has a hardware counter for cycles. */
static bool machine_has_cycles(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return false;
	(void)close((int)fd);
	return true;
}

static bool event_is_twice(const struct options *options, const struct event_choice *event)
{
	for (size_t i = 0; i < options->nr_events; i++)
		if (!strcmp(options->events[i].name, event->name) &&
		    options->events[i].unit_mask == event->unit_mask &&
		    options->events[i].period_or_hz == event->period_or_hz &&
		    options->events[i].frequency == event->frequency)
			return true;
	return false;
}

static int options_add_event(struct options *options, const struct event_table *table,
			     const char *text, uint64_t hz, struct diag *diag)
{
	struct event_choice *event = &options->events[options->nr_events];
	int error;

	error = event_choice_parse(table, text, hz, machine_has_cycles(), event, diag);
	if (error)
		return error;
	/* The sample files of two equal events would have the same names. */
	if (event_is_twice(options, event))
		return diag_set(diag, -EINVAL, "event %s is given twice", text);
	options->nr_events++;
	return 0;
}

static int options_choose_events(struct options *options, const struct options_raw *raw,
				 struct diag *diag)
{
	uint64_t hz = raw->frequency_hz ? raw->frequency_hz : OPTIONS_FREQUENCY_HZ;
	struct event_table *table;
	int error = event_table_load(&table, NULL, NULL, diag);

	if (error)
		return error;
	for (size_t i = 0; i < raw->nr_events && !error; i++)
		error = options_add_event(options, table, raw->events[i], hz, diag);
	if (!raw->nr_events)
		error = options_add_event(options, table, "default", hz, diag);
	event_table_destroy(table);
	return error;
}

/*
 * Stores `given` as an absolute path, because the daemon changes its current folder to the session
 * folder. NULL stays NULL.
 */
static int options_file(char **kept, const char *given, struct diag *diag)
{
	char folder[PATH_MAX];

	if (!given)
		return 0;
	if (given[0] == '/')
		*kept = strdup(given);
	else if (!getcwd(folder, sizeof(folder)))
		return diag_set(diag, -errno, "cannot find the working folder: %s",
				strerror(errno));
	else if (asprintf(kept, "%s/%s", folder, given) < 0)
		*kept = NULL;
	return *kept ? 0 : diag_set(diag, -ENOMEM, "out of memory");
}

static int options_agree(const struct options *options, const struct options_raw *raw,
			 struct diag *diag)
{
	if (raw->append && raw->fresh)
		return diag_set(diag, -EINVAL, "--append cannot be combined with --fresh");
	if (raw->system && options->nr_pids)
		return diag_set(diag, -EINVAL, "--system cannot be combined with --pid");
	if (raw->enable_on_exec && !options->nr_pids)
		return diag_set(diag, -EINVAL, "--enable-on-exec requires --pid");
	if (options->cpu_budget > 0 && options->nr_pids)
		return diag_set(diag, -EINVAL, "--cpu-budget cannot be combined with --pid");
	if (raw->metrics_file && (!*raw->metrics_file || options->nr_pids))
		return diag_set(
			diag, -EINVAL,
			"--metrics requires a file's name, and cannot be combined with --pid");
	if (options->parent && !raw->foreground)
		return diag_set(diag, -EINVAL, "--parent requires --foreground");
	return 0;
}

static int options_finish(struct options *options, const struct options_raw *raw, struct diag *diag)
{
	int error = options_agree(options, raw, diag);

	if (error)
		return error;
	options->foreground = raw->foreground;
	options->start = raw->start;
	options->verbose = raw->verbose;
	options->keep_privileges = raw->keep_privileges;
	options->enable_on_exec = raw->enable_on_exec;
	options->begin = raw->fresh ? SESSION_FRESH : SESSION_APPEND;
	options->session_dir = strdup(raw->session_dir ? raw->session_dir : "/var/lib/oprofile");
	if (!options->session_dir)
		return diag_set(diag, -ENOMEM, "out of memory");
	error = options_file(&options->log_file, raw->log_file, diag);
	if (!error)
		error = options_file(&options->metrics_file, raw->metrics_file, diag);
	return error ? error : options_choose_events(options, raw, diag);
}

int options_parse(struct options *options, int argc, const char **argv, enum options_result *result,
		  struct diag *diag)
{
	struct options_raw raw = {.result = OPTIONS_RUN};
	int error;

	memset(options, 0, sizeof(*options));
	options->ready_fd = -1;
	error = options_popt(options, &raw, argc, argv, diag);
	if (!error && raw.result == OPTIONS_RUN)
		error = options_finish(options, &raw, diag);
	if (!error)
		*result = raw.result;
	for (size_t i = 0; i < raw.nr_events; i++)
		free(raw.events[i]);
	free(raw.session_dir);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): raw.events was freed above */
	free(raw.log_file);
	free(raw.metrics_file);
	return error;
}

void options_deinit(struct options *options)
{
	free(options->session_dir);
	free(options->log_file);
	free(options->metrics_file);
	free(options->pids);
	memset(options, 0, sizeof(*options));
}
