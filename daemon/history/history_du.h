/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk space used by a folder, as du counts it. */
#ifndef DAEMON_HISTORY_DU_H
#define DAEMON_HISTORY_DU_H

#include <stdint.h>

/* Returns the bytes of path and everything below it; 0 if path cannot be read. */
uint64_t history_du(const char *path);

#endif
