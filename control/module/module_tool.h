/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprof-module, the script that builds, loads and unloads the kernel module:
 * running it and reading its answer. What it knows of kernels and
 * distributions stands there alone.
 */
#ifndef CONTROL_MODULE_TOOL_H
#define CONTROL_MODULE_TOOL_H

#include "lib/diag.h"

#include <limits.h>
#include <stdbool.h>

#define MODULE_TOOL	   "oprof-module"
#define MODULE_TEXT_BYTES  1024
#define MODULE_TOOL_NR_MAX 4 /* words, at most */

/* Why there is no module, as a sentence without a stop, and the command that helps. */
struct module_answer {
	bool works;
	char path[PATH_MAX];		/* the file loaded; empty: it was loaded already */
	char reason[MODULE_TEXT_BYTES]; /* of one that does not work, as the next */
	char remedy[MODULE_TEXT_BYTES]; /* empty: there is none */
};

/*
 * Run it with words (a verb and options, NULL behind the last) and wait. What
 * it tells of its progress goes to stderr. Fails never: whatever goes wrong is
 * a reason.
 */
void module_tool_run(const char *const *words, struct module_answer *answer);

/* For it and its tests: does program, found by tool_path_find() otherwise. */
void module_tool_run_program(const char *program, const char *const *words,
			     struct module_answer *answer);

/* A module that does not work. Control characters become blanks. */
void module_answer_refuse(struct module_answer *answer, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
