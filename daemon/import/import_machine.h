/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that a perf.data file was recorded on, as a folder that the
 * perf state reads in the place of /proc and /sys: its kernel, and nothing of
 * the processes of this machine. Where it is this machine's own running kernel, all of its
 * symbols are there; else where its text and its modules lay.
 */
#ifndef DAEMON_IMPORT_MACHINE_H
#define DAEMON_IMPORT_MACHINE_H

#include "daemon/import/perf_file.h"

#include <stdbool.h>
#include <stdint.h>

struct import_machine {
	char path[64];		    /* below TMPDIR or /tmp; "proc" and "sys" are in it */
	bool kernel_told;	    /* the file says where the kernel's text lay */
	bool kernel_build_told;	    /* and of what build it was */
	bool same_kernel;	    /* as the one that runs here, since it was booted */
	uint64_t first_ns, last_ns; /* of all records with a time */
	uint64_t nr_records;
};

/* Goes once through the file, which is rewound. 0 or -errno with diag. */
int import_machine_make(struct import_machine *machine, struct perf_file *file, struct diag *diag);
void import_machine_remove(struct import_machine *machine);

#endif
