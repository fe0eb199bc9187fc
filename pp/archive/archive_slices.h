/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the samples of a selection as slices. A slice that was selected as a whole is copied
 * unchanged. Of other slices, only the selected sections are copied. The live files become one more
 * slice. The call stacks of selected applications are included. Exception: if samples are also
 * selected by the image in which they were taken, only slices that were selected as a whole keep
 * their call stacks.
 */
#ifndef PP_ARCHIVE_SLICES_H
#define PP_ARCHIVE_SLICES_H

#include "lib/diag.h"
#include "libdb/slice/stack_tree.h"
#include "pp/selection/selection.h"

#include <stddef.h>

/*
 * Calls take() for each slice of the session that has the index `session`. `name` is the slice's
 * name, such as "minute.17.17.slice"; fd is a descriptor that is valid during the call. Stops if
 * take() fails, and returns its error. Damaged slices are reported to skip() and left out. Returns
 * 0, or -errno with diag set.
 */
int archive_slices_make(const struct selection *selection, size_t session,
			int (*take)(void *context, const char *name, int fd, struct diag *diag),
			void *context, void (*skip)(const char *path, const struct diag *diag),
			struct diag *diag);

/*
 * Calls visit() for each image in the call stacks of the session's slices. An image that occurs in
 * several slices is visited several times. A slice whose stacks cannot be read is reported to
 * skip(), unless archive_slices_make() reports this slice. Stops if visit() fails, and returns its
 * error. Returns 0, or -ENOMEM with diag set.
 */
int archive_slices_walk_images(const struct selection *selection, size_t session,
			       int (*visit)(void *context, const struct stack_image *image),
			       void *context,
			       void (*skip)(const char *path, const struct diag *diag),
			       struct diag *diag);

#endif
