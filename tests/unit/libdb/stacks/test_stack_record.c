// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records are found by a hash; records with the same hash are distinguished by their whole content.
 * Each record is made twice, in memory with different previous content, and compared where no byte
 * after its end is readable.
 */
#include "libdb/stacks/stack_record.h"
#include "libdb/sdb.h"
#include "libdb/slice/slice_format.h"
#include "libdb/slice/stack_identity.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_MAX 32u /* cases of a table */

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct stack_record records[NR_MAX], again[NR_MAX];
static struct stack_image images[NR_MAX]; /* the images that the records were made from */
static struct slice_section roots[NR_MAX];
static uint8_t *guarded; /* a page, followed by an unreadable one */
static size_t page_bytes;

static void setup(void)
{
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	guarded = mmap(NULL, page_bytes * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	ck_assert_ptr_ne(guarded, MAP_FAILED);
	ck_assert_int_eq(mprotect(guarded + page_bytes, page_bytes, PROT_NONE), 0);
	memset(records, 0x5a, sizeof(records));
	memset(again, 0xff, sizeof(again));
}

static void teardown(void)
{
	ck_assert_int_eq(munmap(guarded, page_bytes * 2), 0);
}

/* Calls stack_record_same() for a copy of the bytes at the end of the page. */
static bool is_same(const struct stack_record *record, const void *bytes, size_t nr_bytes)
{
	ck_assert_uint_le(nr_bytes, page_bytes);
	memcpy(guarded + page_bytes - nr_bytes, bytes, nr_bytes);
	return stack_record_same(record, guarded + page_bytes - nr_bytes, nr_bytes);
}

/* Each record must equal its second copy and no other record. */
static void check_apart(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < nr; j++) {
			const uint32_t nr_bytes = again[j].head.size_bytes;

			ck_assert_uint_eq(nr_bytes % 8, 0);
			ck_assert_msg(is_same(&records[i], again[j].bytes, nr_bytes) == (i == j),
				      "case %zu against case %zu", i, j);
			ck_assert(!is_same(&records[i], again[j].bytes, nr_bytes - 1));
		}
}

/* The record at [0] must equal every other. */
static void check_alike(size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		ck_assert_msg(is_same(&records[0], again[i].bytes, again[i].head.size_bytes),
			      "case %zu", i);
		ck_assert_msg(is_same(&again[i], records[0].bytes, records[0].head.size_bytes),
			      "case %zu", i);
	}
}

/* If two records differ, exactly one of them must come first. */
static void check_order(bool same, int forward, int backward)
{
	if (same)
		ck_assert(!forward && !backward);
	else
		ck_assert((forward < 0 && backward > 0) || (forward > 0 && backward < 0));
}

/* Flips bits in one byte of an image or a section. */
static void change(void *what, size_t offset, uint8_t flip)
{
	((uint8_t *)what)[offset] ^= flip;
}

/* ---- images ---- */

enum { PROGRAM = 0, LIBRARY = 1, REGION = 7, KERNEL = 8 /* the kernel has no build-id */ };

struct image_case {
	unsigned int base; /* argument of make_stacks_image() */
	size_t offset;	   /* of the byte that differs from base */
	uint8_t flip;	   /* the bits of it that differ; 0: none */
	const char *path;  /* NULL: the path of base */
};

#define IMAGE_FIELD(member) .offset = offsetof(struct stack_image, member), .flip = 1

static const struct image_case images_apart[] = {
	{.base = LIBRARY},
	{.base = LIBRARY, .path = "/usr/lib/libd.so.6"}, /* the same length */
	{.base = LIBRARY, .path = "/usr/lib/libc.so"},	 /* fills whole words, without padding */
	{.base = LIBRARY, .path = "/usr/lib/libc.sp"},
	{.base = LIBRARY, .path = "/a/libc.so"}, /* the same padded length as the next one */
	{.base = LIBRARY, .path = "/a/libc.so.6"},
	{.base = LIBRARY, IMAGE_FIELD(path.kind)},
	{.base = LIBRARY,
	 .offset = offsetof(struct stack_image, kind),
	 .flip = OPROF_IMAGE_FILE ^ OPROF_IMAGE_MODULE},
	{.base = LIBRARY, IMAGE_FIELD(image_start)},
	{.base = LIBRARY, IMAGE_FIELD(identity.build_id[0])},
	{.base = LIBRARY, IMAGE_FIELD(identity.build_id[19])},
	{.base = LIBRARY,
	 .offset = offsetof(struct stack_image, identity.nr_build_id),
	 .flip = 20 ^ 16},
	{.base = REGION},
	{.base = REGION, IMAGE_FIELD(path.tgid)},
	{.base = REGION, IMAGE_FIELD(path.start)},
	{.base = REGION, IMAGE_FIELD(path.end)},
	{.base = KERNEL},
	{.base = KERNEL, IMAGE_FIELD(identity.dev)},
	{.base = KERNEL, IMAGE_FIELD(identity.inode)},
	{.base = KERNEL, IMAGE_FIELD(identity.inode_generation)},
	{.base = KERNEL, IMAGE_FIELD(identity.mtime_ns)},
	{.base = KERNEL, IMAGE_FIELD(identity.size_bytes)},
};

/* With a build-id, the other properties of the file do not identify it. */
static const struct image_case images_alike[] = {
	{.base = LIBRARY},
	{.base = LIBRARY, IMAGE_FIELD(identity.dev)},
	{.base = LIBRARY, IMAGE_FIELD(identity.inode)},
	{.base = LIBRARY, IMAGE_FIELD(identity.inode_generation)},
	{.base = LIBRARY, IMAGE_FIELD(identity.mtime_ns)},
	{.base = LIBRARY, IMAGE_FIELD(identity.size_bytes)},
	{.base = LIBRARY, IMAGE_FIELD(path.tgid)},
	{.base = LIBRARY, IMAGE_FIELD(path.start)},
	{.base = LIBRARY, IMAGE_FIELD(path.end)},
};

static void make_images(const struct image_case *cases, size_t nr)
{
	ck_assert_uint_le(nr, NR_MAX);
	for (size_t i = 0; i < nr; i++) {
		images[i] = make_stacks_image(cases[i].base);
		change(&images[i], cases[i].offset, cases[i].flip);
		if (cases[i].path)
			images[i].path.path = cases[i].path;
		ck_assert_int_eq(stack_record_image(&records[i], &images[i]), 0);
		ck_assert_int_eq(stack_record_image(&again[i], &images[i]), 0);
	}
}

START_TEST(images_that_differ_in_anything_are_not_the_same)
{
	make_images(images_apart, LENGTH(images_apart));
	check_apart(LENGTH(images_apart));
	for (size_t i = 0; i < LENGTH(images_apart); i++)
		for (size_t j = 0; j < LENGTH(images_apart); j++)
			check_order(i == j, stack_image_compare(&images[i], &images[j]),
				    stack_image_compare(&images[j], &images[i]));
}
END_TEST

START_TEST(images_are_the_same_whatever_does_not_identify_them)
{
	make_images(images_alike, LENGTH(images_alike));
	check_alike(LENGTH(images_alike));
	for (size_t i = 0; i < LENGTH(images_alike); i++) {
		ck_assert_int_eq(stack_image_compare(&images[0], &images[i]), 0);
		ck_assert_uint_eq(stack_image_hash(&images[0]), stack_image_hash(&images[i]));
	}
}
END_TEST

/* A damaged file may hold such a length: no byte after the build-id may be compared. */
START_TEST(an_image_with_a_build_id_longer_than_any_is_the_same_as_none)
{
	static const uint32_t lengths[] = {OPROF_BUILD_ID_BYTES_MAX + 1, UINT32_MAX};
	struct stack_image image = make_stacks_image(LIBRARY);

	ck_assert_int_eq(stack_record_image(&records[0], &image), 0);
	image.identity.nr_build_id = lengths[_i];
	ck_assert_int_eq(stack_record_image(&records[1], &image), 0);
	ck_assert_int_eq(stack_record_image(&again[1], &image), 0);
	ck_assert(!is_same(&records[0], again[1].bytes, again[1].head.size_bytes));
	ck_assert(!is_same(&records[1], again[1].bytes, again[1].head.size_bytes));
}
END_TEST

/* ---- roots ---- */

struct root_case {
	size_t offset; /* of the byte that differs from the base */
	uint8_t flip;  /* the bits of it that differ; 0: none */
	uint32_t flags;
	const char *app, *event, *cgroup; /* NULL: those of the base */
	enum { OF_PROGRAM, OF_REGION, WITHOUT_CGROUP } base;
};

#define ROOT_FIELD(member) .offset = offsetof(struct slice_section, member), .flip = 1

static const struct root_case roots_apart[] = {
	{0},
	{.app = "/opt/a name with blankz"}, /* the same length */
	{.app = "/a/libc.so"},		    /* the same padded length as the next one */
	{.app = "/a/libc.so.6"},
	{.event = "cpu-clocl"}, /* the same length */
	{.cgroup = "/system.slice/b.service"},
	{.base = WITHOUT_CGROUP},
	/* Concatenated, these strings are equal; only their lengths distinguish them. */
	{.app = "/a", .event = "b", .cgroup = "cd"},
	{.app = "/a", .event = "bc", .cgroup = "d"},
	{.app = "/ab", .event = "c", .cgroup = "d"},
	{.app = "/ab", .event = "cd", .base = WITHOUT_CGROUP},
	{.flags = OPROF_SDB_FREQUENCY},
	{.flags = OPROF_SDB_KEEP_KERNEL},
	{.flags = OPROF_STACK_BY_IMAGE},
	{ROOT_FIELD(app.kind)},
	{ROOT_FIELD(period_or_hz)},
	{ROOT_FIELD(unit_mask)},
	{ROOT_FIELD(tgid)},
	{ROOT_FIELD(tid)},
	{ROOT_FIELD(cpu)},
	{.base = OF_REGION},
	{.base = OF_REGION, ROOT_FIELD(app.tgid)},
	{.base = OF_REGION, ROOT_FIELD(app.start)},
	{.base = OF_REGION, ROOT_FIELD(app.end)},
};

static const struct root_case roots_alike[] = {
	{0},
	{.flags = OPROF_SDB_WEIGHTED},
	{.flags = OPROF_SDB_HOLED},
	{ROOT_FIELD(app.tgid)},
	{ROOT_FIELD(app.start)},
	{ROOT_FIELD(app.end)},
};

static void make_roots(const struct root_case *cases, size_t nr)
{
	ck_assert_uint_le(nr, NR_MAX);
	for (size_t i = 0; i < nr; i++) {
		struct slice_section *root = &roots[i];

		*root = make_stacks_root(2);
		if (cases[i].base == WITHOUT_CGROUP)
			root->cgroup = NULL;
		if (cases[i].base == OF_REGION)
			root->app = make_stacks_image(REGION).path;
		change(root, cases[i].offset, cases[i].flip);
		root->flags |= cases[i].flags;
		if (cases[i].app)
			root->app.path = cases[i].app;
		if (cases[i].event)
			root->event = cases[i].event;
		if (cases[i].cgroup)
			root->cgroup = cases[i].cgroup;
		ck_assert_int_eq(stack_record_root(&records[i], root), 0);
		ck_assert_int_eq(stack_record_root(&again[i], root), 0);
	}
}

START_TEST(roots_that_differ_in_anything_are_not_the_same)
{
	make_roots(roots_apart, LENGTH(roots_apart));
	check_apart(LENGTH(roots_apart));
	for (size_t i = 0; i < LENGTH(roots_apart); i++)
		for (size_t j = 0; j < LENGTH(roots_apart); j++)
			check_order(i == j, stack_root_compare(&roots[i], &roots[j]),
				    stack_root_compare(&roots[j], &roots[i]));
}
END_TEST

START_TEST(roots_are_the_same_whatever_does_not_identify_them)
{
	make_roots(roots_alike, LENGTH(roots_alike));
	check_alike(LENGTH(roots_alike));
	for (size_t i = 0; i < LENGTH(roots_alike); i++) {
		ck_assert_int_eq(stack_root_compare(&roots[0], &roots[i]), 0);
		ck_assert_uint_eq(stack_root_hash(&roots[0]), stack_root_hash(&roots[i]));
	}
}
END_TEST

START_TEST(a_root_stores_whether_it_is_weighted_but_no_flag_of_sample_files_alone)
{
	struct slice_section root = make_stacks_root(0);

	root.flags = UINT32_MAX;
	ck_assert_int_eq(stack_record_root(&records[0], &root), 0);
	ck_assert_uint_eq(records[0].root.sdb_flags, OPROF_SDB_WEIGHTED | OPROF_SDB_FREQUENCY |
							     OPROF_SDB_KEEP_KERNEL |
							     OPROF_STACK_BY_IMAGE);
}
END_TEST

/* ---- both ---- */

START_TEST(a_root_and_an_image_of_equal_size_are_not_the_same)
{
	const size_t more = sizeof(records[0].image) - sizeof(records[0].root);
	struct slice_section root = make_stacks_root(0);
	struct stack_image image = make_stacks_image(PROGRAM);
	char text[128] = "";

	root.event = "e";
	image.path.path = "/";
	memset(text, '/', more);
	root.app.path = text;
	ck_assert_int_eq(stack_record_root(&records[0], &root), 0);
	ck_assert_int_eq(stack_record_image(&records[1], &image), 0);
	ck_assert_uint_eq(records[0].head.size_bytes, records[1].head.size_bytes);
	for (int i = 0; i < 2; i++)
		ck_assert(!is_same(&records[i], records[!i].bytes, records[!i].head.size_bytes));
}
END_TEST

/* A damaged file may hold such a record: no byte after its end may be read. */
START_TEST(a_root_shorter_than_any_image_is_not_the_same_as_one_that_claims_to_be_an_image)
{
	struct slice_section root = make_stacks_root(0);

	root.app.path = "/";
	root.event = "e";
	ck_assert_int_eq(stack_record_root(&records[0], &root), 0);
	ck_assert_uint_lt(records[0].head.size_bytes, sizeof(records[0].image));
	again[0] = records[0];
	again[0].head.type = OPROF_STACK_IMAGE;
	ck_assert(!is_same(&records[0], again[0].bytes, again[0].head.size_bytes));
}
END_TEST

/* Returns a string of length bytes. */
static const char *text_of(size_t length)
{
	static char text[STACK_RECORD_BYTES_MAX + 1];

	memset(text, 'a', sizeof(text) - 1);
	return text + sizeof(text) - 1 - length;
}

START_TEST(an_image_whose_path_fills_a_record_is_the_longest)
{
	const size_t room = STACK_RECORD_BYTES_MAX - 8 - sizeof(struct oprof_stack_image);
	struct stack_image image = make_stacks_image(LIBRARY);

	image.path.path = text_of(room);
	ck_assert_int_eq(stack_record_image(&records[0], &image), 0);
	ck_assert_uint_eq(records[0].image.path.nr_bytes, room);
	image.path.path = text_of(room + 1);
	ck_assert_int_eq(stack_record_image(&records[0], &image), -ENAMETOOLONG);
}
END_TEST

#define ROOM (STACK_RECORD_BYTES_MAX - 8 - sizeof(struct oprof_stack_root))

static const struct {
	size_t app, event, cgroup; /* lengths in bytes */
	int error;
} lengths[] = {
	{ROOM - 2, 1, 1, 0},
	{1, ROOM - 2, 1, 0},
	{1, 1, ROOM - 2, 0},
	/* One string is too long, although there is room for the ones after it. */
	{ROOM + 1, 1, 1, -ENAMETOOLONG},
	{1, ROOM, 1, -ENAMETOOLONG},
	{1, 1, ROOM - 1, -ENAMETOOLONG},
	{ROOM - 1, 1, 1, -ENAMETOOLONG},
	{ROOM, 1, 1, -ENAMETOOLONG},
};

START_TEST(a_root_whose_strings_fill_a_record_is_the_longest)
{
	struct slice_section root = make_stacks_root(2);

	root.app.path = text_of(lengths[_i].app);
	root.event = text_of(lengths[_i].event);
	root.cgroup = text_of(lengths[_i].cgroup);
	ck_assert_int_eq(stack_record_root(&records[0], &root), lengths[_i].error);
	if (lengths[_i].error)
		return;
	ck_assert_uint_eq(records[0].root.app.nr_bytes, lengths[_i].app);
	ck_assert_uint_eq(records[0].root.event_bytes, lengths[_i].event);
	ck_assert_uint_eq(records[0].root.cgroup_bytes, lengths[_i].cgroup);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_record");
	TCase *tests = tcase_create("stack_record");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, images_that_differ_in_anything_are_not_the_same);
	tcase_add_test(tests, images_are_the_same_whatever_does_not_identify_them);
	tcase_add_loop_test(tests, an_image_with_a_build_id_longer_than_any_is_the_same_as_none, 0,
			    2);
	tcase_add_test(tests, roots_that_differ_in_anything_are_not_the_same);
	tcase_add_test(tests, roots_are_the_same_whatever_does_not_identify_them);
	tcase_add_test(tests,
		       a_root_stores_whether_it_is_weighted_but_no_flag_of_sample_files_alone);
	tcase_add_test(tests, a_root_and_an_image_of_equal_size_are_not_the_same);
	tcase_add_test(
		tests,
		a_root_shorter_than_any_image_is_not_the_same_as_one_that_claims_to_be_an_image);
	tcase_add_test(tests, an_image_whose_path_fills_a_record_is_the_longest);
	tcase_add_loop_test(tests, a_root_whose_strings_fill_a_record_is_the_longest, 0,
			    LENGTH(lengths));
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
