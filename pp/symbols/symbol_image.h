/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file is the binary image that was profiled: found by its path, in
 * the folders of -p, by its build-id, or in what the session kept, and held
 * against what is known of it. Runs in the helper (symbol_helper.h).
 */
#ifndef PP_SYMBOL_IMAGE_H
#define PP_SYMBOL_IMAGE_H

#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>

/* What the helper is asked. */
struct symbol_request {
	const char *path; /* VDSO: only its name; the session keeps its bytes by identity */
	const struct oprof_image_identity *identity;
	enum oprof_image_kind kind; /* FILE, VDSO or KERNEL */
	const struct symbol_search *search;
	const char *kernel_release; /* of this machine, for KERNEL; or NULL */
	const char *debug_file;	    /* fetched by its build-id, looked at first; or NULL */
	const void *more;	    /* what a reader of its own needs besides */
};

struct symbol_image {
	struct symbol_file file;
	bool kept; /* it is what the daemon kept of it */
};

/*
 * Open the image of request. 0, -ENOENT missing, -ESTALE what is there is
 * another, -ENOEXEC not an ELF file, -EILSEQ damaged, -ENOMEM or -errno of
 * opening. KERNEL: the vmlinux of that build-id, whose keys are by address.
 */
int symbol_image_open(struct symbol_image *image, const struct symbol_request *request);
void symbol_image_close(struct symbol_image *image);

/* What to tell of that error: a malloc'ed clause to stand behind "PATH: "; NULL: no memory. */
enum symbols_lack symbol_image_tell(int error, char **note);

#endif
