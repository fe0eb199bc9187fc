/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The privileges of root that the daemon keeps when everything is open, and their purposes. The
 * daemon and its children lose all other privileges permanently.
 *
 *   CAP_PERFMON		events of a CPU that comes online later, including kernel mode
 *   CAP_SYS_PTRACE	/proc/PID/exe and root of other users' processes; also maps,
 *			unless the kernel allows CAP_PERFMON to read them
 *   CAP_DAC_READ_SEARCH	images in folders that only their users may enter
 *   CAP_CHECKPOINT_RESTORE	binaries that were deleted while they run (if the keeper restarts)
 *   CAP_SYSLOG		addresses in /proc/kallsyms, for symbols of the kernel
 *   CAP_IPC_LOCK		rings of a CPU that comes online later, if RLIMIT_MEMLOCK is low
 *   CAP_DAC_OVERRIDE	a session or metrics folder that belongs to another user
 *   CAP_SYS_ADMIN		in place of CAP_PERFMON, on kernels that require it (before 5.8)
 */
#ifndef DAEMON_PRIVILEGES_H
#define DAEMON_PRIVILEGES_H

#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct privileges_needs {
	bool everything; /* --keep-privileges */
	bool whole_machine;
	bool foreign_folders; /* the daemon writes to folders of other users */
};

struct privileges {
	uint64_t kept;	  /* one bit per capability, by its number */
	bool dropped;	  /* false: the process still has all privileges it had */
	bool needs_admin; /* the kernel requires CAP_SYS_ADMIN for events */
};

#define PRIVILEGES_TEXT_BYTES 512

/*
 * Returns the capabilities that a daemon with these needs should keep. can_lock: the daemon may
 * lock memory without a limit. knows_perfmon: the kernel has CAP_PERFMON.
 */
uint64_t privileges_wanted(const struct privileges_needs *needs, bool can_lock, bool knows_perfmon);

/*
 * Returns the capabilities that a daemon for all users needs until privileges_drop(): those that it
 * may keep then, those to raise limits, and privileges_to_start_children(). The daemon gives up the
 * last ones as soon as these children run. Without them, it cannot open a file for writing if its
 * user may not write to the file.
 */
uint64_t privileges_to_start(void);

/* Returns the capabilities to start children that change their user, and to end them. */
uint64_t privileges_to_start_children(void);

/* Gives up capabilities (one bit per capability) permanently. */
void privileges_give_up(uint64_t given_up);

/*
 * Changes the user and group of this process permanently. The process must be root's. It leaves its
 * other groups. Of its capabilities, it keeps only those in `kept`. Returns 0 or -errno; after an
 * error the process may have changed only partly.
 */
int privileges_become(uid_t user, gid_t group, uint64_t kept);

/*
 * Raises RLIMIT_MEMLOCK if allowed, drops all capabilities except the wanted ones, and sets
 * no_new_privs. The daemon does not gain capabilities. Returns 0 or -errno with diag; after an
 * error all capabilities can still be restored.
 */
int privileges_drop(struct privileges *privileges, const struct privileges_needs *needs,
		    struct diag *diag);

/*
 * From now on, programs that this process executes can get only the capabilities in `kept`. Has no
 * effect if this process lacks CAP_SETPCAP.
 */
void privileges_bound(uint64_t kept);

/*
 * Writes the kept privileges to text[PRIVILEGES_TEXT_BYTES]: "perfmon,sys_ptrace", "none" or "all".
 */
void privileges_format(const struct privileges *privileges, char *text);

bool privileges_has(const struct privileges *privileges, unsigned int capability);

#endif
