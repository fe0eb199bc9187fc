/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of functions: call frame instructions, carried out. */
#ifndef UNWIND_CODE_ROWS_H
#define UNWIND_CODE_ROWS_H

#include "unwind/code_builder.h"
#include "unwind/code_frames.h"

/*
 * Add the rows of function to builder, from its start to its end. Where its
 * instructions can't be followed any more, the rest is hard. 0, or of code_builder_add.
 */
int code_rows_add(struct code_builder *builder, const struct code_frames *frames,
		  const struct code_frames_function *function);

#endif
