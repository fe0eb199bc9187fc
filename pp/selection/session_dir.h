/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where sessions are: the session folder that a report reads, and the
 * sessions in it.
 */
#ifndef PP_SESSION_DIR_H
#define PP_SESSION_DIR_H

#include "lib/diag.h"

#include <stddef.h>

struct spec;

#define SESSION_DIR_OWN	   "./oprofile_data"
#define SESSION_DIR_SYSTEM "/var/lib/oprofile"

/*
 * wanted (--session-dir; NULL: not given), else ./oprofile_data if there is
 * one, else /var/lib/oprofile. *dir is wanted or one of the constants. 0, or
 * -errno and diag when it can't be read.
 */
int session_dir_find(const char *wanted, const char **dir, struct diag *diag);

/*
 * Names of the sessions of dir that spec chooses ("current" when it does not
 * say), ascending, malloc'ed. -ENOENT: none, diag lists those that are there.
 */
int session_dir_list(const char *dir, const struct spec *spec, char ***names, size_t *nr_names,
		     struct diag *diag);
void session_dir_free_names(char **names, size_t nr_names);

#endif
