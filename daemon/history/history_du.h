/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk that a folder takes, as du counts it. */
#ifndef DAEMON_HISTORY_DU_H
#define DAEMON_HISTORY_DU_H

#include <stdint.h>

/* Bytes of path and all below it; 0: cannot be read. */
uint64_t history_du(const char *path);

#endif
