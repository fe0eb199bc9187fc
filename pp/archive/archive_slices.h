/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a selection as slices: those that were chosen whole as they
 * are, of others what was chosen; live files become a slice of their own.
 * Stacks go with their applications. Where images were chosen by what is sampled in them (whatever
 * the application), stacks are left out of slices that were not chosen whole.
 */
#ifndef PP_ARCHIVE_SLICES_H
#define PP_ARCHIVE_SLICES_H

#include "lib/diag.h"
#include "libdb/slice/stack_tree.h"
#include "pp/selection/selection.h"

#include <stddef.h>

/*
 * Calls take for each slice of session: its name, such as "minute.17.17.slice", and
 * a descriptor of it, valid during the call. Stops where take fails, and
 * returns that. What is damaged is told to skip, and left out. 0, -ENOMEM, -errno and diag.
 */
int archive_slices_make(const struct selection *selection, size_t session,
			int (*take)(void *context, const char *name, int fd, struct diag *diag),
			void *context, void (*skip)(const char *path, const struct diag *diag),
			struct diag *diag);

/*
 * Calls visit for each image that the stacks of these slices have, again and
 * again where several have it. Stops where visit fails, and returns that.
 */
int archive_slices_walk_images(const struct selection *selection, size_t session,
			       int (*visit)(void *context, const struct stack_image *image),
			       void *context, struct diag *diag);

#endif
