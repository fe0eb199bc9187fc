/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening the very file that is an image: by its path, or through processes
 * that map it. What is opened is compared with the identity that it is known
 * by: another file of that path is none.
 *
 * May hang with a file system: for the keeper, not for the daemon's loop.
 */
#ifndef DAEMON_IMAGE_OPEN_H
#define DAEMON_IMAGE_OPEN_H

#include "daemon/image/image_keeper.h"

/*
 * A descriptor for reading, the caller's; -1: nobody has it. given_fd: one that may be it,
 * borrowed; -1: none.
 */
int image_open(const char *proc_path, const struct keeper_request *request, int given_fd);

/* By its path as we see it: where reports find it. */
int image_open_path(const struct keeper_request *request);

#endif
