/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties by which sample files are kept apart (a set of bits; --separate of the commands),
 * and the keys of samples that follow from them.
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
	SEPARATION_KERNEL = 2, /* also the kernel; always with SEPARATION_LIB */
	SEPARATION_THREAD = 4, /* tgid and tid */
	SEPARATION_CPU = 8,
	SEPARATION_CGROUP = 16,
	SEPARATION_ALL = 31,
};

#define SEPARATION_TEXT_BYTES 64

/*
 * Parses "none", "all", or a comma list of lib, kernel, thread, cpu, cgroup. Adds to *separation;
 * "none" clears it. Returns 0 or -EINVAL with diag.
 */
int separation_parse(const char *text, unsigned int *separation, struct diag *diag);

/* Writes the text for separation to text[SEPARATION_TEXT_BYTES]: "none", "lib,kernel,thread". */
void separation_format(unsigned int separation, char *text);

/* Fills the keys of task's samples of user and of kernel code on cpu, except image and event. */
void separation_keys(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
		     struct sample_key *user, struct sample_key *kernel);
/*
 * Fills the key of task's time off CPU. This time belongs to the program: whatever the
 * separation, it is filed under the application, or under the kernel for kernel threads.
 */
void separation_off_cpu_key(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
			    struct sample_key *off_cpu);
/* Fills the key of samples of an idle cpu. */
void separation_idle_key(unsigned int separation, uint32_t cpu, struct sample_key *idle);

#endif
