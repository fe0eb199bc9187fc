/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the lines of one binary image and what was inlined in it, from its
 * debug information or that of its separate files. Runs in the helper
 * (symbol_helper.h): what it is given may be hostile.
 */
#ifndef PP_LINE_READER_H
#define PP_LINE_READER_H

#include "pp/symbols/symbol_image.h"

/*
 * Write the line table of request to fd as line_wire.h says. 0 also when
 * there is nothing to find (lack and note then tell); -ENOMEM or -errno when
 * it could not be done.
 */
int line_read(const struct symbol_request *request, int fd);

#endif
