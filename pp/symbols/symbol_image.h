/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the file of a profiled binary image: by path, in the folders of -p, by build-id, or
 * among the copies in the session. The file is compared with the recorded identity. Runs in
 * the helper (symbol_helper.h).
 */
#ifndef PP_SYMBOL_IMAGE_H
#define PP_SYMBOL_IMAGE_H

#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbols.h"

#include <stdbool.h>

struct file_opener;

/* A request to the helper. */
struct symbol_request {
	const char *path; /* for VDSO only a name, because the session has a copy of the vdso */
	const struct oprof_image_identity *identity;
	enum oprof_image_kind kind; /* FILE, VDSO, KERNEL or IDLE */
	const struct symbol_search *search;
	const char *kernel_release; /* of this machine's kernel, for KERNEL and IDLE; or NULL */
	const char *debug_file;	    /* downloaded debug file, which is tried first; or NULL */
	struct file_opener *opener; /* opens the files; symbol_helper_read() sets it */
	const void *more;	    /* argument whose type depends on the reader; or NULL */
};

struct symbol_image {
	struct symbol_file file;
	bool kept; /* file is the session's copy without code; false for VDSO */
};

/* Returns the build-id of the request's image. */
struct buildid symbol_request_build_id(const struct symbol_request *request);

/*
 * Opens the image of request. For KERNEL and IDLE, opens the vmlinux that has the image's build-id;
 * the keys are then relative addresses. Returns 0; -ENOENT: missing; -ESTALE: only another build
 * was found; -ENOEXEC: not an ELF file, or a core dump; -EILSEQ: damaged; -ENOMEM; or -errno of
 * open().
 */
int symbol_image_open(struct symbol_image *image, const struct symbol_request *request);
void symbol_image_close(struct symbol_image *image);

/*
 * Compares the file at fd with the identity of request's image (of kind FILE), as
 * symbol_image_open() does. Does not need the helper. Returns 0; -ENOEXEC: not an ELF file, or a
 * core dump; -ESTALE: another build; -ENODATA: the identity has nothing to compare. is_chosen: the
 * user chose the place of the file (-p, -R). The file may then be a copy: without a build-id, only
 * its size is compared, if it is known.
 */
int symbol_image_check(const struct symbol_request *request, int fd, bool is_chosen);

/*
 * Returns whether the file at fd is one that a process had mapped, and therefore could read: inode,
 * device, size and time are equal. A process can map a file that it may only execute, or that
 * another process has opened for it; a file with an execute permission whose read permission is
 * missing is therefore refused. The number of a device without a disk may belong to another file
 * system by now; then returns false.
 */
bool symbol_image_was_mapped(const struct symbol_request *request, int fd);

/*
 * Describes an error of symbol_image_open(). Returns why symbols are missing. *note is set to a
 * malloc'ed clause for a message that begins with "PATH: ", or to NULL if out of memory.
 */
enum symbols_lack symbol_image_tell(int error, char **note);

#endif
