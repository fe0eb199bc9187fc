/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a folder, which the perf state reads in place of /proc and /sys, that describes the machine
 * on which a perf.data file was recorded: the kernel of that machine, and no processes. If the
 * recording is of the kernel that is running here, the folder gives all its symbols; else only the
 * ranges of its text and modules.
 */
#ifndef DAEMON_IMPORT_MACHINE_H
#define DAEMON_IMPORT_MACHINE_H

#include "daemon/import/perf_file.h"

#include <stdbool.h>
#include <stdint.h>

struct import_machine {
	char path[64];		    /* below TMPDIR or /tmp; contains "proc" and "sys" */
	bool kernel_told;	    /* the file has the range of the kernel's text */
	bool kernel_build_told;	    /* the file has the kernel's build-id */
	bool same_kernel;	    /* it is the kernel that runs now, of the same boot */
	uint64_t first_ns, last_ns; /* of all records with a time */
	uint64_t nr_records;
};

/* Reads the whole file once and rewinds it. Returns 0 or -errno with diag. */
int import_machine_make(struct import_machine *machine, struct perf_file *file, struct diag *diag);
void import_machine_remove(struct import_machine *machine);

#endif
