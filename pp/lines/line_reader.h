/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads source lines and inlined functions of one binary image from the debug information in the
 * image or in separate files. Runs in the helper (symbol_helper.h), because the files may be
 * malicious.
 */
#ifndef PP_LINE_READER_H
#define PP_LINE_READER_H

#include "pp/symbols/symbol_image.h"

/*
 * Writes the line table of the requested image to fd, in the format of line_wire.h. Returns
 * -ENOMEM, -errno, or 0 even if there are no lines (`lack` and `note` then give the reason).
 */
int line_read(const struct symbol_request *request, int fd);

#endif
