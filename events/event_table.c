// SPDX-License-Identifier: GPL-2.0-or-later
#include "events/event_table.h"

#include "lib/array.h"
#include "lib/file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int load_folder(struct event_table *table, const char *cpu_type, struct diag *diag);

struct event_table *event_table_create(void)
{
	return calloc(1, sizeof(struct event_table));
}

void event_table_destroy(struct event_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_events; i++)
		free(table->events[i].description);
	for (size_t i = 0; i < table->nr_unit_masks; i++)
		unit_mask_destroy(table->unit_masks[i]);
	for (size_t i = 0; i < table->nr_cpu_types; i++)
		free(table->cpu_types[i]);
	free(table->events);
	free(table->unit_masks);
	free(table->cpu_types);
	free(table);
}

size_t event_table_nr(const struct event_table *table)
{
	return table->nr_events;
}

const struct event *event_table_get(const struct event_table *table, size_t index)
{
	return index < table->nr_events ? &table->events[index] : NULL;
}

const struct event *event_table_find(const struct event_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_events; i++) {
		if (!strcmp(table->events[i].name, name))
			return &table->events[i];
	}
	return NULL;
}

/* Parses a list of counters such as "0,1,4". "any" and "cpuid" become 0 (any counter). */
static int parse_counters(const struct table_text *text, const char *word, uint64_t *counters)
{
	*counters = 0;
	if (!strcmp(word, "any") || !strcmp(word, "cpuid"))
		return 0;
	while (*word) {
		char number[8];
		size_t length = strcspn(word, ",");
		uint64_t counter;
		int error;

		if (!length || length >= sizeof(number) || (word[length] && !word[length + 1]))
			return table_text_error(
				text, -EINVAL,
				"field counters: the value is not a list of numbers");
		memcpy(number, word, length);
		number[length] = '\0';
		error = table_text_number(text, "counter", number, 63, &counter);
		if (error)
			return error;
		if (*counters >> counter & 1)
			return table_text_error(text, -EINVAL, "counter %s is given twice", number);
		*counters |= (uint64_t)1 << counter;
		word += length + (word[length] == ',');
	}
	return 0;
}

/* Checks that a name is new, and valid in profile specifications and in names of sample files. */
static int check_name(const struct event_table *table, const struct table_text *text,
		      const char *name)
{
	if (strlen(name) >= EVENT_NAME_BYTES)
		return table_text_error(text, -EINVAL, "name is longer than %d bytes",
					EVENT_NAME_BYTES - 1);
	for (const char *c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
			return table_text_error(text, -EINVAL,
						"name %s may contain only letters, digits, - and _",
						name);
	}
	if (!strcmp(name, "default"))
		return table_text_error(text, -EINVAL, "no event may be named default");
	if (event_table_find(table, name))
		return table_text_error(text, -EINVAL, "event %s is given twice", name);
	return 0;
}

enum { FIELD_EVENT, FIELD_COUNTERS, FIELD_UM, FIELD_MINIMUM, FIELD_NAME, FIELD_NR };

static int fill_event(struct event_table *table, const struct table_text *text,
		      const struct table_field *fields, size_t first_mask, struct event *event)
{
	int error = check_name(table, text, fields[FIELD_NAME].value);

	if (!error)
		error = table_text_number(text, "event:", fields[FIELD_EVENT].value, UINT64_MAX,
					  &event->code);
	if (!error)
		error = table_text_number(text, "minimum:", fields[FIELD_MINIMUM].value, INT64_MAX,
					  &event->min_period);
	if (!error && !event->min_period)
		error = table_text_error(text, -EINVAL, "minimum: must be 1 or more");
	if (!error)
		error = parse_counters(text, fields[FIELD_COUNTERS].value, &event->counters);
	if (error)
		return error;
	event->unit_mask = unit_mask_find(table, first_mask, fields[FIELD_UM].value);
	if (!event->unit_mask)
		return table_text_error(text, -EINVAL, "um:%s is not in the unit_masks file",
					fields[FIELD_UM].value);
	(void)snprintf(event->name, sizeof(event->name), "%s", fields[FIELD_NAME].value);
	return 0;
}

static int parse_event(struct event_table *table, const struct table_text *text, char *line,
		       size_t first_mask, uint32_t perf_type)
{
	struct table_field fields[FIELD_NR] = {
		[FIELD_EVENT] = {"event", NULL, true}, [FIELD_COUNTERS] = {"counters", NULL, true},
		[FIELD_UM] = {"um", NULL, true},       [FIELD_MINIMUM] = {"minimum", NULL, true},
		[FIELD_NAME] = {"name", NULL, true},
	};
	struct event event = {.perf_type = perf_type};
	int error = table_text_fields(text, &line, fields, FIELD_NR);

	if (!error)
		error = fill_event(table, text, fields, first_mask, &event);
	if (error)
		return error;
	line = table_text_trim(line);
	if (!*line)
		return table_text_error(text, -EINVAL, "event %s has no description", event.name);
	error = array_reserve(&table->events, &table->events_room, table->nr_events, 1);
	if (error)
		return error;
	event.description = strdup(line);
	if (!event.description)
		return -ENOMEM;
	table->events[table->nr_events++] = event;
	return 0;
}

/*
 * Returns whether a cpu type is a relative path without parts that begin with a
 * dot, so that it stays within the folder of tables.
 */
static bool cpu_type_valid(const char *cpu_type)
{
	const char *part = cpu_type;

	while (true) {
		size_t length = strcspn(part, "/");

		if (!length || part[0] == '.')
			return false;
		for (size_t i = 0; i < length; i++) {
			if (!isalnum((unsigned char)part[i]) && !strchr("-_.", part[i]))
				return false;
		}
		if (!part[length])
			return strlen(cpu_type) < 256;
		part += length + 1;
	}
}

static int parse_include(struct event_table *table, const struct table_text *text, char *line)
{
	const char *cpu_type = table_text_trim(line + strlen("include:"));

	if (!cpu_type_valid(cpu_type))
		return table_text_error(text, -EINVAL,
					"include:%s is not the name of a folder of tables",
					cpu_type);
	if (!table->dir)
		return table_text_error(text, -EINVAL, "include: is not allowed here");
	if (table->depth >= EVENT_INCLUDE_DEPTH_MAX)
		return table_text_error(text, -EINVAL, "include: is nested deeper than %d",
					EVENT_INCLUDE_DEPTH_MAX);
	for (size_t i = 0; i < table->nr_cpu_types; i++) {
		if (!strcmp(table->cpu_types[i], cpu_type))
			return table_text_error(text, -EINVAL,
						"include:%s is already loaded: it is "
						"included twice or includes itself",
						cpu_type);
	}
	return load_folder(table, cpu_type, text->diag);
}

int event_table_parse(struct event_table *table, const struct event_table_source *source,
		      struct diag *diag)
{
	struct table_text masks = {source->unit_masks_file, 0, source->unit_masks, diag};
	struct table_text events = {source->events_file, 0, source->events, diag};
	size_t first_mask = table->nr_unit_masks;
	int error = unit_mask_parse_file(table, &masks);
	char *line;

	while (!error && (line = table_text_line(&events))) {
		if (!strncmp(line, "include:", strlen("include:")))
			error = parse_include(table, &events, line);
		else
			error = parse_event(table, &events, line, first_mask, source->perf_type);
	}
	return error == -ENOMEM ? diag_set(diag, -ENOMEM, "out of memory for event tables") : error;
}

/*
 * Reads a whole file; refuses NUL bytes. If an optional file is missing,
 * returns 0 and sets *text to NULL.
 */
static int read_table_file(const char *file, bool optional, char **text, struct diag *diag)
{
	size_t nr_bytes;
	int error = file_read_text(file, EVENT_FILE_BYTES_MAX, text, &nr_bytes);

	if (error == -ENOENT && optional) {
		*text = NULL;
		return 0;
	}
	if (error)
		return diag_set_at(diag, error, file, 0,
				   "%s (OPROF_EVENTS_DIR names another folder of event tables)",
				   strerror(-error));
	if (strlen(*text) != nr_bytes) {
		free(*text);
		*text = NULL;
		return diag_set_at(diag, -EINVAL, file, 0, "is not text: it contains a NUL byte");
	}
	return 0;
}

static int remember_cpu_type(struct event_table *table, const char *cpu_type)
{
	int error =
		array_reserve(&table->cpu_types, &table->cpu_types_room, table->nr_cpu_types, 1);
	char *copy = error ? NULL : strdup(cpu_type);

	if (!copy)
		return -ENOMEM;
	table->cpu_types[table->nr_cpu_types++] = copy;
	return 0;
}

static uint32_t perf_type_of(const char *cpu_type)
{
	if (!strcmp(cpu_type, "perf/software"))
		return PERF_TYPE_SOFTWARE;
	if (!strcmp(cpu_type, "perf/hardware"))
		return PERF_TYPE_HARDWARE;
	if (!strcmp(cpu_type, "perf/cache"))
		return PERF_TYPE_HW_CACHE;
	if (!strcmp(cpu_type, "perf/switches"))
		return EVENT_TYPE_SWITCHES;
	return PERF_TYPE_RAW;
}

static int load_folder(struct event_table *table, const char *cpu_type, struct diag *diag)
{
	char events_file[PATH_MAX];
	char masks_file[PATH_MAX];
	struct event_table_source source = {.events_file = events_file,
					    .unit_masks_file = masks_file,
					    .perf_type = perf_type_of(cpu_type)};
	int error = remember_cpu_type(table, cpu_type);

	if (error)
		return error;
	if (snprintf(events_file, PATH_MAX, "%s/%s/events", table->dir, cpu_type) >= PATH_MAX ||
	    snprintf(masks_file, PATH_MAX, "%s/%s/unit_masks", table->dir, cpu_type) >= PATH_MAX)
		return diag_set(diag, -ENAMETOOLONG, "%s/%s: the name is too long", table->dir,
				cpu_type);
	error = read_table_file(events_file, false, &source.events, diag);
	if (!error)
		error = read_table_file(masks_file, true, &source.unit_masks, diag);
	table->depth++;
	if (!error)
		error = event_table_parse(table, &source, diag);
	table->depth--;
	free(source.events);
	free(source.unit_masks);
	return error;
}

static int load_all(struct event_table *table, const char *cpu_type, struct diag *diag)
{
	static const char *const own[] = {"perf/software", "perf/hardware", "perf/cache",
					  "perf/switches"};
	int error = 0;

	if (cpu_type && !cpu_type_valid(cpu_type))
		return diag_set(diag, -EINVAL, "\"%s\" is not the name of a cpu type", cpu_type);
	if (cpu_type)
		return load_folder(table, cpu_type, diag);
	for (unsigned int i = 0; !error && i < sizeof(own) / sizeof(own[0]); i++)
		error = load_folder(table, own[i], diag);
	return error;
}

/*
 * Returns the default folder of tables. If the environment has
 * OPROF_EVENTS_DIR, this variable names the folder. Otherwise, if the program's
 * folder contains events/, as a build folder does, returns events/. Otherwise
 * returns the installed folder.
 */
static const char *default_dir(char *beside, size_t nr_bytes)
{
	const char *named = getenv("OPROF_EVENTS_DIR");
	ssize_t length;
	char *slash;

	if (named && *named)
		return named;
	length = readlink("/proc/self/exe", beside, nr_bytes - sizeof("/events/perf"));
	if (length <= 0)
		return OPROF_EVENTS_DIR;
	beside[length] = '\0';
	slash = strrchr(beside, '/');
	if (!slash)
		return OPROF_EVENTS_DIR;
	strcpy(slash, "/events/perf");
	if (access(beside, R_OK))
		return OPROF_EVENTS_DIR;
	strcpy(slash, "/events");
	return beside;
}

int event_table_load(struct event_table **table, const char *dir, const char *cpu_type,
		     struct diag *diag)
{
	char beside[PATH_MAX];
	struct event_table *new_table = event_table_create();
	int error;

	if (!new_table)
		return diag_set(diag, -ENOMEM, "out of memory for event tables");
	if (!dir)
		dir = default_dir(beside, sizeof(beside));
	new_table->dir = dir;
	error = load_all(new_table, cpu_type, diag);
	new_table->dir = NULL;
	if (error) {
		event_table_destroy(new_table);
		return error;
	}
	*table = new_table;
	return 0;
}
