/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chunks of a trace (doc/trace-folder.md, "Chunks"). A long trace can be divided into chunks,
 * each with the events of one time range in its own folder. These functions make the names of
 * chunks and list them.
 */
#ifndef CTF_CHUNK_H
#define CTF_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#define CTF_CHUNK_NAME_BYTES 9 /* including the NUL */
#define CTF_CHUNK_NR_MAX     99999999u

/* Writes the name of the chunk with this number, from 1 to CTF_CHUNK_NR_MAX, to name. */
void ctf_chunk_name(uint32_t number, char name[CTF_CHUNK_NAME_BYTES]);

/*
 * Returns the number of the chunk whose folder has this name, or 0 if no chunk can have this name.
 */
uint32_t ctf_chunk_number(const char *name);

/*
 * Lists the numbers of a folder's chunks in ascending order, in malloc'ed *numbers. Returns 0 or
 * -errno.
 */
int ctf_chunk_list(int folder_fd, uint32_t **numbers, unsigned int *nr);

/*
 * Returns whether `folder` contains a trace: whether its metadata file, or the metadata file of
 * one of its chunks, begins like CTF metadata.
 */
bool ctf_chunk_is_trace(const char *folder);
/* The same for the folder at fd. */
bool ctf_chunk_is_trace_fd(int fd);

#endif
