// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jit/code_file.h"

#include "daemon/system/prompt_mount.h"
#include "daemon/system/run_user.h"
#include "lib/clock.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATUS_BYTES_MAX 65536u
/*
 * Tolerance when times are compared: the times of files have the resolution of a clock tick, and
 * the clock may be stepped a little.
 */
#define SLACK_NS INT64_C(1000000000)

#define UID_UNKNOWN ((uid_t)-1) /* no file has this owner */

/* ---- the process ---- */

void code_owner_init(struct code_owner *owner, int32_t tgid)
{
	*owner = (struct code_owner){.tgid = tgid, .inner_pid = tgid};
	for (unsigned int i = 0; i < CODE_OWNER_UIDS; i++)
		owner->uids[i] = run_user_is_system() ? UID_UNKNOWN : geteuid();
}

int64_t code_owner_earliest(uint64_t since_ns, const struct code_clocks *clocks)
{
	int64_t age_ns = clocks->mono_ns - (int64_t)since_ns;
	int64_t suspended_ns = clocks->boot_ns - clocks->mono_ns;

	return clocks->real_ns - age_ns - suspended_ns;
}

void code_owner_set_since(struct code_owner *owner, uint64_t since_ns)
{
	const struct code_clocks clocks = {
		.real_ns = clock_realtime_ns(),
		.mono_ns = (int64_t)clock_ns(CLOCK_MONOTONIC),
		.boot_ns = (int64_t)clock_ns(CLOCK_BOOTTIME),
	};

	if (since_ns)
		owner->since_ns = code_owner_earliest(since_ns, &clocks);
}

static char *read_of_process(const struct code_owner *owner, const char *proc_path,
			     const char *name)
{
	char path[PATH_MAX];
	char *text;

	if (snprintf(path, sizeof(path), "%s/%d/%s", proc_path, (int)owner->tgid, name) >=
		    (int)sizeof(path) ||
	    file_read_text(path, STATUS_BYTES_MAX, &text, NULL))
		return NULL;
	return text;
}

/* Returns the value after key ("KEY:") at the beginning of a line of text, or NULL. */
static const char *find_value(const char *text, const char *key)
{
	const char *found = text;

	while ((found = strstr(found, key))) {
		if (found == text || found[-1] == '\n')
			return found + strlen(key);
		found++;
	}
	return NULL;
}

/* The lines are "Uid:\tREAL\tEFFECTIVE\tSAVED\tFILE-SYSTEM" and "NSpid:\tOUTER\t...\tINNER". */
static int status_parse(const char *text, struct code_owner *owner)
{
	const char *uids = find_value(text, "Uid:");
	const char *pids = find_value(text, "NSpid:");
	struct code_owner read = *owner;
	char *end;

	for (unsigned int i = 0; i < CODE_OWNER_UIDS; i++) {
		read.uids[i] = uids ? (uid_t)strtoul(uids, &end, 10) : 0;
		if (!uids || end == uids)
			return -EINVAL;
		uids = end;
	}
	while (pids && *pids == '\t') {
		long pid = strtol(pids, &end, 10);

		if (end == pids || pid <= 0 || pid > INT32_MAX)
			break;
		read.inner_pid = (int32_t)pid;
		pids = end;
	}
	*owner = read;
	return 0;
}

/*
 * Returns the CLOCK_REALTIME at which the process was created, from field 22 (in ticks since boot);
 * 0: not known. Fields are counted from the last ')', which ends the process's name, since the name
 * may contain any characters.
 */
static int64_t stat_since(const char *text)
{
	const char *next = strrchr(text, ')');
	long hz = sysconf(_SC_CLK_TCK);
	unsigned long long ticks;

	for (int i = 0; next && i < 20; i++)
		next = strchr(next + 1, ' ');
	if (!next || hz <= 0)
		return 0;
	ticks = strtoull(next, NULL, 10);
	return clock_realtime_ns() - ((int64_t)clock_ns(CLOCK_BOOTTIME) -
				      (int64_t)(ticks % INT32_MAX) * (1000000000 / (int64_t)hz));
}

int code_owner_read(struct code_owner *owner, const char *proc_path, uint64_t since_ns)
{
	char *text = read_of_process(owner, proc_path, "status");
	int64_t began_ns;
	int error;

	if (!text)
		return -ESRCH;
	error = status_parse(text, owner);
	free(text);
	if (error)
		return error;
	text = read_of_process(owner, proc_path, "stat");
	began_ns = text ? stat_since(text) : 0;
	free(text);
	if (!since_ns && began_ns)
		owner->since_ns = began_ns;
	code_owner_set_since(owner, since_ns);
	/* The process cannot have run its program before it was created. */
	if (owner->since_ns < began_ns)
		owner->since_ns = began_ns;
	return 0;
}

/* ---- the file ---- */

/*
 * In a mount namespace of their own, users can mount any file of root at the path of a perf map,
 * even a file that they may not read. The reports would then show the lines of this file as names.
 * Therefore, for a process of another user, a file of root is accepted only if everybody may read
 * it.
 */
static bool is_of(const struct code_owner *owner, const struct stat *st)
{
	bool own = st->st_uid == 0 && (st->st_mode & S_IROTH);

	for (unsigned int i = 0; i < CODE_OWNER_UIDS; i++)
		own = own || st->st_uid == owner->uids[i];
	return own && S_ISREG(st->st_mode) &&
	       (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec + SLACK_NS >=
		       owner->since_ns;
}

/* A position in a walk along a path: a folder, or the file at the end of the path. */
struct folder_step {
	const struct code_root *root;
	int fd;
	int64_t mount; /* number of fd's mount, from which reads do not block (prompt_mount.h) */
};

/* Moves the step to fd, and takes ownership of fd, also after an error. */
static int step_to(struct folder_step *step, int fd)
{
	int64_t mount = prompt_mount_id(fd);

	if (step->fd >= 0)
		(void)close(step->fd);
	step->fd = fd;
	/*
	 * Only a daemon that works for all users checks the mount. An unprivileged user's daemon
	 * may block, which harms only that user.
	 */
	if (run_user_is_system() && (mount < 0 || mount != step->mount) &&
	    !prompt_mount_is(step->root->proc_path, step->root->pid, mount))
		return -EREMOTE;
	step->mount = mount;
	return 0;
}

static int step_begin(struct folder_step *step)
{
	const struct code_root *root = step->root;
	char path[PATH_MAX];
	int fd;

	if (root->path)
		(void)snprintf(path, sizeof(path), "%s", root->path);
	else
		(void)snprintf(path, sizeof(path), "%s/%d/root", root->proc_path, (int)root->pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : step_to(step, fd);
}

/*
 * Moves the step to the first part of *path, and *path to the part after it. After the last part,
 * *path is empty.
 */
static int step_down(struct folder_step *step, const char **path)
{
	char part[NAME_MAX + 1];
	size_t nr = strcspn(*path, "/");
	int fd;

	if (nr > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(part, *path, nr);
	part[nr] = '\0';
	*path += nr;
	*path += strspn(*path, "/");
	if (!strcmp(part, ".."))
		return -EPERM;
	fd = openat(step->fd, part, O_PATH | O_NOFOLLOW | O_CLOEXEC | (**path ? O_DIRECTORY : 0));
	return fd < 0 ? -errno : step_to(step, fd);
}

/*
 * Walks the path part by part, because a symbolic link in it would lead into the daemon's root
 * instead of the root of the process. Each part is opened with O_PATH and checked before it is
 * used, because opening a device may block or have side effects. Even looking up a name may block.
 */
static int find_file(const struct code_root *root, const char *path)
{
	struct folder_step step = {root, -1, -1};
	int error = step_begin(&step);

	path += strspn(path, "/");
	while (!error && *path)
		error = step_down(&step, &path);
	if (error && step.fd >= 0)
		(void)close(step.fd);
	return error ? error : step.fd;
}

int code_file_open(const struct code_root *root, const char *path, const struct code_owner *owner,
		   struct stat *st)
{
	char name[64];
	int place = find_file(root, path);
	int fd;

	if (place < 0)
		return place;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	if (fstat(place, st))
		fd = -errno;
	else if (!is_of(owner, st))
		fd = -EPERM;
	else
		fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd == -1)
		fd = -errno;
	(void)close(place);
	return fd;
}
