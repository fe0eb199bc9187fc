/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug files from servers (debuginfod), where the user named some in
 * DEBUGINFOD_URLS. By libdebuginfod, which is loaded when it is needed, in a
 * child of its own: it talks to the network, which the helper that reads
 * binaries may not.
 */
#ifndef PP_DEBUG_FETCH_H
#define PP_DEBUG_FETCH_H

#include "lib/buildid.h"

#include <stdbool.h>

/* For one file; when one takes longer, no more are asked for by this process. */
#define DEBUG_FETCH_SECONDS 120

/* Has the user named a server? */
bool debug_fetch_wanted(void);

/*
 * The path of the debug file of id, fetched or kept from before, malloc'ed
 * into *path. 0, -ENOENT: no server has it, or none is named; -ETIMEDOUT;
 * -ENOMEM or -errno.
 */
int debug_fetch(const struct buildid *id, char **path);

#endif
