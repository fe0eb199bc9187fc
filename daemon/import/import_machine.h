/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes the machine on which a perf.data file was recorded: makes a folder that the perf state
 * reads instead of /proc and /sys. The folder contains the kernel of that machine, and no
 * processes. If the recording was made with the kernel that is running here, the folder contains
 * all symbols of the kernel. Otherwise it contains only the ranges of the kernel's text and
 * modules.
 */
#ifndef DAEMON_IMPORT_MACHINE_H
#define DAEMON_IMPORT_MACHINE_H

#include "daemon/import/perf_file.h"

#include <stdbool.h>
#include <stdint.h>

struct import_machine {
	char path[64];		/* the folder, below TMPDIR or /tmp; it contains "proc" and "sys" */
	bool kernel_told;	/* the file contains the range of the kernel's text */
	bool kernel_build_told; /* the file contains the kernel's build-id */
	/* The recording was made with the running kernel, since its last boot. */
	bool same_kernel;
	uint64_t first_ns, last_ns; /* lowest and highest time of the records */
	uint64_t nr_records;
};

/* Reads the whole file once and rewinds it. Returns 0 or -errno with diag. */
int import_machine_make(struct import_machine *machine, struct perf_file *file, struct diag *diag);
void import_machine_remove(struct import_machine *machine);

#endif
