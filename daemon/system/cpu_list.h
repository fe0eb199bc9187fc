/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs in the format of sysfs: "0-3,8". */
#ifndef DAEMON_CPU_LIST_H
#define DAEMON_CPU_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_LIST_MAX 8192

struct cpu_list {
	uint64_t bits[CPU_LIST_MAX / 64];
	unsigned int nr; /* highest CPU of the set + 1; 0: the set is empty */
};

/*
 * Parses a list of CPUs, which may end with a newline. Returns 0 or -EINVAL; the list is then
 * unchanged.
 */
int cpu_list_parse(const char *text, struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, unsigned int cpu);

#endif
