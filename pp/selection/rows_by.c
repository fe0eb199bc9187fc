// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/rows_by.h"

#include "pp/selection/cgroup_shown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL "all"

static const struct {
	const char *name, *separation;
} kinds[] = {
	[ROWS_BY_CGROUP] = {"cgroup", "cgroup"},
	[ROWS_BY_TGID] = {"tgid", "thread"},
	[ROWS_BY_TID] = {"tid", "thread"},
	[ROWS_BY_CPU] = {"cpu", "cpu"},
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

int rows_by_parse(const char *text, enum rows_by *by, struct diag *diag)
{
	for (size_t i = ROWS_BY_CGROUP; i < NR_KINDS; i++) {
		if (strcmp(text, kinds[i].name) != 0)
			continue;
		*by = (enum rows_by)i;
		return 0;
	}
	return diag_set(diag, -EINVAL, "--by: \"%s\" is not one of cgroup, tgid, tid, cpu", text);
}

static const char *number_row(const char *kind, int64_t number, struct strings *strings)
{
	char text[64];

	if (number < 0)
		return strings_keep(strings, ALL);
	(void)snprintf(text, sizeof(text), "%s:%" PRId64, kind, number);
	return strings_keep(strings, text);
}

static const char *thread_row(const struct class_key *key, struct strings *strings)
{
	char text[64];

	if (key->tid < 0 || key->tgid < 0)
		return number_row("tid", key->tid, strings);
	(void)snprintf(text, sizeof(text), "tid:%" PRId64 " (tgid:%" PRId64 ")", key->tid,
		       key->tgid);
	return strings_keep(strings, text);
}

const char *rows_by_take(enum rows_by by, struct class_key *key, struct strings *strings)
{
	const char *row = NULL;

	switch (by) {
	case ROWS_BY_CGROUP:
		row = *key->cgroup ? key->cgroup : strings_keep(strings, ALL);
		key->cgroup = strings_keep(strings, "");
		return key->cgroup ? row : NULL;
	case ROWS_BY_TGID:
	case ROWS_BY_TID:
		row = by == ROWS_BY_TID ? thread_row(key, strings)
					: number_row("tgid", key->tgid, strings);
		key->tgid = key->tid = -1;
		return row;
	case ROWS_BY_CPU:
		row = number_row("cpu", key->cpu, strings);
		key->cpu = -1;
		return row;
	case ROWS_BY_APP:
		break;
	}
	return row;
}

static int name_groups(const char **rows, size_t nr_rows, struct strings *strings)
{
	char **names = calloc(nr_rows + 1, sizeof(*names));
	int error = names ? cgroup_shown_make(rows, nr_rows, names) : -ENOMEM;

	for (size_t i = 0; i < nr_rows && names && !error; i++) {
		rows[i] = strings_keep(strings, names[i]);
		error = rows[i] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < nr_rows && names; i++)
		free(names[i]);
	free(names);
	return error;
}

int rows_by_name(enum rows_by by, const char **rows, size_t nr_rows, struct strings *strings,
		 struct diag *diag)
{
	if (by == ROWS_BY_APP)
		return 0;
	if (nr_rows == 1 && !strcmp(rows[0], ALL))
		return diag_set(diag, -EINVAL,
				"--by=%s: the samples were not recorded separately; profile "
				"with --separate=%s",
				kinds[by].name, kinds[by].separation);
	return by == ROWS_BY_CGROUP ? name_groups(rows, nr_rows, strings) : 0;
}
