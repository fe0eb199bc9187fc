/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions of the kernel and its modules begin, from the symbols that
 * the session keeps of them (doc/kernel-symbols.md): the same that reports
 * find there. Where there are none yet, it says that they are wanted.
 *
 * Known by identity, so that it stays through sessions and reboots of the source.
 */
#ifndef DAEMON_KERNEL_FUNCTIONS_H
#define DAEMON_KERNEL_FUNCTIONS_H

#include "daemon/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_FUNCTIONS_UNKNOWN UINT64_MAX
/* ... but it may be known in the next round. */
#define KERNEL_FUNCTIONS_WANTED (UINT64_MAX - 1)

struct kernel_functions_of; /* one image */

struct kernel_functions {
	struct kernel_functions_of *images;
	size_t nr_images, room_images;
	size_t last; /* where the latest was found */
	bool wanted; /* there is an image whose symbols are not in the session */
};

/* All 0 is empty. */
void kernel_functions_deinit(struct kernel_functions *functions);

/*
 * The first byte of the function that holds offset of image, of kind KERNEL
 * or MODULE, by the file in meta_path; or one of the two above. now_ns: CLOCK_MONOTONIC,
 * for when to look again.
 */
uint64_t kernel_functions_find(struct kernel_functions *functions, const struct image *image,
			       uint64_t offset, const char *meta_path, uint64_t now_ns);

#endif
