/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of /proc/kallsyms, one by one: it is big, and read rarely. */
#ifndef DAEMON_KALLSYMS_H
#define DAEMON_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct kallsym {
	uint64_t address;
	char type;
	const char *name;
	const char *module; /* empty: the kernel itself; "bpf", "__builtin__..." are none either */
};

/*
 * Call visit for each function (types t, T, w, W) of proc_path/kallsyms.
 * 0; -EACCES: the kernel shows no addresses; a negative errno of reading; or
 * the first non-zero of visit, which ends the walk.
 */
int kallsyms_walk(const char *proc_path, int (*visit)(const struct kallsym *symbol, void *context),
		  void *context);

/* Is the module of a symbol no module: code that the kernel made while it ran? */
bool kallsyms_is_made(const char *module);

#endif
