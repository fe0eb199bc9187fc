/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module as opcontrol --init and --deinit see it: loaded and
 * mounted, or not, and why not. Why the last --init of this boot had none is
 * kept in the session folder, for --status and --health.
 */
#ifndef CONTROL_MODULE_H
#define CONTROL_MODULE_H

#include "control/module/module_tool.h"
#include "lib/diag.h"

#include <stdio.h>

#define MODULE_INIT_FILE "init" /* in the session folder */

enum module_build {
	MODULE_BUILD,	 /* where it is not there yet */
	MODULE_NO_BUILD, /* only one that was installed or built before */
};

/* Load and mount it. answer->works: it is there, and speaks as this daemon does. */
void module_init(enum module_build build, struct module_answer *answer);

/* Unmount and unload it. 0, also when there is none, or -errno and diag. */
int module_deinit(struct diag *diag);

/*
 * Keep why there is no module; one that works ends what was kept. A folder
 * that cannot be written to keeps nothing: 0 or -errno.
 */
int module_keep(const char *session_dir, const struct module_answer *answer);

/* What was kept since the machine was booted; false: nothing. */
bool module_recall(const char *session_dir, struct module_answer *answer);

/*
 * Lines for status: module (mounted, loaded or absent), and module_reason and
 * module_remedy of what is kept.
 */
void module_print(FILE *stream, const char *session_dir);

#endif
