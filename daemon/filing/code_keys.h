/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of samples in code that is known by name: from the source's number of
 * a name, good for one run of the daemon, to the session's (name_table.h).
 */
#ifndef DAEMON_CODE_KEYS_H
#define DAEMON_CODE_KEYS_H

#include "daemon/session/name_table.h"
#include "daemon/source.h"

#include <stdbool.h>

/* Whose names, borrowed. Both NULL: samples come without names. */
struct code_keys {
	const struct source *source;
	struct name_table *names;
	uint64_t birth; /* of the names that keys are of */
	uint32_t *keys; /* by the source's number: key + 1, 0 not known yet */
	size_t nr_keys;
	uint32_t last_image; /* samples come in bunches */
	bool last_is_named;
};

void code_keys_init(struct code_keys *keys, const struct source *source, struct name_table *names);
void code_keys_deinit(struct code_keys *keys);

/*
 * *offset of image, as the source gives it, becomes the key to file the
 * sample by; the same unless the image's functions are known by name. 0; 1
 * there was no room for the name: NAME_TABLE_OTHER; -ENXIO the source has no
 * such name, or what name_table_number says.
 */
int code_keys_find(struct code_keys *keys, uint32_t image, uint64_t *offset);

#endif
