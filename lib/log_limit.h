/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each place of a program may log: what goes wrong a thousand times
 * a second must not fill a disk, nor hide what else went wrong. A place is a
 * format, by its address.
 */
#ifndef LIB_LOG_LIMIT_H
#define LIB_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define LOG_LIMIT_PLACES 32
#define LOG_LIMIT_NS	 UINT64_C(60000000000) /* a place's turn */

struct log_limit_place {
	const char *format; /* NULL: free */
	uint64_t since_ns;  /* when its turn began */
	unsigned int nr;    /* messages in it */
	uint64_t nr_left_out;
};

struct log_limit {
	unsigned int nr_max; /* messages of a place in a turn; 0: any number */
	struct log_limit_place places[LOG_LIMIT_PLACES];
};

void log_limit_init(struct log_limit *limit, unsigned int nr_max);

/*
 * May this place log now? *nr_left_out: how many were not let through in its
 * turn before, to be told with this one; else 0.
 */
bool log_limit_take(struct log_limit *limit, const char *format, uint64_t now_ns,
		    uint64_t *nr_left_out);

/*
 * A place whose turn is over and that left messages out: its number of them,
 * which is forgotten; 0: none. For telling them when nothing more comes.
 */
uint64_t log_limit_over(struct log_limit *limit, uint64_t now_ns);

#endif
