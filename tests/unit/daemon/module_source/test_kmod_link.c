// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Links in the kernel module's chains: in a function without a frame, the
 * caller is the return address in the link register; elsewhere the register
 * holds no caller.
 */
#include "daemon/module_source/kmod_state.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/kmod_encode.h"
#include "tests/fixture/record_catcher.h"
#include "tests/fixture/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#define TEXT   UINT64_C(0xffffffff81000000)
#define SECOND UINT64_C(1000000000)
#define PID    10
#define GEN    100
#define DEPTH  3
#define US     5 /* the cookie of this program */
#define LINK   0x500

static struct fake_proc proc;
static struct kmod_state state;
static struct record_catcher catcher;
static struct kmod_stream stream;

static int open_us(int buffer_fd, uint32_t cookie)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)buffer_fd;
	(void)cookie;
	return fd < 0 ? -errno : fd;
}

static void begin(bool tables)
{
	const struct kmod_state_config config = {
		.places =
			{
				.sink = &catcher.sink,
				.kernel = true,
				.proc_path = proc.path,
				.sys_path = proc.path,
				.keep_images = true,
				.code_tables = tables,
			},
		.nr_events = 1,
		.chain_depth = DEPTH,
		.open = open_us,
	};

	ck_assert_int_eq(kmod_state_init(&state, &config, NULL), 0);
	kmod_stream_file(&stream, US, 7);
	kmod_stream_cpu(&stream, 1);
	kmod_stream_task(&stream, PID, PID, GEN, US);
	kmod_state_apply(&state, stream.words, stream.nr_bytes);
	kmod_stream_clear(&stream);
	image_keep_wait_code(&state.places.keep, 60000);
	catcher.nr_words = 0;
}

static void setup(void)
{
	fake_proc_init(&proc);
	fake_proc_print(&proc, "kallsyms",
			"ffffffff81000000 T _text\nffffffff81000100 T entry\n"
			"ffffffff81001000 T _etext\n");
	fake_proc_print(&proc, "modules", "%s", "");
	record_catcher_init(&catcher);
	kmod_stream_clear(&stream);
}

static void teardown(void)
{
	kmod_state_deinit(&state);
	fake_proc_deinit(&proc);
}

struct place {
	uint64_t address, offset;
};

static int in_segment(struct dl_phdr_info *info, size_t nr_bytes, void *context)
{
	struct place *place = context;

	(void)nr_bytes;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && place->address - start < segment->p_memsz)
			place->offset = place->address - start + segment->p_offset;
	}
	return 1; /* the first object is the program */
}

static struct oprof_frame frame_of(uint64_t address)
{
	struct place place = {.address = address};

	(void)dl_iterate_phdr(in_segment, &place);
	ck_assert_uint_ne(place.offset, 0);
	return (struct oprof_frame){US, OPROF_MODE_USER, place.offset};
}

/* The first byte of a function, where it has no frame yet. */
static struct oprof_frame frameless(void)
{
	return frame_of((uintptr_t)open_us);
}

/* Where a call returns to: the calling function has a frame. */
static __attribute__((noinline)) uint64_t returns_to(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

static struct oprof_frame framed(void)
{
	return frame_of(returns_to());
}

static const struct oprof_sample *sample_of(const struct oprof_frame *leaf, uint16_t flags,
					    const struct oprof_frame *callers, uint16_t nr)
{
	const struct oprof_sample *sample;

	kmod_stream_chain(&stream, SECOND, flags, leaf, callers, nr);
	kmod_state_apply(&state, stream.words, stream.nr_bytes);
	sample = record_catcher_find(&catcher, OPROF_RECORD_SAMPLE, 0);
	ck_assert_ptr_nonnull(sample);
	ck_assert_uint_eq(sample->head.flags & OPROF_KMOD_SAMPLE_LINK, 0);
	return sample;
}

/* The offsets of the callers, ended by 0. */
static void callers_are(const struct oprof_sample *sample, const uint64_t *offsets)
{
	const struct oprof_frame *callers = (const void *)(sample + 1);
	unsigned int nr = 0;

	for (; offsets[nr]; nr++) {
		ck_assert_uint_lt(nr, sample->nr_frames);
		ck_assert_uint_eq(callers[nr].offset, offsets[nr]);
	}
	ck_assert_uint_eq(sample->nr_frames, nr);
}

START_TEST(the_link_of_a_function_without_a_frame_is_its_caller)
{
	const struct oprof_frame leaf = frameless();
	const struct oprof_frame callers[] = {{US, OPROF_MODE_USER, LINK},
					      {US, OPROF_MODE_USER, 0x600}};

	begin(true);
	callers_are(sample_of(&leaf, OPROF_KMOD_SAMPLE_LINK, callers, 2),
		    (uint64_t[]){LINK, 0x600, 0});
	ck_assert_uint_eq(state.counters.links_taken, 1);
}
END_TEST

START_TEST(the_link_of_a_function_with_a_frame_is_no_caller)
{
	const struct oprof_frame leaf = framed();
	const struct oprof_frame callers[] = {{US, OPROF_MODE_USER, LINK},
					      {US, OPROF_MODE_USER, 0x600}};

	begin(true);
	callers_are(sample_of(&leaf, OPROF_KMOD_SAMPLE_LINK, callers, 2), (uint64_t[]){0x600, 0});
	ck_assert_uint_eq(state.counters.links_left, 1);
}
END_TEST

START_TEST(without_a_table_a_link_is_no_caller)
{
	const struct oprof_frame leaf = frameless();
	const struct oprof_frame callers[] = {{US, OPROF_MODE_USER, LINK},
					      {US, OPROF_MODE_USER, 0x600}};

	begin(false);
	callers_are(sample_of(&leaf, OPROF_KMOD_SAMPLE_LINK, callers, 2), (uint64_t[]){0x600, 0});
}
END_TEST

START_TEST(a_caller_that_is_no_link_stays)
{
	const struct oprof_frame leaf = framed();
	const struct oprof_frame callers[] = {{US, OPROF_MODE_USER, LINK}};

	begin(true);
	callers_are(sample_of(&leaf, 0, callers, 1), (uint64_t[]){LINK, 0});
}
END_TEST

/* _i: whether the function that called the kernel has a frame. */
START_TEST(of_a_sample_in_the_kernel_the_link_is_behind_who_called_it)
{
	const struct oprof_frame leaf = {OPROF_IMAGE_NONE, OPROF_MODE_KERNEL, TEXT + 0x110};
	const struct oprof_frame entry = _i ? framed() : frameless();
	const struct oprof_frame callers[] = {{OPROF_IMAGE_NONE, OPROF_MODE_KERNEL, TEXT + 0x120},
					      entry,
					      {US, OPROF_MODE_USER, LINK},
					      {US, OPROF_MODE_USER, 0x600}};
	const uint64_t with[] = {0x120, entry.offset, LINK, 0},
		       without[] = {0x120, entry.offset, 0x600, 0};
	const struct oprof_sample *sample;

	begin(true);
	sample = sample_of(&leaf, OPROF_KMOD_SAMPLE_LINK, callers, 4);
	callers_are(sample, _i ? without : with);
	/* With a depth of 3, the link has taken the place of an existing caller. */
	ck_assert_uint_eq(sample->head.flags, _i ? 0 : OPROF_SAMPLE_CHAIN_TRUNCATED);
}
END_TEST

/* _i / 2: how many of the expected frames are present. */
START_TEST(a_link_that_is_not_there_harms_nothing)
{
	const struct oprof_frame leaf =
		_i & 1 ? (struct oprof_frame){OPROF_IMAGE_NONE, OPROF_MODE_KERNEL, TEXT + 0x110}
		       : framed();
	const struct oprof_frame callers[] = {framed()};

	begin(true);
	ck_assert_uint_le(sample_of(&leaf, OPROF_KMOD_SAMPLE_LINK, callers, _i / 2)->nr_frames,
			  _i / 2);
}
END_TEST

START_TEST(callers_are_told_by_the_function_that_holds_them)
{
	const struct oprof_frame leaf = frameless();
	const struct oprof_frame callers[] = {{US, OPROF_MODE_USER, leaf.offset + 1}};
	const struct oprof_sample *sample;

	begin(true);
	sample = sample_of(&leaf, 0, callers, 1);
	ck_assert_uint_eq(places_function(&state.places, sample->leaf.image, leaf.offset + 1),
			  leaf.offset);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kmod_link");
	TCase *tests = tcase_create("kmod_link");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_link_of_a_function_without_a_frame_is_its_caller);
	tcase_add_test(tests, the_link_of_a_function_with_a_frame_is_no_caller);
	tcase_add_test(tests, without_a_table_a_link_is_no_caller);
	tcase_add_test(tests, a_caller_that_is_no_link_stays);
	tcase_add_loop_test(tests, of_a_sample_in_the_kernel_the_link_is_behind_who_called_it, 0,
			    2);
	tcase_add_loop_test(tests, a_link_that_is_not_there_harms_nothing, 0, 4);
	tcase_add_test(tests, callers_are_told_by_the_function_that_holds_them);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
