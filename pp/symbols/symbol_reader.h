/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the symbols of one ELF file and of its separate debug file. Runs in the helper
 * (symbol_helper.h): the file may be hostile and may crash the libraries that read it.
 */
#ifndef PP_SYMBOL_READER_H
#define PP_SYMBOL_READER_H

#include "pp/symbols/symbol_image.h"
#include "pp/symbols/symbol_wire.h"

/*
 * Reads the symbols for request and writes them to fd in the format of symbol_wire.h. Returns 0,
 * also if there are no symbols (lack and note give the reason); -ENOMEM or -errno on failure.
 */
int symbol_read(const struct symbol_request *request, int fd);

#endif
