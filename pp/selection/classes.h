/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profile classes: the columns of a report. Sample files whose keys are equal
 * are summed in one class; classes may differ on one axis only, since columns
 * side by side have one meaning.
 *
 * What may be merged was merged by the caller before (its field is set to
 * "all" in every key). Different events are never merged.
 */
#ifndef PP_CLASSES_H
#define PP_CLASSES_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLASSES_MAX 256

/*
 * Everything that separates sample files of one image. Strings are the caller's and
 * outlive the classes.
 */
struct class_key {
	const char *event;
	unsigned int event_order; /* of the session's configuration: sorts the columns */
	uint64_t period_or_hz;
	bool frequency;
	uint32_t unit_mask;
	int64_t tgid, tid, cpu; /* negative: all */
	const char *cgroup;	/* path; "" all */
};

enum class_axis { AXIS_NONE, AXIS_EVENT, AXIS_TGID, AXIS_TID, AXIS_CPU, AXIS_CGROUP };

/* What the columns of an event count; the later ones need the weight of samples. */
enum class_measure {
	MEASURE_SAMPLES, /* numbers and shares are samples */
	MEASURE_WEIGHT,	 /* numbers are samples, shares are of the events that samples stand for */
	MEASURE_TIME,	 /* both are weight, which is time in ns */
};

struct profile_class {
	struct class_key key;	    /* strings still the caller's */
	enum class_measure measure; /* MEASURE_SAMPLES; set by who knows better */
	char *name;		    /* column head: "cpu-clock:1000000", "cpu:0" */
	char *long_name;	    /* line of the header: "Samples on CPU 0"; NULL on AXIS_EVENT */
};

struct classes {
	struct profile_class *classes; /* ascending by axis */
	size_t nr_classes;
	enum class_axis axis;
};

/*
 * The classes of keys. -EINVAL: they differ on several axes, or there are
 * more than CLASSES_MAX; diag lists the values and the tags and --merge that
 * resolve it. -ENOMEM.
 */
int classes_arrange(struct classes *classes, const struct class_key *keys, size_t nr_keys,
		    struct diag *diag);
void classes_deinit(struct classes *classes);

/* Index of the class that key is of; nr_classes: it was not among the keys arranged. */
size_t classes_find(const struct classes *classes, const struct class_key *key);

/* Whether both are of one event, counted in one way. */
bool class_key_same_event(const struct class_key *a, const struct class_key *b);

/* "100000" or "997Hz", as in names of sample files. */
void class_key_show_count(const struct class_key *key, char *text, size_t nr_bytes);

#endif
