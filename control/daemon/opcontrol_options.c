// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/opcontrol_options.h"

#include "control/base/option.h"
#include "control/daemon/session_files.h"
#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Option numbers. An action's option number is OPTION_ACTION plus the number of the action's bit in
 * options->actions. The other options' numbers begin at 100.
 */
enum {
	OPTION_ACTION = 1,
	OPTION_EVENT = 100,
	OPTION_SEPARATE,
	OPTION_CALLGRAPH,
	OPTION_UNWIND,
	OPTION_STACK_BYTES,
	OPTION_FREQUENCY,
	OPTION_IMAGE,
	OPTION_VMLINUX,
	OPTION_NO_VMLINUX,
	OPTION_BUFFER_SIZE,
	OPTION_BUFFER_WATERSHED,
	OPTION_CPU_BUFFER_SIZE,
	OPTION_METRICS,
	OPTION_HISTORY_BYTES,
	OPTION_HISTORY_DAYS,
	OPTION_CPU_BUDGET,
	OPTION_SOURCE,
	OPTION_SETTINGS_END,
	OPTION_LEFT_ON,
	OPTION_NO_BUILD,
	OPTION_BOOT,
	OPTION_FOREGROUND,
	OPTION_SESSION_DIR,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP,
};

#define ACTION(name, bit, text)                                                                    \
	{                                                                                          \
		name, 0, POPT_ARG_NONE, NULL, OPTION_ACTION + (bit), text, NULL                    \
	}
#define SETTING(name, letter, option, text, what)                                                  \
	{                                                                                          \
		name, letter, POPT_ARG_STRING, NULL, option, text, what                            \
	}

static const struct poptOption opcontrol_table[] = {
	ACTION("init", 0,
	       "load the kernel module (build it first if necessary) and mount its files"),
	ACTION("setup", 1, "keep the given settings for all later starts"),
	ACTION("start-daemon", 2, "start the daemon without sampling"),
	ACTION("start", 3, "start sampling; if no daemon runs, start it first"),
	ACTION("stop", 4, "stop sampling; the daemon continues to run"),
	ACTION("dump", 5, "write all samples to disk, then return"),
	SETTING("save", 0, OPTION_ACTION + 6, "save the current session under this name", "NAME"),
	ACTION("reset", 7, "delete the current session's samples"),
	ACTION("shutdown", 8, "stop sampling and end the daemon"),
	ACTION("deinit", 9, "end the daemon, unmount and unload the kernel module"),
	ACTION("status", 10, "show the daemon's state and counters"),
	ACTION("list-events", 11,
	       "list all events, and mark events that this machine does not have"),
	ACTION("health", 12, "show the daemon's health: rate, cost, losses (oprof status)"),
	{"left-on", 0, POPT_ARG_NONE, NULL, OPTION_LEFT_ON,
	 "with --start: use the defaults of continuous profiling (oprof start)", NULL},
	{"no-build", 0, POPT_ARG_NONE, NULL, OPTION_NO_BUILD,
	 "with --init: load the module only if it is installed or built; never build it", NULL},
	{"boot", 0, POPT_ARG_NONE, NULL, OPTION_BOOT,
	 "with --start: also start at every boot, through systemd; with --shutdown: no longer "
	 "start at boot",
	 NULL},
	{"foreground", 0, POPT_ARG_NONE, NULL, OPTION_FOREGROUND,
	 "with --start: run the daemon in this process, for service managers", NULL},
	SETTING("event", 'e', OPTION_EVENT,
		"NAME[:COUNT[:UNITMASK[:KERNEL[:USER]]]], or NAME[:COUNT[:UNITMASK]]:MODE with "
		"MODE u (programs), k (kernel) or uk, or default; repeat for more events",
		"EVENT"),
	SETTING("separate", 0, OPTION_SEPARATE,
		"how to separate samples: none, lib, kernel, thread, cpu, cgroup, all", "LIST"),
	SETTING("callgraph", 'c', OPTION_CALLGRAPH, "record call chains up to this depth; 0: none",
		"DEPTH"),
	SETTING("unwind", 0, OPTION_UNWIND,
		"how to find callers in programs: auto, fp (frame pointers), tables", "HOW"),
	SETTING("stack-bytes", 0, OPTION_STACK_BYTES,
		"bytes of the stack to copy with each sample, for unwind tables; 0: the default",
		"N"),
	SETTING("frequency", 'F', OPTION_FREQUENCY,
		"samples per second for events without COUNT (99)", "HZ"),
	SETTING("image", 0, OPTION_IMAGE,
		"stored in the setup, but has no effect; select images in reports with image:",
		"LIST"),
	SETTING("vmlinux", 'k', OPTION_VMLINUX,
		"stored in the setup, but has no effect; symbols are read from the running kernel",
		"FILE"),
	{"no-vmlinux", 0, POPT_ARG_NONE, NULL, OPTION_NO_VMLINUX,
	 "stored in the setup, but has no effect; symbols are read from the running kernel", NULL},
	SETTING("source", 0, OPTION_SOURCE,
		"source of samples: auto (the kernel module if it is loaded, else perf), kmod, "
		"perf",
		"WHICH"),
	SETTING("buffer-size", 0, OPTION_BUFFER_SIZE,
		"size of the kernel module's buffer; 0: the module's default", "SAMPLES"),
	SETTING("buffer-watershed", 0, OPTION_BUFFER_WATERSHED,
		"number of samples in the kernel module's buffer at which the daemon is woken; 0: "
		"the module's default",
		"SAMPLES"),
	SETTING("cpu-buffer-size", 0, OPTION_CPU_BUFFER_SIZE,
		"size of each processor's ring; 0: the daemon's default", "SAMPLES"),
	SETTING("metrics", 0, OPTION_METRICS,
		"write metrics for Prometheus to this file; none: stop writing them", "FILE"),
	SETTING("history-bytes", 0, OPTION_HISTORY_BYTES,
		"maximum disk space of the current session; the oldest samples are deleted first; "
		"0: the default (1G)",
		"SIZE[K|M|G]"),
	SETTING("history-days", 0, OPTION_HISTORY_DAYS,
		"delete samples older than N days; 0: keep samples of any age", "N"),
	SETTING("cpu-budget", 0, OPTION_CPU_BUDGET,
		"maximum cost of profiling, in percent of one CPU; 0: no limit", "PERCENT"),
	SETTING("session-dir", 0, OPTION_SESSION_DIR,
		"folder of the profiles and the setup (" OPCONTROL_SESSION_DIR ")", "DIR"),
	{"verbose", 'V', POPT_ARG_NONE, NULL, OPTION_VERBOSE, "report more details", NULL},
	{"version", 'v', POPT_ARG_NONE, NULL, OPTION_VERSION, "show the version", NULL},
	{"help", '?', POPT_ARG_NONE, NULL, OPTION_HELP, "show this help", NULL},
	POPT_TABLEEND};

static const char *setting_key(int option)
{
	for (const struct poptOption *one = opcontrol_table; one->longName; one++) {
		if (one->val == option)
			return one->longName;
	}
	return NULL;
}

static int add_setting(struct opcontrol_options *options, int option, const char *value,
		       struct diag *diag)
{
	char *copy = NULL;

	if (!array_reserve(&options->settings, &options->room_settings, options->nr_settings, 1))
		copy = strdup(value);
	if (!copy)
		return diag_set(diag, -ENOMEM, "out of memory for options");
	options->settings[options->nr_settings++] =
		(struct opcontrol_setting){setting_key(option), copy};
	return 0;
}

static int set_save_name(struct opcontrol_options *options, const char *name, struct diag *diag)
{
	int error = session_files_check_name(name, diag);

	options->actions |= OPCONTROL_SAVE;
	return error ? error : option_keep(&options->save_name, name, diag);
}

/*
 * Processes one option. text: its argument, or NULL if the option has none. Returns 0; 1 if help or
 * version was shown; or -errno and diag.
 */
static int take_option(struct opcontrol_options *options, int option, const char *text,
		       struct diag *diag)
{
	if (option >= OPTION_EVENT && option < OPTION_SETTINGS_END)
		return add_setting(options, option, text ? text : "1", diag);
	switch (option) {
	case OPTION_ACTION + 6:
		return set_save_name(options, text, diag);
	case OPTION_SESSION_DIR:
		if (!*text)
			return diag_set(diag, -EINVAL,
					"--session-dir requires the name of a folder");
		return option_keep(&options->session_dir, text, diag);
	case OPTION_LEFT_ON:
		options->left_on = true;
		options->actions |= OPCONTROL_START;
		return 0;
	case OPTION_NO_BUILD:
		options->no_build = true;
		return 0;
	case OPTION_BOOT:
		options->boot = true;
		return 0;
	case OPTION_FOREGROUND:
		options->foreground = true;
		return 0;
	case OPTION_VERBOSE:
		options->verbose = true;
		return 0;
	case OPTION_HELP:
	case OPTION_VERSION:
		option_show(options->popt,
			    option == OPTION_HELP ? OPTION_SHOW_HELP : OPTION_SHOW_VERSION,
			    "opcontrol");
		return 1;
	default:
		options->actions |= 1u << (option - OPTION_ACTION);
		return 0;
	}
}

static int take_options(struct opcontrol_options *options, struct diag *diag)
{
	char **rest;
	int option;

	while ((option = poptGetNextOpt(options->popt)) > 0) {
		char *text = poptGetOptArg(options->popt);
		int error = take_option(options, option, text, diag);

		free(text);
		if (error)
			return error;
	}
	if (option < -1)
		return option_error(options->popt, option, "opcontrol --help", diag);
	rest = option_rest(options->popt);
	if (rest && rest[0])
		return diag_set(diag, -EINVAL,
				"\"%s\" is not an option; opcontrol accepts only options "
				"(opcontrol --help); to profile a command: operf %s",
				rest[0], rest[0]);
	return 0;
}

bool opcontrol_options_has_setting(const struct opcontrol_options *options, const char *key)
{
	for (size_t i = 0; i < options->nr_settings; i++) {
		if (!strcmp(options->settings[i].key, key))
			return true;
	}
	return false;
}

static int check_together(const struct opcontrol_options *options, struct diag *diag)
{
	unsigned int begin = OPCONTROL_START | OPCONTROL_START_DAEMON;
	unsigned int end = OPCONTROL_STOP | OPCONTROL_SHUTDOWN | OPCONTROL_DEINIT;

	if (!options->actions)
		return diag_set(diag, -EINVAL, "nothing to do: see opcontrol --help");
	if ((options->actions & begin) && (options->actions & end))
		return diag_set(diag, -EINVAL,
				"--start and --start-daemon cannot be combined with --stop, "
				"--shutdown or --deinit; run opcontrol twice");
	if (options->boot && !(options->actions & (OPCONTROL_START | OPCONTROL_SHUTDOWN)))
		return diag_set(diag, -EINVAL, "--boot requires --start or --shutdown");
	if (options->foreground && (options->boot || !(options->actions & OPCONTROL_START)))
		return diag_set(diag, -EINVAL,
				"--foreground requires --start and cannot be combined with --boot");
	if (options->no_build && !(options->actions & OPCONTROL_INIT))
		return diag_set(diag, -EINVAL, "--no-build requires --init");
	if ((options->actions & OPCONTROL_INIT) && (options->actions & OPCONTROL_DEINIT))
		return diag_set(diag, -EINVAL,
				"--init cannot be combined with --deinit; run opcontrol twice");
	if ((options->actions & OPCONTROL_LIST_EVENTS) && options->actions != OPCONTROL_LIST_EVENTS)
		return diag_set(diag, -EINVAL,
				"--list-events cannot be combined with other actions");
	if (opcontrol_options_has_setting(options, "vmlinux") &&
	    opcontrol_options_has_setting(options, "no-vmlinux"))
		return diag_set(diag, -EINVAL, "--vmlinux cannot be combined with --no-vmlinux");
	return 0;
}

int opcontrol_options_parse(struct opcontrol_options *options, int argc, const char **argv,
			    struct diag *diag)
{
	int error;

	memset(options, 0, sizeof(*options));
	options->popt = option_begin(argc, argv, opcontrol_table, "[options]");
	if (!options->popt)
		return diag_set(diag, -ENOMEM, "out of memory for options");
	error = option_keep(&options->session_dir, OPCONTROL_SESSION_DIR, diag);
	if (!error)
		error = take_options(options, diag);
	/* A setting implies --setup. */
	if (options->nr_settings)
		options->actions |= OPCONTROL_SETUP;
	return error ? error : check_together(options, diag);
}

void opcontrol_options_deinit(struct opcontrol_options *options)
{
	for (size_t i = 0; i < options->nr_settings; i++)
		free(options->settings[i].value);
	free(options->settings);
	free(options->session_dir);
	free(options->save_name);
	if (options->popt)
		(void)poptFreeContext(options->popt);
}

int opcontrol_options_apply(const struct opcontrol_options *options, struct setup *setup,
			    struct diag *diag)
{
	int error = 0;

	/* A list on the command line replaces the whole previous list. */
	if (opcontrol_options_has_setting(options, "event"))
		sampling_clear_events(&setup->sampling);
	if (opcontrol_options_has_setting(options, "separate"))
		setup->sampling.separation = 0;
	for (size_t i = 0; !error && i < options->nr_settings; i++)
		error = setup_set(setup, options->settings[i].key, options->settings[i].value,
				  diag);
	/* oprof start has its own defaults for settings that the user has never given. */
	if (!error && options->left_on && !setup->sampling.separation_given)
		error = setup_set(setup, "separate", "lib", diag);
	if (!error && options->left_on && !setup->cpu_budget_given)
		error = setup_set(setup, "cpu-budget", OPCONTROL_LEFT_ON_BUDGET, diag);
	return error;
}
