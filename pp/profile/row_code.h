/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine code of the symbols in a profile's rows, for machine-readable reports. */
#ifndef PP_ROW_CODE_H
#define PP_ROW_CODE_H

#include "pp/code/code_bytes.h"
#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct row_code {
	/* For each row: the code of its symbol, which has profile_row.nr_bytes bytes; or NULL. */
	const uint8_t **rows;
	struct code_bytes *images;
	size_t nr_images;
};

/* profile must have symbols. Rows whose code cannot be read are NULL. Returns 0 or -errno. */
int row_code_load(struct row_code *code, const struct profile *profile,
		  const struct profile_options *options);
void row_code_deinit(struct row_code *code);

#endif
