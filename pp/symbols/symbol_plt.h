/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the procedure linkage table's slots, by libbfd, which knows each
 * machine's ways of laying it out. Runs in the helper.
 */
#ifndef PP_SYMBOL_PLT_H
#define PP_SYMBOL_PLT_H

#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbol_list.h"

struct symbol_plt {
	void *bfd; /* these hold the names */
	void *dynamic;
	void *synthetic;
};

/*
 * Add the slots of image's PLT to list, which has image's functions already;
 * names point into *plt until symbol_plt_close. Finds none without complaint
 * where libbfd can't.
 * 0 or -ENOMEM.
 */
int symbol_plt_list(struct symbol_plt *plt, const struct symbol_file *image,
		    struct symbol_list *list);
void symbol_plt_close(struct symbol_plt *plt);

#endif
