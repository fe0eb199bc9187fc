// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/top_slice.h"

#include "lib/file.h"
#include "libdb/slice.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct oprof_image_identity kernel = {.build_id = {1, 2, 3}, .nr_build_id = 20};
static const struct oprof_image_identity module = {.build_id = {4}, .nr_build_id = 20};
static const struct oprof_image_identity gone = {.build_id = {5}, .nr_build_id = 20};

static struct slice_section clock_section(void)
{
	return (struct slice_section){
		.event = "cpu-clock",
		.period_or_hz = 99,
		.flags = OPROF_SDB_FREQUENCY,
		.image = {.kind = SAMPLE_PATH_KERN, .path = "vmlinux"},
		.app = {.kind = SAMPLE_PATH_ROOT, .path = "/usr/bin/load"},
		.identity = kernel,
		.image_kind = OPROF_IMAGE_KERNEL,
		.tgid = 100,
		.tid = 101,
		.cpu = 0,
		.cgroup = "/a.service",
	};
}

static void add(struct slice_builder *builder, const struct slice_section *section, uint64_t key,
		uint64_t nr_samples, uint64_t weight)
{
	int64_t number = slice_builder_section(builder, section);

	ck_assert_int_ge(number, 0);
	ck_assert_int_eq(slice_builder_add(builder, number, key, nr_samples, weight), 0);
}

static void add_load(struct slice_builder *builder)
{
	struct slice_section section = clock_section();

	add(builder, &section, 0x110, 300, 300);
	add(builder, &section, 0x120, 300, 300);
	section.tid = 102;
	section.cpu = 1;
	add(builder, &section, 0x210, 280, 280);
	add(builder, &section, 0x900, 20, 20);
}

static void add_save(struct slice_builder *builder)
{
	struct slice_section section = clock_section();

	section.app.path = "/usr/bin/save";
	section.tgid = section.tid = 200;
	section.cgroup = "/b.service";
	section.image.path = "ext4";
	section.identity = module;
	section.image_kind = OPROF_IMAGE_MODULE;
	add(builder, &section, 5, 98, 98);
	section.image = (struct slice_path){.kind = SAMPLE_PATH_ROOT, .path = "/no/such"};
	section.identity = gone;
	section.image_kind = OPROF_IMAGE_FILE;
	add(builder, &section, 7, 2, 2);
	section.image = (struct slice_path){.kind = SAMPLE_PATH_KERN, .path = "[off-cpu]"};
	section.identity = (struct oprof_image_identity){0};
	section.image_kind = OPROF_IMAGE_OFF_CPU;
	section.event = "off-cpu";
	section.period_or_hz = 0;
	section.flags = 0;
	add(builder, &section, 1, 3000, 4000000);
}

static void add_idle(struct slice_builder *builder)
{
	struct slice_section section = clock_section();

	section.image.path = section.app.path = "{idle}";
	section.app.kind = SAMPLE_PATH_KERN;
	section.image_kind = OPROF_IMAGE_IDLE;
	section.tgid = section.tid = SAMPLE_NAME_ALL;
	section.cgroup = NULL;
	section.cpu = 1;
	add(builder, &section, 0x300, 500, 500);
}

int top_slice_make(void)
{
	static const struct oprof_stats_entry begin[] = {
		{"seen", 100}, {"stored", 90}, {"idle", 10}, {"lost_disk", 0}};
	static const struct oprof_stats_entry end[] = {
		{"seen", 1633}, {"stored", 1093}, {"idle", 510}, {"lost_disk", 30}};
	const struct slice_info info = {
		.epoch_first = 1,
		.epoch_last = 1,
		.begin_ns = TOP_SLICE_BEGIN_NS,
		.end_ns = TOP_SLICE_END_NS,
		.first_sample_ns = TOP_SLICE_BEGIN_NS,
		.last_sample_ns = TOP_SLICE_END_NS,
		.host = "testhost",
		.cpu_type = "test",
		.begin = begin,
		.end = end,
		.nr_counters = 4,
	};
	struct slice_builder *builder;
	uint64_t nr_bytes;
	int fd = memfd_create("top", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	add_load(builder);
	add_save(builder);
	add_idle(builder);
	ck_assert_int_eq(slice_builder_write(builder, &info, fd, &nr_bytes), 0);
	slice_builder_destroy(builder);
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

void top_slice_make_symbols(const char *meta_path)
{
	static const char text[] = "oprof-kernel-symbols 1\n"
				   "100 100 T hot_function\n"
				   "200 100 t cold_function\n";
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/symbols/%016" PRIx64, meta_path,
		       sample_identity(&kernel));
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, sizeof(text) - 1, 0600), 0);
}
