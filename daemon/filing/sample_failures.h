/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs that samples could not be stored, but not again and again: a disk may be full for days. */
#ifndef DAEMON_SAMPLE_FAILURES_H
#define DAEMON_SAMPLE_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_FAILURES_ERRORS 256

struct sample_failures {
	/* Indexed by error number: the error is not logged again before this time. */
	uint64_t quiet_until_ns[SAMPLE_FAILURES_ERRORS];
	uint64_t failed_ns; /* time of the last failure */
	bool reported;	    /* a failure was logged, and the end of failures is not logged yet */
};

/*
 * Logs an error (-errno) of the file at path. Logs one line an hour for each error, whatever the
 * number of files and samples. text: the reason to log; NULL or "": the error's own text is logged.
 */
void sample_failures_report(struct sample_failures *failures, const char *path, int error,
			    const char *text, uint64_t now_ns);

/*
 * Logs that samples are stored again, if failures were logged and the last failure was a minute
 * ago.
 */
void sample_failures_report_end(struct sample_failures *failures, uint64_t now_ns);

#endif
