// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oprof/sample_file.h"
#include "tests/guest/kmod_files.h"
#include "tests/guest/stream_check.h"

#define NR_FAULTS_SHOWN 20
#define IMAGES_MAX	(1u << 24)

__attribute__((format(printf, 2, 3))) static void fault(struct stream_check *check,
							const char *form, ...)
{
	va_list arguments;

	if (check->nr_faults++ >= NR_FAULTS_SHOWN)
		return;
	va_start(arguments, form);
	printf("# record %" PRIu64 ": ", check->nr_records);
	vprintf(form, arguments);
	printf("\n");
	va_end(arguments);
}

/* Grows an array and zeroes the new elements. */
static void *grow(void *array, size_t *nr, size_t wanted, size_t bytes)
{
	size_t more = wanted * 2 + 64;
	char *grown = realloc(array, more * bytes);

	if (!grown)
		abort();
	memset(grown + *nr * bytes, 0, (more - *nr) * bytes);
	*nr = more;
	return grown;
}

static struct stream_image *image_of(struct stream_check *check, uint32_t cookie)
{
	if (cookie >= IMAGES_MAX) {
		fault(check, "cookie %u is none", cookie);
		return NULL;
	}
	if (cookie >= check->nr_images)
		check->images =
			grow(check->images, &check->nr_images, cookie, sizeof(*check->images));
	return &check->images[cookie];
}

/* Returns the image of a cookie that may be used now, or NULL after reporting a fault. */
static struct stream_image *image_named(struct stream_check *check, uint32_t cookie, const char *by)
{
	struct stream_image *image = image_of(check, cookie);

	if (!image)
		return NULL;
	if (!image->told)
		fault(check, "%s names cookie %u, which was not told", by, cookie);
	else if (image->released)
		fault(check, "%s names cookie %u, which was released", by, cookie);
	else
		return image;
	return NULL;
}

static int has_ended(const struct stream_check *check, uint64_t generation)
{
	size_t word = generation / 64;

	return word < check->nr_ended_words && check->ended[word] >> generation % 64 & 1;
}

static void check_order(struct stream_check *check, uint64_t time_ns)
{
	if (!check->has_cpu || check->cpu >= STREAM_CHECK_NR_CPUS)
		return;
	if (time_ns < check->last_ns[check->cpu])
		fault(check, "cpu %u: %" PRIu64 " ns earlier than the record before", check->cpu,
		      check->last_ns[check->cpu] - time_ns);
	check->last_ns[check->cpu] = time_ns;
}

static void check_context(struct stream_check *check, const char *of)
{
	if (!check->has_cpu || !check->has_task)
		fault(check, "%s before a CPU and a TASK", of);
	if (check->has_task && has_ended(check, check->task.generation))
		fault(check, "%s of a generation that has ended", of);
}

static void check_frame(struct stream_check *check, const struct oprof_frame *frame)
{
	if (frame->mode == OPROF_MODE_KERNEL) {
		if (frame->image != OPROF_IMAGE_NONE)
			fault(check, "a frame in the kernel has image %u", frame->image);
		return;
	}
	if (frame->mode != OPROF_MODE_USER)
		fault(check, "a frame has mode %u", frame->mode);
	else if (frame->image != OPROF_IMAGE_NONE)
		image_named(check, frame->image, "a frame");
}

static void on_sample(struct stream_check *check, const struct oprof_sample *sample)
{
	const struct oprof_frame *frames = (const void *)(sample + 1);
	unsigned int i;

	if (sample->head.size_bytes != sizeof(*sample) + sample->nr_frames * sizeof(*frames)) {
		fault(check, "a sample of %u bytes with %u frames", sample->head.size_bytes,
		      sample->nr_frames);
		return;
	}
	check_context(check, "a SAMPLE");
	check_order(check, sample->time_ns);
	if (sample->event >= OPROF_KMOD_COUNTERS_MAX)
		fault(check, "event %u", sample->event);
	if (!sample->weight)
		fault(check, "a sample without weight");
	if (sample->mode != sample->leaf.mode)
		fault(check, "a sample's mode is %u, its leaf's %u", sample->mode,
		      sample->leaf.mode);
	check_frame(check, &sample->leaf);
	for (i = 0; i < sample->nr_frames; i++)
		check_frame(check, &frames[i]);
	check->nr_samples++;
	check->nr_frames += sample->nr_frames;
	if (sample->mode == OPROF_MODE_USER)
		check->nr_user++;
	else
		check->nr_kernel++;
	if (sample->leaf.image < check->nr_images)
		check->images[sample->leaf.image].nr_samples++;
	if (check->sample)
		check->sample(check, sample);
}

static void on_task(struct stream_check *check, const struct oprof_task *task)
{
	if (!task->generation)
		fault(check, "a TASK of generation 0");
	if (has_ended(check, task->generation))
		fault(check, "a TASK of generation %" PRIu64 ", which has ended", task->generation);
	if (task->app_image != OPROF_IMAGE_NONE)
		image_named(check, task->app_image, "a TASK");
	check->task = *task;
	check->has_task = 1;
}

static void on_image(struct stream_check *check, const struct oprof_kmod_image *told)
{
	struct stream_image *image = image_of(check, told->image);
	const char *name = (const char *)(told + 1);

	if (!image)
		return;
	if (image->told || told->image == OPROF_IMAGE_NONE)
		fault(check, "cookie %u is told again", told->image);
	if (told->name_bytes > told->head.size_bytes - sizeof(*told) ||
	    (told->name_bytes && name[told->name_bytes - 1]))
		fault(check, "the name of cookie %u has no end", told->image);
	else if (told->name_bytes)
		image->name = strdup(name);
	if (told->kind != OPROF_IMAGE_FILE && told->kind != OPROF_IMAGE_MODULE &&
	    told->kind != OPROF_IMAGE_VDSO && told->kind != OPROF_IMAGE_ANON)
		fault(check, "cookie %u is of kind %u", told->image, told->kind);
	if (told->generation && has_ended(check, told->generation))
		fault(check, "cookie %u is of a process that has ended", told->image);
	image->told = 1;
	image->kind = told->kind;
	image->generation = told->generation;
	if (told->kind == OPROF_IMAGE_FILE && check->file)
		check->file(check, told->image);
}

static void on_release(struct stream_check *check, const struct oprof_release *release)
{
	struct stream_image *image = image_named(check, release->image, "a RELEASE");

	if (image)
		image->released = 1;
}

/* By then everything of a process's own memory must have been released. */
static void on_end(struct stream_check *check, uint64_t generation)
{
	size_t word = generation / 64, i;

	if (!generation || has_ended(check, generation))
		fault(check, "generation %" PRIu64 " ends again", generation);
	for (i = 0; i < check->nr_images; i++)
		if (check->images[i].told && !check->images[i].released && generation &&
		    check->images[i].generation == generation)
			fault(check, "cookie %zu outlives its process", i);
	if (word >= check->nr_ended_words)
		check->ended = grow(check->ended, &check->nr_ended_words, word, sizeof(uint64_t));
	check->ended[word] |= 1ull << generation % 64;
	check->nr_ends++;
}

static void on_lost(struct stream_check *check, const struct oprof_lost_record *lost)
{
	if (lost->reason >= OPROF_LOST_NR || !lost->nr_samples) {
		fault(check, "lost: reason %u, %" PRIu64 " samples", lost->reason,
		      lost->nr_samples);
		return;
	}
	check->lost_by[lost->reason] += lost->nr_samples;
	check->nr_lost += lost->nr_samples;
}

static void on_module(struct stream_check *check, const struct oprof_module *module)
{
	struct stream_image *image = image_named(check, module->image, "a MODULE");

	if (image && image->kind != OPROF_IMAGE_MODULE)
		fault(check, "a MODULE names cookie %u, which is of kind %u", module->image,
		      image->kind);
	check->nr_modules++;
}

/* Least bytes of a record of this type; 0: no such type. */
static size_t least_bytes(unsigned int type)
{
	static const size_t bytes[] = {
		[OPROF_RECORD_TASK] = sizeof(struct oprof_task),
		[OPROF_RECORD_CPU] = sizeof(struct oprof_cpu),
		[OPROF_RECORD_SAMPLE] = sizeof(struct oprof_sample),
		[OPROF_RECORD_SWITCH] = sizeof(struct oprof_switch),
		[OPROF_RECORD_MODULE] = sizeof(struct oprof_module),
		[OPROF_RECORD_LOST] = sizeof(struct oprof_lost_record),
		[OPROF_RECORD_THROTTLE] = sizeof(struct oprof_throttle),
		[OPROF_RECORD_RELEASE] = sizeof(struct oprof_release),
		[OPROF_RECORD_SWITCHES_LOST] = sizeof(struct oprof_switches_lost),
		[OPROF_RECORD_IMAGE] = sizeof(struct oprof_kmod_image),
		[OPROF_RECORD_PROCESS_END] = sizeof(struct oprof_kmod_process_end),
	};

	return type < sizeof(bytes) / sizeof(*bytes) ? bytes[type] : 0;
}

static void on_record(struct stream_check *check, const struct oprof_record *record)
{
	const void *whole = record;

	if (check->wants_task && record->type != OPROF_RECORD_TASK &&
	    record->type != OPROF_RECORD_IMAGE)
		fault(check, "type %u behind a SWITCH", record->type);
	if (record->type != OPROF_RECORD_IMAGE)
		check->wants_task = 0;
	switch (record->type) {
	case OPROF_RECORD_TASK:
		on_task(check, whole);
		break;
	case OPROF_RECORD_CPU:
		check->cpu = ((const struct oprof_cpu *)whole)->cpu;
		check->has_cpu = 1;
		break;
	case OPROF_RECORD_SAMPLE:
		on_sample(check, whole);
		break;
	case OPROF_RECORD_SWITCH:
		check_context(check, "a SWITCH");
		check_order(check, ((const struct oprof_switch *)whole)->time_ns);
		check->nr_switches++;
		check->wants_task = 1;
		break;
	case OPROF_RECORD_MODULE:
		on_module(check, whole);
		break;
	case OPROF_RECORD_LOST:
		on_lost(check, whole);
		break;
	case OPROF_RECORD_THROTTLE:
		check->nr_throttled++;
		break;
	case OPROF_RECORD_RELEASE:
		on_release(check, whole);
		break;
	case OPROF_RECORD_SWITCHES_LOST:
		check->nr_switches_lost++;
		break;
	case OPROF_RECORD_IMAGE:
		on_image(check, whole);
		break;
	case OPROF_RECORD_PROCESS_END:
		on_end(check, ((const struct oprof_kmod_process_end *)whole)->generation);
		break;
	}
}

void stream_check_feed(struct stream_check *check, const void *bytes, size_t nr_bytes)
{
	size_t at = 0;

	while (at < nr_bytes) {
		const struct oprof_record *record = (const void *)((const char *)bytes + at);

		if (nr_bytes - at < sizeof(*record) || record->size_bytes % 8 ||
		    record->size_bytes > nr_bytes - at || !least_bytes(record->type) ||
		    record->size_bytes < least_bytes(record->type)) {
			fault(check, "no whole record: type %u, %u bytes, %zu are left",
			      record->type, record->size_bytes, nr_bytes - at);
			return;
		}
		on_record(check, record);
		check->nr_records++;
		at += record->size_bytes;
	}
}

void stream_check_sums(struct stream_check *check)
{
	uint64_t seen = kmod_stats("seen"), stored = kmod_stats("stored");
	uint64_t lost = kmod_stats_sum("lost_");

	if (check->nr_samples + check->nr_lost != seen)
		fault(check,
		      "seen %" PRIu64 ", but %" PRIu64 " SAMPLE records and %" PRIu64 " in LOST",
		      seen, check->nr_samples, check->nr_lost);
	if (check->nr_samples != stored)
		fault(check, "stored %" PRIu64 ", but %" PRIu64 " SAMPLE records", stored,
		      check->nr_samples);
	if (seen != stored + lost)
		fault(check, "seen %" PRIu64 ", stored %" PRIu64 ", lost %" PRIu64, seen, stored,
		      lost);
}

void stream_check_deinit(struct stream_check *check)
{
	size_t i;

	for (i = 0; i < check->nr_images; i++)
		free(check->images[i].name);
	free(check->images);
	free(check->ended);
}
