/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores the packets that are read as a CTF trace folder with one file for each ring. */
#ifndef STRESS_FOLDER_H
#define STRESS_FOLDER_H

#include <stddef.h>
#include <stdint.h>

struct stress_folder;

/* All functions here report errors on stderr. clock_hz: clock ticks per second. */
int stress_folder_open(struct stress_folder **folder, const char *path, const uint8_t *uuid,
		       uint32_t stream_id, uint32_t nr_rings, uint64_t clock_hz);

/* May be called by any thread. */
int stress_folder_append(struct stress_folder *folder, uint32_t ring, const void *packet,
			 size_t nr_bytes);

int stress_folder_close(struct stress_folder *folder);

#endif
