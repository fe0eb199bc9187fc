// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool parse_cpu(const char **next, unsigned int *cpu)
{
	const char *text = *next;

	*cpu = 0;
	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		*cpu = *cpu * 10 + (unsigned int)(*text - '0');
		if (*cpu >= CPU_LIST_MAX)
			return false;
	}
	*next = text;
	return true;
}

static bool parse_range(const char **next, struct cpu_list *list)
{
	unsigned int first, last;

	if (!parse_cpu(next, &first))
		return false;
	last = first;
	if (**next == '-') {
		(*next)++;
		if (!parse_cpu(next, &last) || last < first)
			return false;
	}
	for (unsigned int cpu = first; cpu <= last; cpu++)
		list->bits[cpu / 64] |= (uint64_t)1 << cpu % 64;
	if (last + 1 > list->nr)
		list->nr = last + 1;
	return true;
}

int cpu_list_parse(const char *text, struct cpu_list *list)
{
	struct cpu_list parsed;

	memset(&parsed, 0, sizeof(parsed));
	while (*text && *text != '\n') {
		if (!parse_range(&text, &parsed))
			return -EINVAL;
		if (*text == ',' && isdigit((unsigned char)text[1]))
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
	}
	*list = parsed;
	return 0;
}

bool cpu_list_has(const struct cpu_list *list, unsigned int cpu)
{
	return cpu < list->nr && (list->bits[cpu / 64] >> cpu % 64 & 1);
}
