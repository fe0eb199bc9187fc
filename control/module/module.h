/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and unloads the kernel module for opcontrol --init and --deinit. Reports whether the module
 * is loaded and mounted and, if not, the reason. If the last --init of this boot failed, the reason
 * of the failure is stored in the session folder, for --status and --health.
 */
#ifndef CONTROL_MODULE_H
#define CONTROL_MODULE_H

#include "control/module/module_tool.h"
#include "lib/diag.h"

#include <stdio.h>

#define MODULE_INIT_FILE "init" /* in the session folder */

enum module_build {
	MODULE_BUILD,	 /* build the module if it is missing */
	MODULE_NO_BUILD, /* use only a module that is already installed or built */
};

/*
 * Loads and mounts the module. answer->works: the module is loaded and has this daemon's version.
 */
void module_init(enum module_build build, struct module_answer *answer);

/* Unmounts and unloads the module if it is loaded. Returns 0, or -errno and diag. */
int module_deinit(struct diag *diag);

/*
 * If answer->works is false, stores the reason in the session folder at folder_fd. Otherwise
 * removes the stored reason. Returns 0 or -errno; in a folder that is not writable, nothing is
 * stored.
 */
int module_keep(int folder_fd, const struct module_answer *answer);

/*
 * Reads the reason that the last failed --init of this boot stored. Returns false if no reason is
 * stored, or if the session folder does not exist (folder_fd is -1).
 */
bool module_recall(int folder_fd, struct module_answer *answer);

/*
 * Prints lines for status: "module" (mounted, loaded or absent), and the stored reason and remedy
 * as "module_reason" and "module_remedy".
 */
void module_print(FILE *stream, int folder_fd);

#endif
