/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The starts of functions of the kernel and its modules, from the symbols that the session keeps
 * (doc/kernel-symbols.md). Reports use the same symbols. `wanted` is set when a look-up needs the
 * symbols of an image and the session does not have them yet.
 *
 * Images are known by identity, so that the data stay valid in other sessions and after restarts of
 * the source.
 */
#ifndef DAEMON_KERNEL_FUNCTIONS_H
#define DAEMON_KERNEL_FUNCTIONS_H

#include "daemon/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_FUNCTIONS_UNKNOWN UINT64_MAX
/* The function is not known now, but may be known in the next round. */
#define KERNEL_FUNCTIONS_WANTED (UINT64_MAX - 1)

struct kernel_functions_of; /* one image */

struct kernel_functions {
	struct kernel_functions_of *images;
	size_t nr_images, room_images;
	size_t last; /* index of the last image found */
	bool wanted; /* an image's symbols are not in the session yet */
};

/* A zeroed struct is valid and empty. */
void kernel_functions_deinit(struct kernel_functions *functions);

/*
 * Returns the offset of the first byte of the function that contains offset in image (of kind
 * KERNEL or MODULE), according to the file in meta_path. If the function is not known, returns
 * KERNEL_FUNCTIONS_UNKNOWN or KERNEL_FUNCTIONS_WANTED. now_ns (CLOCK_MONOTONIC) limits how often
 * the file is looked for.
 */
uint64_t kernel_functions_find(struct kernel_functions *functions, const struct image *image,
			       uint64_t offset, const char *meta_path, uint64_t now_ns);

#endif
