// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/options/select_options.h"

#include "lib/log.h"
#include "lib/time_range.h"
#include "pp/selection/selection.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int select_parse_merge(const char *text, unsigned int *merge, struct diag *diag)
{
	static const struct {
		const char *name;
		unsigned int merge;
	} merges[] = {
		{"cpu", MERGE_CPU},
		{"lib", MERGE_LIB},
		{"tid", MERGE_TID},
		{"tgid", MERGE_TGID},
		{"unitmask", MERGE_UNIT_MASK},
		{"cgroup", MERGE_CGROUP},
		{"all", MERGE_ALL},
	};
	struct spec_list items;
	int error = spec_list_parse(&items, text, diag);

	for (size_t i = 0; i < items.nr_patterns && !error; i++) {
		error = -EINVAL;
		for (size_t j = 0; j < sizeof(merges) / sizeof(merges[0]); j++) {
			if (strcmp(items.patterns[i], merges[j].name) != 0)
				continue;
			*merge |= merges[j].merge;
			error = 0;
		}
		if (error)
			diag_set(diag, error,
				 "--merge: \"%s\" is not one of cpu, lib, tid, tgid, unitmask, "
				 "cgroup, all",
				 items.patterns[i]);
	}
	spec_list_deinit(&items);
	return error;
}

int select_parse_threshold(const char *text, double *percent, struct diag *diag)
{
	char *end;
	double value = strtod(text, &end);

	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !isfinite(value) || value < 0 || value > 100)
		return diag_set(diag, -EINVAL,
				"--threshold: \"%s\" is not a percentage (0 to 100, such as "
				"0.5)",
				text);
	*percent = value;
	return 0;
}

int select_parse_demangle(const char *text, enum demangle_mode *mode, struct diag *diag)
{
	if (!strcmp(text, "none"))
		*mode = DEMANGLE_NONE;
	else if (!strcmp(text, "normal"))
		*mode = DEMANGLE_NORMAL;
	else if (!strcmp(text, "smart"))
		*mode = DEMANGLE_SMART;
	else
		return diag_set(diag, -EINVAL,
				"--demangle: \"%s\" is not one of none, normal, smart", text);
	return 0;
}

int select_parse_list(struct spec_list *list, const char *option, const char *text,
		      struct diag *diag)
{
	if (list->nr_patterns)
		return diag_set(diag, -EINVAL, "%s is given twice; write one list with commas",
				option);
	return spec_list_parse(list, text, diag);
}

int select_keep_text(char **field, const char *option, const char *text, struct diag *diag)
{
	if (*field)
		return diag_set(diag, -EINVAL, "%s is given twice", option);
	if (!*text)
		return diag_set(diag, -EINVAL, "%s needs a value", option);
	*field = strdup(text);
	return *field ? 0 : -ENOMEM;
}

int select_set_range(struct spec *sides, size_t nr_sides, const struct select_times *times,
		     int64_t now_ns, struct diag *diag)
{
	struct spec *spec = &sides[0];
	int error;

	if (!times->last && !times->from && !times->to)
		return 0;
	if (nr_sides > 1)
		return diag_set(diag, -EINVAL,
				"--last, --from and --to cannot set the time of two sides; "
				"give each side its own time:FROM..TO");
	if (spec->timed || (times->last && (times->from || times->to)))
		return diag_set(diag, -EINVAL,
				"the time range is given twice; use either --last, or --from "
				"and --to, or time:");
	if (times->last)
		error = time_range_parse_last(times->last, now_ns, &spec->range, diag);
	else
		error = time_range_parse_points(times->from, times->to, now_ns, &spec->range, diag);
	spec->timed = !error;
	return error;
}

/* ---- running ---- */

void select_tell_times(const struct spec *sides, size_t nr_sides)
{
	char shown[TIME_RANGE_SHOWN_BYTES];

	for (size_t i = 0; i < nr_sides; i++) {
		const struct time_range *range = &sides[i].range;

		if (!sides[i].timed || !range->day_before)
			continue;
		time_range_show(range->begin_ns, range->end_ns, shown);
		log_info("the given time of day is in the future, so yesterday's time is used: "
			 "%s",
			 shown);
	}
}

void select_allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

void select_skip_file(const char *path, const struct diag *diag)
{
	if (diag->file[0])
		log_warning("%s", diag_show(diag));
	else
		log_warning("%s: %s", path, diag_show(diag));
}
