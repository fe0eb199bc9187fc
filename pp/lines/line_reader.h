/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads source lines and inlined functions of one binary image from the debug
 * information in the image or in separate files. Runs in the helper
 * (symbol_helper.h): the files may be hostile.
 */
#ifndef PP_LINE_READER_H
#define PP_LINE_READER_H

#include "pp/symbols/symbol_image.h"

/*
 * Writes the line table for request to fd in line_wire.h's format. Returns 0 also if there
 * are no lines (lack and note give the reason); -ENOMEM or -errno on failure.
 */
int line_read(const struct symbol_request *request, int fd);

#endif
