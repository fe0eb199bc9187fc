/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of root's privileges the daemon keeps once everything is open, and
 * why. The rest goes, for it and its children, and no way leads back.
 *
 *   CAP_PERFMON		events of a CPU that comes back, with the kernel's mode
 *   CAP_SYS_PTRACE		/proc/PID/exe and root of other users' processes; maps too, but
 *				where newer kernels let CAP_PERFMON read them
 *   CAP_DAC_READ_SEARCH	images in folders that only their users may enter
 *   CAP_CHECKPOINT_RESTORE	binaries that were deleted while they run (for a new keeper)
 *   CAP_SYSLOG			addresses in /proc/kallsyms, for symbols of the kernel
 *   CAP_IPC_LOCK		rings of a CPU that comes back, where RLIMIT_MEMLOCK is low
 *   CAP_DAC_OVERRIDE		a session or metrics folder that is another user's
 *   CAP_SYS_ADMIN		in place of CAP_PERFMON where the kernel wants it (before 5.8)
 */
#ifndef DAEMON_PRIVILEGES_H
#define DAEMON_PRIVILEGES_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct privileges_needs {
	bool everything; /* --keep-privileges */
	bool whole_machine;
	bool foreign_folders; /* what is written to lies in folders of other users */
};

struct privileges {
	uint64_t kept;	  /* bit by number of the capability */
	bool dropped;	  /* else all that there was is there still */
	bool needs_admin; /* the kernel gives events to CAP_SYS_ADMIN only */
};

#define PRIVILEGES_TEXT_BYTES 512

/* What a daemon with these needs would keep, of all. Pure. */
uint64_t privileges_wanted(const struct privileges_needs *needs, bool can_lock, bool knows_perfmon);

/*
 * Drop the rest, set no_new_privs. Before: RLIMIT_MEMLOCK is raised if that may
 * be. A daemon that has none of it keeps none. 0 or -errno with diag; then
 * nothing was dropped for good.
 */
int privileges_drop(struct privileges *privileges, const struct privileges_needs *needs,
		    struct diag *diag);

/*
 * No program that this process executes shall get more than these. Needs
 * CAP_SETPCAP: without it there is little to bound.
 */
void privileges_bound(uint64_t kept);

/* "perfmon,sys_ptrace", "none" or "all" into text[PRIVILEGES_TEXT_BYTES]. */
void privileges_format(const struct privileges *privileges, char *text);

bool privileges_has(const struct privileges *privileges, unsigned int capability);

#endif
