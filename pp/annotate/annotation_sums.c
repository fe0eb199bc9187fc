// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/annotation_sums.h"

#include "lib/saturate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_weighted(const struct profile *profile)
{
	return profile->share_totals != profile->totals;
}

static int grow_sums(struct annotation_sums *sums, const struct profile *profile)
{
	size_t nr_bytes = profile->nr_columns * sizeof(*sums->counts);
	size_t room = sums->room ? sums->room * 2 : 64;
	uint64_t *counts = reallocarray(sums->counts, room, nr_bytes);
	uint64_t *shares = counts;

	if (!counts)
		return -ENOMEM;
	sums->counts = counts;
	if (is_weighted(profile)) {
		shares = reallocarray(sums->shares, room, nr_bytes);
		if (!shares)
			return -ENOMEM;
	}
	sums->shares = shares;
	sums->room = room;
	return 0;
}

size_t annotation_sums_add(struct annotation_sums *sums, const struct profile *profile)
{
	size_t nr_bytes = profile->nr_columns * sizeof(*sums->counts);

	if (sums->nr == sums->room && grow_sums(sums, profile))
		return SIZE_MAX;
	memset(sums->counts + sums->nr * profile->nr_columns, 0, nr_bytes);
	if (sums->shares != sums->counts)
		memset(sums->shares + sums->nr * profile->nr_columns, 0, nr_bytes);
	return sums->nr++;
}

void annotation_sums_count(struct annotation_sums *sums, const struct profile *profile, size_t i,
			   const uint64_t *counts, const uint64_t *shares)
{
	size_t nr = profile->nr_columns;

	saturate_add_each(sums->counts + i * nr, counts, nr);
	if (sums->shares != sums->counts)
		saturate_add_each(sums->shares + i * nr, shares, nr);
}

void annotation_sums_deinit(struct annotation_sums *sums)
{
	if (sums->shares != sums->counts)
		free(sums->shares);
	free(sums->counts);
	*sums = (struct annotation_sums){0};
}

void *annotation_grow(void *array, const struct annotation_sums *sums, size_t nr_bytes)
{
	/*
	 * The array needs more memory only if the last annotation_sums_add() enlarged sums->room.
	 * sums->room begins at 64 and is then doubled each time. So it was enlarged if sums->nr is
	 * more than 64 and is one more than a power of two.
	 */
	if (array && (sums->nr - 1 < 64 || ((sums->nr - 1) & (sums->nr - 2))))
		return array;
	return reallocarray(array, sums->room, nr_bytes);
}
