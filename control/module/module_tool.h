/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs oprof-module, the script that builds, loads and unloads the kernel
 * module, and reads its answer. Only the script knows about kernels and
 * distributions.
 */
#ifndef CONTROL_MODULE_TOOL_H
#define CONTROL_MODULE_TOOL_H

#include "lib/diag.h"

#include <limits.h>
#include <stdbool.h>

#define MODULE_TOOL	   "oprof-module"
#define MODULE_TEXT_BYTES  1024
#define MODULE_TOOL_NR_MAX 4 /* most words of a call */

/* Why there is no module, as a sentence without a full stop, and the command that helps. */
struct module_answer {
	bool works;
	char path[PATH_MAX];		/* the file loaded; empty: already loaded */
	char reason[MODULE_TEXT_BYTES]; /* only if it does not work, like remedy */
	char remedy[MODULE_TEXT_BYTES]; /* empty: none */
};

/*
 * Runs the script with words (a verb and options, NULL-terminated) and waits.
 * Its progress messages go to stderr. Always sets answer: every failure is a
 * reason.
 */
void module_tool_run(const char *const *words, struct module_answer *answer);

/* For module_tool_run() and its tests: runs program instead of finding it by tool_path_find(). */
void module_tool_run_program(const char *program, const char *const *words,
			     struct module_answer *answer);

/* Sets an answer that does not work. Control characters become blanks. */
void module_answer_refuse(struct module_answer *answer, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
