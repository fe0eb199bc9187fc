/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chunks of a trace (doc/trace-folder.md, "Chunks"). A long trace starts a new folder, called a
 * chunk, from time to time. This file names and lists the chunks.
 */
#ifndef CTF_CHUNK_H
#define CTF_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#define CTF_CHUNK_NAME_BYTES 9 /* with the NUL */
#define CTF_CHUNK_NR_MAX     99999999u

/* Writes the name of chunk number, from 1 to CTF_CHUNK_NR_MAX, to name. */
void ctf_chunk_name(uint32_t number, char name[CTF_CHUNK_NAME_BYTES]);

/* Returns the number of the chunk with this name, or 0 if name is not a chunk's name. */
uint32_t ctf_chunk_number(const char *name);

/* Lists the chunks of a folder in order, into malloc'ed *numbers. Returns 0 or -errno. */
int ctf_chunk_list(int folder_fd, uint32_t **numbers, unsigned int *nr);

/*
 * Returns whether folder holds a trace: its own metadata file, or the metadata file of one of its
 * chunks, begins as CTF.
 */
bool ctf_chunk_is_trace(const char *folder);

#endif
