/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chunks of a trace that goes on in a new folder now and then
 * (doc/trace-folder.md, "Chunks"): what they are called, which there are.
 */
#ifndef CTF_CHUNK_H
#define CTF_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#define CTF_CHUNK_NAME_BYTES 9 /* with NUL */
#define CTF_CHUNK_NR_MAX     99999999u

/* Of number, from 1 to CTF_CHUNK_NR_MAX. */
void ctf_chunk_name(uint32_t number, char name[CTF_CHUNK_NAME_BYTES]);

/* The number of the chunk of that name; 0: no chunk has it. */
uint32_t ctf_chunk_number(const char *name);

/* Those in a folder, in order, into malloc'ed *numbers. 0 or -errno. */
int ctf_chunk_list(int folder_fd, uint32_t **numbers, unsigned int *nr);

/* Whether a trace is in folder, in chunks or not: its metadata, or that of one chunk, says so. */
bool ctf_chunk_is_trace(const char *folder);

#endif
