/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the bytes of a stream's file, plain or compressed (ctf/packed.h). */
#ifndef CTF_FILE_H
#define CTF_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ctf_packed;

struct ctf_file {
	int fd;			   /* -1: the file is compressed, or none is open */
	struct ctf_packed *packed; /* NULL: the file is not compressed */
	uint64_t nr_bytes;	   /* uncompressed size at opening; no bytes beyond it are read */
};

/*
 * Opens name in the folder or, if name does not exist, name.zst. Does not block, even if name is a
 * pipe or a device. Returns 0; -EINVAL: not a regular file, or not compressed as ctf/packed.h
 * describes; -ELOOP: a symbolic link; or another -errno. On error, *fault describes the fault. For
 * nr_long_bytes see ctf_packed_open.
 */
int ctf_file_open(struct ctf_file *file, int folder_fd, const char *name, uint64_t *nr_long_bytes,
		  const char **fault);
void ctf_file_close(struct ctf_file *file);

/* As file_pread_all, of the uncompressed bytes. -EBADMSG: the file is compressed and damaged. */
ssize_t ctf_file_pread(const struct ctf_file *file, void *bytes, size_t nr_bytes, uint64_t offset);

/* Returns the first offset >= at that is not in a hole of the file, or the file's size. */
uint64_t ctf_file_skip_hole(const struct ctf_file *file, uint64_t at);

#endif
