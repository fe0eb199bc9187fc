/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the functions of /proc/kallsyms one by one. They are not kept in memory, since the file is
 * big and seldom read.
 */
#ifndef DAEMON_KALLSYMS_H
#define DAEMON_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct kallsym {
	uint64_t address;
	char type;
	const char *name;
	/*
	 * Name of the module; empty: the kernel itself. "bpf" and "__builtin__..." stand for code
	 * that the kernel made.
	 */
	const char *module;
};

/*
 * Calls `visit` for each function (types t, T, w, W) of proc_path/kallsyms, and for _etext, the end
 * of the kernel's code, whatever its type. Returns 0; -EACCES: the kernel hides the addresses;
 * -errno of reading; or the first non-zero result of `visit`, which ends the walk.
 */
int kallsyms_walk(const char *proc_path, int (*visit)(const struct kallsym *symbol, void *context),
		  void *context);

/* Returns whether `module` stands for code that the kernel made while it ran. */
bool kallsyms_is_made(const char *module);

#endif
