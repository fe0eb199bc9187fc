/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a profile's rows. While parts are read, samples of each key are written to a
 * log; afterwards the log is summed into profile->details.
 */
#ifndef PP_PROFILE_DETAILS_H
#define PP_PROFILE_DETAILS_H

#include "pp/profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Samples of a key in one part. */
struct detail_entry {
	uint64_t key, address;
	uint64_t nr_samples, share;
	uint32_t row, column, image;
};

/* A zeroed log is empty. */
struct detail_log {
	struct detail_entry *entries;
	size_t nr_entries, room;
};

int detail_log_add(struct detail_log *log, const struct detail_entry *entry); /* 0 or -ENOMEM */
void detail_log_deinit(struct detail_log *log);

/*
 * Sums the log into the profile's details. moved[] has the new index of each row, from
 * profile_merge(); NULL: no row has moved. Returns 0 or -ENOMEM.
 */
int profile_details_arrange(struct profile *profile, const struct detail_log *log,
			    const uint32_t *moved);
void profile_details_deinit(struct profile *profile);

#endif
