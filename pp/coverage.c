// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/coverage.h"

#include "pp/format_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define IMAGES_SHOWN 5 /* of those that lack symbols */
#define NS_PER_S     1000000000

struct day_time {
	char day[32];
	char time[32];
};

static void show_time(int64_t time_ns, struct day_time *shown)
{
	time_t seconds = (time_t)(time_ns / NS_PER_S);
	struct tm tm;

	*shown = (struct day_time){"?", "?"};
	if (!localtime_r(&seconds, &tm))
		return;
	(void)strftime(shown->day, sizeof(shown->day), "%Y-%m-%d", &tm);
	(void)strftime(shown->time, sizeof(shown->time), "%H:%M:%S", &tm);
}

/* The day is told again only where it is another. */
static void write_times(FILE *err, const struct profile *profile)
{
	struct day_time from;
	struct day_time to;
	bool same_day;

	if (!profile->start_ns)
		return;
	show_time(profile->start_ns, &from);
	show_time(profile->end_ns, &to);
	same_day = !strcmp(from.day, to.day);
	(void)fprintf(err, ", from %s %s to %s%s%s", from.day, from.time, same_day ? "" : to.day,
		      same_day ? "" : " ", to.time);
}

static void write_sessions(FILE *err, const struct selection *selection, const char *session_dir)
{
	(void)fputs(selection->nr_sessions > 1 ? "sessions " : "session ", err);
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		(void)fputs(i ? "," : "", err);
		text_write_name(err, selection->sessions[i].name);
	}
	(void)fprintf(err, " of %s", session_dir);
}

static void write_events(FILE *err, const struct classes *classes)
{
	(void)fputs(classes->axis == AXIS_EVENT ? ", events" : ", event", err);
	for (size_t i = 0; i < classes->nr_classes; i++) {
		const struct class_key *key = &classes->classes[i].key;
		char count[32];

		if (i && classes->axis != AXIS_EVENT)
			break;
		class_key_show_count(key, count, sizeof(count));
		(void)fputc(' ', err);
		text_write_name(err, key->event);
		(void)fprintf(err, ":%s", count);
	}
}

static void write_rate(FILE *err, const struct profile *profile)
{
	double seconds = (double)(profile->end_ns - profile->start_ns) / NS_PER_S;

	/* Over less it says nothing. */
	if (profile->start_ns && seconds >= 0.1)
		(void)fprintf(err, ", %.1f samples/s", (double)profile->nr_samples / seconds);
}

void coverage_write_before(FILE *err, const struct profile *profile, const char *session_dir)
{
	const struct selection *selection = profile->selection;
	const struct session_info *info = &selection->sessions[0].info;
	const char *host = info->host ? info->host : profile->host;

	write_sessions(err, selection, session_dir);
	(void)fputs(profile->several_hosts ? ", several hosts, first " : ", host ", err);
	text_write_name(err, host ? host : "unknown");
	write_times(err, profile);
	if (info->source) {
		(void)fputs(", source ", err);
		text_write_name(err, info->source);
	}
	write_events(err, &selection->classes);
	write_rate(err, profile);
	(void)fputc('\n', err);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void write_samples(FILE *err, const struct profile *profile)
{
	(void)fprintf(err, "samples %" PRIu64, profile->nr_samples);
	if (profile->nr_idle)
		(void)fprintf(err, ", and apart %" PRIu64 " of idle CPUs", profile->nr_idle);
	if (profile->nr_filtered)
		(void)fprintf(err, ", %" PRIu64 " taken out by symbol", profile->nr_filtered);
	if (profile->with_symbols)
		(void)fprintf(err, "; symbolized %.2f %%",
			      percent(profile->nr_symbolized, profile->nr_samples));
	(void)fputc('\n', err);
	if (profile->nr_weighted)
		(void)fprintf(err,
			      "percentages are of samples, not of the events they stand for "
			      "(%zu sample files hold those too)\n",
			      profile->nr_weighted);
}

/* The sum over the sessions of the counters whose name begins with prefix. */
static uint64_t sum_stats(const struct selection *selection, const char *prefix)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_info *info = &selection->sessions[i].info;

		for (size_t j = 0; j < info->nr_stats; j++)
			if (!strncmp(info->stats[j].name, prefix, strlen(prefix)))
				sum += info->stats[j].value;
	}
	return sum;
}

static uint64_t sum_stat(const struct selection *selection, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < selection->nr_sessions; i++)
		sum += session_info_stat(&selection->sessions[i].info, name);
	return sum;
}

/* Whether a session before index has a counter of that name: it was told there. */
static bool told_before(const struct selection *selection, size_t index, const char *name)
{
	for (size_t i = 0; i < index; i++)
		for (size_t j = 0; j < selection->sessions[i].info.nr_stats; j++)
			if (!strcmp(selection->sessions[i].info.stats[j].name, name))
				return true;
	return false;
}

static void write_lost(FILE *err, const struct selection *selection)
{
	uint64_t lost = sum_stats(selection, "lost_");
	uint64_t seen = sum_stat(selection, "seen");
	const char *before = ": ";

	if (!lost)
		return;
	(void)fprintf(err, "lost %" PRIu64 " of %" PRIu64 " seen in the whole session (%.2f %%)",
		      lost, seen, percent(lost, seen));
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_info *info = &selection->sessions[i].info;

		for (size_t j = 0; j < info->nr_stats; j++) {
			const char *name = info->stats[j].name;
			uint64_t value = sum_stat(selection, name);

			if (strncmp(name, "lost_", 5) != 0 || !value ||
			    told_before(selection, i, name))
				continue;
			(void)fprintf(err, "%s%s %" PRIu64, before, name + 5, value);
			before = ", ";
		}
	}
	(void)fputc('\n', err);
}

static void write_throttled(FILE *err, const struct selection *selection)
{
	uint64_t episodes = sum_stat(selection, "throttle_episodes");

	if (episodes)
		(void)fprintf(err,
			      "throttled %" PRIu64 " times by the kernel, %.1f ms in all: the "
			      "rate is too high for this machine\n",
			      episodes, (double)sum_stat(selection, "throttled_ns") / 1e6);
}

/* What must hold between counters, and between them and the sample files. */
static void write_balance(FILE *err, const struct profile *profile)
{
	const struct selection *selection = profile->selection;
	uint64_t seen = sum_stat(selection, "seen");
	uint64_t stored = sum_stat(selection, "stored");
	uint64_t idle = sum_stat(selection, "idle");
	uint64_t lost = sum_stats(selection, "lost_");

	if (seen != stored + idle + lost)
		(void)fprintf(err,
			      "the counters do not balance: seen %" PRIu64 ", but stored %" PRIu64
			      " + idle %" PRIu64 " + lost %" PRIu64
			      " (normal only while a daemon is at work)\n",
			      seen, stored, idle, lost);
	if (selection->whole && !profile->nr_filtered && seen && stored != profile->nr_samples)
		(void)fprintf(err,
			      "the sample files hold %" PRIu64
			      " samples, the daemon stored %" PRIu64
			      " (normal only while a daemon is at work)\n",
			      profile->nr_samples, stored);
}

struct lacking {
	uint32_t image;
	uint64_t nr_samples; /* in no symbol */
};

static int compare_lacking(const void *a, const void *b)
{
	const struct lacking *left = a;
	const struct lacking *right = b;

	if (left->nr_samples != right->nr_samples)
		return left->nr_samples > right->nr_samples ? -1 : 1;
	return left->image < right->image ? -1 : left->image > right->image;
}

static void write_lacking_image(FILE *err, const struct profile *profile,
				const struct lacking *lacking)
{
	const struct profile_image *image = &profile->images[lacking->image];

	(void)fprintf(err, "  %" PRIu64 " samples (%.2f %%) without a symbol in ",
		      lacking->nr_samples, percent(lacking->nr_samples, profile->nr_samples));
	text_write_name(err, profile->selection->images[lacking->image].path);
	if (image->note) {
		(void)fputs(": ", err);
		text_write_name(err, image->note);
	}
	(void)fputc('\n', err);
}

/* The images whose lack of symbols costs most. */
static void write_lacking(FILE *err, const struct profile *profile)
{
	size_t nr_images = profile->selection->nr_images;
	struct lacking *all = calloc(nr_images, sizeof(*all));
	size_t nr = 0;

	if (!all || !profile->with_symbols) {
		free(all);
		return;
	}
	for (size_t i = 0; i < nr_images; i++)
		if (profile->images[i].nr_unsymbolized)
			all[nr++] =
				(struct lacking){(uint32_t)i, profile->images[i].nr_unsymbolized};
	qsort(all, nr, sizeof(*all), compare_lacking);
	for (size_t i = 0; i < nr && i < IMAGES_SHOWN; i++)
		write_lacking_image(err, profile, &all[i]);
	if (nr > IMAGES_SHOWN)
		(void)fprintf(err, "  and %zu more images with such samples\n", nr - IMAGES_SHOWN);
	free(all);
}

void coverage_write_after(FILE *err, const struct profile *profile)
{
	const struct selection *selection = profile->selection;

	write_samples(err, profile);
	write_lost(err, selection);
	write_throttled(err, selection);
	write_balance(err, profile);
	if (profile->nr_damaged + selection->nr_skipped)
		(void)fprintf(err, "%zu sample files could not be read and are left out\n",
			      profile->nr_damaged + selection->nr_skipped);
	if (profile->nr_holed)
		(void)fprintf(err,
			      "%zu sample files lost a page while they were written (full disk?): "
			      "their counts are too low\n",
			      profile->nr_holed);
	write_lacking(err, profile);
}
