/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the entries of the procedure linkage table (PLT), using libbfd, which knows each
 * machine's PLT layout. Runs in the helper.
 */
#ifndef PP_SYMBOL_PLT_H
#define PP_SYMBOL_PLT_H

#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbol_list.h"

struct symbol_plt {
	void *bfd; /* bfd, dynamic and synthetic own the names */
	void *dynamic;
	void *synthetic;
};

/*
 * Adds the entries of image's PLT to `list`, which already has image's functions. Names point into
 * *plt until symbol_plt_close. Adds nothing if libbfd cannot read image. Returns 0 or -ENOMEM.
 */
int symbol_plt_list(struct symbol_plt *plt, const struct symbol_file *image,
		    struct symbol_list *list);
void symbol_plt_close(struct symbol_plt *plt);

#endif
