/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the number of messages a minute of each call site that logs: an error that occurs a
 * thousand times a second must not fill the disk, and must not hide other errors. A call site
 * ("place") is identified by the address of its format string.
 */
#ifndef LIB_LOG_LIMIT_H
#define LIB_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define LOG_LIMIT_PLACES 32
#define LOG_LIMIT_NS	 UINT64_C(60000000000) /* length of a place's interval ("turn") */

struct log_limit_place {
	const char *format; /* NULL: unused */
	uint64_t since_ns;  /* start of the place's turn */
	unsigned int nr;    /* messages in this turn */
	uint64_t nr_left_out;
};

struct log_limit {
	unsigned int nr_max; /* messages of a place per turn; 0: no limit */
	struct log_limit_place places[LOG_LIMIT_PLACES];
	uint64_t nr_left_out; /* suppressed messages of formats whose places were reused */
};

void log_limit_init(struct log_limit *limit, unsigned int nr_max);

/*
 * Returns whether the call site of format may log now. If a new interval of the call site begins,
 * *nr_left_out is the number of messages suppressed in its previous interval, and the caller logs
 * this number with the message. Otherwise, *nr_left_out is 0.
 */
bool log_limit_take(struct log_limit *limit, const char *format, uint64_t now_ns,
		    uint64_t *nr_left_out);

/*
 * Returns and resets one count of suppressed messages: the count of all call sites whose places
 * were given to other call sites, or the count of one call site whose interval is over. Returns 0
 * if there is no such count. A program that calls this function also reports the suppressed
 * messages of call sites that never log again.
 */
uint64_t log_limit_over(struct log_limit *limit, uint64_t now_ns);

#endif
