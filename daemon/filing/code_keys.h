/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of samples in code of which only the functions' names are known, such as the code of a JIT
 * compiler. The key is the number of the name in the session (name_table.h). This module translates
 * the source's number of the name, valid for one run of the daemon, to the session's number.
 */
#ifndef DAEMON_CODE_KEYS_H
#define DAEMON_CODE_KEYS_H

#include "daemon/session/name_table.h"
#include "daemon/source.h"

#include <stdbool.h>

/* source and names are borrowed. Both NULL: no code is known by name. */
struct code_keys {
	const struct source *source;
	struct name_table *names;
	uint64_t birth; /* name_table.birth of the table that gave the keys */
	uint32_t *keys; /* indexed by the source's number: key + 1; 0: not known yet */
	size_t nr_keys;
	uint32_t last_image; /* image of the last look-up: many samples repeat it */
	bool last_is_named;
};

void code_keys_init(struct code_keys *keys, const struct source *source, struct name_table *names);
void code_keys_deinit(struct code_keys *keys);

/*
 * Replaces *offset, the source's offset of code in `image`, by the key under which the sample is
 * filed. *offset is unchanged if the image's functions are not known by name. Returns 0. Returns 1
 * if there is no room for the name; the key is then NAME_TABLE_OTHER. Returns -ENXIO if the source
 * has no such name; or the error of name_table_number.
 */
int code_keys_find(struct code_keys *keys, uint32_t image, uint64_t *offset);

#endif
