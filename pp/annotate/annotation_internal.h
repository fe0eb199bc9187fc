/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by annotation.c and annotation_lines.c. */
#ifndef PP_ANNOTATION_INTERNAL_H
#define PP_ANNOTATION_INTERNAL_H

#include "pp/annotate/annotation.h"

/* Returns the profile's detail that annotation->keys[i] refers to. */
static inline const struct profile_detail *annotation_detail(const struct annotation *annotation,
							     size_t i)
{
	return &annotation->profile->details[annotation->keys[i]];
}

/*
 * Fills the members of *annotation that are needed only for lines. Its images and functions must
 * have been filled before. Returns 0 or -errno.
 */
int annotation_lines_build(struct annotation *annotation, const struct profile_options *options);

#endif
