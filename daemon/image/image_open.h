/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the file of an image, by its path or through processes that map it. The opened file must
 * have the image's identity: another file at the same path is refused.
 *
 * May block if a file system hangs, so only the keeper may call it, not the daemon's loop.
 */
#ifndef DAEMON_IMAGE_OPEN_H
#define DAEMON_IMAGE_OPEN_H

#include "daemon/image/image_keeper.h"

/*
 * Returns a descriptor for reading, owned by the caller; -1 if the image was not found. given_fd: a
 * descriptor that may be the image, borrowed; -1: none.
 */
int image_open(const char *proc_path, const struct keeper_request *request, int given_fd);

/* Does the same by path only, in the keeper's mount namespace, where reports look for the image. */
int image_open_path(const struct keeper_request *request);

#endif
