// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel module's stream, and the records made of it. */
#include "daemon/module_source/kmod_state.h"

#include "lib/file.h"
#include "tests/fixture/fake_image_file.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/kmod_encode.h"
#include "tests/fixture/record_catcher.h"
#include "tests/fixture/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT	UINT64_C(0xffffffff81000000)
#define MODULE	UINT64_C(0xffffffffc0100000)
#define MODULE2 UINT64_C(0xffffffffc0300000)
#define JIT	UINT64_C(0x7f0000000000)
#define PID	10
#define GEN	100
#define SECOND	UINT64_C(1000000000)

static struct fake_proc proc;
static struct kmod_state state;
static struct record_catcher catcher;
static struct kmod_stream stream;

static void begin(bool want_switches)
{
	const struct kmod_state_config config = {
		.places =
			{
				.sink = &catcher.sink,
				.kernel = true,
				.proc_path = proc.path,
				.sys_path = proc.path,
			},
		.nr_events = 2,
		.want_cgroup = true,
		.want_switches = want_switches,
		.open = fake_image_file_open,
	};

	ck_assert_int_eq(kmod_state_init(&state, &config, NULL), 0);
}

static void write_modules(const char *symbols, const char *modules)
{
	fake_proc_print(&proc, "kallsyms",
			"ffffffff81000000 T _text\nffffffff81000100 T schedule\n"
			"ffffffff81000200 T default_idle\nffffffff81000300 T after\n"
			"ffffffff81001000 T _etext\nffffffffc0100000 t first\t[mod]\n%s",
			symbols);
	fake_proc_print(&proc, "modules", "mod 4096 1 - Live 0xffffffffc0100000\n%s", modules);
}

static void setup(void)
{
	char program[sizeof(fake_image_file.path)];

	fake_proc_init(&proc);
	write_modules("", "");
	fake_proc_print(&proc, "self/mountinfo", "31 23 0:28 / %s/cg rw - cgroup2 none rw\n",
			proc.path);
	fake_proc_print(&proc, "cg/a/cgroup.procs", "%s", "");
	fake_proc_print(&proc, "bin/program", "%s", "no ELF file");
	(void)snprintf(program, sizeof(program), "%s/bin/program", proc.path);
	fake_image_file_init(program);
	record_catcher_init(&catcher);
	kmod_stream_clear(&stream);
	begin(false);
}

static void teardown(void)
{
	kmod_state_deinit(&state);
	fake_proc_deinit(&proc);
}

/* Apply the stream made so far and check that every sample in it is accounted for. */
static void apply(void)
{
	uint64_t seen = state.counters.seen;
	uint64_t caught = record_catcher_seen(&catcher);

	kmod_state_apply(&state, stream.words, stream.nr_bytes);
	kmod_stream_clear(&stream);
	ck_assert_uint_eq(state.counters.seen - seen, record_catcher_seen(&catcher) - caught);
}

static const void *find(enum oprof_record_type type, unsigned int nth)
{
	return record_catcher_find(&catcher, type, nth);
}

/* Define name(nth): the nth record of a type, which must exist. */
#define NR_OF(name, RECORD, type)                                                                  \
	static const struct type *name(unsigned int nth)                                           \
	{                                                                                          \
		const struct type *record = find(RECORD, nth);                                     \
                                                                                                   \
		if (!record)                                                                       \
			ck_abort_msg("no %s %u", #type, nth);                                      \
		return record;                                                                     \
	}

NR_OF(sample_nr, OPROF_RECORD_SAMPLE, oprof_sample)
NR_OF(task_nr, OPROF_RECORD_TASK, oprof_task)
NR_OF(cpu_nr, OPROF_RECORD_CPU, oprof_cpu)
NR_OF(lost_nr, OPROF_RECORD_LOST, oprof_lost_record)
NR_OF(release_nr, OPROF_RECORD_RELEASE, oprof_release)
NR_OF(throttle_nr, OPROF_RECORD_THROTTLE, oprof_throttle)
NR_OF(switch_nr, OPROF_RECORD_SWITCH, oprof_switch)
NR_OF(switches_lost_nr, OPROF_RECORD_SWITCHES_LOST, oprof_switches_lost)

static const struct image *image_of(uint32_t cookie)
{
	const struct image *image = places_image(&state.places, cookie);

	if (!image)
		ck_abort_msg("no image of cookie %u", cookie);
	return image;
}

static void lost_for(enum oprof_lost reason)
{
	ck_assert_uint_eq(lost_nr(0)->reason, reason);
	ck_assert_uint_eq(lost_nr(0)->nr_samples, 1);
	ck_assert_ptr_null(find(OPROF_RECORD_SAMPLE, 0));
}

static void context(uint32_t app)
{
	kmod_stream_cpu(&stream, 1);
	kmod_stream_task(&stream, PID, PID + 1, GEN, app);
}

/* ---- samples ---- */

START_TEST(a_sample_in_a_file_has_its_path_identity_and_offset)
{
	const struct oprof_sample *sample;
	const struct image *image;
	struct stat st;

	ck_assert_int_eq(stat(fake_image_file.path, &st), 0);
	kmod_stream_file(&stream, 5, st.st_ino);
	context(5);
	kmod_stream_sample(&stream, SECOND, 1, 5, 0x123);
	apply();
	sample = sample_nr(0);
	image = image_of(sample->leaf.image);
	ck_assert_int_eq(image->kind, OPROF_IMAGE_FILE);
	ck_assert_str_eq(image->path, fake_image_file.path);
	ck_assert_uint_eq(image->identity.inode, st.st_ino);
	ck_assert_uint_eq(image->identity.dev, 8);
	ck_assert_uint_eq(image->identity.inode_generation, KMOD_STREAM_INODE_GENERATION);
	ck_assert_uint_eq(image->identity.size_bytes, (uint64_t)st.st_size);
	ck_assert_uint_eq(sample->leaf.offset, 0x123);
	ck_assert_uint_eq(sample->mode, OPROF_MODE_USER);
	ck_assert_uint_eq(sample->event, 1);
	ck_assert_uint_eq(sample->weight, 1);
	ck_assert_uint_eq(sample->time_ns, SECOND);
	ck_assert_int_eq(task_nr(0)->tgid, PID);
	ck_assert_int_eq(task_nr(0)->tid, PID + 1);
	ck_assert_uint_eq(task_nr(0)->generation, GEN);
	ck_assert_uint_eq(task_nr(0)->app_image, sample->leaf.image);
	ck_assert_uint_eq(cpu_nr(0)->cpu, 1);
}
END_TEST

START_TEST(a_binarys_build_id_is_read_from_its_descriptor)
{
	struct oprof_image_identity identity;
	const struct image *image;

	(void)snprintf(fake_image_file.path, sizeof(fake_image_file.path), "/proc/self/exe");
	kmod_stream_file(&stream, 5, 1);
	context(5);
	kmod_stream_sample(&stream, SECOND, 0, 5, 0);
	apply();
	image = image_of(sample_nr(0)->leaf.image);
	identity = image->identity;
	/* Without a build-id from the linker, device and inode remain. */
	ck_assert(identity.nr_build_id ? !identity.inode : identity.inode == 1);
	ck_assert_ptr_nonnull(strstr(image->path, "test_kmod_state"));
}
END_TEST

START_TEST(a_file_that_was_deleted_keeps_its_path)
{
	int fd = open(fake_image_file.path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(unlink(fake_image_file.path), 0);
	(void)snprintf(fake_image_file.path, sizeof(fake_image_file.path), "/proc/self/fd/%d", fd);
	kmod_stream_file(&stream, 5, 7);
	context(5);
	kmod_stream_sample(&stream, SECOND, 0, 5, 0);
	apply();
	(void)close(fd);
	(void)snprintf(fake_image_file.path, sizeof(fake_image_file.path), "%s/bin/program",
		       proc.path);
	ck_assert_str_eq(image_of(sample_nr(0)->leaf.image)->path, fake_image_file.path);
}
END_TEST

START_TEST(kernel_addresses_become_offsets_in_the_kernel_or_a_module)
{
	const struct image *image;

	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	kmod_stream_sample(&stream, SECOND, 0, 0, MODULE + 0x10);
	apply();
	ck_assert_uint_eq(sample_nr(0)->mode, OPROF_MODE_KERNEL);
	ck_assert_uint_eq(sample_nr(0)->leaf.offset, 0x110);
	ck_assert_int_eq(image_of(sample_nr(0)->leaf.image)->kind, OPROF_IMAGE_KERNEL);
	image = image_of(sample_nr(1)->leaf.image);
	ck_assert_int_eq(image->kind, OPROF_IMAGE_MODULE);
	ck_assert_str_eq(image->path, "mod");
	ck_assert_uint_eq(sample_nr(1)->leaf.offset, 0x10);
}
END_TEST

START_TEST(a_kernel_address_that_nothing_holds_is_lost)
{
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 0, UINT64_C(0xffffffffd0000000));
	apply();
	lost_for(OPROF_LOST_NO_KERNEL_MAP);
}
END_TEST

START_TEST(task_0_idles_in_idle_routines_others_do_not)
{
	kmod_stream_cpu(&stream, 0);
	kmod_stream_task(&stream, 0, 0, 1, 0);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x210);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	kmod_stream_task(&stream, PID, PID, GEN, 0);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x210);
	apply();
	ck_assert_uint_eq(sample_nr(0)->mode, OPROF_MODE_IDLE);
	ck_assert_str_eq(image_of(sample_nr(0)->leaf.image)->path, "{idle}");
	ck_assert_uint_eq(sample_nr(0)->leaf.offset, 0x210);
	ck_assert_uint_eq(sample_nr(1)->mode, OPROF_MODE_KERNEL);
	ck_assert_uint_eq(sample_nr(2)->mode, OPROF_MODE_KERNEL);
}
END_TEST

START_TEST(a_module_that_comes_is_found_as_soon_as_it_is_told)
{
	context(0);
	/* A look-up of an unknown address, after which the next load would have to wait. */
	kmod_stream_sample(&stream, SECOND, 0, 0, MODULE2 + 8);
	apply();
	lost_for(OPROF_LOST_NO_KERNEL_MAP);
	write_modules("ffffffffc0300000 t late\t[late]\n",
		      "late 4096 0 - Live 0xffffffffc0300000\n");
	kmod_stream_image(&stream, OPROF_IMAGE_MODULE, 9, "late", MODULE2, MODULE2 + 4096);
	kmod_stream_module(&stream, OPROF_MODULE_LOAD, 9, MODULE2, 4096);
	kmod_stream_sample(&stream, SECOND + 1, 0, 0, MODULE2 + 8);
	apply();
	ck_assert_str_eq(image_of(sample_nr(0)->leaf.image)->path, "late");
	ck_assert_ptr_nonnull(find(OPROF_RECORD_MODULE, 0));
	/* The module is unloaded. */
	write_modules("", "");
	kmod_stream_module(&stream, OPROF_MODULE_UNLOAD, 9, MODULE2, 4096);
	kmod_stream_release(&stream, 9);
	kmod_stream_sample(&stream, SECOND + 2, 0, 0, MODULE2 + 8);
	apply();
	ck_assert_ptr_null(find(OPROF_RECORD_SAMPLE, 1));
	ck_assert_uint_eq(state.counters.bad_records, 0);
}
END_TEST

START_TEST(the_vdso_is_the_daemons_own_vsyscall_a_page_of_its_own)
{
	const struct oprof_frame leaf = {OPROF_IMAGE_NONE, OPROF_MODE_USER,
					 UINT64_C(0xffffffffff600400)};

	kmod_stream_image(&stream, OPROF_IMAGE_VDSO, 3, "[vdso]", 0, state.places.vdso.nr_bytes);
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 3, 0x40);
	kmod_stream_chain(&stream, SECOND, 0, &leaf, NULL, 0);
	apply();
	ck_assert_str_eq(image_of(sample_nr(0)->leaf.image)->path, "[vdso]");
	ck_assert_uint_eq(sample_nr(0)->leaf.offset, 0x40);
	ck_assert_mem_eq(&image_of(sample_nr(0)->leaf.image)->identity, &state.places.vdso.identity,
			 sizeof(state.places.vdso.identity));
	ck_assert_str_eq(image_of(sample_nr(1)->leaf.image)->path, "[vsyscall]");
	ck_assert_uint_eq(sample_nr(1)->leaf.offset, 0x400);
}
END_TEST

START_TEST(memory_without_a_file_is_a_region_of_its_process_by_one_name)
{
	const struct image *image;

	kmod_stream_region(&stream, 4, "", PID, GEN, JIT, JIT + 0x2000);
	kmod_stream_region(&stream, 5, "/memfd:code (deleted)", PID, GEN, 0x5000, 0x6000);
	kmod_stream_region(&stream, 6, "/dev/zero (deleted)", PID, GEN, 0x7000, 0x8000);
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 4, 0x1010);
	kmod_stream_sample(&stream, SECOND, 0, 5, 0x20);
	kmod_stream_sample(&stream, SECOND, 0, 6, 0x30);
	apply();
	image = image_of(sample_nr(0)->leaf.image);
	ck_assert_int_eq(image->kind, OPROF_IMAGE_ANON);
	ck_assert_str_eq(image->path, "anon");
	ck_assert_int_eq(image->tgid, PID);
	ck_assert_uint_eq(image->start, JIT);
	ck_assert_uint_eq(image->end, JIT + 0x2000);
	ck_assert_uint_eq(sample_nr(0)->leaf.offset, 0x1010);
	ck_assert_str_eq(image_of(sample_nr(1)->leaf.image)->path, "memfd:code");
	ck_assert_str_eq(image_of(sample_nr(2)->leaf.image)->path, "dev_zero");
}
END_TEST

START_TEST(a_memfd_that_is_run_is_a_file_shared_memory_told_as_one_is_none)
{
	int fd = memfd_create("runs", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	(void)snprintf(fake_image_file.path, sizeof(fake_image_file.path), "/proc/self/fd/%d", fd);
	kmod_stream_file(&stream, 5, 7);
	context(5);
	kmod_stream_sample(&stream, SECOND, 0, 5, 0);
	apply();
	(void)close(fd);
	ck_assert_str_eq(image_of(sample_nr(0)->leaf.image)->path, "/memfd:runs");
	ck_assert_int_eq(image_of(sample_nr(0)->leaf.image)->kind, OPROF_IMAGE_FILE);
	(void)snprintf(fake_image_file.path, sizeof(fake_image_file.path), "/dev/zero");
	kmod_stream_file(&stream, 6, 8);
	kmod_stream_sample(&stream, SECOND, 0, 6, 0);
	apply();
	ck_assert_int_eq(image_of(sample_nr(1)->leaf.image)->kind, OPROF_IMAGE_ANON);
	ck_assert_str_eq(image_of(sample_nr(1)->leaf.image)->path, "dev_zero");
}
END_TEST

START_TEST(code_that_a_process_names_is_known_by_name)
{
	const struct oprof_sample *sample;

	fake_proc_process(&proc, PID, 0, "/bin/a", "");
	fake_proc_print(&proc, "10/status", "Name:\ta\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t10\n",
			geteuid(), geteuid(), geteuid(), geteuid());
	fake_proc_print(&proc, "10/root/tmp/perf-10.map", "%s", "7f0000001000 100 made_it\n");
	kmod_stream_region(&stream, 4, "", PID, GEN, JIT, JIT + 0x2000);
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 4, 0x1010);
	apply();
	sample = sample_nr(0);
	ck_assert_int_eq(image_of(sample->leaf.image)->kind, OPROF_IMAGE_CODE);
	ck_assert_str_eq(places_code_name(&state.places, sample->leaf.image, sample->leaf.offset),
			 "made_it");
}
END_TEST

START_TEST(an_address_in_no_mapping_is_lost)
{
	const struct oprof_frame leaf = {OPROF_IMAGE_NONE, OPROF_MODE_USER, 0x1234};

	context(0);
	kmod_stream_chain(&stream, SECOND, 0, &leaf, NULL, 0);
	apply();
	lost_for(OPROF_LOST_NO_MAPPING);
}
END_TEST

START_TEST(callers_come_leaf_first_and_keep_what_is_known_of_their_end)
{
	const struct oprof_frame leaf = {OPROF_IMAGE_NONE, OPROF_MODE_KERNEL, TEXT + 0x110};
	const struct oprof_frame callers[] = {
		{OPROF_IMAGE_NONE, OPROF_MODE_KERNEL, MODULE + 4},
		{5, OPROF_MODE_USER, 0x10},
		{OPROF_IMAGE_NONE, OPROF_MODE_USER, 0x4242},
		{77, OPROF_MODE_USER, 0x30}, /* an unknown cookie */
		{5, OPROF_MODE_USER, 0x20},
	};
	const uint16_t flags = OPROF_SAMPLE_CHAIN_TRUNCATED | OPROF_SAMPLE_CHAIN_BROKEN | 0x4000;
	const struct oprof_sample *sample;
	const struct oprof_frame *found;

	kmod_stream_file(&stream, 5, 7);
	context(5);
	kmod_stream_chain(&stream, SECOND, flags, &leaf, callers, 5);
	apply();
	sample = sample_nr(0);
	found = (const void *)(sample + 1);
	ck_assert_uint_eq(sample->nr_frames, 5);
	ck_assert_uint_eq(sample->chain_kind, OPROF_CHAIN_FRAME_POINTERS);
	ck_assert_uint_eq(sample->head.flags,
			  OPROF_SAMPLE_CHAIN_TRUNCATED | OPROF_SAMPLE_CHAIN_BROKEN);
	ck_assert_uint_eq(sample->head.size_bytes, sizeof(*sample) + 5 * sizeof(*found));
	ck_assert_str_eq(image_of(found[0].image)->path, "mod");
	ck_assert_uint_eq(found[0].offset, 4);
	ck_assert_uint_eq(found[1].offset, 0x10);
	ck_assert_str_eq(image_of(found[1].image)->path, fake_image_file.path);
	ck_assert_uint_eq(found[2].image, OPROF_IMAGE_NONE);
	ck_assert_uint_eq(found[2].offset, 0x4242);
	ck_assert_uint_eq(found[3].image, OPROF_IMAGE_NONE);
	ck_assert_uint_eq(found[4].offset, 0x20);
}
END_TEST

START_TEST(cgroups_that_came_later_are_named)
{
	struct stat st;
	char path[128];

	fake_proc_print(&proc, "cg/b/cgroup.procs", "%s", "");
	(void)snprintf(path, sizeof(path), "%s/cg/b", proc.path);
	ck_assert_int_eq(stat(path, &st), 0);
	kmod_stream_cpu(&stream, 0);
	kmod_stream_cgroup(&stream, PID, GEN, st.st_ino);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	apply();
	ck_assert_str_eq(cgroup_names_find(&state.places.cgroups, st.st_ino), "/b");
	ck_assert_uint_eq(task_nr(0)->cgroup, st.st_ino);
}
END_TEST

/* ---- releases ---- */

START_TEST(a_released_cookie_is_unknown_and_its_region_is_released_here_too)
{
	uint32_t ours;

	kmod_stream_region(&stream, 4, "", PID, GEN, JIT, JIT + 0x2000);
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 4, 0x10);
	apply();
	ours = sample_nr(0)->leaf.image;
	kmod_stream_release(&stream, 4);
	kmod_stream_end(&stream, GEN);
	apply();
	/* The release is passed on between records. */
	kmod_stream_sample(&stream, SECOND, 0, 4, 0x10);
	apply();
	ck_assert_ptr_nonnull(find(OPROF_RECORD_RELEASE, 0));
	ck_assert_uint_eq(release_nr(0)->image, ours);
	ck_assert_ptr_null(places_image(&state.places, ours));
	ck_assert_uint_eq(lost_nr(0)->reason, OPROF_LOST_BAD_RECORD);
}
END_TEST

START_TEST(a_program_in_force_outlives_its_release)
{
	kmod_stream_file(&stream, 5, 7);
	context(5);
	kmod_stream_release(&stream, 5);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	apply();
	ck_assert_str_eq(image_of(task_nr(0)->app_image)->path, fake_image_file.path);
}
END_TEST

START_TEST(two_lives_of_a_pid_have_images_of_their_own)
{
	kmod_stream_region(&stream, 4, "", PID, GEN, JIT, JIT + 0x2000);
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 4, 0x10);
	kmod_stream_release(&stream, 4);
	kmod_stream_end(&stream, GEN);
	kmod_stream_region(&stream, 6, "", PID, GEN + 1, JIT, JIT + 0x2000);
	kmod_stream_task(&stream, PID, PID, GEN + 1, 0);
	kmod_stream_sample(&stream, SECOND, 0, 6, 0x10);
	apply();
	ck_assert_uint_ne(sample_nr(0)->leaf.image, sample_nr(1)->leaf.image);
	ck_assert_uint_eq(task_nr(1)->generation, GEN + 1);
}
END_TEST

/* ---- files that cannot be opened ---- */

START_TEST(a_file_that_cannot_be_opened_now_is_tried_again_one_that_is_gone_is_not)
{
	fake_image_file.error = -EMFILE;
	kmod_stream_file(&stream, 5, 7);
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 5, 0);
	apply();
	lost_for(OPROF_LOST_NO_MAPPING);
	ck_assert_uint_eq(fake_image_file.nr_opens, 1);
	ck_assert_uint_eq(state.images.nr_unopened, 0);
	/* The time to retry has come. */
	kmod_images_find(&state.images, 5)->retry_ns = 0;
	fake_image_file.error = 0;
	kmod_stream_sample(&stream, SECOND, 0, 5, 0);
	apply();
	ck_assert_str_eq(image_of(sample_nr(0)->leaf.image)->path, fake_image_file.path);
	fake_image_file.error = -ENOENT;
	kmod_stream_file(&stream, 6, 8);
	kmod_stream_sample(&stream, SECOND, 0, 6, 0);
	kmod_stream_sample(&stream, SECOND, 0, 6, 0);
	apply();
	ck_assert_uint_eq(fake_image_file.nr_opens, 3);
	ck_assert_uint_eq(state.images.nr_unopened, 1);
}
END_TEST

/* ---- losses, damage ---- */

START_TEST(losses_and_throttling_are_passed_on)
{
	context(0);
	kmod_stream_lost(&stream, OPROF_LOST_KERNEL_RING, 7);
	kmod_stream_throttle(&stream, 1, 0, true);
	kmod_stream_throttle(&stream, 9, 0, true);
	apply();
	ck_assert_uint_eq(lost_nr(0)->reason, OPROF_LOST_KERNEL_RING);
	ck_assert_uint_eq(lost_nr(0)->nr_samples, 7);
	ck_assert_uint_eq(state.counters.seen, 7);
	ck_assert_uint_eq(throttle_nr(0)->event, 1);
	ck_assert_ptr_null(find(OPROF_RECORD_THROTTLE, 1));
	ck_assert_uint_eq(state.counters.bad_records, 1);
}
END_TEST

START_TEST(unknown_records_are_skipped_by_their_size)
{
	const uint64_t body[5] = {0};

	context(0);
	kmod_stream_add(&stream, 4711, body, sizeof(body), NULL, 0);
	kmod_stream_add(&stream, OPROF_RECORD_PAD, body, 8, NULL, 0);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	apply();
	ck_assert_uint_eq(state.counters.unknown_records, 1);
	ck_assert_uint_eq(sample_nr(0)->leaf.offset, 0x110);
}
END_TEST

START_TEST(behind_a_size_that_makes_no_sense_nothing_is_believed)
{
	static const uint32_t sizes[] = {0, 4, 12, 4096, UINT32_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct oprof_record *head;

		record_catcher_init(&catcher);
		context(0);
		head = (void *)((char *)stream.words + stream.nr_bytes);
		kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
		head->size_bytes = sizes[i];
		kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
		apply();
		lost_for(OPROF_LOST_BAD_RECORD);
		/* The task of the next samples is unknown. */
		kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
		apply();
		ck_assert_uint_eq(lost_nr(1)->reason, OPROF_LOST_NO_TASK);
	}
	ck_assert_uint_eq(state.counters.bad_records, sizeof(sizes) / sizeof(sizes[0]));
}
END_TEST

START_TEST(records_that_are_too_short_for_their_type_are_bad)
{
	const uint64_t head[1] = {0};

	for (unsigned int type = OPROF_RECORD_TASK; type <= OPROF_RECORD_PROCESS_END; type++)
		kmod_stream_add(&stream, (uint16_t)type, head, sizeof(head), NULL, 0);
	apply();
	ck_assert_uint_eq(state.counters.bad_records, OPROF_RECORD_PROCESS_END);
	/* A sample, and whatever the LOST record was to report. */
	ck_assert_uint_eq(state.counters.seen, 2);
}
END_TEST

static void bad_sample(size_t field, unsigned int value)
{
	char *at;

	record_catcher_init(&catcher);
	context(0);
	at = (char *)stream.words + stream.nr_bytes;
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	at[field] = (char)value;
	apply();
}

START_TEST(samples_that_make_no_sense_are_lost)
{
	bad_sample(offsetof(struct oprof_sample, event), 2);
	lost_for(OPROF_LOST_BAD_RECORD);
	bad_sample(offsetof(struct oprof_sample, mode), OPROF_MODE_IDLE);
	lost_for(OPROF_LOST_BAD_RECORD);
	bad_sample(offsetof(struct oprof_sample, mode), 99);
	lost_for(OPROF_LOST_BAD_RECORD);
	bad_sample(offsetof(struct oprof_sample, mode), OPROF_MODE_GUEST);
	lost_for(OPROF_LOST_MODE);
	bad_sample(offsetof(struct oprof_sample, nr_frames), 3);
	lost_for(OPROF_LOST_BAD_RECORD);
	bad_sample(offsetof(struct oprof_sample, leaf), 3); /* an image, in kernel mode */
	lost_for(OPROF_LOST_BAD_RECORD);
}
END_TEST

START_TEST(unknown_cookies_and_tasks_that_cannot_be_cost_their_samples)
{
	context(0);
	kmod_stream_sample(&stream, SECOND, 0, 44, 0);
	apply();
	lost_for(OPROF_LOST_BAD_RECORD);
	record_catcher_init(&catcher);
	context(44);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	apply();
	lost_for(OPROF_LOST_BAD_RECORD);
	record_catcher_init(&catcher);
	kmod_stream_task(&stream, PID, PID, 0, 0);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	apply();
	lost_for(OPROF_LOST_NO_TASK);
	record_catcher_init(&catcher);
	context(0);
	kmod_stream_cpu(&stream, 1u << 30);
	kmod_stream_sample(&stream, SECOND, 0, 0, TEXT + 0x110);
	apply();
	lost_for(OPROF_LOST_NO_TASK);
}
END_TEST

START_TEST(images_that_make_no_sense_are_refused)
{
	struct oprof_kmod_image image = {.image = 4, .kind = OPROF_IMAGE_ANON, .end = 8};

	kmod_stream_image(&stream, OPROF_IMAGE_FILE, OPROF_IMAGE_NONE, NULL, 0, 0);
	kmod_stream_image(&stream, OPROF_IMAGE_KERNEL, 7, "kernel", 0, 0);
	kmod_stream_image(&stream, 99, 7, "what", 0, 0);
	kmod_stream_image(&stream, OPROF_IMAGE_ANON, 7, "empty", 8, 8);
	kmod_stream_image(&stream, OPROF_IMAGE_VDSO, 7, "[vdso]", 16, 8);
	image.name_bytes = 9; /* beyond the record's end */
	kmod_stream_add(&stream, OPROF_RECORD_IMAGE, &image, sizeof(image), "12345678", 8);
	image.name_bytes = 8; /* no NUL */
	kmod_stream_add(&stream, OPROF_RECORD_IMAGE, &image, sizeof(image), "12345678", 8);
	kmod_stream_image(&stream, OPROF_IMAGE_VDSO, 8, "[vdso]", 0, 0);
	kmod_stream_image(&stream, OPROF_IMAGE_VDSO, 8, "[vdso]", 0, 0); /* the same cookie again */
	kmod_stream_release(&stream, 55);
	apply();
	ck_assert_uint_eq(state.counters.bad_records, 9);
	ck_assert_uint_eq(state.images.images.nr_nodes, 1);
}
END_TEST

/* ---- switches ---- */

static void begin_switches(void)
{
	kmod_state_deinit(&state);
	record_catcher_init(&catcher);
	begin(true);
}

/* A switch on cpu between two tasks, given by their pids. */
static void put_switch(uint64_t time_ns, uint32_t cpu, int32_t from, int32_t to, uint32_t app)
{
	kmod_stream_cpu(&stream, cpu);
	kmod_stream_task(&stream, from, from, (uint64_t)from + 1, app);
	kmod_stream_switch(&stream, time_ns, OPROF_OFF_CPU_WAITING);
	kmod_stream_task(&stream, to, to, (uint64_t)to + 1, app);
}

START_TEST(switches_of_several_cpus_come_in_the_order_of_their_times)
{
	begin_switches();
	kmod_stream_file(&stream, 5, 7);
	put_switch(SECOND + 3, 0, PID, 0, 5); /* CPU 0 comes first ... */
	put_switch(SECOND + 1, 1, 0, PID, 5); /* ... earlier switches of CPU 1 follow */
	kmod_stream_release(&stream, 5);
	apply();
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 0);
	kmod_switches_tell(&state.switches, &state.places.writer, SECOND + 2);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 1);
	kmod_switches_tell(&state.switches, &state.places.writer, SECOND + 4);
	ck_assert_uint_eq(switch_nr(1)->time_ns, SECOND + 3);
	ck_assert_uint_eq(cpu_nr(0)->cpu, 1);
	ck_assert_int_eq(task_nr(0)->tgid, 0);
	ck_assert_int_eq(task_nr(1)->tgid, PID);
	/* Their program is known although its cookie was released in between. */
	ck_assert_str_eq(image_of(task_nr(1)->app_image)->path, fake_image_file.path);
	ck_assert_uint_eq(state.switches.nr_late, 0);
	put_switch(SECOND + 1, 1, 0, PID, 0);
	apply();
	ck_assert_uint_eq(state.switches.nr_late, 1);
}
END_TEST

START_TEST(losses_of_switches_keep_their_place_and_half_a_switch_is_none)
{
	begin_switches();
	put_switch(SECOND + 5, 0, PID, 0, 0);
	kmod_stream_switches_lost(&stream, SECOND + 3, 4);
	put_switch(SECOND + 1, 1, PID, 0, 0);
	kmod_stream_cpu(&stream, 0);
	kmod_stream_task(&stream, PID, PID, GEN, 0);
	kmod_stream_switch(&stream, SECOND + 6, OPROF_OFF_CPU_PREEMPTED);
	kmod_stream_add(&stream, OPROF_RECORD_TASK, &(struct oprof_record){0}, 8, NULL, 0);
	kmod_stream_task(&stream, 0, 0, 1, 0);
	apply();
	kmod_switches_tell(&state.switches, &state.places.writer, UINT64_MAX);
	ck_assert_uint_eq(switches_lost_nr(0)->nr_records, 4);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 2);
	/* The loss lies between the two switches. */
	ck_assert((const void *)switches_lost_nr(0) > (const void *)switch_nr(0));
	ck_assert((const void *)switches_lost_nr(0) < (const void *)switch_nr(1));
}
END_TEST

START_TEST(switches_that_nobody_asked_for_are_not_told)
{
	put_switch(SECOND, 0, PID, 0, 0);
	kmod_stream_switches_lost(&stream, SECOND, 1);
	apply();
	ck_assert_uint_eq(state.switches.nr, 0);
	ck_assert_uint_eq(state.counters.switch_records, 1);
}
END_TEST

START_TEST(of_a_time_when_some_cpus_told_switches_and_others_not_none_is_told)
{
	begin_switches();
	put_switch(SECOND + 1, 0, PID, 0, 0);
	put_switch(SECOND + 4, 0, PID, 0, 0);
	put_switch(SECOND + 9, 0, PID, 0, 0);
	apply();
	kmod_switches_ignore(&state.switches, SECOND + 3, SECOND + 6);
	kmod_switches_tell(&state.switches, &state.places.writer, UINT64_MAX);
	ck_assert_uint_eq(record_catcher_nr(&catcher, OPROF_RECORD_SWITCH), 2);
	ck_assert_uint_eq(switches_lost_nr(0)->time_ns, SECOND + 3);
}
END_TEST

static void add_samples(TCase *tests)
{
	tcase_add_test(tests, a_sample_in_a_file_has_its_path_identity_and_offset);
	tcase_add_test(tests, a_binarys_build_id_is_read_from_its_descriptor);
	tcase_add_test(tests, a_file_that_was_deleted_keeps_its_path);
	tcase_add_test(tests, kernel_addresses_become_offsets_in_the_kernel_or_a_module);
	tcase_add_test(tests, a_kernel_address_that_nothing_holds_is_lost);
	tcase_add_test(tests, task_0_idles_in_idle_routines_others_do_not);
	tcase_add_test(tests, a_module_that_comes_is_found_as_soon_as_it_is_told);
	tcase_add_test(tests, the_vdso_is_the_daemons_own_vsyscall_a_page_of_its_own);
	tcase_add_test(tests, memory_without_a_file_is_a_region_of_its_process_by_one_name);
	tcase_add_test(tests, a_memfd_that_is_run_is_a_file_shared_memory_told_as_one_is_none);
	tcase_add_test(tests, code_that_a_process_names_is_known_by_name);
	tcase_add_test(tests, an_address_in_no_mapping_is_lost);
	tcase_add_test(tests, callers_come_leaf_first_and_keep_what_is_known_of_their_end);
	tcase_add_test(tests, cgroups_that_came_later_are_named);
	tcase_add_test(tests, a_released_cookie_is_unknown_and_its_region_is_released_here_too);
	tcase_add_test(tests, a_program_in_force_outlives_its_release);
	tcase_add_test(tests, two_lives_of_a_pid_have_images_of_their_own);
	tcase_add_test(tests,
		       a_file_that_cannot_be_opened_now_is_tried_again_one_that_is_gone_is_not);
}

int main(void)
{
	Suite *suite = suite_create("kmod_state");
	TCase *tests = tcase_create("kmod_state");

	tcase_add_checked_fixture(tests, setup, teardown);
	add_samples(tests);
	tcase_add_test(tests, losses_and_throttling_are_passed_on);
	tcase_add_test(tests, unknown_records_are_skipped_by_their_size);
	tcase_add_test(tests, behind_a_size_that_makes_no_sense_nothing_is_believed);
	tcase_add_test(tests, records_that_are_too_short_for_their_type_are_bad);
	tcase_add_test(tests, samples_that_make_no_sense_are_lost);
	tcase_add_test(tests, unknown_cookies_and_tasks_that_cannot_be_cost_their_samples);
	tcase_add_test(tests, images_that_make_no_sense_are_refused);
	tcase_add_test(tests, switches_of_several_cpus_come_in_the_order_of_their_times);
	tcase_add_test(tests, losses_of_switches_keep_their_place_and_half_a_switch_is_none);
	tcase_add_test(tests, switches_that_nobody_asked_for_are_not_told);
	tcase_add_test(tests, of_a_time_when_some_cpus_told_switches_and_others_not_none_is_told);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
