// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/profile_details.h"

#include "lib/array.h"
#include "lib/saturate.h"

#include <errno.h>
#include <stdlib.h>

struct arranging {
	struct profile *profile;
	const struct detail_log *log;
	const uint32_t *moved;
	size_t *first; /* for each row, index in order[] of its first entry; nr_rows + 1 elements */
	size_t *order; /* indexes of log entries, sorted by row, then by address */
};

int detail_log_add(struct detail_log *log, const struct detail_entry *entry)
{
	if (array_reserve(&log->entries, &log->room, log->nr_entries, 1))
		return -ENOMEM;
	log->entries[log->nr_entries++] = *entry;
	return 0;
}

void detail_log_deinit(struct detail_log *log)
{
	free(log->entries);
	*log = (struct detail_log){0};
}

/* ---- order ---- */

static uint32_t row_of(const struct arranging *arranging, const struct detail_entry *entry)
{
	return arranging->moved ? arranging->moved[entry->row] : entry->row;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const struct detail_entry *a, const struct detail_entry *b)
{
	int order = compare_numbers(a->address, b->address);

	if (!order)
		order = compare_numbers(a->image, b->image);
	return order ? order : compare_numbers(a->key, b->key);
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct detail_log *log = context;

	return compare_places(&log->entries[*(const size_t *)a], &log->entries[*(const size_t *)b]);
}

/* Counting sort by row; keeps the order of the log within a row. */
static void order_by_row(struct arranging *arranging)
{
	const struct detail_log *log = arranging->log;
	size_t nr_rows = arranging->profile->nr_rows;
	size_t begin = 0;

	for (size_t i = 0; i < log->nr_entries; i++)
		arranging->first[row_of(arranging, &log->entries[i])]++;
	for (size_t i = 0; i <= nr_rows; i++) {
		size_t nr = arranging->first[i];

		arranging->first[i] = begin;
		begin += nr;
	}
	for (size_t i = 0; i < log->nr_entries; i++)
		arranging->order[arranging->first[row_of(arranging, &log->entries[i])]++] = i;
	for (size_t i = nr_rows; i > 0; i--)
		arranging->first[i] = arranging->first[i - 1];
	arranging->first[0] = 0;
}

/* Sorts a row's entries by address. If they come from only one part, they are already sorted. */
static void order_row(const struct arranging *arranging, size_t row)
{
	const struct detail_log *log = arranging->log;
	size_t *order = arranging->order + arranging->first[row];
	size_t nr = arranging->first[row + 1] - arranging->first[row];
	size_t i = 1;

	while (i < nr && compare_places(&log->entries[order[i - 1]], &log->entries[order[i]]) <= 0)
		i++;
	if (i < nr)
		qsort_r(order, nr, sizeof(*order), compare_entries, (void *)(uintptr_t)log);
}

/* ---- sums ---- */

static bool is_new_place(const struct arranging *arranging, size_t row, size_t i)
{
	const struct detail_log *log = arranging->log;
	const size_t *order = arranging->order;

	return i == arranging->first[row] ||
	       compare_places(&log->entries[order[i - 1]], &log->entries[order[i]]);
}

static size_t count_places(const struct arranging *arranging)
{
	size_t nr = 0;

	for (size_t row = 0; row < arranging->profile->nr_rows; row++)
		for (size_t i = arranging->first[row]; i < arranging->first[row + 1]; i++)
			nr += is_new_place(arranging, row, i);
	return nr;
}

static int make_details(struct profile *profile, size_t nr)
{
	size_t nr_bytes = profile->nr_columns * sizeof(*profile->counts);

	profile->first_detail = calloc(profile->nr_rows + 1, sizeof(*profile->first_detail));
	profile->details = calloc(nr + 1, sizeof(*profile->details));
	profile->detail_counts = calloc(nr + 1, nr_bytes);
	profile->detail_shares = profile->detail_counts;
	if (!profile->first_detail || !profile->details || !profile->detail_counts)
		return -ENOMEM;
	if (profile->share_totals == profile->totals)
		return 0;
	profile->detail_shares = calloc(nr + 1, nr_bytes);
	return profile->detail_shares ? 0 : -ENOMEM;
}

static void add_entry(struct profile *profile, const struct detail_entry *entry)
{
	size_t at = (profile->nr_details - 1) * profile->nr_columns + entry->column;

	saturate_add(&profile->detail_counts[at], entry->nr_samples);
	if (profile->detail_shares != profile->detail_counts)
		saturate_add(&profile->detail_shares[at], entry->share);
}

static void sum_row(const struct arranging *arranging, size_t row)
{
	struct profile *profile = arranging->profile;

	profile->first_detail[row] = profile->nr_details;
	for (size_t i = arranging->first[row]; i < arranging->first[row + 1]; i++) {
		const struct detail_entry *entry = &arranging->log->entries[arranging->order[i]];

		if (is_new_place(arranging, row, i))
			profile->details[profile->nr_details++] =
				(struct profile_detail){.key = entry->key,
							.address = entry->address,
							.image = entry->image};
		add_entry(profile, entry);
	}
}

static int arrange(struct arranging *arranging)
{
	struct profile *profile = arranging->profile;
	int error;

	arranging->first = calloc(profile->nr_rows + 2, sizeof(*arranging->first));
	arranging->order = calloc(arranging->log->nr_entries + 1, sizeof(*arranging->order));
	if (!arranging->first || !arranging->order)
		return -ENOMEM;
	order_by_row(arranging);
	for (size_t row = 0; row < profile->nr_rows; row++)
		order_row(arranging, row);
	error = make_details(profile, count_places(arranging));
	if (error)
		return error;
	for (size_t row = 0; row < profile->nr_rows; row++)
		sum_row(arranging, row);
	profile->first_detail[profile->nr_rows] = profile->nr_details;
	return 0;
}

int profile_details_arrange(struct profile *profile, const struct detail_log *log,
			    const uint32_t *moved)
{
	struct arranging arranging = {.profile = profile, .log = log, .moved = moved};
	int error = arrange(&arranging);

	free(arranging.first);
	free(arranging.order);
	return error;
}

void profile_details_deinit(struct profile *profile)
{
	if (profile->detail_shares != profile->detail_counts)
		free(profile->detail_shares);
	free(profile->detail_counts);
	free(profile->details);
	free(profile->first_detail);
	profile->details = NULL;
	profile->first_detail = NULL;
	profile->detail_counts = profile->detail_shares = NULL;
	profile->nr_details = 0;
}
