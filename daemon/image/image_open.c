// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/image_open.h"

#include "daemon/image/image_alias.h"
#include "lib/buildid.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAPS_BYTES_MAX (64u << 20)

static int open_at(int dir_fd, const char *path, bool in_root)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	long fd = -1;

	errno = ENOSYS;
	if (in_root)
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	if (fd >= 0 || errno != ENOSYS)
		return (int)fd;
	/*
	 * Before Linux 5.6 there is no openat2(). The kernel reported the path, so it contains no
	 * links.
	 */
	return openat(dir_fd, in_root ? path + 1 : path, O_PATH | O_CLOEXEC);
}

/*
 * Opens a regular file for reading. Other files are not opened, since opening a device may have
 * side effects. Returns -1 if path is not a regular file.
 */
static int open_regular(int dir_fd, const char *path, bool in_root)
{
	int path_fd = open_at(dir_fd, path, in_root);
	char self[64];
	struct stat st;
	int fd = -1;

	if (path_fd < 0)
		return -1;
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	if (!fstat(path_fd, &st) && S_ISREG(st.st_mode))
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	(void)close(path_fd);
	return fd;
}

static bool is_build(int fd, const struct oprof_image_identity *identity)
{
	struct buildid id;

	return !buildid_read_fd(fd, &id) && id.nr_bytes == identity->nr_build_id &&
	       !memcmp(id.bytes, identity->build_id, id.nr_bytes);
}

/*
 * Returns whether the file at fd is the image. stat() may report another device than mappings have
 * (btrfs, overlays). If the image has no build-id and the device differs, all other fields must be
 * equal, or the file must have been opened through the mapping itself.
 */
static bool is_image(int fd, const struct oprof_image_identity *identity, bool by_mapping)
{
	struct stat st;
	bool same_times;

	if (identity->nr_build_id)
		return is_build(fd, identity);
	if (fstat(fd, &st) || st.st_ino != identity->inode)
		return false;
	if (identity->size_bytes && identity->size_bytes != (uint64_t)st.st_size)
		return false;
	same_times =
		identity->mtime_ns == st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	if (identity->mtime_ns && !same_times)
		return false;
	return by_mapping || (same_times && identity->size_bytes) ||
	       image_alias_dev(major(st.st_dev), minor(st.st_dev)) == identity->dev;
}

/* Opens the file at path if it is the image; otherwise returns -1. */
static int open_image_at(const struct keeper_request *request, int dir_fd, const char *path,
			 bool in_root, bool by_mapping)
{
	int fd = open_regular(dir_fd, path, in_root);

	if (fd >= 0 && !is_image(fd, &request->identity, by_mapping)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* Opens the image by its path below the root of the process. */
static int open_in_root(const char *proc_path, const struct keeper_request *request, int32_t pid)
{
	char root[PATH_MAX];
	int root_fd, fd;

	if (request->text[0] != '/' ||
	    snprintf(root, sizeof(root), "%s/%d/root", proc_path, (int)pid) >= (int)sizeof(root))
		return -1;
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -1;
	fd = open_image_at(request, root_fd, request->text, true, false);
	(void)close(root_fd);
	return fd;
}

/*
 * Writes "START-END", the range of the mapping that contains address, to `name`, in the format of
 * maps and map_files.
 */
static bool mapping_name(const char *maps, uint64_t address, char *name, size_t nr_bytes)
{
	const char *line = maps;

	while (line && *line) {
		char *next;
		uint64_t from = strtoull(line, &next, 16);
		uint64_t to = *next ? strtoull(next + 1, NULL, 16) : 0;

		if (address >= from && address < to)
			return snprintf(name, nr_bytes, "%" PRIx64 "-%" PRIx64, from, to) <
			       (int)nr_bytes;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

static bool is_path(const char *text, const char *path)
{
	size_t nr = strlen(path);

	/* The kernel writes the path at the end of the line. */
	return !strncmp(text, path, nr) &&
	       (text[nr] == '\n' || !strncmp(text + nr, " (deleted)\n", 11));
}

/* Writes "START-END" of the first mapping of the file with this path to `name`. */
static bool mapping_name_of_file(const char *maps, const char *path, char *name, size_t nr_bytes)
{
	const char *line = maps;

	while (line && *line) {
		const char *text = line + strcspn(line, "/\n");
		int nr = (int)strcspn(line, " \n");

		if (*text == '/' && is_path(text, path))
			return snprintf(name, nr_bytes, "%.*s", nr, line) < (int)nr_bytes;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

/* Opens the image through the mapping itself, which works even if the path was removed. */
static int open_mapped(const char *proc_path, const struct keeper_request *request, int32_t pid)
{
	char path[PATH_MAX], name[64];
	char *maps;
	bool found;

	if (snprintf(path, sizeof(path), "%s/%d/maps", proc_path, (int)pid) >= (int)sizeof(path) ||
	    file_read_text(path, MAPS_BYTES_MAX, &maps, NULL))
		return -1;
	found = request->address ? mapping_name(maps, request->address, name, sizeof(name))
				 : mapping_name_of_file(maps, request->text, name, sizeof(name));
	free(maps);
	if (!found || snprintf(path, sizeof(path), "%s/%d/map_files/%s", proc_path, (int)pid,
			       name) >= (int)sizeof(path))
		return -1;
	return open_image_at(request, AT_FDCWD, path, false, true);
}

/* Opens the program through /proc/PID/exe, which needs one capability less than map_files. */
static int open_program(const char *proc_path, const struct keeper_request *request, int32_t pid)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%d/exe", proc_path, (int)pid) >= (int)sizeof(path))
		return -1;
	return open_image_at(request, AT_FDCWD, path, false, true);
}

/* Duplicates the descriptor that came with the request, if it is the image. */
static int open_given(const struct keeper_request *request, int given_fd)
{
	struct stat st;

	if (given_fd < 0 || fstat(given_fd, &st) || !S_ISREG(st.st_mode) ||
	    !is_image(given_fd, &request->identity, true))
		return -1;
	return fcntl(given_fd, F_DUPFD_CLOEXEC, 0);
}

int image_open(const char *proc_path, const struct keeper_request *request, int given_fd)
{
	const int32_t *pids = request->pids;
	int fd = open_given(request, given_fd);

	if (fd < 0 && pids[0] > 0) {
		fd = open_in_root(proc_path, request, pids[0]);
		if (fd < 0)
			fd = open_mapped(proc_path, request, pids[0]);
		if (fd < 0)
			fd = open_program(proc_path, request, pids[0]);
	}
	for (int i = 1; i < KEEPER_PIDS && fd < 0 && pids[i] > 0; i++)
		fd = open_in_root(proc_path, request, pids[i]);
	return fd;
}

int image_open_path(const struct keeper_request *request)
{
	return request->text[0] == '/'
		       ? open_image_at(request, AT_FDCWD, request->text, false, false)
		       : -1;
}
