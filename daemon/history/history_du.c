// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/history_du.h"

#include <ftw.h>

#define BLOCK_BYTES  512
#define WALK_FOLDERS 32

/* The sum is static, since nftw() passes no context to its callback. */
static uint64_t du_bytes;

static int du_add(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	if (type != FTW_NS)
		du_bytes += (uint64_t)st->st_blocks * BLOCK_BYTES;
	return 0;
}

uint64_t history_du(const char *path)
{
	du_bytes = 0;
	return nftw(path, du_add, WALK_FOLDERS, FTW_PHYS) ? 0 : du_bytes;
}
