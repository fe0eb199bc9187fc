/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What surrounds a report on stderr: before it, whose samples these are;
 * after it, how much of what ran they cover, what was lost and why, and what
 * to install to see more.
 */
#ifndef PP_COVERAGE_H
#define PP_COVERAGE_H

#include "pp/profile/profile.h"

#include <stdio.h>

/* One line: sessions, host, from, to, source, events, rate. */
void coverage_write_before(FILE *err, const struct profile *profile, const char *session_dir);

void coverage_write_after(FILE *err, const struct profile *profile);

#endif
