/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the bytes of a stream's file, whether or not it is compressed (ctf/packed.h). */
#ifndef CTF_FILE_H
#define CTF_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ctf_packed;

struct ctf_file {
	int fd;			   /* -1: the file is compressed, or no file is open */
	struct ctf_packed *packed; /* NULL: the file is not compressed */
	uint64_t nr_bytes;	   /* uncompressed size at opening; later bytes are not read */
};

/*
 * Opens name in the folder or, if name does not exist, name.zst. Does not block, even if name is a
 * pipe or a device. Returns 0; -EINVAL: not a regular file, or compressed in another way than
 * ctf/packed.h describes; -ELOOP: a symbolic link; or another -errno. After an error, *fault
 * describes it. nr_long_bytes is used as in ctf_packed_open.
 */
int ctf_file_open(struct ctf_file *file, int folder_fd, const char *name, uint64_t *nr_long_bytes,
		  const char **fault);
void ctf_file_close(struct ctf_file *file);

/*
 * Like file_pread_all, but for the uncompressed bytes. -EBADMSG: the file is compressed and
 * damaged.
 */
ssize_t ctf_file_pread(const struct ctf_file *file, void *bytes, size_t nr_bytes, uint64_t offset);

/*
 * If `at` is in a hole of the file, returns the offset at which the hole ends, or the file's size
 * if no data follows. Otherwise returns `at`.
 */
uint64_t ctf_file_skip_hole(const struct ctf_file *file, uint64_t at);

#endif
