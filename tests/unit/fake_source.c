// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/fake_source.h"

#include "daemon/off_cpu.h"
#include "lib/file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct fake fake;

struct source {
	int fd;
};

static struct source the_source = {.fd = -1};

void fake_init(struct record_sink *sink)
{
	memset(&fake, 0, sizeof(fake));
	fake.sink = sink;
	fake.time_ns = 1000000;
}

void fake_image(uint32_t cookie, enum oprof_image_kind kind, const char *path)
{
	struct image *image = &fake.images[cookie];

	assert(cookie > 0);
	assert(cookie < FAKE_IMAGES);
	memset(image, 0, sizeof(*image));
	(void)snprintf(fake.paths[cookie], sizeof(fake.paths[cookie]), "%s", path);
	image->cookie = cookie;
	image->kind = kind;
	image->path = fake.paths[cookie];
	image->identity.dev = 8;
	image->identity.inode = 1000 + cookie;
}

void fake_raw(const struct oprof_record *record, size_t nr_bytes)
{
	assert(fake.nr_bytes + nr_bytes <= sizeof(fake.records));
	memcpy(fake.records + fake.nr_bytes, record, nr_bytes);
	fake.nr_bytes += nr_bytes;
}

void fake_task(int32_t tgid, int32_t tid, uint32_t app_image, uint64_t cgroup)
{
	struct oprof_task task = {
		.head = {.type = OPROF_RECORD_TASK, .size_bytes = sizeof(task)},
		.tgid = tgid,
		.tid = tid,
		.generation = 1,
		.app_image = app_image,
		.cgroup = cgroup,
	};

	fake_raw(&task.head, sizeof(task));
}

void fake_cpu(uint32_t cpu)
{
	struct oprof_cpu record = {
		.head = {.type = OPROF_RECORD_CPU, .size_bytes = sizeof(record)},
		.cpu = cpu,
	};

	fake_raw(&record.head, sizeof(record));
}

void fake_sample(uint16_t event, enum oprof_mode mode, uint32_t image, uint64_t offset,
		 uint64_t weight)
{
	struct oprof_sample sample = {
		.head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(sample)},
		.time_ns = fake.time_ns += 1000,
		.weight = weight,
		.event = event,
		.mode = (uint8_t)mode,
		.leaf = {.image = image, .mode = mode, .offset = offset},
	};

	fake_raw(&sample.head, sizeof(sample));
}

void fake_stack(uint16_t event, const struct oprof_frame *leaf, const struct oprof_frame *callers,
		uint16_t nr_callers, uint16_t flags)
{
	struct {
		struct oprof_sample sample;
		struct oprof_frame callers[FAKE_FRAMES_MAX];
	} record;
	size_t nr_bytes = sizeof(record.sample) + nr_callers * sizeof(*callers);

	assert(nr_callers <= FAKE_FRAMES_MAX);
	record.sample = (struct oprof_sample){
		.head = {.type = OPROF_RECORD_SAMPLE,
			 .flags = flags,
			 .size_bytes = (uint32_t)nr_bytes},
		.time_ns = fake.time_ns += 1000,
		.weight = 1000,
		.event = event,
		.mode = (uint8_t)leaf->mode,
		.chain_kind =
			(uint8_t)(fake.chain_kind ? fake.chain_kind : OPROF_CHAIN_FRAME_POINTERS),
		.nr_frames = nr_callers,
		.leaf = *leaf,
	};
	if (nr_callers)
		memcpy(record.callers, callers, nr_callers * sizeof(*callers));
	fake_raw(&record.sample.head, nr_bytes);
}

void fake_lost(uint32_t reason, uint64_t nr)
{
	struct oprof_lost_record lost = {
		.head = {.type = OPROF_RECORD_LOST, .size_bytes = sizeof(lost)},
		.time_ns = fake.time_ns,
		.reason = reason,
		.event = UINT32_MAX,
		.nr_samples = nr,
	};

	fake_raw(&lost.head, sizeof(lost));
}

void fake_release(uint32_t image)
{
	struct oprof_release release = {
		.head = {.type = OPROF_RECORD_RELEASE, .size_bytes = sizeof(release)},
		.image = image,
	};

	fake_raw(&release.head, sizeof(release));
}

void fake_throttle(uint16_t event, uint32_t cpu, bool begins, uint64_t time_ns)
{
	struct oprof_throttle throttle = {
		.head = {.type = OPROF_RECORD_THROTTLE,
			 .flags = begins,
			 .size_bytes = sizeof(throttle)},
		.time_ns = time_ns,
		.event = event,
		.cpu = cpu,
	};

	fake_raw(&throttle.head, sizeof(throttle));
}

static void fake_count(const struct oprof_record *record)
{
	if (record->type == OPROF_RECORD_SAMPLE)
		fake.seen++;
	if (record->type == OPROF_RECORD_LOST)
		fake.seen += ((const struct oprof_lost_record *)record)->nr_samples;
}

void fake_flush(void)
{
	size_t done = 0;

	while (done < fake.nr_bytes) {
		union {
			struct oprof_record head;
			char bytes[sizeof(struct oprof_sample) +
				   FAKE_FRAMES_MAX * sizeof(struct oprof_frame)];
		} record;

		memcpy(&record.head, fake.records + done, sizeof(record.head));
		assert(record.head.size_bytes <= sizeof(record));
		memcpy(&record, fake.records + done, record.head.size_bytes);
		done += record.head.size_bytes;
		fake.sink->record(fake.sink, &record.head);
		fake_count(&record.head);
	}
	fake.nr_bytes = 0;
}

static int fake_open(struct source **source, const struct source_config *config,
		     struct record_sink *sink, struct diag *diag)
{
	fake.keep_bytes_max = config->keep_bytes_max;
	if (fake.open_error)
		return diag_set(diag, fake.open_error, "the fake source refuses");
	fake.sink = sink;
	fake.open = true;
	the_source.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*source = &the_source;
	return 0;
}

static void fake_close(struct source *source)
{
	if (!source)
		return;
	fake.open = false;
	(void)close(source->fd);
	source->fd = -1;
}

static int fake_start(struct source *source)
{
	(void)source;
	fake.running = true;
	fake.nr_starts++;
	return 0;
}

static int fake_stop(struct source *source)
{
	(void)source;
	fake.running = false;
	fake.nr_stops++;
	return 0;
}

static int fake_poll_fd(const struct source *source)
{
	return source->fd;
}

static int fake_drain(struct source *source, enum source_drain how)
{
	(void)source;
	(void)how;
	fake_flush();
	return 0;
}

static bool fake_ended(const struct source *source)
{
	(void)source;
	return fake.ended;
}

static uint64_t fake_seen(const struct source *source)
{
	(void)source;
	return fake.seen;
}

static const struct image *fake_find_image(const struct source *source, uint32_t cookie)
{
	(void)source;
	if (cookie == OPROF_IMAGE_COOKIE_OFF_CPU)
		return &off_cpu_image;
	return cookie < FAKE_IMAGES && fake.images[cookie].path ? &fake.images[cookie] : NULL;
}

static const char *fake_cgroup_path(const struct source *source, uint64_t cgroup)
{
	static char path[64];

	(void)source;
	if (cgroup == 404)
		return NULL;
	(void)snprintf(path, sizeof(path), "/group-%llu", (unsigned long long)cgroup);
	return path;
}

static int fake_save_symbols(struct source *source, const char *meta_path)
{
	char file[sizeof(fake.saved_to) + 16];

	(void)source;
	fake.nr_symbols_saved++;
	(void)snprintf(fake.saved_to, sizeof(fake.saved_to), "%s", meta_path);
	(void)snprintf(file, sizeof(file), "%s/symbols", fake.saved_to);
	return file_replace(file, "fake\n", 5, 0600);
}

static size_t fake_notes(const struct source *source, struct source_note *notes, size_t room)
{
	(void)source;
	if (!room || !fake.note.name)
		return 0;
	notes[0] = fake.note;
	return 1;
}

static size_t fake_counters(const struct source *source, struct source_counter *counters,
			    size_t room)
{
	(void)source;
	if (!room)
		return 0;
	counters[0] = (struct source_counter){"late_records", fake.late_records};
	return 1;
}

/* Images of code by name have functions f0, f1, ... */
static const char *fake_code_name(const struct source *source, uint32_t cookie, uint64_t offset)
{
	static char name[32];

	(void)source;
	(void)cookie;
	if (offset == 404)
		return NULL;
	(void)snprintf(name, sizeof(name), "f%llu", (unsigned long long)offset);
	return name;
}

static uint64_t fake_function(const struct source *source, uint32_t cookie, uint64_t offset)
{
	(void)source;
	fake.nr_functions_asked++;
	if (!fake.function_bytes || fake.images[cookie].kind != OPROF_IMAGE_FILE)
		return UINT64_MAX;
	return offset / fake.function_bytes * fake.function_bytes;
}

static int fake_set_thinning(struct source *source, unsigned int thinning)
{
	(void)source;
	if (!fake.thinning_error)
		fake.thinning = thinning;
	return fake.thinning_error;
}

static void fake_read(struct source *source)
{
	(void)source;
	fake.nr_reads++;
}

const struct source_ops source_fake = {
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.start = fake_start,
	.stop = fake_stop,
	.poll_fd = fake_poll_fd,
	.drain = fake_drain,
	.ended = fake_ended,
	.seen = fake_seen,
	.image = fake_find_image,
	.cgroup_path = fake_cgroup_path,
	.read = fake_read,
	.save_symbols = fake_save_symbols,
	.code_name = fake_code_name,
	.function = fake_function,
	.set_thinning = fake_set_thinning,
	.notes = fake_notes,
	.counters = fake_counters,
};
