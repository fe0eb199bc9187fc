// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records as a source with any fault might deliver them, processed by off-CPU time, attribution,
 * sample files and history.
 *
 * The input: a byte that chooses the separation, then operations. Each is a byte: bits 0-3 a
 * record's type or one of enum operation, bits 4-6 how many words of 8 bytes its record is cut
 * short by, bit 7 whether images are left unchanged. The bytes of the record after its header
 * follow, as far as available.
 *
 * Checked at every closing and at the end: the samples that the records announced = stored + idle +
 * lost, and the files hold the stored and the idle ones.
 */
#include "daemon/profiler/profiler.h"
#include "daemon/filing/recount.h"
#include "daemon/session/separation.h"
#include "lib/file.h"
#include "lib/log.h"
#include "libdb/slice/slice.h"
#include "tests/fixture/fake_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_IMAGES     8
#define OPERATION_MAX 96 /* bytes of the longest record */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Smaller values are types of records. */
enum operation {
	OPERATION_ROUND = 10,
	OPERATION_CLOSE = 11,
	OPERATION_RECENT = 12,
	OPERATION_TIME = 13,
};

static const struct event_choice events[] = {
	{.name = "cpu-clock", .perf_type = 1, .period_or_hz = 1000, .kernel = true, .user = true},
	{.name = "cycles", .frequency = true, .period_or_hz = 99, .kernel = true, .user = true},
	{.name = "off-cpu", .perf_type = EVENT_TYPE_SWITCHES, .period_or_hz = 1, .user = true},
};

/* In memory where available: each input writes and syncs some files. */
static char folder[] = "/dev/shm/oprof-fuzz-XXXXXX";
static char session_folder[sizeof(folder) + 8];
static struct session session;
static struct profiler profiler;
static struct moment clock_now;
static pid_t owner;

static void now(struct moment *moment)
{
	*moment = clock_now;
}

/* Only the parent cleans up: its children profile nothing. */
static void leave(void)
{
	if (getpid() == owner)
		(void)file_remove_tree(folder);
}

static void enter(void)
{
	if (owner)
		return;
	owner = getpid();
	if (access("/dev/shm", W_OK))
		(void)snprintf(folder, sizeof(folder), "/tmp/oprof-fuzz-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	(void)snprintf(session_folder, sizeof(session_folder), "%s/session", folder);
	log_init("fuzz", LOG_LEVEL_ERROR);
	(void)log_open("/dev/null");
	(void)atexit(leave);
}

static void make_images(void)
{
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/one");
	fake_image(2, OPROF_IMAGE_KERNEL, "vmlinux");
	fake_image(3, OPROF_IMAGE_MODULE, "module");
	fake_image(4, OPROF_IMAGE_ANON, "anon");
	fake_image(5, OPROF_IMAGE_CODE, "code");
	fake_image(6, OPROF_IMAGE_FILE, "/bin/a {b}%\n");
	fake_image(7, OPROF_IMAGE_VDSO, "[vdso]");
	fake.images[4].tgid = 7;
	fake.images[4].start = 0x1000;
	fake.images[4].end = 0x3000;
}

static void begin(unsigned int separation)
{
	struct profiler_config config = {
		.ops = &source_fake,
		.separation = separation,
		.history = {.now = now},
		.source = {.events = events,
			   .nr_events = sizeof(events) / sizeof(events[0]),
			   .target = SOURCE_SYSTEM},
	};

	clock_now = (struct moment){.realtime_ns = INT64_C(1700000000000000000),
				    .monotonic_ns = UINT64_C(1000000000)};
	make_images();
	if (session_lock(&session, session_folder, NULL) ||
	    profiler_open(&profiler, &session, &config, NULL))
		abort();
	if (profiler_start(&profiler))
		abort();
}

static void check(void)
{
	const uint64_t *values = session.stats.values;
	struct recount sums;

	if (stats_accounted(&session.stats) != values[STATS_SEEN])
		abort();
	if (recount_session(session.current_path, &sums))
		abort();
	if (sums.stored + sums.idle != values[STATS_STORED] + values[STATS_IDLE])
		abort();
}

static void try_recent(uint8_t number)
{
	const struct recent_span span = {1 + number * UINT64_C(1000000000),
					 number % 3 * UINT64_C(300000000)};
	struct recent_stretch stretch;
	struct slice *slice;
	struct diag diag;
	int fd = profiler_recent(&profiler, &span, number % 16, &stretch, NULL);

	if (fd < 0)
		return;
	diag_clear(&diag);
	if (slice_open_fd(&slice, fd, "recent", &diag)) {
		(void)fprintf(stderr, "%s\n", diag_show(&diag));
		abort();
	}
	while (!slice_skip_section(slice, NULL))
		;
	slice_close(slice);
}

static uint32_t some_image(uint32_t image)
{
	return image == OPROF_IMAGE_COOKIE_OFF_CPU ? image : image % (NR_IMAGES + 2);
}

static size_t record_bytes(unsigned int type)
{
	switch (type) {
	case OPROF_RECORD_TASK:
		return sizeof(struct oprof_task);
	case OPROF_RECORD_CPU:
		return sizeof(struct oprof_cpu);
	case OPROF_RECORD_SAMPLE:
		return sizeof(struct oprof_sample);
	case OPROF_RECORD_SWITCH:
		return sizeof(struct oprof_switch);
	case OPROF_RECORD_MODULE:
		return sizeof(struct oprof_module);
	case OPROF_RECORD_LOST:
		return sizeof(struct oprof_lost_record);
	case OPROF_RECORD_THROTTLE:
		return sizeof(struct oprof_throttle);
	case OPROF_RECORD_RELEASE:
		return sizeof(struct oprof_release);
	case OPROF_RECORD_SWITCHES_LOST:
		return sizeof(struct oprof_switches_lost);
	default:
		return sizeof(struct oprof_record) + 16;
	}
}

/* Sets images that exist, so that most samples are filed. */
static void record_settle(unsigned char *bytes, unsigned int type)
{
	union {
		struct oprof_task task;
		struct oprof_sample sample;
		struct oprof_lost_record lost;
	} record;

	memcpy(&record, bytes,
	       record_bytes(type) < sizeof(record) ? record_bytes(type) : sizeof(record));
	if (type == OPROF_RECORD_TASK)
		record.task.app_image = some_image(record.task.app_image);
	else if (type == OPROF_RECORD_SAMPLE)
		record.sample.leaf.image = some_image(record.sample.leaf.image);
	else
		return;
	memcpy(bytes, &record, record_bytes(type));
}

/* Memory of the exact size, so that sanitizers find reads past its end. */
static void give(const unsigned char *bytes, size_t nr_bytes)
{
	struct oprof_record *record = malloc(nr_bytes);

	if (!record)
		abort();
	memcpy(record, bytes, nr_bytes);
	/* Count samples as a source does. */
	if (record->type == OPROF_RECORD_SAMPLE)
		fake.seen++;
	if (record->type == OPROF_RECORD_LOST && nr_bytes >= sizeof(struct oprof_lost_record)) {
		struct oprof_lost_record lost;

		memcpy(&lost, bytes, sizeof(lost));
		fake.seen += lost.nr_samples;
	}
	fake.sink->record(fake.sink, record);
	free(record);
}

/* Returns the number of input bytes used. */
static size_t give_record(uint8_t operation, const uint8_t *data, size_t size)
{
	unsigned int type = operation & 15;
	size_t nr_bytes = record_bytes(type);
	size_t cut = (operation >> 4 & 7) * (size_t)8;
	unsigned char bytes[OPERATION_MAX] = {0};
	struct oprof_record head = {.type = (uint16_t)type};
	size_t taken;

	if (cut > nr_bytes - sizeof(head))
		cut = nr_bytes - sizeof(head);
	taken = nr_bytes - sizeof(head) < size ? nr_bytes - sizeof(head) : size;
	head.size_bytes = (uint32_t)(nr_bytes - cut);
	head.flags = size ? data[0] & 1 : 0;
	memcpy(bytes, &head, sizeof(head));
	if (taken)
		memcpy(bytes + sizeof(head), data, taken);
	if (!(operation & 0x80))
		record_settle(bytes, type);
	give(bytes, head.size_bytes);
	return taken;
}

static size_t run_one(uint8_t operation, const uint8_t *data, size_t size)
{
	uint8_t number = size ? data[0] : 0;

	switch (operation & 15) {
	case OPERATION_ROUND:
		profiler_round(&profiler, SOURCE_DRAIN_PERIODIC);
		return 0;
	case OPERATION_CLOSE:
		clock_now.realtime_ns++;
		(void)profiler_close_epoch(&profiler);
		check();
		return 0;
	case OPERATION_RECENT:
		try_recent(number);
		return size != 0;
	case OPERATION_TIME:
		clock_now.monotonic_ns += number * UINT64_C(1000000000);
		clock_now.realtime_ns += number * INT64_C(1000000000);
		return size != 0;
	default:
		return give_record(operation, data, size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	enter();
	begin(data[0] & SEPARATION_ALL);
	for (size_t i = 1; i < size;) {
		uint8_t operation = data[i++];

		i += run_one(operation, data + i, size - i);
	}
	(void)profiler_dump(&profiler);
	check();
	profiler_close(&profiler);
	session_unlock(&session);
	(void)file_remove_tree(session_folder);
	return 0;
}
