// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/profile/balance.h"

#include <stdint.h>

/* How much the counters of one side have grown since they were read for the report. */
struct growth {
	uint64_t seen, accounted, kept, expired;
};

/* Returns a counter's growth; 0 if recovery after a crash has decreased the counter. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static uint64_t kept_by(const struct session_info *info)
{
	return session_info_stat(info, "stored") + session_info_stat(info, "idle");
}

static void add_growth(struct growth *growth, const struct session_info *before,
		       const struct session_info *now)
{
	uint64_t lost_before = session_info_sum(before, "lost_");
	uint64_t lost = session_info_sum(now, "lost_");

	growth->seen += more(session_info_stat(now, "seen"), session_info_stat(before, "seen"));
	growth->kept += more(kept_by(now), kept_by(before));
	growth->accounted += more(kept_by(now) + lost, kept_by(before) + lost_before);
	growth->expired +=
		more(session_info_stat(now, "expired"), session_info_stat(before, "expired"));
}

/*
 * Adds the growth of the side's sessions to *growth. Returns whether any of the sessions is
 * changing.
 */
static bool find_growth(const struct profile *profile, const struct selection_side *side,
			struct growth *growth)
{
	bool changes = false;

	for (size_t i = 0; i < side->nr_sessions; i++) {
		const struct selection_session *session =
			&profile->selection->sessions[side->first_session + i];
		struct session_info now;

		if (!session_info_changes(&session->info, session->path, &now))
			continue;
		changes = true;
		add_growth(growth, &session->info, &now);
		session_info_deinit(&now);
	}
	return changes;
}

/*
 * Returns whether seen = stored + idle + lost. `slack` is the number of samples that may already be
 * in files but not yet in counters.
 */
static bool counters_agree(const struct counters *counters, const struct growth *growth,
			   uint64_t slack)
{
	uint64_t seen = counters_get(counters, "seen");
	uint64_t accounted = counters_get(counters, "stored") + counters_get(counters, "idle") +
			     counters_sum(counters, "lost_");

	return seen <= accounted + growth->accounted + slack &&
	       accounted <= seen + growth->seen + slack;
}

/*
 * Returns whether the samples in files and slices agree with the counters. Expired samples are no
 * longer in files. With a time range the counter of expired samples is ignored, because these
 * samples were taken before the range.
 */
static bool files_agree(const struct profile_side *side, const struct selection_side *selected,
			const struct growth *growth, uint64_t slack)
{
	const struct counters *counters = &selected->counters;
	uint64_t expired = selected->timed ? 0 : counters_get(counters, "expired");
	uint64_t stored = counters_get(counters, "stored");
	uint64_t kept = stored + counters_get(counters, "idle");
	uint64_t held = side->nr_samples + side->nr_idle + expired;

	if (!slack && !expired)
		return stored == side->nr_samples;
	return held + (selected->timed ? 0 : growth->expired) >= kept &&
	       held <= kept + growth->kept + slack;
}

static bool can_compare(const struct profile *profile, size_t side)
{
	const struct selection_side *selected = &profile->selection->sides[side];

	return selected->whole && !profile->sides[side].nr_filtered && !profile->nr_damaged &&
	       !selected->nr_skipped && counters_get(&selected->counters, "seen");
}

struct balance balance_of(const struct profile *profile, size_t side)
{
	const struct selection_side *selected = &profile->selection->sides[side];
	const struct profile_side *held = &profile->sides[side];
	struct growth growth = {0};
	bool compare = can_compare(profile, side);
	struct balance balance = {
		.counters_differ = !counters_agree(&selected->counters, &growth, 0),
		.files_differ = compare && !files_agree(held, selected, &growth, 0),
	};

	if (!balance.counters_differ && !balance.files_differ)
		return balance;
	if (!find_growth(profile, selected, &growth))
		return balance;
	balance.counters_differ &= !counters_agree(&selected->counters, &growth, 1);
	balance.files_differ &= !files_agree(held, selected, &growth, 1);
	return balance;
}
