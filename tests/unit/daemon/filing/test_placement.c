// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/placement.h"

#include "daemon/session/separation.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

enum { BASH = 1, LIBC, KERNEL, MODULE, VDSO, JIT, MEMFD };

static const struct event_choice events[] = {
	{.name = "cpu-clock",
	 .perf_type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_CPU_CLOCK,
	 .frequency = true,
	 .period_or_hz = 99},
	{.name = "page-faults",
	 .perf_type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_PAGE_FAULTS,
	 .frequency = true,
	 .period_or_hz = 10},
	{.name = "cycles", .perf_type = PERF_TYPE_HARDWARE, .period_or_hz = 100000, .unit_mask = 2},
};

static struct session session;
static struct placement placement;
static struct placement_config config = {.source = &fake_source, .session = &session};

static void setup(void)
{
	test_folder_setup();
	fake_init(NULL);
	fake_image(BASH, OPROF_IMAGE_FILE, "/bin/bash");
	fake_image(LIBC, OPROF_IMAGE_FILE, "/lib/libc.so.6");
	fake_image(KERNEL, OPROF_IMAGE_KERNEL, "vmlinux");
	fake_image(MODULE, OPROF_IMAGE_MODULE, "ext4");
	fake_image(VDSO, OPROF_IMAGE_VDSO, "[vdso]");
	fake_image(JIT, OPROF_IMAGE_ANON, "//anon");
	fake.images[JIT].tgid = 12;
	fake.images[JIT].start = 0x1000;
	fake.images[JIT].end = 0x3000;
	fake_image(MEMFD, OPROF_IMAGE_FILE, "memfd:code");
	run_info_init(&session.info);
	session.info.events = events;
	session.info.nr_events = 3;
	ck_assert_int_eq(cgroup_table_init(&session.cgroups, "cgroups"), 0);
}

/* The name of a key's file, without its image identity. */
static const char *name_of(const struct sample_key *key)
{
	static char text[8192];

	ck_assert_int_eq(placement_find(&config, key, &placement), 0);
	ck_assert_int_eq(sample_name_format(&placement.name, text, sizeof(text)), 0);
	*strrchr(text, '.') = '\0';
	return text;
}

START_TEST(unseparated_images_stand_under_themselves)
{
	struct sample_key key = {.image = LIBC};

	ck_assert_str_eq(name_of(&key), "{root}/lib/libc.so.6/{dep}/{root}/lib/libc.so.6/"
					"cpu-clock.99Hz.0.all.all.all.all");
	key.image = KERNEL;
	ck_assert_str_eq(name_of(&key),
			 "{kern}/vmlinux/{dep}/{kern}/vmlinux/cpu-clock.99Hz.0.all.all.all.all");
	ck_assert_uint_eq(placement.identity.flags, OPROF_SDB_FREQUENCY);
	key.image = VDSO;
	ck_assert_str_eq(name_of(&key),
			 "{kern}/[vdso]/{dep}/{kern}/[vdso]/cpu-clock.99Hz.0.all.all.all.all");
	key.image = MEMFD;
	ck_assert_ptr_nonnull(strstr(name_of(&key), "{kern}/memfd:code/"));
}
END_TEST

START_TEST(libraries_and_the_kernel_stand_under_their_application)
{
	struct sample_key key = {.image = LIBC, .app = BASH, .kind = SAMPLE_OF_APP};

	config.separation = SEPARATION_LIB | SEPARATION_KERNEL;
	ck_assert_str_eq(name_of(&key), "{root}/bin/bash/{dep}/{root}/lib/libc.so.6/"
					"cpu-clock.99Hz.0.all.all.all.all");
	ck_assert_str_eq(placement.identity.app_path, "/bin/bash");
	ck_assert_str_eq(placement.identity.image_path, "/lib/libc.so.6");
	ck_assert_uint_eq(placement.identity.image.inode, 1000 + LIBC);
	key.image = MODULE;
	ck_assert_str_eq(name_of(&key),
			 "{root}/bin/bash/{dep}/{kern}/ext4/cpu-clock.99Hz.0.all.all.all.all");
	ck_assert_uint_eq(placement.identity.flags, OPROF_SDB_FREQUENCY | OPROF_SDB_KEEP_KERNEL);
}
END_TEST

START_TEST(modules_in_kernel_threads_stand_under_the_kernel)
{
	struct sample_key key = {.image = MODULE, .kind = SAMPLE_OF_KERNEL};

	ck_assert_str_eq(name_of(&key),
			 "{kern}/vmlinux/{dep}/{kern}/ext4/cpu-clock.99Hz.0.all.all.all.all");
}
END_TEST

START_TEST(time_off_cpu_stands_below_the_program_and_keeps_its_weight)
{
	const struct event_choice event = {.name = "off-cpu",
					   .perf_type = EVENT_TYPE_SWITCHES,
					   .period_or_hz = 1,
					   .kernel = true,
					   .user = true};
	struct sample_key key = {
		.image = OPROF_IMAGE_COOKIE_OFF_CPU, .app = BASH, .kind = SAMPLE_OF_APP};

	session.info.events = &event;
	session.info.nr_events = 1;
	ck_assert_str_eq(name_of(&key),
			 "{root}/bin/bash/{dep}/{kern}/[off-cpu]/off-cpu.1.0.all.all.all.all");
	ck_assert_uint_eq(placement.identity.flags, OPROF_SDB_WEIGHTED);
	ck_assert_uint_eq(placement.identity.image_kind, OPROF_IMAGE_OFF_CPU);
}
END_TEST

START_TEST(anonymous_regions_carry_their_process_and_range)
{
	struct sample_key key = {.image = JIT, .app = BASH, .kind = SAMPLE_OF_APP};
	struct sample_name parsed;
	char text[8192];

	ck_assert_int_eq(placement_find(&config, &key, &placement), 0);
	ck_assert_uint_eq(placement.identity.image_start, 0x1000);
	ck_assert_int_eq(sample_name_format(&placement.name, text, sizeof(text)), 0);
	ck_assert_int_eq(sample_name_parse(text, &parsed, NULL), 0);
	ck_assert_int_eq(parsed.image.kind, SAMPLE_PATH_ANON);
	ck_assert_str_eq(parsed.image.path, "anon");
	ck_assert_int_eq(parsed.image.tgid, 12);
	ck_assert_uint_eq(parsed.image.start, 0x1000);
	ck_assert_uint_eq(parsed.image.end, 0x3000);
	ck_assert_str_eq(parsed.app.path, "/bin/bash");
}
END_TEST

START_TEST(idle_stands_apart_and_is_separated_by_cpu_only)
{
	struct sample_key key = {.image = KERNEL, .cpu = 3, .kind = SAMPLE_OF_IDLE, .tgid = 1};
	struct sample_name parsed;
	char text[8192];

	config.separation = SEPARATION_CPU | SEPARATION_THREAD | SEPARATION_CGROUP;
	ck_assert_int_eq(placement_find(&config, &key, &placement), 0);
	ck_assert_int_eq(sample_name_format(&placement.name, text, sizeof(text)), 0);
	ck_assert_int_eq(sample_name_parse(text, &parsed, NULL), 0);
	ck_assert_str_eq(parsed.image.path, "{idle}");
	ck_assert_str_eq(parsed.app.path, "{idle}");
	ck_assert_int_eq(parsed.cpu, 3);
	ck_assert_int_eq(parsed.tgid, SAMPLE_NAME_ALL);
	ck_assert_int_eq(parsed.cgroup, SAMPLE_NAME_ALL);
	ck_assert_int_eq(placement.identity.image_kind, OPROF_IMAGE_IDLE);
}
END_TEST

START_TEST(threads_cpus_and_cgroups_are_fields)
{
	struct sample_key key = {.image = BASH, .tgid = 7, .tid = 8, .cpu = 1, .cgroup = 5};

	config.separation = SEPARATION_CPU | SEPARATION_THREAD | SEPARATION_CGROUP;
	ck_assert_str_eq(name_of(&key),
			 "{root}/bin/bash/{dep}/{root}/bin/bash/cpu-clock.99Hz.0.7.8.1.0");
	ck_assert_str_eq(placement.identity.cgroup, "/group-5");
	key.cgroup = 404;
	ck_assert_str_eq(name_of(&key),
			 "{root}/bin/bash/{dep}/{root}/bin/bash/cpu-clock.99Hz.0.7.8.1.1");
	ck_assert_str_eq(placement.identity.cgroup, "unknown");
}
END_TEST

START_TEST(weight_is_stored_where_the_period_varies)
{
	struct sample_key key = {.image = BASH, .event = 1};

	ck_assert_ptr_nonnull(strstr(name_of(&key), "page-faults.10Hz."));
	ck_assert_uint_eq(placement.identity.flags, OPROF_SDB_FREQUENCY | OPROF_SDB_WEIGHTED);
	key.event = 2;
	ck_assert_ptr_nonnull(strstr(name_of(&key), "cycles.100000.2."));
	ck_assert_uint_eq(placement.identity.flags, 0);
	ck_assert_uint_eq(placement.identity.unit_mask, 2);
}
END_TEST

START_TEST(unknown_images_have_no_place)
{
	struct sample_key key = {.image = 60};

	ck_assert_int_eq(placement_find(&config, &key, &placement), -ENXIO);
	key = (struct sample_key){.image = BASH, .app = 60, .kind = SAMPLE_OF_APP};
	ck_assert_int_eq(placement_find(&config, &key, &placement), -ENXIO);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("placement");

	tcase_add_checked_fixture(tc, setup, test_folder_teardown);
	tcase_add_test(tc, unseparated_images_stand_under_themselves);
	tcase_add_test(tc, libraries_and_the_kernel_stand_under_their_application);
	tcase_add_test(tc, modules_in_kernel_threads_stand_under_the_kernel);
	tcase_add_test(tc, time_off_cpu_stands_below_the_program_and_keeps_its_weight);
	tcase_add_test(tc, anonymous_regions_carry_their_process_and_range);
	tcase_add_test(tc, idle_stands_apart_and_is_separated_by_cpu_only);
	tcase_add_test(tc, threads_cpus_and_cgroups_are_fields);
	tcase_add_test(tc, weight_is_stored_where_the_period_varies);
	tcase_add_test(tc, unknown_images_have_no_place);
	return test_run(tc);
}
