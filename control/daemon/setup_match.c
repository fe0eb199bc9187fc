// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/setup_match.h"

#include "control/daemon/daemon_start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MATCH_TEXT_BYTES 128 /* limit of the text of a difference in messages */

/* An option of the daemon and its key in STATUS. */
static const struct {
	const char *option;
	const char *key;
	/*
	 * Value in STATUS if the option is not given. NULL: without the option, STATUS has no line
	 * of this key.
	 */
	const char *absent;
} matched[] = {
	{"--system", "target", NULL},
	{"--event=", "event", NULL},
	{"--frequency=", "frequency", NULL},
	{"--separate=", "separation", NULL},
	{"--callgraph=", "callgraph", "0"},
	{"--unwind=", "unwind", "auto"},
	{"--stack-bytes=", "stack_bytes", "0"},
	{"--sample-pages=", "sample_pages", "0"},
	{"--buffer-size=", "buffer_size", "0"},
	{"--buffer-watershed=", "buffer_watershed", "0"},
	{"--cpu-buffer-size=", "cpu_buffer_size", "0"},
	{"--metrics=", "metrics", NULL},
	{"--history-bytes=", "budget_asked", "0"},
	{"--history-days=", "budget_days", "0"},
	{"--cpu-budget=", "cpu_budget", NULL},
};

#define NR_MATCHED (sizeof(matched) / sizeof(matched[0]))

/*
 * Finds the next line of text that has this key, and sets *value to its value. Returns the text
 * after that line; NULL: there are no more such lines.
 */
static const char *next_value(const char *text, const char *key, const char **value, size_t *length)
{
	size_t key_length = strlen(key);

	while (text && *text) {
		const char *line = text;
		size_t nr = strcspn(text, "\n");

		text += nr;
		text += *text == '\n';
		if (nr <= key_length || memcmp(line, key, key_length) != 0 ||
		    line[key_length] != ' ')
			continue;
		*value = line + key_length + 1;
		*length = nr - key_length - 1;
		return text;
	}
	return NULL;
}

static size_t count_values(const char *text, const char *key)
{
	const char *value;
	size_t length;
	size_t nr = 0;

	while ((text = next_value(text, key, &value, &length)))
		nr++;
	return nr;
}

/* Formats all values of key in one line: "a, b". */
static void show_values(const char *text, const char *key, char *shown)
{
	const char *value;
	size_t length;
	size_t used = 0;

	(void)snprintf(shown, MATCH_TEXT_BYTES, "none");
	while (used < MATCH_TEXT_BYTES && (text = next_value(text, key, &value, &length)))
		used += (size_t)snprintf(shown + used, MATCH_TEXT_BYTES - used, "%s%.*s",
					 used ? ", " : "", (int)length, value);
}

static int tell_difference(const char *status, const char *key, const char *wanted,
			   struct diag *diag)
{
	char shown[MATCH_TEXT_BYTES];

	show_values(status, key, shown);
	return diag_set(diag, -EBUSY,
			"the daemon runs with other settings (%s is %s, but the setup has %s); run "
			"opcontrol --shutdown first",
			key, shown, wanted ? wanted : "none");
}

static int match_value(const char *status, const char *key, const char *wanted, struct diag *diag)
{
	const char *text = status;
	const char *value;
	size_t length;

	while ((text = next_value(text, key, &value, &length))) {
		if (strlen(wanted) == length && !memcmp(value, wanted, length))
			return 0;
	}
	return tell_difference(status, key, wanted, diag);
}

/* Checks that the values of the option in args are exactly the values of its key in STATUS. */
static int match_option(size_t which, const struct daemon_args *args, const char *status,
			struct diag *diag)
{
	const char *option = matched[which].option;
	const char *key = matched[which].key;
	const char *wanted = matched[which].absent;
	size_t nr_wanted = 0;
	int error = 0;

	for (size_t i = 0; !error && i < args->nr; i++) {
		if (strncmp(args->args[i], option, strlen(option)) != 0)
			continue;
		/* The option --system has no value. */
		wanted = !strcmp(key, "target") ? "system" : args->args[i] + strlen(option);
		nr_wanted++;
		error = match_value(status, key, wanted, diag);
	}
	if (!nr_wanted && wanted) {
		nr_wanted = 1;
		error = match_value(status, key, wanted, diag);
	}
	if (!error && count_values(status, key) != nr_wanted)
		error = tell_difference(status, key, wanted, diag);
	return error;
}

/*
 * Checks that the daemon uses the source that the setup requires. With "auto", any source is
 * accepted.
 */
static int match_source(const struct setup *setup, const char *status, struct diag *diag)
{
	if (setup->source == SETUP_SOURCE_AUTO)
		return 0;
	return match_value(status, "source", setup_source_names[setup->source], diag);
}

int setup_match(const struct setup *setup, const char *status, struct diag *diag)
{
	struct daemon_args args;
	int error;

	daemon_args_init(&args, DAEMON_PROFILER);
	error = setup_to_args(setup, &args, diag);
	if (!error && args.no_memory)
		error = diag_set(diag, -ENOMEM, "out of memory for settings");
	for (size_t i = 0; !error && i < NR_MATCHED; i++)
		error = match_option(i, &args, status, diag);
	daemon_args_deinit(&args);
	return error ? error : match_source(setup, status, diag);
}
