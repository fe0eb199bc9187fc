// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/daemon_child.h"

#include "daemon/system/privileges.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For kernel headers before Linux 5.9. */
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

enum { SOCKET = 3 };

/* Fields of /proc/PID/stat: utime, stime, cutime and cstime follow each other. */
enum { STAT_PPID = 4, STAT_UTIME = 14, STAT_CSTIME = 17 };

static void let_go_of_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < SOCKET && null >= 0; fd++)
		(void)dup2(null, fd);
	if (null >= SOCKET && null != SOCKET)
		(void)close(null);
}

/* In /proc/self/maps, the lines of shared memory begin with "START-END rwxs". */
static void unmap_shared(const void *kept)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		char *next;
		const uintptr_t start = strtoul(line, &next, 16);
		const uintptr_t end = *next == '-' ? strtoul(next + 1, &next, 16) : start;
		const bool is_kept = start <= (uintptr_t)kept && (uintptr_t)kept < end;
		void *map;

		memcpy(&map, &start, sizeof(map));
		if (start < end && strlen(next) > 4 && next[4] == 's' && !is_kept)
			(void)munmap(map, end - start);
	}
	free(line);
	if (file)
		(void)fclose(file);
}

int daemon_child_begin(const char *name, int fd, const void *shared, pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	(void)prctl(PR_SET_NAME, name);
	if (fd != SOCKET && dup2(fd, SOCKET) < 0)
		_exit(1);
	(void)syscall(SYS_close_range, SOCKET + 1, ~0U, 0);
	let_go_of_terminal();
	unmap_shared(shared);
	return SOCKET;
}

uint64_t daemon_child_bit(unsigned int capability)
{
	return UINT64_C(1) << capability;
}

uint64_t daemon_child_map_files(void)
{
	/* The capability exists since Linux 5.9. On older kernels map_files needs CAP_SYS_ADMIN. */
	if (prctl(PR_CAPBSET_READ, (unsigned long)CAP_CHECKPOINT_RESTORE, 0UL, 0UL, 0UL) >= 0)
		return daemon_child_bit(CAP_CHECKPOINT_RESTORE);
	return daemon_child_bit(CAP_SYS_ADMIN);
}

void daemon_child_keep(uint64_t kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	privileges_bound(kept);
	if (syscall(SYS_capget, &header, data))
		return;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(kept >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	(void)syscall(SYS_capset, &header, data);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

/*
 * Reads /proc/PID/stat. Returns the third field, the state, in text; "" if the process does not
 * exist.
 */
static char *stat_read(pid_t pid, char *text, size_t nr_bytes)
{
	char path[64], *name_end;
	ssize_t nr = -1;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		nr = read(fd, text, nr_bytes - 1);
		(void)close(fd);
	}
	text[nr < 0 ? 0 : nr] = '\0';
	name_end = strrchr(text, ')');
	if (name_end && name_end[1] == ' ')
		return name_end + 2;
	*text = '\0';
	return text;
}

bool daemon_child_runs(pid_t pid)
{
	char text[512];

	return *stat_read(pid, text, sizeof(text)) == 'R';
}

uint64_t daemon_child_cpu_ns(pid_t pid)
{
	const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t nr_ticks = 0;
	char text[512], *next = stat_read(pid, text, sizeof(text));

	if (!*next++)
		return 0;
	for (int field = STAT_PPID; field <= STAT_CSTIME; field++) {
		const uint64_t value = strtoull(next, &next, 10);

		if (field == STAT_PPID && value != (uint64_t)getpid())
			return 0;
		if (field >= STAT_UTIME)
			nr_ticks += value;
	}
	return nr_ticks * tick_ns;
}
