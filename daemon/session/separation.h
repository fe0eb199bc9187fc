/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sample files are kept apart by: --separate of the commands, a set of
 * bits; and what that leaves of whose a sample is.
 */
#ifndef DAEMON_SEPARATION_H
#define DAEMON_SEPARATION_H

#include "daemon/session/sample_key.h"
#include "lib/diag.h"
#include "oprof/record.h"

#include <stddef.h>
#include <stdint.h>

enum separation {
	SEPARATION_LIB = 1,    /* libraries under the application that ran them */
	SEPARATION_KERNEL = 2, /* the kernel too; always with SEPARATION_LIB */
	SEPARATION_THREAD = 4, /* tgid and tid */
	SEPARATION_CPU = 8,
	SEPARATION_CGROUP = 16,
	SEPARATION_ALL = 31,
};

#define SEPARATION_TEXT_BYTES 64

/*
 * "none", "all", or a comma list of lib, kernel, thread, cpu, cgroup. Adds to
 * *separation, "none" clears it. 0 or -EINVAL.
 */
int separation_parse(const char *text, unsigned int *separation, struct diag *diag);

/* The other way, into text[SEPARATION_TEXT_BYTES]: "none", "lib,kernel,thread". */
void separation_format(unsigned int separation, char *text);

/*
 * The keys of task's samples on cpu, all but image and event: of user code
 * and of the kernel's.
 */
void separation_keys(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
		     struct sample_key *user, struct sample_key *kernel);
/*
 * Of task's time off CPU. It is the program's: filed under the application,
 * however samples are separated; of kernel threads it is the kernel's.
 */
void separation_off_cpu_key(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
			    struct sample_key *off_cpu);
/* Of an idle cpu. */
void separation_idle_key(unsigned int separation, uint32_t cpu, struct sample_key *idle);

#endif
