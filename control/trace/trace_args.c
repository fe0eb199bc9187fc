// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/trace/trace_args.h"

#include "lib/number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"

const struct poptOption trace_args_table[] = {
	{"events", 'e', POPT_ARG_STRING, NULL, TRACE_ARGS_EVENTS,
	 "events to record, separated by commas: default, syscalls, syscall:NAME, SYSTEM:NAME, "
	 "EVENT/FILTER/, sample, sample:HZ (default)",
	 "EVENTS"},
	{"pid", 'p', POPT_ARG_STRING, NULL, TRACE_ARGS_PIDS,
	 "record only these processes and the processes that they start", "PID,..."},
	{"cgroup", 0, POPT_ARG_STRING, NULL, TRACE_ARGS_CGROUP,
	 "record only processes in this control group", "PATH"},
	{"uid", 0, POPT_ARG_STRING, NULL, TRACE_ARGS_UID,
	 "record only these users, by name or number; requires the kernel module", "USER,..."},
	{"flush", 0, POPT_ARG_STRING, NULL, TRACE_ARGS_FLUSH,
	 "with a trace on disk: write new events every MS milliseconds", "MS"},
	{"source", 0, POPT_ARG_STRING, NULL, TRACE_ARGS_SOURCE,
	 "what records the events: the kernel module, perf (performance events), or auto: the "
	 "module if it can record the events, otherwise perf (auto)",
	 "module|perf|auto"},
	{"rotate", 0, POPT_ARG_STRING, NULL, TRACE_ARGS_ROTATE,
	 "begin a new chunk (a folder in the trace's folder) when the current chunk has this size "
	 "or age (100M, 60 or 100M,60)",
	 "SIZE|SECONDS"},
	{"keep", 0, POPT_ARG_STRING, NULL, TRACE_ARGS_KEEP,
	 "keep at most N chunks, and remove the oldest", "N"},
	{"compress", 0, POPT_ARG_NONE, NULL, TRACE_ARGS_COMPRESS,
	 "compress chunks (zstd) when they are complete", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, TRACE_ARGS_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, TRACE_ARGS_HELP, "show this help", NULL},
	POPT_TABLEEND};

void trace_args_init(struct trace_args *args, enum trace_args_mode mode)
{
	*args = (struct trace_args){.mode = mode};
	daemon_args_init(&args->daemon, DAEMON_TRACER);
}

void trace_args_deinit(struct trace_args *args)
{
	daemon_args_deinit(&args->daemon);
	free(args->folder);
}

char *trace_args_whole_path(const char *path, struct diag *diag)
{
	char here[PATH_MAX], *whole;

	if (*path != '/' && !getcwd(here, sizeof(here))) {
		(void)diag_set(diag, -errno, "cannot find the current folder: %s", strerror(errno));
		return NULL;
	}
	if (asprintf(&whole, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path) <
	    0) {
		(void)diag_set(diag, -ENOMEM, "out of memory for a path");
		return NULL;
	}
	return whole;
}

/* Parses "MODE" or "MODE:NxSIZE". */
static int take_mode(struct trace_args *args, const char *text, struct diag *diag)
{
	static const char *const names[] = {
		[TRACE_ARGS_DISCARD] = "discard", [TRACE_ARGS_OVERWRITE] = "overwrite"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);

		if (strncmp(text, names[i], length) != 0 ||
		    (text[length] && (text[length] != ':' || !text[length + 1])))
			continue;
		args->mode = (enum trace_args_mode)i;
		args->has_mode = true;
		if (text[length])
			daemon_args_add(&args->daemon, "--size=%s", text + length + 1);
		return 0;
	}
	return diag_set(diag, -EINVAL,
			"-m %s: give discard:NxSIZE or overwrite:NxSIZE, such as discard:64x256K",
			text);
}

/* Sets the control group, given as in /proc/PID/cgroup or as a folder. */
static int take_cgroup(struct trace_args *args, const char *text, struct diag *diag)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), CGROUP_ROOT "/%s", text + (*text == '/')) <
		    (int)sizeof(path) &&
	    !stat(path, &st) && S_ISDIR(st.st_mode)) {
		daemon_args_add(&args->daemon, "--cgroup=%s", path);
		args->selective = true;
		return 0;
	}
	if (*text == '/' && !stat(text, &st) && S_ISDIR(st.st_mode)) {
		daemon_args_add(&args->daemon, "--cgroup=%s", text);
		args->selective = true;
		return 0;
	}
	return diag_set(diag, -ENOENT,
			"--cgroup %s: there is no such control group below " CGROUP_ROOT, text);
}

/* Adds a user. User names are converted here, because the daemon accepts only numbers. */
static int take_user(struct trace_args *args, const char *name, struct diag *diag)
{
	uint64_t number;

	if (number_parse(name, UINT32_MAX - 1, &number)) {
		const struct passwd *user = getpwnam(name);

		if (!user)
			return diag_set(diag, -ENOENT, "--uid %s: there is no such user", name);
		number = user->pw_uid;
	}
	daemon_args_add(&args->daemon, "--uid=%" PRIu64, number);
	return 0;
}

static int take_users(struct trace_args *args, const char *text, struct diag *diag)
{
	char *names = strdup(text), *rest = names, *name;
	int error = names ? 0 : diag_set(diag, -ENOMEM, "out of memory for the users of --uid");

	while (!error && (name = strsep(&rest, ",")))
		error = take_user(args, name, diag);
	free(names);
	args->selective |= !error;
	return error;
}

int trace_args_take(struct trace_args *args, poptContext popt, int option, const char *text,
		    struct diag *diag)
{
	switch ((enum trace_args_option)option) {
	case TRACE_ARGS_EVENTS:
		daemon_args_add(&args->daemon, "--events=%s", text);
		return 0;
	case TRACE_ARGS_OUTPUT:
		return option_keep(&args->folder, text, diag);
	case TRACE_ARGS_MODE:
		return take_mode(args, text, diag);
	case TRACE_ARGS_FLUSH:
		daemon_args_add(&args->daemon, "--flush=%s", text);
		return 0;
	case TRACE_ARGS_ROTATE:
		daemon_args_add(&args->daemon, "--rotate=%s", text);
		return 0;
	case TRACE_ARGS_KEEP:
		daemon_args_add(&args->daemon, "--keep=%s", text);
		return 0;
	case TRACE_ARGS_COMPRESS:
		daemon_args_add(&args->daemon, "--compress");
		return 0;
	case TRACE_ARGS_SOURCE:
		daemon_args_add(&args->daemon, "--source=%s", text);
		return 0;
	case TRACE_ARGS_PIDS:
		args->selective = true;
		daemon_args_add(&args->daemon, "--pid=%s", text);
		return 0;
	case TRACE_ARGS_CGROUP:
		return take_cgroup(args, text, diag);
	case TRACE_ARGS_UID:
		return take_users(args, text, diag);
	case TRACE_ARGS_VERSION:
		option_show(popt, OPTION_SHOW_VERSION, "optrace");
		return 1;
	case TRACE_ARGS_HELP:
		option_show(popt, OPTION_SHOW_HELP, "optrace");
		return 1;
	case TRACE_ARGS_NR:
		break;
	}
	return 0;
}

int trace_args_end(struct trace_args *args, const char *by_default, struct diag *diag)
{
	char *whole;

	if (args->folder && !*args->folder)
		return diag_set(diag, -EINVAL, "-o requires the name of a folder to create");
	if (!args->folder)
		daemon_args_add(&args->daemon, "--keep-old");
	if (args->mode == TRACE_ARGS_OVERWRITE)
		daemon_args_add(&args->daemon, "--overwrite");
	whole = trace_args_whole_path(args->folder ? args->folder : by_default, diag);
	if (!whole)
		return -ENOMEM;
	daemon_args_add(&args->daemon, "--folder=%s", whole);
	free(whole);
	return 0;
}
