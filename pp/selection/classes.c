// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/classes.h"

#include "pp/selection/cgroup_shown.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits for error messages, so that there is room for the remedy. */
#define VALUES_SHOWN 5 /* of each axis */
#define VALUE_BYTES  32

void class_key_show_count(const struct class_key *key, char *text, size_t nr_bytes)
{
	(void)snprintf(text, nr_bytes, "%" PRIu64 "%s", key->period_or_hz,
		       key->frequency ? "Hz" : "");
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_signed(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_event(const struct class_key *a, const struct class_key *b)
{
	int order = compare_numbers(a->event_order, b->event_order);

	if (!order)
		order = strcmp(a->event, b->event);
	if (!order)
		order = (int)a->frequency - (int)b->frequency;
	if (!order)
		order = compare_numbers(a->period_or_hz, b->period_or_hz);
	if (!order)
		order = compare_numbers(a->unit_mask, b->unit_mask);
	return order;
}

bool class_key_same_event(const struct class_key *a, const struct class_key *b)
{
	return compare_event(a, b) == 0;
}

static int compare_tgid(const struct class_key *a, const struct class_key *b)
{
	return compare_signed(a->tgid, b->tgid);
}

static int compare_tid(const struct class_key *a, const struct class_key *b)
{
	return compare_signed(a->tid, b->tid);
}

static int compare_cpu(const struct class_key *a, const struct class_key *b)
{
	return compare_signed(a->cpu, b->cpu);
}

static int compare_cgroup(const struct class_key *a, const struct class_key *b)
{
	return strcmp(a->cgroup, b->cgroup);
}

static void show_number(const char *prefix, int64_t number, char *text, size_t nr_bytes)
{
	if (number < 0)
		(void)snprintf(text, nr_bytes, "%sall", prefix);
	else
		(void)snprintf(text, nr_bytes, "%s%" PRId64, prefix, number);
}

static void show_event(const struct class_key *key, char *text, size_t nr_bytes)
{
	char count[32];

	class_key_show_count(key, count, sizeof(count));
	if (key->unit_mask)
		(void)snprintf(text, nr_bytes, "%s:%s:0x%02x", key->event, count, key->unit_mask);
	else
		(void)snprintf(text, nr_bytes, "%s:%s", key->event, count);
}

static void show_tgid(const struct class_key *key, char *text, size_t nr_bytes)
{
	show_number("tgid:", key->tgid, text, nr_bytes);
}

static void show_tid(const struct class_key *key, char *text, size_t nr_bytes)
{
	show_number("tid:", key->tid, text, nr_bytes);
}

static void show_cpu(const struct class_key *key, char *text, size_t nr_bytes)
{
	show_number("cpu:", key->cpu, text, nr_bytes);
}

static void show_cgroup(const struct class_key *key, char *text, size_t nr_bytes)
{
	(void)snprintf(text, nr_bytes, "cgroup:%s", *key->cgroup ? key->cgroup : "all");
}

/*
 * The axes. If classes are refused, the error message has the remedy of each axis on which they
 * differ.
 */
static const struct dimension {
	enum class_axis axis;
	int (*compare)(const struct class_key *a, const struct class_key *b);
	void (*show)(const struct class_key *key, char *text, size_t nr_bytes);
	const char *remedy;
} dimensions[] = {
	{AXIS_EVENT, compare_event, show_event,
	 "choose one with event: (and count:, unit-mask:); different events are never merged"},
	{AXIS_TGID, compare_tgid, show_tgid,
	 "choose one with tgid:, merge all with --merge=tgid, or show each in a row with "
	 "--by=tgid"},
	{AXIS_TID, compare_tid, show_tid,
	 "choose one with tid:, merge all with --merge=tid, or show each in a row with --by=tid"},
	{AXIS_CPU, compare_cpu, show_cpu,
	 "choose one with cpu:, merge all with --merge=cpu, or show each in a row with --by=cpu"},
	{AXIS_CGROUP, compare_cgroup, show_cgroup,
	 "choose one with cgroup:, merge all with --merge=cgroup, or show each in a row with "
	 "--by=cgroup"},
};

#define NR_DIMENSIONS (sizeof(dimensions) / sizeof(dimensions[0]))

static const struct dimension *dimension_of(enum class_axis axis)
{
	for (size_t i = 0; i < NR_DIMENSIONS; i++)
		if (dimensions[i].axis == axis)
			return &dimensions[i];
	return NULL;
}

static int compare_keys(const struct class_key *a, const struct class_key *b)
{
	int order = 0;

	for (size_t i = 0; i < NR_DIMENSIONS && !order; i++)
		order = dimensions[i].compare(a, b);
	return order;
}

static int compare_classes(const void *a, const void *b)
{
	const struct profile_class *left = a;
	const struct profile_class *right = b;

	return compare_keys(&left->key, &right->key);
}

void classes_deinit(struct classes *classes)
{
	for (size_t i = 0; i < classes->nr_classes; i++) {
		struct profile_class *class = &classes->classes[i];

		free(class->name);
		free(class->long_name);
	}
	free(classes->classes);
	*classes = (struct classes){0};
}

size_t classes_find(const struct classes *classes, const struct class_key *key)
{
	size_t low = 0;
	size_t high = classes->nr_classes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(&classes->classes[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < classes->nr_classes && compare_keys(&classes->classes[low].key, key) != 0)
		return classes->nr_classes;
	return low;
}

/* Collects the distinct keys, sorted. */
static int collect(struct classes *classes, const struct class_key *keys, size_t nr_keys)
{
	struct profile_class *all = calloc(nr_keys ? nr_keys : 1, sizeof(*all));
	size_t nr = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < nr_keys; i++)
		all[i].key = keys[i];
	qsort(all, nr_keys, sizeof(*all), compare_classes);
	for (size_t i = 0; i < nr_keys; i++)
		if (!nr || compare_classes(&all[nr - 1], &all[i]) != 0)
			all[nr++] = all[i];
	classes->classes = all;
	classes->nr_classes = nr;
	return 0;
}

static bool varies(const struct classes *classes, const struct dimension *dimension)
{
	for (size_t i = 1; i < classes->nr_classes; i++)
		if (dimension->compare(&classes->classes[0].key, &classes->classes[i].key) != 0)
			return true;
	return false;
}

/* Returns whether classes[index] has the same value as a class before it in the array. */
static bool shown_before(const struct classes *classes, const struct dimension *dimension,
			 size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!dimension->compare(&classes->classes[i].key, &classes->classes[index].key))
			return true;
	return false;
}

/* Long values are paths, which differ at their end, so their beginning is cut. */
static void write_value(FILE *out, const char *value)
{
	size_t length = strlen(value);

	if (length > VALUE_BYTES)
		(void)fprintf(out, "...%s", value + length - VALUE_BYTES + 3);
	else
		(void)fputs(value, out);
}

static void list_values(FILE *out, const struct classes *classes, const struct dimension *dimension)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < classes->nr_classes; i++) {
		char value[PATH_MAX + 16];

		if (shown_before(classes, dimension, i))
			continue;
		if (nr++ == VALUES_SHOWN) {
			(void)fputs(", ...", out);
			break;
		}
		dimension->show(&classes->classes[i].key, value, sizeof(value));
		(void)fputs(nr > 1 ? ", " : "", out);
		write_value(out, value);
	}
	(void)fprintf(out, " (%s)", dimension->remedy);
}

/* Sets diag to a message: `head`, then for each varying axis its values and its remedy. */
static int refuse(const struct classes *classes, const bool *varying, const char *head,
		  struct diag *diag)
{
	char *text = NULL;
	size_t nr_bytes;
	const char *before = "";
	FILE *out = open_memstream(&text, &nr_bytes);

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < NR_DIMENSIONS; i++) {
		if (!varying[i])
			continue;
		(void)fputs(before, out);
		list_values(out, classes, &dimensions[i]);
		before = "; ";
	}
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	diag_set(diag, -EINVAL, "%s: %s", head, text);
	free(text);
	return -EINVAL;
}

/*
 * Chooses the axis on which classes differ. If only processes and threads differ, the axis is
 * threads.
 */
static int choose_axis(struct classes *classes, struct diag *diag)
{
	bool varying[NR_DIMENSIONS];
	unsigned int nr = 0;
	bool tgid = false;
	bool tid = false;

	for (size_t i = 0; i < NR_DIMENSIONS; i++) {
		varying[i] = varies(classes, &dimensions[i]);
		if (!varying[i])
			continue;
		nr++;
		classes->axis = dimensions[i].axis;
		tgid |= dimensions[i].axis == AXIS_TGID;
		tid |= dimensions[i].axis == AXIS_TID;
	}
	if (nr == 2 && tgid && tid) {
		classes->axis = AXIS_TID;
		nr = 1;
	}
	if (nr > 1)
		return refuse(classes, varying,
			      "the sample files differ in more than one way, and columns can show "
			      "only one",
			      diag);
	if (classes->nr_classes > CLASSES_MAX)
		return refuse(classes, varying, "too many columns", diag);
	return 0;
}

static int set_long_name(struct profile_class *class, enum class_axis axis)
{
	const struct class_key *key = &class->key;
	int nr = 0;

	if (axis == AXIS_TGID)
		nr = asprintf(&class->long_name, "Processes with a thread group ID of %" PRId64,
			      key->tgid);
	else if (axis == AXIS_TID && key->tgid >= 0)
		nr = asprintf(&class->long_name,
			      "Processes with a thread ID of %" PRId64 " (thread group ID %" PRId64
			      ")",
			      key->tid, key->tgid);
	else if (axis == AXIS_TID)
		nr = asprintf(&class->long_name, "Processes with a thread ID of %" PRId64,
			      key->tid);
	else if (axis == AXIS_CPU)
		nr = asprintf(&class->long_name, "Samples on CPU %" PRId64, key->cpu);
	else if (axis == AXIS_CGROUP)
		nr = asprintf(&class->long_name, "Samples of control group %s",
			      *key->cgroup ? key->cgroup : "(all)");
	if (nr < 0)
		class->long_name = NULL;
	return nr < 0 ? -ENOMEM : 0;
}

static int set_names(struct profile_class *class, enum class_axis axis)
{
	const struct dimension *dimension = dimension_of(axis);
	char name[PATH_MAX + 16] = "";

	(dimension ? dimension->show : show_event)(&class->key, name, sizeof(name));
	class->name = strdup(name);
	return class->name ? set_long_name(class, axis) : -ENOMEM;
}

/* Names groups by unique short names. */
static int name_cgroups(struct classes *classes)
{
	const char **paths = calloc(classes->nr_classes, sizeof(*paths));
	char **names = calloc(classes->nr_classes, sizeof(*names));
	int error = paths && names ? 0 : -ENOMEM;

	for (size_t i = 0; i < classes->nr_classes && !error; i++)
		paths[i] = classes->classes[i].key.cgroup;
	if (!error)
		error = cgroup_shown_make(paths, classes->nr_classes, names);
	for (size_t i = 0; i < classes->nr_classes && !error; i++)
		classes->classes[i].name = names[i];
	for (size_t i = 0; i < classes->nr_classes && !error; i++)
		error = set_long_name(&classes->classes[i], AXIS_CGROUP);
	free(names);
	free(paths);
	return error;
}

static int name_classes(struct classes *classes)
{
	int error = 0;

	if (classes->axis == AXIS_CGROUP)
		return name_cgroups(classes);
	for (size_t i = 0; i < classes->nr_classes && !error; i++)
		error = set_names(&classes->classes[i], classes->axis);
	return error;
}

int classes_arrange(struct classes *classes, const struct class_key *keys, size_t nr_keys,
		    struct diag *diag)
{
	int error;

	*classes = (struct classes){0};
	error = collect(classes, keys, nr_keys);
	if (!error)
		error = choose_axis(classes, diag);
	if (!error)
		error = name_classes(classes);
	if (error)
		classes_deinit(classes);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	return error;
}
