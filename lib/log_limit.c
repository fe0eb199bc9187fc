// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/log_limit.h"

#include <string.h>

void log_limit_init(struct log_limit *limit, unsigned int nr_max)
{
	memset(limit, 0, sizeof(*limit));
	limit->nr_max = nr_max;
}

/*
 * Returns the place of format. A new format gets a free place. If no place is free, it gets the
 * place with the smallest since_ns.
 */
static struct log_limit_place *limit_place(struct log_limit *limit, const char *format,
					   uint64_t now_ns)
{
	struct log_limit_place *oldest = &limit->places[0];

	for (unsigned int i = 0; i < LOG_LIMIT_PLACES; i++) {
		struct log_limit_place *place = &limit->places[i];

		if (place->format == format)
			return place;
		if (!place->format || (oldest->format && place->since_ns < oldest->since_ns))
			oldest = place;
	}
	limit->nr_left_out += oldest->nr_left_out;
	*oldest = (struct log_limit_place){.format = format, .since_ns = now_ns};
	return oldest;
}

static bool turn_is_over(const struct log_limit_place *place, uint64_t now_ns)
{
	return now_ns - place->since_ns >= LOG_LIMIT_NS;
}

bool log_limit_take(struct log_limit *limit, const char *format, uint64_t now_ns,
		    uint64_t *nr_left_out)
{
	struct log_limit_place *place;

	*nr_left_out = 0;
	if (!limit->nr_max)
		return true;
	place = limit_place(limit, format, now_ns);
	if (turn_is_over(place, now_ns)) {
		*nr_left_out = place->nr_left_out;
		*place = (struct log_limit_place){.format = format, .since_ns = now_ns};
	}
	if (place->nr >= limit->nr_max) {
		place->nr_left_out++;
		return false;
	}
	place->nr++;
	return true;
}

uint64_t log_limit_over(struct log_limit *limit, uint64_t now_ns)
{
	const uint64_t nr_left_out = limit->nr_left_out;

	limit->nr_left_out = 0;
	if (nr_left_out)
		return nr_left_out;
	for (unsigned int i = 0; i < LOG_LIMIT_PLACES; i++) {
		struct log_limit_place *place = &limit->places[i];
		uint64_t nr = place->nr_left_out;

		if (!nr || !turn_is_over(place, now_ns))
			continue;
		place->nr_left_out = 0;
		return nr;
	}
	return 0;
}
