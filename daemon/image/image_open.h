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
 * Opens the file of the image. Returns a descriptor for reading, owned by the caller; -1 if the
 * file was not found. given_fd: a borrowed descriptor that may be the image; -1: none.
 */
int image_open(const char *proc_path, const struct keeper_request *request, int given_fd);

/*
 * Like image_open, but by path only, in the keeper's mount namespace, where reports look for the
 * image.
 */
int image_open_path(const struct keeper_request *request);

#endif
