// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctf/file.h"

#include "ctf/packed.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static int open_packed_name(int folder_fd, const char *name)
{
	char packed[NAME_MAX + 1];

	if ((size_t)snprintf(packed, sizeof(packed), "%s" CTF_PACKED_SUFFIX, name) >=
	    sizeof(packed))
		return -ENOENT;
	const int fd = openat(folder_fd, packed, OPEN_FLAGS);

	return fd < 0 ? -errno : fd;
}

static int take_fd(struct ctf_file *file, int fd, bool is_packed, uint64_t *nr_long_bytes,
		   const char **fault)
{
	struct stat st;
	int error;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		*fault = "is not a regular file";
		return -EINVAL;
	}
	if (!is_packed) {
		*file = (struct ctf_file){.fd = fd, .nr_bytes = (uint64_t)st.st_size};
		return 0;
	}
	error = ctf_packed_open(&file->packed, fd, nr_long_bytes);
	if (error == -EINVAL)
		*fault = "is incomplete, or was not compressed by oprof: zstd -d decompresses a "
			 "file that is complete";
	if (error)
		return error;
	file->fd = -1;
	file->nr_bytes = ctf_packed_bytes(file->packed);
	return 0;
}

int ctf_file_open(struct ctf_file *file, int folder_fd, const char *name, uint64_t *nr_long_bytes,
		  const char **fault)
{
	int fd = openat(folder_fd, name, OPEN_FLAGS);
	bool is_packed = false;
	int error;

	*file = (struct ctf_file){.fd = -1};
	if (fd < 0)
		fd = -errno;
	/* The program that compresses a file creates name.zst before it removes name. */
	if (fd == -ENOENT) {
		is_packed = true;
		fd = open_packed_name(folder_fd, name);
	}
	if (fd < 0) {
		*fault = fd == -ELOOP ? "symbolic links are not followed" : strerror(-fd);
		return fd;
	}
	*fault = NULL;
	error = take_fd(file, fd, is_packed, nr_long_bytes, fault);
	if (error) {
		if (!*fault)
			*fault = strerror(-error);
		(void)close(fd);
	}
	return error;
}

void ctf_file_close(struct ctf_file *file)
{
	ctf_packed_close(file->packed);
	if (file->fd >= 0)
		(void)close(file->fd);
	*file = (struct ctf_file){.fd = -1};
}

ssize_t ctf_file_pread(const struct ctf_file *file, void *bytes, size_t nr_bytes, uint64_t offset)
{
	if (file->packed)
		return ctf_packed_pread(file->packed, bytes, nr_bytes, offset);
	return file_pread_all(file->fd, bytes, nr_bytes, (off_t)offset);
}

uint64_t ctf_file_skip_hole(const struct ctf_file *file, uint64_t at)
{
	off_t data;

	if (file->packed)
		return at;
	data = lseek(file->fd, (off_t)at, SEEK_DATA);
	if (data < 0) /* no data follows, or the file system does not support SEEK_DATA */
		return errno == ENXIO ? file->nr_bytes : at;
	return (uint64_t)data;
}
