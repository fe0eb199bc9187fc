// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/setup_file.h"

#include "events/events.h"
#include "lib/file.h"
#include "lib/number.h"
#include "lib/percent.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETUP_DAYS_MAX	  36500u
#define SETUP_BYTES_MAX	  65536
#define RING_SAMPLE_BYTES 64 /* enough for a sample without a call chain */
#define RING_PAGES_MAX	  16384

enum setup_key {
	KEY_EVENT,
	KEY_SEPARATE,
	KEY_CALLGRAPH,
	KEY_UNWIND,
	KEY_STACK_BYTES,
	KEY_FREQUENCY,
	KEY_IMAGE,
	KEY_VMLINUX,
	KEY_NO_VMLINUX,
	KEY_BUFFER_SIZE,
	KEY_BUFFER_WATERSHED,
	KEY_CPU_BUFFER_SIZE,
	KEY_METRICS,
	KEY_HISTORY_BYTES,
	KEY_HISTORY_DAYS,
	KEY_CPU_BUDGET,
	KEY_SOURCE,
	KEY_NR,
};

static const char *const key_names[KEY_NR] = {
	[KEY_EVENT] = "event",
	[KEY_SEPARATE] = "separate",
	[KEY_CALLGRAPH] = "callgraph",
	[KEY_UNWIND] = "unwind",
	[KEY_STACK_BYTES] = "stack-bytes",
	[KEY_FREQUENCY] = "frequency",
	[KEY_IMAGE] = "image",
	[KEY_VMLINUX] = "vmlinux",
	[KEY_NO_VMLINUX] = "no-vmlinux",
	[KEY_BUFFER_SIZE] = "buffer-size",
	[KEY_BUFFER_WATERSHED] = "buffer-watershed",
	[KEY_CPU_BUFFER_SIZE] = "cpu-buffer-size",
	[KEY_METRICS] = "metrics",
	[KEY_HISTORY_BYTES] = "history-bytes",
	[KEY_HISTORY_DAYS] = "history-days",
	[KEY_CPU_BUDGET] = "cpu-budget",
	[KEY_SOURCE] = "source",
};

const char *const setup_source_names[SETUP_SOURCE_NR] = {
	[SETUP_SOURCE_AUTO] = "auto",
	[SETUP_SOURCE_KMOD] = "kmod",
	[SETUP_SOURCE_PERF] = "perf",
};

void setup_init(struct setup *setup)
{
	memset(setup, 0, sizeof(*setup));
	sampling_init(&setup->sampling);
}

void setup_deinit(struct setup *setup)
{
	sampling_deinit(&setup->sampling);
	free(setup->image);
	free(setup->vmlinux);
	free(setup->metrics);
	setup->metrics = NULL;
	setup->image = NULL;
	setup->vmlinux = NULL;
}

static enum setup_key find_key(const char *key)
{
	for (unsigned int i = 0; i < KEY_NR; i++) {
		if (!strcmp(key_names[i], key))
			return (enum setup_key)i;
	}
	return KEY_NR;
}

/* Replaces *kept by a copy of value, which must fit on one line of the file. */
static int set_text(char **kept, const char *key, const char *value, struct diag *diag)
{
	char *copy;

	for (const char *c = value; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return diag_set(diag, -EINVAL, "%s cannot contain control characters", key);
	}
	if (!*value)
		return diag_set(diag, -EINVAL, "%s is empty", key);
	copy = strdup(value);
	if (!copy)
		return diag_set(diag, -ENOMEM, "out of memory for settings");
	free(*kept);
	*kept = copy;
	return 0;
}

/* Limits of the kernel module (doc/kmod.md) and of the daemon. */
static const struct size_range {
	unsigned int min, max;
} buffer_range = {1024, 4194304}, watershed_range = {1, 4194304}, cpu_buffer_range = {128, 1048576};

/* Sets a number of samples; 0: the daemon chooses. */
static int set_size(unsigned int *size, const char *key, const char *value, struct size_range range,
		    struct diag *diag)
{
	uint64_t number;

	if (number_parse(value, range.max, &number) || (number && number < range.min))
		return diag_set(diag, -EINVAL,
				"%s: \"%s\" is not a number of samples from %u to %u, or 0 for "
				"the default",
				key, value, range.min, range.max);
	*size = (unsigned int)number;
	return 0;
}

static int set_source(struct setup *setup, const char *value, struct diag *diag)
{
	for (unsigned int i = 0; i < SETUP_SOURCE_NR; i++) {
		if (!strcmp(value, setup_source_names[i])) {
			setup->source = (enum setup_source)i;
			return 0;
		}
	}
	return diag_set(diag, -EINVAL,
			"source: \"%s\" is not one of auto, kmod (the kernel module), perf", value);
}

/* Sets the disk space for history; 0: the default. The daemon checks the minimum. */
static int set_history_bytes(struct setup *setup, const char *value, struct diag *diag)
{
	if (number_parse_bytes(value, &setup->history_bytes))
		return diag_set(diag, -EINVAL,
				"history-bytes: \"%s\" is not a size; write a number with K, M "
				"or G",
				value);
	return 0;
}

static int set_history_days(struct setup *setup, const char *value, struct diag *diag)
{
	uint64_t number;

	if (number_parse(value, SETUP_DAYS_MAX, &number))
		return diag_set(diag, -EINVAL,
				"history-days: \"%s\" is not a number of days from 0 to %u", value,
				SETUP_DAYS_MAX);
	setup->history_days = (unsigned int)number;
	return 0;
}

static int set_vmlinux(struct setup *setup, const char *value, struct diag *diag)
{
	int error = set_text(&setup->vmlinux, "vmlinux", value, diag);

	if (!error)
		setup->kernel = SETUP_VMLINUX_FILE;
	return error;
}

static int set_no_vmlinux(struct setup *setup, const char *value, struct diag *diag)
{
	if (strcmp(value, "1") != 0)
		return diag_set(diag, -EINVAL, "no-vmlinux can only have the value 1");
	setup->kernel = SETUP_VMLINUX_NONE;
	free(setup->vmlinux);
	setup->vmlinux = NULL;
	return 0;
}

/*
 * Requires an absolute path, because the daemon has another current folder. The word "none" removes
 * the setting.
 */
static int set_metrics(struct setup *setup, const char *value, struct diag *diag)
{
	if (!strcmp(value, "none")) {
		free(setup->metrics);
		setup->metrics = NULL;
		return 0;
	}
	if (*value != '/')
		return diag_set(diag, -EINVAL,
				"metrics: \"%s\" is neither an absolute path (/...) nor none",
				value);
	return set_text(&setup->metrics, key_names[KEY_METRICS], value, diag);
}

static int set_cpu_budget(struct setup *setup, const char *value, struct diag *diag)
{
	if (percent_parse(value, &setup->cpu_budget))
		return diag_set(diag, -EINVAL,
				"cpu-budget: \"%s\" is not a percentage from 0 (no limit) to 100",
				value);
	setup->cpu_budget_given = true;
	return 0;
}

/*
 * Adds the events in value, a comma-separated list. setup_format writes each event on its own line.
 */
static int set_event(struct setup *setup, const char *value, struct diag *diag)
{
	for (const char *c = value; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return diag_set(diag, -EINVAL,
					"an event cannot contain control characters");
	}
	return sampling_add_events(&setup->sampling, value, diag);
}

int setup_set(struct setup *setup, const char *key, const char *value, struct diag *diag)
{
	switch (find_key(key)) {
	case KEY_EVENT:
		return set_event(setup, value, diag);
	case KEY_SEPARATE:
		return sampling_set_separation(&setup->sampling, value, diag);
	case KEY_CALLGRAPH:
		return sampling_set_depth(&setup->sampling, value, diag);
	case KEY_UNWIND:
		return sampling_set_unwind(&setup->sampling, value, diag);
	case KEY_STACK_BYTES:
		return sampling_set_stack_bytes(&setup->sampling, value, diag);
	case KEY_FREQUENCY:
		return sampling_set_hz(&setup->sampling, value, diag);
	case KEY_IMAGE:
		return set_text(&setup->image, key, value, diag);
	case KEY_VMLINUX:
		return set_vmlinux(setup, value, diag);
	case KEY_NO_VMLINUX:
		return set_no_vmlinux(setup, value, diag);
	case KEY_BUFFER_SIZE:
		return set_size(&setup->buffer_size, key, value, buffer_range, diag);
	case KEY_BUFFER_WATERSHED:
		return set_size(&setup->buffer_watershed, key, value, watershed_range, diag);
	case KEY_CPU_BUFFER_SIZE:
		return set_size(&setup->cpu_buffer_size, key, value, cpu_buffer_range, diag);
	case KEY_METRICS:
		return set_metrics(setup, value, diag);
	case KEY_HISTORY_BYTES:
		return set_history_bytes(setup, value, diag);
	case KEY_HISTORY_DAYS:
		return set_history_days(setup, value, diag);
	case KEY_CPU_BUDGET:
		return set_cpu_budget(setup, value, diag);
	case KEY_SOURCE:
		return set_source(setup, value, diag);
	default:
		return diag_set(diag, -EINVAL, "unknown setting \"%s\"", key);
	}
}

static int parse_line(struct setup *setup, char *line, bool seen[KEY_NR], struct diag *diag)
{
	char *equals = strchr(line, '=');
	enum setup_key key;

	if (!equals)
		return diag_set(diag, -EINVAL, "\"%s\" is not a setting; write KEY=VALUE", line);
	*equals = '\0';
	key = find_key(line);
	if (key != KEY_NR && key != KEY_EVENT && seen[key])
		return diag_set(diag, -EINVAL, "setting %s is given twice", line);
	if (key != KEY_NR)
		seen[key] = true;
	return setup_set(setup, line, equals + 1, diag);
}

int setup_parse(struct setup *setup, const char *file, char *text, struct diag *diag)
{
	bool seen[KEY_NR] = {false};
	unsigned int number = 0;

	while (text && *text) {
		char *line = text;
		struct diag inner = {0};
		int error;

		text = strchr(line, '\n');
		if (text)
			*text++ = '\0';
		number++;
		if (!*line || *line == '#')
			continue;
		error = parse_line(setup, line, seen, &inner);
		if (error)
			return diag_set_at(diag, error, file, number, "%s", inner.text);
	}
	return 0;
}

static int load_file(struct setup *setup, int folder_fd, const char *path, struct diag *diag)
{
	size_t nr_bytes;
	char *text;
	int error =
		file_read_text_at(folder_fd, SETUP_FILE_NAME, SETUP_BYTES_MAX, &text, &nr_bytes);

	if (error == -ENOENT)
		return 0;
	if (error)
		return diag_set_at(diag, error, path, 0, "cannot be read: %s", strerror(-error));
	setup->kept = true;
	if (strlen(text) != nr_bytes)
		error = diag_set_at(diag, -EINVAL, path, 0, "is not text: it contains a NUL byte");
	else
		error = setup_parse(setup, path, text, diag);
	free(text);
	return error;
}

int setup_load(struct setup *setup, int folder_fd, const char *session_dir, struct diag *diag)
{
	char path[PATH_MAX];

	setup_init(setup);
	if (snprintf(path, sizeof(path), "%s/%s", session_dir, SETUP_FILE_NAME) >= PATH_MAX)
		return diag_set(diag, -ENAMETOOLONG, "the session folder's name is too long");
	return folder_fd < 0 ? 0 : load_file(setup, folder_fd, path, diag);
}

static void print_number(FILE *stream, enum setup_key key, uint64_t number)
{
	if (number)
		(void)fprintf(stream, "%s=%llu\n", key_names[key], (unsigned long long)number);
}

static void print_setup(FILE *stream, const struct setup *setup)
{
	char separation[SAMPLING_SEPARATION_BYTES];
	char budget[PERCENT_BYTES];

	(void)fprintf(stream, "# Written by opcontrol --setup; see opcontrol(1).\n");
	for (size_t i = 0; i < setup->sampling.nr_events; i++)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_EVENT], setup->sampling.events[i]);
	sampling_format_separation(&setup->sampling, separation);
	if (setup->sampling.separation_given)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_SEPARATE], separation);
	print_number(stream, KEY_CALLGRAPH, setup->sampling.depth);
	if (setup->sampling.unwind != SAMPLING_UNWIND_AUTO)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_UNWIND],
			      sampling_unwind_names[setup->sampling.unwind]);
	print_number(stream, KEY_STACK_BYTES, setup->sampling.stack_bytes);
	print_number(stream, KEY_FREQUENCY, setup->sampling.hz);
	if (setup->image)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_IMAGE], setup->image);
	if (setup->kernel == SETUP_VMLINUX_FILE)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_VMLINUX], setup->vmlinux);
	if (setup->kernel == SETUP_VMLINUX_NONE)
		(void)fprintf(stream, "%s=1\n", key_names[KEY_NO_VMLINUX]);
	print_number(stream, KEY_BUFFER_SIZE, setup->buffer_size);
	print_number(stream, KEY_BUFFER_WATERSHED, setup->buffer_watershed);
	print_number(stream, KEY_CPU_BUFFER_SIZE, setup->cpu_buffer_size);
	if (setup->metrics)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_METRICS], setup->metrics);
	print_number(stream, KEY_HISTORY_BYTES, setup->history_bytes);
	print_number(stream, KEY_HISTORY_DAYS, setup->history_days);
	percent_format(setup->cpu_budget, budget);
	if (setup->cpu_budget_given)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_CPU_BUDGET], budget);
	if (setup->source != SETUP_SOURCE_AUTO)
		(void)fprintf(stream, "%s=%s\n", key_names[KEY_SOURCE],
			      setup_source_names[setup->source]);
}

char *setup_format(const struct setup *setup)
{
	char *text = NULL;
	size_t nr_bytes;
	FILE *stream = open_memstream(&text, &nr_bytes);

	if (!stream)
		return NULL;
	print_setup(stream, setup);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

int setup_save(const struct setup *setup, int folder_fd, const char *session_dir, struct diag *diag)
{
	char *text = setup_format(setup);
	int error = text ? file_replace_at(folder_fd, SETUP_FILE_NAME, text, strlen(text), 0600)
			 : -ENOMEM;

	free(text);
	if (error)
		return diag_set(diag, error, "cannot write the setup to %s: %s", session_dir,
				strerror(-error));
	return 0;
}

unsigned int setup_ring_pages(const struct setup *setup)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t want_bytes = (size_t)setup->cpu_buffer_size * RING_SAMPLE_BYTES;
	unsigned int pages = 1;

	if (!setup->cpu_buffer_size)
		return 0;
	while (pages < RING_PAGES_MAX && pages * page_bytes < want_bytes)
		pages *= 2;
	return pages;
}

/*
 * Adds options for the kernel module: the source, and the sizes of the module's buffers. The rings
 * of perf have their own option, --sample-pages.
 */
static void add_module_args(const struct setup *setup, struct daemon_args *args)
{
	if (setup->source != SETUP_SOURCE_AUTO)
		daemon_args_add(args, "--source=%s", setup_source_names[setup->source]);
	if (setup->buffer_size)
		daemon_args_add(args, "--buffer-size=%u", setup->buffer_size);
	if (setup->buffer_watershed)
		daemon_args_add(args, "--buffer-watershed=%u", setup->buffer_watershed);
	if (setup->cpu_buffer_size)
		daemon_args_add(args, "--cpu-buffer-size=%u", setup->cpu_buffer_size);
}

int setup_to_args(const struct setup *setup, struct daemon_args *args, struct diag *diag)
{
	unsigned int pages = setup_ring_pages(setup);
	char budget[PERCENT_BYTES];

	daemon_args_add(args, "--system");
	if (pages)
		daemon_args_add(args, "--sample-pages=%u", pages);
	add_module_args(setup, args);
	if (setup->metrics)
		daemon_args_add(args, "--metrics=%s", setup->metrics);
	if (setup->history_bytes)
		daemon_args_add(args, "--history-bytes=%llu",
				(unsigned long long)setup->history_bytes);
	if (setup->history_days)
		daemon_args_add(args, "--history-days=%u", setup->history_days);
	percent_format(setup->cpu_budget, budget);
	if (setup->cpu_budget > 0)
		daemon_args_add(args, "--cpu-budget=%s", budget);
	return sampling_to_args(&setup->sampling, EVENT_HZ_LEFT_ON, args, diag);
}
