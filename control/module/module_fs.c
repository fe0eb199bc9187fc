// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/module/module_fs.h"

#include "lib/file.h"
#include "lib/number.h"
#include "oprof/kmod.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define NR_USERS_SHOWN 3
#define NAME_BYTES     64

bool module_fs_is_loaded(const char *root)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/sys/module/%s", root, OPROF_KMOD_MODULE);
	return !access(path, F_OK);
}

/*
 * Only the last mount at folder counts, because a later filesystem may cover the module's
 * filesystem.
 */
bool module_fs_is_mounted(const char *root, const char *folder)
{
	char path[PATH_MAX];
	const struct mntent *mount;
	bool mounted = false;
	FILE *mounts;

	(void)snprintf(path, sizeof(path), "%s/proc/self/mounts", root);
	mounts = setmntent(path, "re");
	if (!mounts)
		return false;
	while ((mount = getmntent(mounts))) {
		if (!strcmp(mount->mnt_dir, folder))
			mounted = !strcmp(mount->mnt_type, OPROF_KMOD_FS_TYPE);
	}
	(void)endmntent(mounts);
	return mounted;
}

int module_fs_mount(const char *folder, struct diag *diag)
{
	int error;

	if (module_fs_is_mounted("", folder))
		return 0;
	error = file_make_dirs(folder, 0755);
	if (error)
		return diag_set(diag, error,
				"cannot create %s for the module's control filesystem: %s", folder,
				strerror(-error));
	if (mount(OPROF_KMOD_FS_TYPE, folder, OPROF_KMOD_FS_TYPE, MS_NOSUID | MS_NOEXEC | MS_NODEV,
		  NULL)) {
		error = -errno;
		/* Another --init has mounted the filesystem concurrently. */
		if (error == -EBUSY && module_fs_is_mounted("", folder))
			return 0;
		return diag_set(diag, error,
				"cannot mount the module's control filesystem at %s: %s", folder,
				strerror(-error));
	}
	return 0;
}

/* Also removes the folder, even if it existed before the mount. */
int module_fs_unmount(const char *folder, struct diag *diag)
{
	char users[512];
	int error;

	if (!module_fs_is_mounted("", folder))
		return 0;
	if (!umount2(folder, UMOUNT_NOFOLLOW)) {
		(void)rmdir(folder);
		return 0;
	}
	error = -errno;
	module_fs_users("", folder, users, sizeof(users));
	if (error == -EBUSY && users[0])
		return diag_set(diag, error,
				"cannot unmount %s: it is in use by %s, which must end first",
				folder, users);
	return diag_set(diag, error, "cannot unmount %s: %s", folder, strerror(-error));
}

int module_fs_version(const char *folder)
{
	char path[PATH_MAX];
	uint64_t version;
	char *text;
	int error;

	(void)snprintf(path, sizeof(path), "%s/version", folder);
	error = file_read_text(path, 32, &text, NULL);
	if (error)
		return error;
	text[strcspn(text, "\n")] = '\0';
	error = number_parse(text, INT_MAX, &version);
	free(text);
	return error ? error : (int)version;
}

/* Returns whether the symbolic link leads to folder or to a file below it. */
static bool link_leads(const char *link, const char *folder)
{
	char target[PATH_MAX];
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	size_t nr = strlen(folder);

	if (length < 0)
		return false;
	target[length] = '\0';
	return !strncmp(target, folder, nr) && (!target[nr] || target[nr] == '/');
}

static bool process_uses(const char *process, const char *folder)
{
	char path[PATH_MAX + NAME_MAX + 8];
	const struct dirent *entry;
	bool uses;
	DIR *fds;

	(void)snprintf(path, sizeof(path), "%s/cwd", process);
	uses = link_leads(path, folder);
	(void)snprintf(path, sizeof(path), "%s/fd", process);
	fds = opendir(path);
	while (fds && !uses && (entry = readdir(fds))) {
		(void)snprintf(path, sizeof(path), "%s/fd/%s", process, entry->d_name);
		uses = link_leads(path, folder);
	}
	if (fds)
		(void)closedir(fds);
	return uses;
}

static void process_name(const char *process, char name[NAME_BYTES])
{
	char path[PATH_MAX];
	char *text;

	(void)snprintf(name, NAME_BYTES, "?");
	if (snprintf(path, sizeof(path), "%s/comm", process) >= PATH_MAX ||
	    file_read_text(path, NAME_BYTES, &text, NULL))
		return;
	(void)snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

/* Lists the users of folder among the processes in proc, a /proc folder. */
static void list_users(const char *proc, DIR *processes, const char *folder, char *text,
		       size_t nr_bytes)
{
	const struct dirent *entry;
	size_t used = 0;
	int nr = 0;

	while (used < nr_bytes && nr <= NR_USERS_SHOWN && (entry = readdir(processes))) {
		char process[PATH_MAX];
		char name[NAME_BYTES];

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    snprintf(process, sizeof(process), "%s/%s", proc, entry->d_name) >= PATH_MAX ||
		    !process_uses(process, folder))
			continue;
		process_name(process, name);
		if (nr++ == NR_USERS_SHOWN)
			(void)snprintf(text + used, nr_bytes - used, " and others");
		else
			used += (size_t)snprintf(text + used, nr_bytes - used, "%sprocess %s (%s)",
						 used ? ", " : "", entry->d_name, name);
	}
}

void module_fs_users(const char *root, const char *folder, char *text, size_t nr_bytes)
{
	char proc[PATH_MAX];
	DIR *processes;

	text[0] = '\0';
	(void)snprintf(proc, sizeof(proc), "%s/proc", root);
	processes = opendir(proc);
	if (!processes)
		return;
	list_users(proc, processes, folder, text, nr_bytes);
	(void)closedir(processes);
}
