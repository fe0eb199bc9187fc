/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines on stderr before and after a report. The lines before it state which samples the report
 * shows. The lines after it state how many samples have symbols, how many were lost and why, and
 * what to install to get more symbols.
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
 * Like the functions above, for the terminal layout. coverage_brief_before() omits the reason why
 * the source was chosen. If each_image is set, coverage_brief_after() writes a line for each of the
 * most important images without symbols; otherwise it writes one line for all images.
 */
void coverage_brief_before(FILE *err, const struct profile *profile, const char *session_dir);
void coverage_brief_after(FILE *err, const struct profile *profile, bool each_image);

#endif
