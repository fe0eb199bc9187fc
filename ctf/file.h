/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a stream's file, whether it is compressed (ctf/packed.h) or not. */
#ifndef CTF_FILE_H
#define CTF_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ctf_packed;

struct ctf_file {
	int fd;			   /* -1: of a compressed one, or none */
	struct ctf_packed *packed; /* NULL: it is not compressed */
	uint64_t nr_bytes;	   /* at its opening; nothing is read behind */
};

/*
 * folder's file name or, if there is none, name.zst. Never waits: what is
 * there need not be a file. -EINVAL: it is none, or not compressed as it
 * ought to be (*fault says which, and what to do); -ELOOP: a symbolic link;
 * -errno. nr_long_bytes as ctf_packed_open's.
 */
int ctf_file_open(struct ctf_file *file, int folder_fd, const char *name, uint64_t *nr_long_bytes,
		  const char **fault);
void ctf_file_close(struct ctf_file *file);

/* As file_pread_all. -EBADMSG: damaged, being compressed. */
ssize_t ctf_file_pread(const struct ctf_file *file, void *bytes, size_t nr_bytes, uint64_t offset);

/* From at on, the first byte that is not in a hole of the file; its end: there is none. */
uint64_t ctf_file_skip_hole(const struct ctf_file *file, uint64_t at);

#endif
