/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs oprof-module, the script that builds, loads and unloads the kernel module, and reads its
 * answer. Everything that depends on kernels and distributions is in the script.
 */
#ifndef CONTROL_MODULE_TOOL_H
#define CONTROL_MODULE_TOOL_H

#include "lib/diag.h"

#include <limits.h>
#include <stdbool.h>

#define MODULE_TOOL	   "oprof-module"
#define MODULE_TEXT_BYTES  1024
#define MODULE_TOOL_NR_MAX 4 /* largest number of words in a call */

/*
 * The script's answer. If there is no module, reason is a sentence without a full stop, and remedy
 * is a command.
 */
struct module_answer {
	bool works;
	char path[PATH_MAX]; /* file that was loaded; empty: the module was already loaded */
	/* reason and remedy are valid only if works is false */
	char reason[MODULE_TEXT_BYTES];
	char remedy[MODULE_TEXT_BYTES]; /* empty: no remedy */
};

/*
 * Runs the script with words (a verb and options, NULL-terminated) and waits until it ends. The
 * script writes progress messages to stderr. Always sets answer: if the script cannot be run,
 * answer has the reason.
 */
void module_tool_run(const char *const *words, struct module_answer *answer);

/* For module_tool_run() and its tests: runs `program` instead of searching for the script. */
void module_tool_run_program(const char *program, const char *const *words,
			     struct module_answer *answer);

/* Sets an answer with works = false. Control characters become blanks. */
void module_answer_refuse(struct module_answer *answer, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
