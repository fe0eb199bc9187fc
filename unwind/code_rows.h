/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the rows of a function by executing its call frame instructions. */
#ifndef UNWIND_CODE_ROWS_H
#define UNWIND_CODE_ROWS_H

#include "unwind/code_builder.h"
#include "unwind/code_frames.h"

/*
 * Adds the rows of function to builder, from its start to its end. From an unsupported instruction
 * on, the row is hard: frames cannot be left there. Returns 0 or the error of code_builder_add.
 */
int code_rows_add(struct code_builder *builder, const struct code_frames *frames,
		  const struct code_frames_function *function);

#endif
