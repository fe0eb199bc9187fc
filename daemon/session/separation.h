/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties by which samples are stored in separate files, as a set of bits (option
 * --separate). This module also computes the keys of samples. A key contains only the properties
 * that are in the set.
 */
#ifndef DAEMON_SEPARATION_H
#define DAEMON_SEPARATION_H

#include "daemon/session/sample_key.h"
#include "lib/diag.h"
#include "oprof/record.h"

#include <stddef.h>
#include <stdint.h>

enum separation {
	/* libraries are stored separately for each application that ran them */
	SEPARATION_LIB = 1,
	SEPARATION_KERNEL = 2, /* the same for the kernel; set only together with SEPARATION_LIB */
	SEPARATION_THREAD = 4, /* tgid and tid */
	SEPARATION_CPU = 8,
	SEPARATION_CGROUP = 16,
	SEPARATION_ALL = 31,
};

#define SEPARATION_TEXT_BYTES 64

/*
 * Parses "none", "all", or a comma-separated list of lib, kernel, thread, cpu, cgroup. Adds these
 * to *separation; "none" clears it. Returns 0 or -EINVAL with diag.
 */
int separation_parse(const char *text, unsigned int *separation, struct diag *diag);

/*
 * Writes the words of separation to text[SEPARATION_TEXT_BYTES], such as "lib,kernel,thread" or
 * "none".
 */
void separation_format(unsigned int separation, char *text);

/*
 * Fills two keys for samples of task on cpu, one for user code and one for kernel code. Does not
 * set their fields image and event.
 */
void separation_keys(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
		     struct sample_key *user, struct sample_key *kernel);
/*
 * Fills the key of task's time off CPU. This time belongs to the program, so it is stored under the
 * application (for kernel threads, under the kernel), whatever the separation.
 */
void separation_off_cpu_key(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
			    struct sample_key *off_cpu);
/* Fills the key of samples of an idle cpu. */
void separation_idle_key(unsigned int separation, uint32_t cpu, struct sample_key *idle);

#endif
