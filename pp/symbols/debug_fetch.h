/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads debug files from debuginfod servers if the user named some in DEBUGINFOD_URLS.
 * A separate child process loads libdebuginfod on demand, because libdebuginfod needs the network,
 * which the helper that reads binaries may not use.
 */
#ifndef PP_DEBUG_FETCH_H
#define PP_DEBUG_FETCH_H

#include "lib/buildid.h"

#include <stdbool.h>

/* Limit for one file. After one timeout this process sends no further requests. */
#define DEBUG_FETCH_SECONDS 120

/* Returns whether the user named a server and no request has timed out. */
bool debug_fetch_wanted(void);

/*
 * Finds the debug file with build-id id, in libdebuginfod's cache or on a server. *path is
 * malloc'ed. Returns 0; -ENOENT if no server has the file or the user named no server;
 * -ETIMEDOUT, -ENOMEM or -errno.
 */
int debug_fetch(const struct buildid *id, char **path);

#endif
