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

/* Events are not of one kind: a sum of their samples would say nothing. */
static bool shows_events(const struct profile *profile)
{
	return profile->selection->classes.axis == AXIS_EVENT;
}

static void write_rate(FILE *err, const struct profile *profile)
{
	double seconds = (double)(profile->end_ns - profile->start_ns) / NS_PER_S;
	const uint64_t *counts = shows_events(profile) ? profile->totals : &profile->nr_samples;
	size_t nr = shows_events(profile) ? profile->nr_classes : 1;

	/* Over less it says nothing. */
	if (!profile->start_ns || seconds < 0.1)
		return;
	for (size_t i = 0; i < nr; i++)
		(void)fprintf(err, "%s%.1f", i ? " + " : ", ", (double)counts[i] / seconds);
	(void)fputs(" samples/s", err);
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

/* Names are matched whole: who writes foo for foo(int) is left with nothing. */
static void write_filtered(FILE *err, const struct profile *profile)
{
	if (!profile->nr_filtered)
		return;
	(void)fprintf(err, ", %" PRIu64 " taken out by symbol", profile->nr_filtered);
	if (!profile->nr_samples)
		(void)fputs(": none is left; -e and -i take whole names and globs, such as "
			    "'foo(int)' or 'foo*'",
			    err);
}

static void write_samples(FILE *err, const struct profile *profile)
{
	(void)fprintf(err, "samples %" PRIu64, profile->nr_samples);
	if (profile->nr_idle)
		(void)fprintf(err, ", and apart %" PRIu64 " of idle CPUs", profile->nr_idle);
	write_filtered(err, profile);
}

static void write_weighted(FILE *err, const struct profile *profile)
{
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
	if (selection->whole && !profile->nr_filtered && !profile->nr_damaged &&
	    !selection->nr_skipped && seen && stored != profile->nr_samples)
		(void)fprintf(err,
			      "the sample files hold %" PRIu64
			      " samples, the daemon stored %" PRIu64
			      " (normal only while a daemon is at work)\n",
			      profile->nr_samples, stored);
}

/* ---- what has no symbol ---- */

/* Of an image, in the column where that costs most. */
struct lacking {
	uint32_t image;
	size_t column;
	uint64_t nr_samples; /* in no symbol */
	double percent;	     /* they are of the column */
};

/* Samples in no symbol, of each image and column: each event, or all classes in one. */
struct lack {
	const struct profile *profile;
	size_t nr_columns;
	uint64_t *counts; /* by image, then column */
	uint64_t *sums;	  /* of each column */
	struct lacking *images;
	size_t nr_images; /* that lack anything */
};

static void lack_deinit(struct lack *lack)
{
	free(lack->counts);
	free(lack->sums);
	free(lack->images);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t column_total(const struct lack *lack, size_t column)
{
	return lack->nr_columns > 1 ? lack->profile->totals[column] : lack->profile->nr_samples;
}

static void lack_count(struct lack *lack)
{
	const struct profile *profile = lack->profile;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		uint64_t *counts = lack->counts + profile->rows[i].image * lack->nr_columns;

		for (size_t j = 0; j < profile->nr_classes && !profile->rows[i].name; j++) {
			size_t column = lack->nr_columns > 1 ? j : 0;
			uint64_t nr = profile_counts(profile, i)[j];

			counts[column] = add_up(counts[column], nr);
			lack->sums[column] = add_up(lack->sums[column], nr);
		}
	}
}

/* The column that has the greatest share of its samples in no symbol of image. */
static struct lacking find_worst(const struct lack *lack, uint32_t image)
{
	const uint64_t *counts = lack->counts + image * lack->nr_columns;
	struct lacking worst = {.image = image};

	for (size_t i = 0; i < lack->nr_columns; i++) {
		double share = percent(counts[i], column_total(lack, i));

		if (share > worst.percent)
			worst = (struct lacking){image, i, counts[i], share};
	}
	return worst;
}

static int compare_lacking(const void *a, const void *b)
{
	const struct lacking *left = a;
	const struct lacking *right = b;

	if (left->percent != right->percent)
		return left->percent > right->percent ? -1 : 1;
	return left->image < right->image ? -1 : left->image > right->image;
}

/* false: no memory, and nothing is told. */
static bool lack_init(struct lack *lack, const struct profile *profile)
{
	size_t nr_images = profile->selection->nr_images;

	*lack = (struct lack){.profile = profile, .nr_columns = 1};
	if (shows_events(profile))
		lack->nr_columns = profile->nr_classes;
	lack->counts = calloc(nr_images, lack->nr_columns * sizeof(*lack->counts));
	lack->sums = calloc(lack->nr_columns, sizeof(*lack->sums));
	lack->images = calloc(nr_images, sizeof(*lack->images));
	if (!lack->counts || !lack->sums || !lack->images)
		return false;
	lack_count(lack);
	for (size_t i = 0; i < nr_images; i++) {
		struct lacking worst = find_worst(lack, (uint32_t)i);

		if (worst.nr_samples)
			lack->images[lack->nr_images++] = worst;
	}
	qsort(lack->images, lack->nr_images, sizeof(*lack->images), compare_lacking);
	return true;
}

/* Which event a percentage is of, where there are several. */
static void write_of_event(FILE *err, const struct lack *lack, size_t column)
{
	if (lack->nr_columns == 1)
		return;
	(void)fputs(" of ", err);
	text_write_name(err, lack->profile->selection->classes.classes[column].name);
}

/* Rounded down: 100.00 % is all. */
static double percent_down(uint64_t part, uint64_t whole)
{
	return (double)(uint64_t)(percent(part, whole) * 100) / 100;
}

static void write_symbolized(FILE *err, const struct lack *lack)
{
	const char *before = "; symbolized ";

	for (size_t i = 0; i < lack->nr_columns; i++) {
		uint64_t total = column_total(lack, i);

		if (!total)
			continue;
		(void)fprintf(err, "%s%.2f %%", before, percent_down(total - lack->sums[i], total));
		write_of_event(err, lack, i);
		before = ", ";
	}
}

static void write_lacking(FILE *err, const struct lack *lack, const struct lacking *lacking)
{
	const char *note = lack->profile->images[lacking->image].note;

	(void)fprintf(err, "  %" PRIu64 " samples (%.2f %%", lacking->nr_samples, lacking->percent);
	write_of_event(err, lack, lacking->column);
	(void)fputs(") without a symbol in ", err);
	text_write_name(err, lack->profile->selection->images[lacking->image].path);
	if (note) {
		(void)fputs(": ", err);
		text_write_name(err, note);
	}
	(void)fputc('\n', err);
}

/* The images whose lack of symbols costs most, and once what helps. */
static void write_images(FILE *err, const struct lack *lack)
{
	bool lacks_debug = false;

	for (size_t i = 0; i < lack->nr_images; i++) {
		enum symbols_lack why = lack->profile->images[lack->images[i].image].lack;

		lacks_debug |= why == SYMBOLS_DYNAMIC_ONLY || why == SYMBOLS_STRIPPED;
		if (i < IMAGES_SHOWN)
			write_lacking(err, lack, &lack->images[i]);
	}
	if (lack->nr_images > IMAGES_SHOWN)
		(void)fprintf(err, "  and %zu more images with such samples\n",
			      lack->nr_images - IMAGES_SHOWN);
	if (lacks_debug)
		(void)fputs("  debug symbols: install -dbgsym, -dbg or -debuginfo packages, or "
			    "debuginfod-find debuginfo FILE\n",
			    err);
}

/* A session before, or a note before it in its own, says the same. */
static bool noted_before(const struct selection *selection, size_t session, size_t nr_notes,
			 const char *name)
{
	for (size_t i = 0; i <= session; i++) {
		const struct session_info *info = &selection->sessions[i].info;
		size_t nr = i < session ? info->nr_notes : nr_notes;

		for (size_t j = 0; j < nr; j++)
			if (!strcmp(info->notes[j].name, name))
				return true;
	}
	return false;
}

/* What the source says of its samples, in its own words. */
static void write_notes(FILE *err, const struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_info *info = &selection->sessions[i].info;

		for (size_t j = 0; j < info->nr_notes; j++) {
			if (noted_before(selection, i, j, info->notes[j].name))
				continue;
			text_write_name(err, info->notes[j].text);
			(void)fputc('\n', err);
		}
	}
}

/* What may explain the shares before them, and what is missing from them. */
static void write_losses(FILE *err, const struct profile *profile)
{
	const struct selection *selection = profile->selection;
	size_t nr_unread = profile->nr_damaged + selection->nr_skipped;

	write_weighted(err, profile);
	write_notes(err, selection);
	write_lost(err, selection);
	write_throttled(err, selection);
	write_balance(err, profile);
	if (nr_unread)
		(void)fprintf(err, "%zu sample files could not be read and are left out\n",
			      nr_unread);
	if (profile->nr_holed)
		(void)fprintf(err,
			      "%zu sample files lost a page while they were written (full disk?): "
			      "their counts are too low\n",
			      profile->nr_holed);
}

void coverage_write_after(FILE *err, const struct profile *profile)
{
	struct lack lack = {0};
	bool told = profile->with_symbols && lack_init(&lack, profile);

	write_samples(err, profile);
	if (told)
		write_symbolized(err, &lack);
	(void)fputc('\n', err);
	write_losses(err, profile);
	if (told)
		write_images(err, &lack);
	lack_deinit(&lack);
}
