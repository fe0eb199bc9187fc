/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines around a report, on stderr. Before it: whose samples it shows. After it: how many have
 * symbols, what was lost and why, and what to install to see more.
 */
#ifndef PP_COVERAGE_H
#define PP_COVERAGE_H

#include "pp/profile/profile.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes one line for each side: sessions, host, times, source, events, rate. */
void coverage_write_before(FILE *err, const struct profile *profile, const char *session_dir);

void coverage_write_after(FILE *err, const struct profile *profile);

/*
 * The same for the terminal layout: without the reason for the source, and with one line for all
 * images without symbols, or one for each of the most important ones.
 */
void coverage_brief_before(FILE *err, const struct profile *profile, const char *session_dir);
void coverage_brief_after(FILE *err, const struct profile *profile, bool each_image);

#endif
