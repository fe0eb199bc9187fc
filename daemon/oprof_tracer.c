// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprof-tracer: records one trace to one folder, until it is told to end or
 * its time is over. optrace runs it, and speaks for it; it is not for people.
 */
#include "daemon/ready.h"
#include "daemon/tracer.h"
#include "events/tracefs.h"
#include "lib/log.h"
#include "lib/number.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define ROUND_MS       200
#define SECONDS_MAX    UINT64_C(100000000)
#define NR_EVENT_TEXTS 256

enum option {
	OPTION_EVENTS = 1,
	OPTION_FOLDER,
	OPTION_KEEP_OLD,
	OPTION_SIZE,
	OPTION_SECONDS,
	OPTION_ROTATE,
	OPTION_KEEP,
	OPTION_COMPRESS,
	OPTION_PARENT,
	OPTION_READY
};

static const struct poptOption option_table[] = {
	{"events", 'e', POPT_ARG_STRING, NULL, OPTION_EVENTS, "record these events, too", "EVENTS"},
	{"folder", 'o', POPT_ARG_STRING, NULL, OPTION_FOLDER, "make the trace there", "DIR"},
	{"keep-old", 0, POPT_ARG_NONE, NULL, OPTION_KEEP_OLD, "move a trace there to DIR.old",
	 NULL},
	{"parent", 0, POPT_ARG_STRING, NULL, OPTION_PARENT, "end when it does", "PID"},
	{"size", 'm', POPT_ARG_STRING, NULL, OPTION_SIZE,
	 "number and size of each CPU's sub-buffers", "NxSIZE"},
	{"seconds", 'd', POPT_ARG_STRING, NULL, OPTION_SECONDS, "end after so long", "SECONDS"},
	{"rotate", 0, POPT_ARG_STRING, NULL, OPTION_ROTATE, "go on in a new chunk then",
	 "SIZE|SECONDS"},
	{"keep", 0, POPT_ARG_STRING, NULL, OPTION_KEEP, "remove older chunks", "N"},
	{"compress", 0, POPT_ARG_NONE, NULL, OPTION_COMPRESS, "compress closed chunks", NULL},
	{"ready-fd", 0, POPT_ARG_STRING, NULL, OPTION_READY, "say there when it records", "FD"},
	POPT_AUTOHELP POPT_TABLEEND};

struct program {
	const char *texts[NR_EVENT_TEXTS];
	size_t nr_texts;
	const char *folder;
	uint64_t nr_sub_buffers, sub_buffer_bytes, nr_seconds, ready_fd, parent;
	struct trace_chunks_config chunks;
	bool keep_old;
	char *tracefs;
	struct trace_choice choice;
	struct tracer *tracer;
	struct ready ready;
	int signal_fd, timer_fd;
	bool disk_failed; /* told */
};

/* ---- options ---- */

/* "NxSIZE" */
static int take_size(struct program *program, const char *text, struct diag *diag)
{
	const char *by = strchr(text, 'x');
	char number[32];

	if (by &&
	    (size_t)snprintf(number, sizeof(number), "%.*s", (int)(by - text), text) <
		    sizeof(number) &&
	    !number_parse(number, UINT32_MAX, &program->nr_sub_buffers) &&
	    !number_parse_bytes(by + 1, &program->sub_buffer_bytes) &&
	    program->sub_buffer_bytes <= UINT32_MAX && program->nr_sub_buffers &&
	    program->sub_buffer_bytes)
		return 0;
	return diag_set(diag, -EINVAL, "-m discard:%s: give NxSIZE, both powers of two: 64x256K",
			text);
}

static int take_number(const char *option, const char *text, uint64_t max, uint64_t *number,
		       struct diag *diag)
{
	if (!number_parse(text, max, number) && *number)
		return 0;
	return diag_set(diag, -EINVAL, "%s %s: give a whole number, from 1", option, text);
}

static int take_keep(struct program *program, const char *text, struct diag *diag)
{
	uint64_t nr;
	int error = take_number("--keep", text, UINT32_MAX, &nr, diag);

	if (!error)
		program->chunks.nr_keep = (uint32_t)nr;
	return error;
}

static int take_option(struct program *program, int option, const char *text, struct diag *diag)
{
	switch ((enum option)option) {
	case OPTION_EVENTS:
		if (program->nr_texts == NR_EVENT_TEXTS)
			return diag_set(diag, -E2BIG, "more than %u times -e", NR_EVENT_TEXTS);
		program->texts[program->nr_texts++] = text;
		return 0;
	case OPTION_FOLDER:
		program->folder = text;
		return 0;
	case OPTION_KEEP_OLD:
		program->keep_old = true;
		return 0;
	case OPTION_SIZE:
		return take_size(program, text, diag);
	case OPTION_SECONDS:
		return take_number("-d", text, SECONDS_MAX, &program->nr_seconds, diag);
	case OPTION_ROTATE:
		return trace_chunks_parse(text, &program->chunks, diag);
	case OPTION_KEEP:
		return take_keep(program, text, diag);
	case OPTION_COMPRESS:
		program->chunks.compress = true;
		return 0;
	case OPTION_PARENT:
		return take_number("--parent", text, INT32_MAX, &program->parent, diag);
	case OPTION_READY:
		return take_number("--ready-fd", text, INT32_MAX, &program->ready_fd, diag);
	}
	return -EINVAL;
}

/* Texts are popt's, and live as long as the program. */
static int take_options(struct program *program, int argc, const char **argv, struct diag *diag)
{
	poptContext context = poptGetContext(NULL, argc, argv, option_table, 0);
	int option, error = 0;

	/* All of them, whatever is wrong with one: --ready-fd says whom to tell. */
	while ((option = poptGetNextOpt(context)) > 0) {
		struct diag why;
		const int bad = take_option(program, option, poptGetOptArg(context), &why);

		if (bad && !error)
			*diag = why;
		error = error ? error : bad;
	}
	if (!error && option < -1)
		error = diag_set(diag, -EINVAL, "%s: %s", poptBadOption(context, 0),
				 poptStrerror(option));
	if (!error && !program->folder)
		error = diag_set(diag, -EINVAL, "--folder is missing: run optrace");
	if (!error)
		error = trace_chunks_check(&program->chunks, diag);
	poptFreeContext(context);
	return error;
}

/* ---- waiting ---- */

static int open_signals(struct program *program, struct diag *diag)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* as a full disk */
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return diag_set(diag, -errno, "cannot block signals: %s", strerror(errno));
	program->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	program->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (program->signal_fd < 0 || program->timer_fd < 0)
		return diag_set(diag, -errno, "cannot wait for signals: %s", strerror(errno));
	return 0;
}

static void begin_time(const struct program *program)
{
	const struct itimerspec end = {.it_value.tv_sec = (time_t)program->nr_seconds};

	if (program->nr_seconds)
		(void)timerfd_settime(program->timer_fd, 0, &end, NULL);
}

/* Recording goes on: a disk may have room again. */
static void tell_disk(struct program *program, int error, const struct diag *diag)
{
	if (error && !program->disk_failed)
		log_error("%s: events are being lost", diag_show(diag));
	program->disk_failed |= error != 0;
}

static void record(struct program *program)
{
	struct pollfd fds[] = {
		{.fd = program->signal_fd, .events = POLLIN},
		{.fd = program->timer_fd, .events = POLLIN},
		{.fd = tracer_poll_fd(program->tracer), .events = POLLIN},
	};
	struct diag diag;

	while (!fds[0].revents && !fds[1].revents) {
		(void)poll(fds, sizeof(fds) / sizeof(fds[0]), ROUND_MS);
		tell_disk(program, tracer_round(program->tracer, &diag), &diag);
	}
	tell_disk(program, tracer_stop(program->tracer, &diag), &diag);
}

/* ---- the end ---- */

static void tell_loss(uint64_t nr, const char *why)
{
	if (nr)
		log_warning("%" PRIu64 " %s", nr, why);
}

static bool tell_counts(const struct program *program)
{
	const struct tracer_counts counts = tracer_counts(program->tracer);

	log_info("%" PRIu64 " events in %.1f MB, %" PRIu64 " lost", counts.nr_records,
		 (double)counts.nr_bytes / 1e6,
		 counts.lost_kernel + counts.lost_room + counts.lost_bad + counts.lost_disk);
	tell_loss(
		counts.lost_kernel,
		"events found the kernel's buffers full: choose fewer events, or larger buffers (-m)");
	tell_loss(counts.lost_room,
		  "events are longer than a buffer, or there was no memory: larger "
		  "buffers (-m)");
	tell_loss(counts.lost_bad, "records were not as the kernel describes them");
	tell_loss(counts.lost_disk, "events are in packets that the disk did not take");
	tell_loss(counts.ring_errors,
		  "times the kernel's buffers were damaged: nobody knows what is missing");
	tell_loss(counts.packet_errors, "packets were refused: a fault of oprof, please report it");
	tell_loss(counts.nr_late,
		  "events came late, and have the time of the one before them on their CPU");
	return !program->disk_failed;
}

static int begin(struct program *program, struct diag *diag)
{
	const struct tracer_config config = {.choice = &program->choice,
					     .folder = program->folder,
					     .keep_old = program->keep_old,
					     .sub_buffer_bytes =
						     (uint32_t)program->sub_buffer_bytes,
					     .nr_sub_buffers = (uint32_t)program->nr_sub_buffers,
					     .chunks = program->chunks};
	struct tracer_config with = config;
	int error = tracefs_find("", &program->tracefs, diag);

	for (size_t i = 0; !error && i < program->nr_texts; i++)
		error = trace_choice_add(&program->choice, program->tracefs, program->texts[i],
					 diag);
	if (!error && !program->nr_texts)
		error = trace_choice_add(&program->choice, program->tracefs, "default", diag);
	with.tracefs = program->tracefs;
	if (!error)
		error = tracer_open(&program->tracer, &with, diag);
	if (!error)
		error = tracer_start(program->tracer, diag);
	return error;
}

static int run(struct program *program, struct diag *diag)
{
	int error = open_signals(program, diag), closed;
	bool is_whole = false;

	if (!error)
		error = begin(program, diag);
	if (!error) {
		begin_time(program);
		ready_ok(&program->ready);
		record(program);
		is_whole = tell_counts(program);
	}
	closed = tracer_close(program->tracer, error ? NULL : diag);
	trace_choice_deinit(&program->choice);
	free(program->tracefs);
	if (error || closed)
		return error ? error : closed;
	return is_whole ? 0 : diag_set(diag, -EIO, "the trace is not whole");
}

int main(int argc, const char **argv)
{
	struct program program = {0};
	struct diag diag;
	int error;

	log_init("optrace", LOG_LEVEL_INFO);
	(void)umask(077);
	diag_clear(&diag);
	program.ready = (struct ready){.told_fd = -1, .parent_fd = -1};
	error = take_options(&program, argc, argv, &diag);
	if (error)
		(void)ready_init(&program.ready, program.ready_fd ? (int)program.ready_fd : -1,
				 NULL);
	else
		error = ready_init(&program.ready, program.ready_fd ? (int)program.ready_fd : -1,
				   &diag);
	/* Who runs it ends: so does the trace, whole. */
	if (!error && program.parent &&
	    (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != (pid_t)program.parent))
		error = diag_set(&diag, -ESRCH, "the parent process has ended");
	if (!error)
		error = run(&program, &diag);
	if (error && !ready_fail(&program.ready, diag_show(&diag)))
		log_error("%s", diag_show(&diag));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
