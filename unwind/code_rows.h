/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the rows of a function by executing its call frame instructions. */
#ifndef UNWIND_CODE_ROWS_H
#define UNWIND_CODE_ROWS_H

#include "unwind/code_builder.h"
#include "unwind/code_frames.h"

/*
 * Adds the rows of a function, from its start to its end, to the builder. After an unsupported
 * instruction the row is hard: the rest of the function cannot be unwound. Returns 0 or an error
 * of code_builder_add.
 */
int code_rows_add(struct code_builder *builder, const struct code_frames *frames,
		  const struct code_frames_function *function);

#endif
