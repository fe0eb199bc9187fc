/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profile classes: the columns of a report. Sample files with equal keys are summed in one class.
 * Classes may differ on one axis only, so that all columns have the same meaning.
 *
 * If the user requests merging, the caller sets the merged fields of every key to "all" before it
 * calls classes_arrange(). Different events are never merged.
 */
#ifndef PP_CLASSES_H
#define PP_CLASSES_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLASSES_MAX 256

/*
 * All properties by which sample files of one image are separated. The caller owns the strings,
 * which must outlive the classes.
 */
struct class_key {
	const char *event;
	unsigned int event_order; /* position in the session's configuration: sorts the columns */
	uint64_t period_or_hz;
	bool frequency;
	uint32_t unit_mask;
	int64_t tgid, tid, cpu; /* negative: all */
	const char *cgroup;	/* path; "": all */
};

enum class_axis { AXIS_NONE, AXIS_EVENT, AXIS_TGID, AXIS_TID, AXIS_CPU, AXIS_CGROUP };

/*
 * The quantity that the columns of an event show. All except MEASURE_SAMPLES need samples with
 * weights.
 */
enum class_measure {
	MEASURE_SAMPLES, /* numbers and percentages count samples */
	MEASURE_WEIGHT,	 /* numbers count samples, percentages are shares of the weight */
	MEASURE_TIME,	 /* numbers and percentages are weights, which are times in ns */
};

struct profile_class {
	struct class_key key;	    /* the caller owns the strings */
	enum class_measure measure; /* MEASURE_SAMPLES unless the caller changes it */
	char *name;		    /* column heading: "cpu-clock:1000000", "cpu:0" */
	char *long_name;	    /* header line: "Samples on CPU 0"; NULL on AXIS_EVENT */
};

struct classes {
	struct profile_class *classes; /* ascending by axis */
	size_t nr_classes;
	enum class_axis axis;
};

/*
 * Makes the classes of keys. Returns 0; -EINVAL if keys differ on several axes or there are
 * more than CLASSES_MAX (diag lists the values and the remedies); -ENOMEM.
 */
int classes_arrange(struct classes *classes, const struct class_key *keys, size_t nr_keys,
		    struct diag *diag);
void classes_deinit(struct classes *classes);

/*
 * Returns the index of key's class, or nr_classes if the key was not passed to classes_arrange().
 */
size_t classes_find(const struct classes *classes, const struct class_key *key);

/* Returns whether both keys have the same event, count and unit mask. */
bool class_key_same_event(const struct class_key *a, const struct class_key *b);

/* Writes the count to `text`, as in names of sample files: "100000" or "997Hz". */
void class_key_show_count(const struct class_key *key, char *text, size_t nr_bytes);

#endif
