// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For kernel headers before Linux 5.8 (CAP_PERFMON) and 5.9 (CAP_CHECKPOINT_RESTORE). */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

#define CAPABILITIES_MAX 64

static const struct {
	unsigned int capability;
	const char *name;
} capability_names[] = {
	{CAP_PERFMON, "perfmon"},
	{CAP_SYS_ADMIN, "sys_admin"},
	{CAP_SYS_PTRACE, "sys_ptrace"},
	{CAP_DAC_READ_SEARCH, "dac_read_search"},
	{CAP_DAC_OVERRIDE, "dac_override"},
	{CAP_CHECKPOINT_RESTORE, "checkpoint_restore"},
	{CAP_SYSLOG, "syslog"},
	{CAP_IPC_LOCK, "ipc_lock"},
};

#define NR_NAMES (sizeof(capability_names) / sizeof(capability_names[0]))

struct capability_sets {
	uint64_t effective, permitted, inheritable;
};

static uint64_t bit(unsigned int capability)
{
	return UINT64_C(1) << capability;
}

uint64_t privileges_wanted(const struct privileges_needs *needs, bool can_lock, bool knows_perfmon)
{
	uint64_t wanted = bit(CAP_SYS_PTRACE) | bit(CAP_DAC_READ_SEARCH) | bit(CAP_SYSLOG) |
			  bit(CAP_CHECKPOINT_RESTORE);

	if (needs->everything)
		return UINT64_MAX;
	wanted |= bit(knows_perfmon ? CAP_PERFMON : CAP_SYS_ADMIN);
	if (!can_lock)
		wanted |= bit(CAP_IPC_LOCK);
	if (needs->foreign_folders)
		wanted |= bit(CAP_DAC_OVERRIDE);
	return wanted;
}

/* glibc has no wrappers for capget and capset, and two system calls do not justify libcap. */
static int sets_get(struct capability_sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	sets->effective = data[0].effective | (uint64_t)data[1].effective << 32;
	sets->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	sets->inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
	return 0;
}

static int sets_put(const struct capability_sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{(uint32_t)sets->effective, (uint32_t)sets->permitted, (uint32_t)sets->inheritable},
		{(uint32_t)(sets->effective >> 32), (uint32_t)(sets->permitted >> 32),
		 (uint32_t)(sets->inheritable >> 32)},
	};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/*
 * Removes the limit of locked memory, so that rings can be opened later without a privilege.
 * Returns false if the limit remains.
 */
static bool raise_lock_limit(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	if (!setrlimit(RLIMIT_MEMLOCK, &limit))
		return true;
	return !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur == RLIM_INFINITY;
}

/*
 * Returns whether events of all processes on a CPU, including kernel mode, can be opened. Tests
 * this with an event that counts nothing.
 */
static bool can_open_events(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		(void)close((int)fd);
	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

/*
 * Makes sets effective, and tests whether they are sufficient for events, while the privileges can
 * still be restored. If the sets are not sufficient, adds CAP_SYS_ADMIN, because some distributions
 * patch their kernels to require CAP_SYS_ADMIN instead of CAP_PERFMON.
 */
static int try_effective(struct capability_sets *sets, bool whole_machine, bool *needs_admin)
{
	bool could = whole_machine && can_open_events();
	int error = sets_put(sets);

	if (error || !could || can_open_events() || !(sets->permitted & bit(CAP_SYS_ADMIN)))
		return error;
	*needs_admin = true;
	sets->effective |= bit(CAP_SYS_ADMIN);
	return sets_put(sets);
}

uint64_t privileges_to_start(void)
{
	const struct privileges_needs needs = {.whole_machine = true};

	return privileges_wanted(&needs, false, true) | privileges_wanted(&needs, false, false) |
	       bit(CAP_SYS_RESOURCE) | bit(CAP_SETPCAP) | privileges_to_start_children();
}

uint64_t privileges_to_start_children(void)
{
	return bit(CAP_SETUID) | bit(CAP_SETGID) | bit(CAP_KILL);
}

void privileges_give_up(uint64_t given_up)
{
	struct capability_sets sets = {0};

	if (sets_get(&sets))
		return;
	sets.permitted &= ~given_up;
	sets.effective &= ~given_up;
	sets.inheritable = 0;
	(void)sets_put(&sets); /* Fewer capabilities are always permitted. */
}

int privileges_become(uid_t user, gid_t group, uint64_t kept)
{
	struct capability_sets sets = {0};
	int error = sets_get(&sets);

	if (!error && prctl(PR_SET_KEEPCAPS, 1UL, 0UL, 0UL, 0UL))
		error = -errno;
	if (!error &&
	    (setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user)))
		error = -errno;
	(void)prctl(PR_SET_KEEPCAPS, 0UL, 0UL, 0UL, 0UL);
	/* The change of the user has cleared the effective capabilities: set them again. */
	sets.permitted &= kept;
	sets.effective = sets.permitted;
	sets.inheritable = 0;
	return error ? error : sets_put(&sets);
}

void privileges_bound(uint64_t kept)
{
	for (unsigned int i = 0; i < CAPABILITIES_MAX; i++) {
		if (kept & bit(i))
			continue;
		if (prctl(PR_CAPBSET_DROP, (unsigned long)i, 0UL, 0UL, 0UL))
			return; /* no CAP_SETPCAP, or i is above the last capability */
	}
}

static int drop_to(struct privileges *privileges, struct capability_sets *sets)
{
	int error;

	/* Must be called before CAP_SETPCAP is dropped. */
	privileges_bound(sets->effective);
	sets->permitted = sets->effective;
	sets->inheritable = 0;
	error = sets_put(sets);
	if (error)
		return error;
	/* Kernels before 4.3 have no ambient set; there the call fails harmlessly. */
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL))
		return -errno;
	privileges->kept = sets->permitted;
	privileges->dropped = true;
	return 0;
}

int privileges_drop(struct privileges *privileges, const struct privileges_needs *needs,
		    struct diag *diag)
{
	bool knows_perfmon = prctl(PR_CAPBSET_READ, (unsigned long)CAP_PERFMON, 0UL, 0UL, 0UL) >= 0;
	struct capability_sets before = {0}, sets;
	int error = sets_get(&before);

	memset(privileges, 0, sizeof(*privileges));
	if (error)
		return diag_set(diag, error, "cannot read the daemon's capabilities: %s",
				strerror(-error));
	privileges->kept = before.permitted;
	if (needs->everything)
		return 0;
	privileges->needs_admin = !knows_perfmon;
	sets = before;
	sets.effective =
		before.permitted & privileges_wanted(needs, raise_lock_limit(), knows_perfmon);
	/*
	 * First test the privileges. Then keep CAP_SETPCAP effective until drop_to has set the
	 * bounding set.
	 */
	error = try_effective(&sets, needs->whole_machine, &privileges->needs_admin);
	if (!error) {
		struct capability_sets all = sets;

		all.effective = before.effective;
		error = sets_put(&all);
	}
	if (!error)
		error = drop_to(privileges, &sets);
	if (!error)
		return 0;
	(void)sets_put(&before);
	return diag_set(diag, error, "cannot drop privileges: %s (--keep-privileges keeps them)",
			strerror(-error));
}

bool privileges_has(const struct privileges *privileges, unsigned int capability)
{
	return privileges->kept & bit(capability);
}

void privileges_format(const struct privileges *privileges, char *text)
{
	size_t used = 0;

	text[0] = '\0';
	if (!privileges->dropped && privileges->kept) {
		(void)snprintf(text, PRIVILEGES_TEXT_BYTES, "all");
		return;
	}
	for (size_t i = 0; i < NR_NAMES; i++)
		if (privileges_has(privileges, capability_names[i].capability))
			used += (size_t)snprintf(text + used, PRIVILEGES_TEXT_BYTES - used, "%s%s",
						 used ? "," : "", capability_names[i].name);
	if (!used)
		(void)snprintf(text, PRIVILEGES_TEXT_BYTES, "none");
}
