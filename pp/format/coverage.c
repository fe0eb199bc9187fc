// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/format/coverage.h"

#include "lib/saturate.h"
#include "lib/utf8.h"
#include "oprof/session.h"

#include "pp/profile/balance.h"
#include "pp/format/format_text.h"
#include "pp/profile/share.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IMAGES_SHOWN 5 /* maximum number of images without symbols to list */
#define NS_PER_S     1000000000
#define DEBUG_REMEDY                                                                               \
	"install -dbgsym, -dbg or -debuginfo packages, or debuginfod-find debuginfo FILE"
/* Times that differ by less than this count as equal, because times are shown in seconds. */
#define SAME_TIME_NS (3 * (int64_t)NS_PER_S / 2)

static const char *level_unit(enum oprof_slice_level level)
{
	static const char *const units[OPROF_SLICE_NR_LEVELS] = {
		[OPROF_SLICE_MINUTE] = "minute",
		[OPROF_SLICE_HOUR] = "hour",
		[OPROF_SLICE_DAY] = "day",
		[OPROF_SLICE_WEEK] = "week",
	};

	return level < OPROF_SLICE_NR_LEVELS ? units[level] : "time range";
}

static bool same_time(int64_t asked_ns, int64_t taken_ns)
{
	return asked_ns == TIME_RANGE_OPEN_BEGIN || asked_ns == TIME_RANGE_OPEN_END ||
	       (asked_ns - taken_ns < SAME_TIME_NS && taken_ns - asked_ns < SAME_TIME_NS);
}

static bool is_as_asked(const struct profile_side *taken, const struct selection_side *asked)
{
	return !asked->timed ||
	       (taken->start_ns && same_time(asked->range.begin_ns, taken->start_ns) &&
		same_time(asked->range.end_ns, taken->end_ns));
}

/*
 * Lists the slices, longer than a minute, that extend beyond the requested range. The report
 * includes all samples of these slices, because a slice cannot be divided.
 */
static void write_cut(FILE *err, const struct session_parts *parts, const struct time_range *range)
{
	char shown[TIME_RANGE_SHOWN_BYTES];

	for (size_t i = 0; i < parts->nr_slices; i++) {
		const struct part_slice *slice = &parts->slices[i];

		if (slice->level == OPROF_SLICE_MINUTE ||
		    (slice->begin_ns >= range->begin_ns && slice->end_ns <= range->end_ns))
			continue;
		time_range_show(slice->begin_ns, slice->end_ns, shown);
		(void)fprintf(err, "; %s is stored only per %s", shown, level_unit(slice->level));
	}
}

static void write_asked(FILE *err, const struct selection *selection,
			const struct selection_side *side)
{
	char shown[TIME_RANGE_SHOWN_BYTES];

	time_range_show(side->range.begin_ns, side->range.end_ns, shown);
	(void)fprintf(err, " (requested: %s", shown);
	for (size_t i = 0; i < side->nr_sessions; i++)
		write_cut(err, &selection->sessions[side->first_session + i].parts, &side->range);
	(void)fputc(')', err);
}

/* Writes the time range that was used, which may be larger than the requested one. */
static void write_times(FILE *err, const struct profile *profile, size_t index)
{
	const struct profile_side *side = &profile->sides[index];
	char shown[TIME_RANGE_SHOWN_BYTES];

	if (side->start_ns) {
		time_range_show(side->start_ns, side->end_ns, shown);
		(void)fprintf(err, ", %s", shown);
	}
	if (!is_as_asked(side, &profile->selection->sides[index]))
		write_asked(err, profile->selection, &profile->selection->sides[index]);
}

static void write_sessions(FILE *err, const struct selection *selection,
			   const struct selection_side *side, const char *session_dir)
{
	const struct archive_place *archive = selection->sessions[side->first_session].archive;

	(void)fputs(side->nr_sessions > 1 ? "sessions " : "session ", err);
	for (size_t i = 0; i < side->nr_sessions; i++) {
		(void)fputs(i ? "," : "", err);
		utf8_write_masked(err, selection->sessions[side->first_session + i].name);
	}
	(void)fputs(" of ", err);
	utf8_write_masked(err, archive ? archive->path : session_dir);
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
		utf8_write_masked(err, key->event);
		(void)fprintf(err, ":%s", count);
	}
}

/* Returns whether the classes are events. The sum of different events is not meaningful. */
static bool shows_events(const struct profile *profile)
{
	return profile->selection->classes.axis == AXIS_EVENT;
}

static void write_rate(FILE *err, const struct profile *profile, size_t index)
{
	const struct profile_side *side = &profile->sides[index];
	double seconds = (double)side->nr_ns / NS_PER_S;
	const uint64_t *counts = shows_events(profile)
					 ? profile->totals + index * profile->nr_classes
					 : &side->nr_samples;
	size_t nr = shows_events(profile) ? profile->nr_classes : 1;

	/* A rate over less than 0.1 seconds is not meaningful. */
	if (!side->start_ns || seconds < 0.1)
		return;
	for (size_t i = 0; i < nr; i++)
		(void)fprintf(err, "%s%.1f", i ? " + " : ", ", (double)counts[i] / seconds);
	(void)fputs(" samples/s", err);
}

/* If there are two sides, writes the side to which the line refers. */
static void write_side(FILE *err, const struct profile *profile, size_t index)
{
	if (profile->selection->nr_sides > 1)
		(void)fputs(index ? "after: " : "before: ", err);
}

/* Writes the line about one side. If `brief` is set, omits the reason why the source was chosen. */
static void write_before(FILE *err, const struct profile *profile, size_t index,
			 const char *session_dir, bool brief)
{
	const struct selection *selection = profile->selection;
	const struct selection_side *side = &selection->sides[index];
	const struct session_info *info = &selection->sessions[side->first_session].info;
	const char *host = info->host ? info->host : profile->host;

	write_side(err, profile, index);
	write_sessions(err, selection, side, session_dir);
	(void)fputs(profile->several_hosts ? ", several hosts, first " : ", host ", err);
	utf8_write_masked(err, host ? host : "unknown");
	write_times(err, profile, index);
	if (info->source) {
		(void)fputs(", source ", err);
		utf8_write_masked(err, info->source);
	}
	if (info->source && info->source_reason && !brief) {
		(void)fputs(" (", err);
		utf8_write_masked(err, info->source_reason);
		(void)fputc(')', err);
	}
	write_events(err, &selection->classes);
	write_rate(err, profile, index);
	(void)fputc('\n', err);
}

void coverage_write_before(FILE *err, const struct profile *profile, const char *session_dir)
{
	for (size_t i = 0; i < profile->selection->nr_sides; i++)
		write_before(err, profile, i, session_dir, false);
}

void coverage_brief_before(FILE *err, const struct profile *profile, const char *session_dir)
{
	for (size_t i = 0; i < profile->selection->nr_sides; i++)
		write_before(err, profile, i, session_dir, true);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/*
 * Reports the samples that -e and -i exclude. These options compare whole names: "-i foo" does not
 * match foo(int), and may exclude all samples.
 */
static void write_filtered(FILE *err, const struct profile_side *side)
{
	if (!side->nr_filtered)
		return;
	(void)fprintf(err, ", %" PRIu64 " excluded by symbol", side->nr_filtered);
	if (!side->nr_samples)
		(void)fputs(": no samples are left; -e and -i match whole names and globs, such "
			    "as 'foo(int)' or 'foo*'",
			    err);
}

static void write_samples(FILE *err, const struct profile *profile, size_t index)
{
	const struct profile_side *side = &profile->sides[index];

	if (index)
		(void)fputc('\n', err);
	write_side(err, profile, index);
	(void)fprintf(err, "samples %" PRIu64, side->nr_samples);
	if (side->nr_idle)
		(void)fprintf(err, ", not counting %" PRIu64 " of idle CPUs", side->nr_idle);
	write_filtered(err, side);
}

/* Returns whether an earlier class has the same event. */
static bool measured_before(const struct classes *classes, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (class_key_same_event(&classes->classes[i].key, &classes->classes[index].key))
			return true;
	return false;
}

/* For events whose numbers or percentages are not samples, writes their units. */
static void write_measures(FILE *err, const struct classes *classes)
{
	for (size_t i = 0; i < classes->nr_classes; i++) {
		const struct profile_class *class = &classes->classes[i];

		if (class->measure == MEASURE_SAMPLES || measured_before(classes, i))
			continue;
		utf8_write_masked(err, class->key.event);
		(void)fputs(
			class->measure == MEASURE_TIME
				? ": numbers are nanoseconds, percentages refer to the total time\n"
				: ": numbers are samples, percentages refer to the events "
				  "that the samples stand for\n",
			err);
	}
}

static void write_lost(FILE *err, const struct selection_side *side)
{
	const struct counters *counters = &side->counters;
	uint64_t lost = counters_sum(counters, "lost_");
	uint64_t seen = counters_get(counters, "seen");
	const char *before = ": ";

	if (!lost)
		return;
	(void)fprintf(err, "lost %" PRIu64 " of %" PRIu64 " seen in the whole %s (%.2f %%)", lost,
		      seen, side->timed ? "time range" : "session", percent(lost, seen));
	for (size_t i = 0; i < counters->nr_entries; i++) {
		const char *name = counters->entries[i].name;

		if (strncmp(name, "lost_", 5) != 0 || !counters->entries[i].value)
			continue;
		(void)fputs(before, err);
		utf8_write_masked(err, name + 5);
		(void)fprintf(err, " %" PRIu64, counters->entries[i].value);
		before = ", ";
	}
	(void)fputc('\n', err);
}

/* Reports samples that are missing from the call trees, or were folded there into [other]. */
static void write_stacks(FILE *err, const struct selection_side *side)
{
	const struct counters *counters = &side->counters;
	uint64_t lost = counters_sum(counters, "stacks_lost_");
	uint64_t folded = counters_get(counters, "stacks_folded");
	uint64_t kept = counters_get(counters, "stacks_stored");
	const char *before = " (";

	if (!lost && !folded)
		return;
	(void)fprintf(err, "call stacks of the whole %s: %" PRIu64 " stored",
		      side->timed ? "time range" : "session", kept);
	if (folded)
		(void)fprintf(err,
			      ", %" PRIu64 " of them folded into [other] because the call tree was "
			      "full",
			      folded);
	if (lost)
		(void)fprintf(err, "; %" PRIu64 " lost", lost);
	for (size_t i = 0; i < counters->nr_entries; i++) {
		const char *name = counters->entries[i].name;

		if (strncmp(name, "stacks_lost_", 12) != 0 || !counters->entries[i].value)
			continue;
		(void)fputs(before, err);
		utf8_write_masked(err, name + 12);
		(void)fprintf(err, " %" PRIu64, counters->entries[i].value);
		before = ", ";
	}
	(void)fputs(lost ? ")\n" : "\n", err);
}

static void write_expired(FILE *err, const struct selection_side *side)
{
	uint64_t expired = counters_get(&side->counters, "expired");

	if (expired && !side->timed)
		(void)fprintf(err,
			      "%" PRIu64
			      " older samples were deleted to keep the history within its budget\n",
			      expired);
}

static void write_throttled(FILE *err, const struct selection_side *side)
{
	uint64_t episodes = counters_get(&side->counters, "throttle_episodes");

	if (episodes)
		(void)fprintf(err,
			      "throttled %" PRIu64 " time%s by the kernel, %.1f ms in all: the "
			      "rate is too high for this machine\n",
			      episodes, episodes == 1 ? "" : "s",
			      (double)counters_get(&side->counters, "throttled_ns") / 1e6);
}

/*
 * Writes a line if the counters do not add up, and a line if the sample files differ from the
 * counters.
 */
static void write_balance(FILE *err, const struct profile *profile, size_t index)
{
	const struct counters *counters = &profile->selection->sides[index].counters;
	const struct balance balance = balance_of(profile, index);

	if (balance.counters_differ)
		(void)fprintf(err,
			      "the counters do not balance: seen %" PRIu64 ", but stored %" PRIu64
			      " + idle %" PRIu64 " + lost %" PRIu64 "\n",
			      counters_get(counters, "seen"), counters_get(counters, "stored"),
			      counters_get(counters, "idle"), counters_sum(counters, "lost_"));
	if (balance.files_differ)
		(void)fprintf(err,
			      "the sample files contain %" PRIu64
			      " samples, but the daemon stored %" PRIu64 "\n",
			      profile->sides[index].nr_samples, counters_get(counters, "stored"));
}

/* ---- images without symbols ---- */

/* The column in which an image's samples without a symbol have the greatest share. */
struct column_lack {
	uint32_t image;
	size_t column;
	uint64_t nr_samples; /* samples without a symbol */
	double percent;	     /* share of these samples in the column */
};

/*
 * All samples without a symbol, by image and column. A column here is an event, or all classes
 * together.
 */
struct lack {
	const struct profile *profile;
	size_t nr_columns;
	uint64_t *counts; /* nr_columns for each image */
	uint64_t *sums;	  /* one for each column */
	struct column_lack *images;
	size_t nr_images; /* number of images with samples without a symbol, or with damage */
};

static void lack_deinit(struct lack *lack)
{
	free(lack->counts);
	free(lack->sums);
	free(lack->images);
}

/* Returns the number of all samples in the column, over all sides. */
static uint64_t column_total(const struct lack *lack, size_t column)
{
	const struct profile *profile = lack->profile;
	uint64_t total = 0;

	if (lack->nr_columns == 1)
		return profile->nr_samples;
	for (; column < profile->nr_columns; column += profile->nr_classes)
		total = saturate_sum(total, profile->totals[column]);
	return total;
}

static void lack_count(struct lack *lack)
{
	const struct profile *profile = lack->profile;

	for (size_t i = 0; i < profile->nr_rows; i++) {
		uint64_t *counts = lack->counts + profile->rows[i].image * lack->nr_columns;

		for (size_t j = 0; j < profile->nr_columns && !profile->rows[i].name; j++) {
			size_t column = lack->nr_columns > 1 ? j % profile->nr_classes : 0;
			uint64_t nr = profile_counts(profile, i)[j];

			counts[column] = saturate_sum(counts[column], nr);
			lack->sums[column] = saturate_sum(lack->sums[column], nr);
		}
	}
}

/* Returns the column in which the image's samples without a symbol have the greatest share. */
static struct column_lack find_worst(const struct lack *lack, uint32_t image)
{
	const uint64_t *counts = lack->counts + image * lack->nr_columns;
	struct column_lack worst = {.image = image};

	for (size_t i = 0; i < lack->nr_columns; i++) {
		double share = percent(counts[i], column_total(lack, i));

		if (share > worst.percent)
			worst = (struct column_lack){image, i, counts[i], share};
	}
	return worst;
}

static int compare_lacking(const void *a, const void *b)
{
	const struct column_lack *left = a;
	const struct column_lack *right = b;

	if (left->percent != right->percent)
		return left->percent > right->percent ? -1 : 1;
	return left->image < right->image ? -1 : left->image > right->image;
}

/*
 * Returns true for defects, which are always reported. Symbols that are not installed are not a
 * defect, because many images lack them.
 */
static bool is_always_shown(enum symbols_lack why)
{
	return why == SYMBOLS_DAMAGED || why == SYMBOLS_WRONG_FILE;
}

/* Returns false if out of memory; coverage_write_after() then omits these lines. */
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
		struct column_lack worst = find_worst(lack, (uint32_t)i);

		if (worst.nr_samples || is_always_shown(profile->images[i].lack))
			lack->images[lack->nr_images++] = worst;
	}
	qsort(lack->images, lack->nr_images, sizeof(*lack->images), compare_lacking);
	return true;
}

/* If there are several events, writes the event to which a percentage refers. */
static void write_of_event(FILE *err, const struct lack *lack, size_t column)
{
	if (lack->nr_columns == 1)
		return;
	(void)fputs(" of ", err);
	utf8_write_masked(err, lack->profile->selection->classes.classes[column].name);
}

/* Rounds down, so that 100.00 % means all. */
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

static void write_lacking(FILE *err, const struct lack *lack, const struct column_lack *lacking)
{
	const char *note = lack->profile->images[lacking->image].note;

	(void)fprintf(err, "  %" PRIu64 " sample%s (%.2f %%", lacking->nr_samples,
		      lacking->nr_samples == 1 ? "" : "s", lacking->percent);
	write_of_event(err, lack, lacking->column);
	(void)fputs(") without a symbol in ", err);
	utf8_write_masked(err, lack->profile->selection->images[lacking->image].path);
	if (note) {
		(void)fputs(": ", err);
		utf8_write_masked(err, note);
	}
	(void)fputc('\n', err);
}

/*
 * Lists the images with the greatest shares of samples without a symbol, and all damaged images.
 * Then, if debug symbols may help, writes one line with this remedy.
 */
static void write_images(FILE *err, const struct lack *lack)
{
	bool debug_helps = false;
	size_t nr_shown = 0;

	for (size_t i = 0; i < lack->nr_images; i++) {
		enum symbols_lack why = lack->profile->images[lack->images[i].image].lack;

		debug_helps |= why == SYMBOLS_DYNAMIC_ONLY || why == SYMBOLS_STRIPPED;
		if (i >= IMAGES_SHOWN && !is_always_shown(why))
			continue;
		write_lacking(err, lack, &lack->images[i]);
		nr_shown++;
	}
	if (lack->nr_images > nr_shown)
		(void)fprintf(err, "  and %zu more image%s with such samples\n",
			      lack->nr_images - nr_shown,
			      lack->nr_images - nr_shown == 1 ? "" : "s");
	if (debug_helps)
		(void)fputs("  debug symbols: " DEBUG_REMEDY "\n", err);
}

/* Returns the column with the greatest share of samples without a symbol. */
static size_t worst_column(const struct lack *lack)
{
	size_t worst = 0;

	for (size_t i = 1; i < lack->nr_columns; i++)
		if (percent(lack->sums[i], column_total(lack, i)) >
		    percent(lack->sums[worst], column_total(lack, worst)))
			worst = i;
	return worst;
}

/* Returns how many of the image's samples in the column have no symbol. */
static uint64_t lacking_in(const struct lack *lack, const struct column_lack *image, size_t column)
{
	return lack->counts[image->image * lack->nr_columns + column];
}

/*
 * Returns the image that has the most samples without a symbol in the column, or NULL. *nr_images
 * is the number of images with such samples.
 */
static const struct column_lack *find_most(const struct lack *lack, size_t column,
					   size_t *nr_images)
{
	const struct column_lack *most = NULL;

	*nr_images = 0;
	for (size_t i = 0; i < lack->nr_images; i++) {
		const struct column_lack *image = &lack->images[i];
		uint64_t nr_samples = lacking_in(lack, image, column);

		if (!nr_samples)
			continue;
		++*nr_images;
		if (!most || nr_samples > lacking_in(lack, most, column))
			most = image;
	}
	return most;
}

/*
 * Returns whether debug symbols may help: whether the column has samples in an image that was
 * stripped.
 */
static bool lacks_debug(const struct lack *lack, size_t column)
{
	for (size_t i = 0; i < lack->nr_images; i++) {
		enum symbols_lack why = lack->profile->images[lack->images[i].image].lack;

		if ((why == SYMBOLS_DYNAMIC_ONLY || why == SYMBOLS_STRIPPED) &&
		    lacking_in(lack, &lack->images[i], column))
			return true;
	}
	return false;
}

/*
 * Writes how to get symbols. If no remedy is known, writes why the image of `most` has no symbols.
 * Omits this reason if it is a defect, because then the image has a line of its own.
 */
static void write_remedy(FILE *err, const struct lack *lack, size_t column,
			 const struct column_lack *most)
{
	const struct profile_image *image = &lack->profile->images[most->image];

	if (lacks_debug(lack, column)) {
		(void)fputs("; " DEBUG_REMEDY, err);
	} else if (image->note && !is_always_shown(image->lack)) {
		(void)fputs(": ", err);
		utf8_write_masked(err, image->note);
	}
}

/*
 * Writes one line about all images without symbols, with the name of the image that has the most
 * samples without a symbol.
 */
static void write_sum(FILE *err, const struct lack *lack)
{
	size_t column = worst_column(lack);
	size_t nr_images;
	const struct column_lack *most = find_most(lack, column, &nr_images);

	if (!most)
		return;
	(void)fprintf(err, "no symbols for %.2f %%",
		      percent(lack->sums[column], column_total(lack, column)));
	write_of_event(err, lack, column);
	if (nr_images > 1)
		(void)fprintf(err, ", in %zu images, most in ", nr_images);
	else
		(void)fputs(", in ", err);
	utf8_write_masked(err, lack->profile->selection->images[most->image].path);
	if (nr_images > 1) {
		(void)fprintf(err, " (%.2f %%",
			      percent(lacking_in(lack, most, column), column_total(lack, column)));
		write_of_event(err, lack, column);
		(void)fputc(')', err);
	}
	write_remedy(err, lack, column, most);
	(void)fputs("; -V lists reasons\n", err);
}

/*
 * Writes one line about all images without symbols, and one line for each image that is damaged or
 * was replaced.
 */
static void write_images_brief(FILE *err, const struct lack *lack)
{
	write_sum(err, lack);
	for (size_t i = 0; i < lack->nr_images; i++)
		if (is_always_shown(lack->profile->images[lack->images[i].image].lack))
			write_lacking(err, lack, &lack->images[i]);
}

/* Returns whether an earlier note, of this session or of another one, has this name. */
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

/* Writes the notes of the sources about their samples. */
static void write_notes(FILE *err, const struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		const struct session_info *info = &selection->sessions[i].info;

		for (size_t j = 0; j < info->nr_notes; j++) {
			if (noted_before(selection, i, j, info->notes[j].name) ||
			    !strcmp(info->notes[j].name, OPROF_NOTE_NO_KERNEL_SYMBOLS))
				/*
				 * This note was written before, or is written in the line of the
				 * kernel's image if that image has samples.
				 */
				continue;
			utf8_write_masked(err, info->notes[j].text);
			(void)fputc('\n', err);
		}
	}
}

static void write_side_losses(FILE *err, const struct profile *profile, size_t index)
{
	const struct selection_side *side = &profile->selection->sides[index];

	write_lost(err, side);
	write_stacks(err, side);
	write_throttled(err, side);
	write_expired(err, side);
	write_balance(err, profile, index);
}

/* Writes the lines about units, notes of sources, and lost, damaged or missing samples. */
static void write_losses(FILE *err, const struct profile *profile)
{
	const struct selection *selection = profile->selection;
	size_t nr_unread = profile->nr_damaged + selection->nr_skipped;

	write_measures(err, &selection->classes);
	write_notes(err, selection);
	for (size_t i = 0; i < selection->nr_sides; i++)
		write_side_losses(err, profile, i);
	if (nr_unread)
		(void)fprintf(err, "%zu sample file%s could not be read and %s left out\n",
			      nr_unread, nr_unread == 1 ? "" : "s", nr_unread == 1 ? "is" : "are");
	if (profile->nr_holed)
		(void)fprintf(
			err,
			profile->nr_holed == 1
				? "%zu sample file lost a page while it was written (full "
				  "disk?): the file's counts are too low\n"
				: "%zu sample files lost a page while they were written (full "
				  "disk?): the files' counts are too low\n",
			profile->nr_holed);
}

/* Returns whether all classes are measured times, so that no number depends on sampling. */
static bool is_measured(const struct classes *classes)
{
	for (size_t i = 0; i < classes->nr_classes; i++)
		if (classes->classes[i].measure != MEASURE_TIME)
			return false;
	return true;
}

/* Reports how many changes exceed the sampling error. meaning: explains the column of changes. */
static void write_chance(FILE *err, const struct profile *profile, const char *meaning)
{
	size_t nr_by_chance = profile->nr_rows * profile->nr_classes / 20;
	size_t nr_beyond = 0;

	for (size_t i = 0; i < profile->nr_rows; i++)
		for (size_t j = 0; j < profile->nr_classes; j++) {
			const uint64_t *counts = profile_counts(profile, i);
			const uint64_t *shares = profile_shares(profile, i);
			struct share before = profile_share(profile, j, 0, counts, shares);
			struct share after = profile_share(profile, j, 1, counts, shares);

			if (share_same(&before, &after))
				continue;
			nr_beyond++;
			break;
		}
	(void)fprintf(err,
		      "%s; ~: within the sampling error (95 %%)\n%zu of %zu %s changed by more "
		      "than the sampling error",
		      meaning, nr_beyond, profile->nr_rows,
		      profile->with_symbols ? "symbols" : "images");
	/* With a confidence of 95 %, one of twenty unchanged lines appears to have changed. */
	if (nr_by_chance && !is_measured(&profile->selection->classes))
		(void)fprintf(err, "; up to %zu of these changes may be due to chance",
			      nr_by_chance);
	(void)fputc('\n', err);
}

static void write_after(FILE *err, const struct profile *profile, const char *meaning,
			void (*write_lack)(FILE *err, const struct lack *lack))
{
	struct lack lack = {0};
	bool told = profile->with_symbols && lack_init(&lack, profile);

	for (size_t i = 0; i < profile->selection->nr_sides; i++)
		write_samples(err, profile, i);
	if (told)
		write_symbolized(err, &lack);
	(void)fputc('\n', err);
	if (profile->selection->nr_sides > 1)
		write_chance(err, profile, meaning);
	write_losses(err, profile);
	if (told)
		write_lack(err, &lack);
	lack_deinit(&lack);
}

void coverage_write_after(FILE *err, const struct profile *profile)
{
	write_after(err, profile, "diff %: the change of the share, in percent of the first share",
		    write_images);
}

void coverage_brief_after(FILE *err, const struct profile *profile, bool each_image)
{
	write_after(err, profile, "CHANGE: the difference of the shares, in percentage points",
		    each_image ? write_images : write_images_brief);
}
