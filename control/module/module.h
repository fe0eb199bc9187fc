/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module for opcontrol --init and --deinit: whether it is loaded and
 * mounted, and why not. The reason why the last --init of this boot found no
 * module is kept in the session folder, for --status and --health.
 */
#ifndef CONTROL_MODULE_H
#define CONTROL_MODULE_H

#include "control/module/module_tool.h"
#include "lib/diag.h"

#include <stdio.h>

#define MODULE_INIT_FILE "init" /* in the session folder */

enum module_build {
	MODULE_BUILD,	 /* build it if it is missing */
	MODULE_NO_BUILD, /* only use a module that was installed or built before */
};

/* Loads and mounts the module. answer->works: it is loaded and of this daemon's version. */
void module_init(enum module_build build, struct module_answer *answer);

/* Unmounts and unloads the module. Returns 0, also if there is none, or -errno and diag. */
int module_deinit(struct diag *diag);

/*
 * Keeps the reason why there is no module; an answer that works removes it.
 * Returns 0 or -errno; nothing is kept in a folder that is not writable.
 */
int module_keep(const char *session_dir, const struct module_answer *answer);

/* Reads what was kept since boot; false: nothing. */
bool module_recall(const char *session_dir, struct module_answer *answer);

/*
 * Prints lines for status: module (mounted, loaded or absent), and the kept
 * module_reason and module_remedy.
 */
void module_print(FILE *stream, const char *session_dir);

#endif
