// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/prompt_mount.h"

#include "lib/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOUNTS_BYTES_MAX (8u << 20)
#define FDINFO_BYTES_MAX 4096u

/* A field of a line, without a NUL at its end. */
struct word {
	const char *text;
	size_t nr_bytes;
};

/* The line is "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS ... - KIND SOURCE OPTIONS". */
struct mount_line {
	int64_t id;
	struct word device, point, kind;
};

static bool is_word(struct word word, const char *text)
{
	return word.nr_bytes == strlen(text) && !memcmp(word.text, text, word.nr_bytes);
}

static bool is_same(struct word a, struct word b)
{
	return a.nr_bytes == b.nr_bytes && !memcmp(a.text, b.text, a.nr_bytes);
}

static struct word word_at(const char *text)
{
	return (struct word){text, strcspn(text, " \n")};
}

static bool line_parse(const char *text, struct mount_line *line)
{
	size_t nr_bytes = strcspn(text, "\n");
	const char *kind = memmem(text, nr_bytes, " - ", 3);
	struct word words[5];

	for (int i = 0; i < 5; i++) {
		words[i] = word_at(text);
		text += words[i].nr_bytes;
		if (*text != ' ')
			return false;
		text++;
	}
	if (!kind)
		return false;
	line->id = strtoll(words[0].text, NULL, 10);
	line->device = words[2];
	line->point = words[4];
	line->kind = word_at(kind + 3);
	return true;
}

/* Parses the next valid line of *text, and sets *text to the line after it. */
static bool line_next(const char **text, struct mount_line *line)
{
	while (**text) {
		bool found = line_parse(*text, line);

		*text += strcspn(*text, "\n");
		*text += **text == '\n';
		if (found)
			return true;
	}
	return false;
}

static bool find_id(const char *mounts, int64_t id, struct mount_line *found)
{
	while (line_next(&mounts, found))
		if (found->id == id)
			return true;
	return false;
}

/*
 * Returns whether `mounts` contains the file system of the device, mounted at point (NULL:
 * anywhere).
 */
static bool has_device(const char *mounts, struct word device, const char *point)
{
	struct mount_line line;

	while (line_next(&mounts, &line))
		if (is_same(line.device, device) && (!point || is_word(line.point, point)))
			return true;
	return false;
}

/*
 * Returns whether kind is a kind of file system that is in memory, or that is on a local disk and
 * cannot be mounted by an unprivileged user.
 */
static bool is_prompt_kind(struct word kind)
{
	static const char *const kinds[] = {"ext4",	"xfs",	"btrfs",    "tmpfs", "ramfs",
					    "ext2",	"ext3", "f2fs",	    "zfs",   "bcachefs",
					    "reiserfs", "jfs",	"squashfs", "erofs"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_word(kind, kinds[i]))
			return true;
	return false;
}

bool prompt_mount_find(const char *mounts, const char *own_mounts, bool own_user, int64_t id)
{
	struct mount_line line;

	if (!find_id(mounts, id, &line) && !find_id(own_mounts, id, &line))
		return false;
	if (is_prompt_kind(line.kind) || has_device(own_mounts, line.device, "/"))
		return true;
	return is_word(line.kind, "overlay") &&
	       (own_user || has_device(own_mounts, line.device, NULL));
}

/* ---- processes ---- */

int64_t prompt_mount_id(int fd)
{
	static const char key[] = "mnt_id:";
	const char *found;
	char path[64];
	int64_t id = -1;
	char *text;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (file_read_text(path, FDINFO_BYTES_MAX, &text, NULL))
		return -1;
	found = strstr(text, key);
	if (found)
		id = strtoll(found + strlen(key), NULL, 10);
	free(text);
	return id;
}

static char *read_of_process(const char *proc_path, int32_t pid, const char *name)
{
	char path[PATH_MAX];
	char *text;

	if (snprintf(path, sizeof(path), "%s/%" PRId32 "/%s", proc_path, pid, name) >=
		    (int)sizeof(path) ||
	    file_read_text(path, MOUNTS_BYTES_MAX, &text, NULL))
		return NULL;
	return text;
}

/*
 * Returns whether the process is in the daemon's user namespace. Only users with privileges on this
 * machine can have made the mounts of such a process.
 */
static bool has_own_user(const char *proc_path, int32_t pid)
{
	char path[PATH_MAX];
	struct stat own, its;

	return snprintf(path, sizeof(path), "%s/%" PRId32 "/ns/user", proc_path, pid) <
		       (int)sizeof(path) &&
	       !stat(path, &its) && !stat("/proc/self/ns/user", &own) && its.st_ino == own.st_ino &&
	       its.st_dev == own.st_dev;
}

/* Returns whether `id` is the mount of the daemon's root. In a chroot, mountinfo may lack it. */
static bool is_own_root(int64_t id)
{
	const int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const bool is = fd >= 0 && id >= 0 && prompt_mount_id(fd) == id;

	if (fd >= 0)
		(void)close(fd);
	return is;
}

bool prompt_mount_is(const char *proc_path, int32_t pid, int64_t id)
{
	char *mounts, *own_mounts;
	bool is = false;

	if (is_own_root(id))
		return true;
	mounts = read_of_process(proc_path, pid, "mountinfo");
	if (!file_read_text("/proc/self/mountinfo", MOUNTS_BYTES_MAX, &own_mounts, NULL)) {
		is = prompt_mount_find(mounts ? mounts : "", own_mounts,
				       has_own_user(proc_path, pid), id);
		free(own_mounts);
	}
	free(mounts);
	return is;
}
