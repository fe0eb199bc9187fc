/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the symbols of one ELF file, with its separate debug file. Runs in
 * the helper (symbol_helper.h): what it is given may be hostile, and the
 * libraries it uses may crash on that.
 */
#ifndef PP_SYMBOL_READER_H
#define PP_SYMBOL_READER_H

#include "pp/symbols/symbol_image.h"
#include "pp/symbols/symbol_wire.h"

/*
 * Read what request asks for and write it to fd as symbol_wire.h says. 0
 * also when there is nothing to find (lack and note then tell); -ENOMEM or
 * -errno when it could not be done.
 */
int symbol_read(const struct symbol_request *request, int fd);

#endif
