// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/image/space.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define NR_PAGES  64
#define NR_IMAGES 8

static struct image_table images;
static struct image_entry *entries[NR_IMAGES];
static size_t nr_spaces;

static void setup(void)
{
	ck_assert_int_eq(image_table_init(&images), 0);
	for (size_t i = 0; i < NR_IMAGES; i++) {
		char name[] = {'/', (char)('a' + i), '\0'};
		struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = name};

		entries[i] = image_table_get(&images, &key);
		ck_assert_ptr_nonnull(entries[i]);
	}
	nr_spaces = 0;
}

/* All references are given back once nothing is mapped. */
static void teardown(void)
{
	ck_assert_uint_eq(nr_spaces, 0);
	for (size_t i = 0; i < NR_IMAGES; i++) {
		ck_assert_uint_eq(entries[i]->nr_refs, 1);
		image_put(entries[i]);
	}
	image_table_deinit(&images);
}

static void map(struct space **space, uint64_t start, uint64_t end, uint64_t offset, int image)
{
	struct mapping mapping = {start, end, offset, image < 0 ? NULL : entries[image]};

	ck_assert_int_eq(space_map(space, &mapping), 0);
}

START_TEST(an_empty_space_has_nothing)
{
	struct space *space = space_create(&nr_spaces);

	ck_assert_ptr_null(space_find(space, 0));
	map(&space, 10, 20, 0, -1);
	ck_assert_ptr_null(space_find(space, 15));
	space_put(space);
}
END_TEST

START_TEST(a_copy_is_made_only_when_one_of_two_changes)
{
	struct space *parent = space_create(&nr_spaces);
	struct space *child;

	map(&parent, 10, 20, 0, 0);
	child = space_get(parent);
	map(&child, 12, 14, 2, 0);
	ck_assert_ptr_eq(child, parent);
	map(&child, 12, 14, 0, 1);
	ck_assert_ptr_ne(child, parent);
	ck_assert_uint_eq(nr_spaces, 2);
	ck_assert_ptr_eq(space_find(parent, 13)->image, entries[0]);
	ck_assert_ptr_eq(space_find(child, 13)->image, entries[1]);
	ck_assert_ptr_eq(space_find(child, 15)->image, entries[0]);
	ck_assert_uint_eq(space_find(child, 15)->offset, 4);
	space_put(parent);
	space_put(child);
}
END_TEST

START_TEST(the_ends_of_the_address_space_can_be_mapped)
{
	struct space *space = space_create(&nr_spaces);

	map(&space, 0, UINT64_MAX, 0, 0);
	map(&space, UINT64_MAX - 1, UINT64_MAX, 0, 1);
	map(&space, 0, 1, 0, 2);
	ck_assert_ptr_eq(space_find(space, 0)->image, entries[2]);
	ck_assert_ptr_eq(space_find(space, 1)->image, entries[0]);
	ck_assert_ptr_eq(space_find(space, UINT64_MAX - 1)->image, entries[1]);
	ck_assert_ptr_null(space_find(space, UINT64_MAX));
	space_put(space);
}
END_TEST

/* A space is overgrown when it has too many mappings beyond the number that /proc listed. A copy
 * of the space keeps that number. */
START_TEST(a_copy_is_overgrown_where_the_shared_one_would_be)
{
	struct space *parent = space_create(&nr_spaces);
	struct space *child;
	uint64_t at = 0;

	while (!space_is_overgrown(parent)) {
		map(&parent, at, at + 1, 0, 0);
		at += 2;
	}
	ck_assert_uint_gt(parent->nr_mappings, 1);
	parent->nr_real = 1; /* two more are allowed */
	ck_assert(!space_is_overgrown(parent));
	child = space_get(parent);
	for (int i = 0; i < 2; i++) {
		ck_assert(!space_is_overgrown(child));
		map(&child, at, at + 1, 0, 0);
		at += 2;
	}
	ck_assert_ptr_ne(child, parent);
	ck_assert(space_is_overgrown(child));
	ck_assert(!space_is_overgrown(parent));
	space_put(parent);
	space_put(child);
}
END_TEST

/* ---- without memory ---- */

#define ROOM 8u /* initial room of a space; a change may need two more mappings */

static struct space *make_space(uint32_t nr)
{
	struct space *space = space_create(&nr_spaces);

	for (uint32_t i = 0; i < nr; i++)
		map(&space, 10 * i, 10 * i + 5, 0, 0);
	ck_assert_uint_eq(space->nr_mappings, nr);
	return space;
}

/* Counts the allocations that a change needs; if one of them fails, the space stays unchanged. */
static unsigned long try_without_memory(struct space **space)
{
	const struct mapping mapping = {1000, 1010, 0, entries[1]};
	const struct space before = **space;
	struct space *const same = *space;

	for (unsigned long nth = 1;; nth++) {
		int error;

		failing_begin(FAILING_MEMORY, nth, 0);
		error = space_map(space, &mapping);
		if (!failing_end()) {
			ck_assert_int_eq(error, 0);
			ck_assert_ptr_eq(space_find(*space, 1000)->image, entries[1]);
			return nth - 1;
		}
		ck_assert_int_eq(error, -ENOMEM);
		ck_assert_ptr_eq(*space, same);
		ck_assert_mem_eq(same, &before, sizeof(before));
		ck_assert_uint_eq(nr_spaces, 1);
	}
}

START_TEST(without_memory_a_space_is_as_it_was)
{
	static const struct {
		uint32_t nr;
		bool is_shared;
		unsigned long nr_allocations;
	} cases[] = {
		{ROOM - 2, false, 0}, {ROOM - 1, false, 1}, {0, true, 2},
		{ROOM - 2, true, 2},  {ROOM - 1, true, 2},  {ROOM, true, 2},
		{2 * ROOM, true, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct space *space = make_space(cases[i].nr);
		struct space *other = cases[i].is_shared ? space_get(space) : NULL;

		ck_assert_uint_eq(try_without_memory(&space), cases[i].nr_allocations);
		space_put(space);
		space_put(other);
	}
}
END_TEST

/* A space with too many mappings is refused before memory is allocated. */
START_TEST(a_space_that_is_too_large_is_refused)
{
	const struct mapping mapping = {1000, 1010, 0, entries[1]};
	struct space *space = space_create(&nr_spaces), *same = space;
	uint32_t most = ROOM;
	size_t nr_bytes;
	void *map;

	while (most <= UINT32_MAX / 2 / sizeof(mapping))
		most *= 2;
	nr_bytes = most * sizeof(mapping);
	map = mmap(NULL, nr_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		printf("# not checked: no %zu bytes of address space\n", nr_bytes);
		space_put(space);
		return;
	}
	space->mappings = map;
	for (uint32_t room = most / 2; room <= most; room += most / 2) {
		space->room_mappings = room;
		space->nr_mappings = room - 1;
		failing_begin(FAILING_MEMORY, 1, 0);
		ck_assert_int_eq(space_map(&space, &mapping), -ENOMEM);
		ck_assert_int_eq(failing_end(), room < most);
		ck_assert_ptr_eq(space, same);
		ck_assert_uint_eq(space->nr_mappings, room - 1);
	}
	*space = (struct space){.nr_refs = 1, .nr_spaces = &nr_spaces};
	ck_assert_int_eq(munmap(map, nr_bytes), 0);
	space_put(space);
}
END_TEST

/* The expected content of each page: an image and the page's offset in it. */
struct model {
	int image[NR_PAGES];
	uint64_t offset[NR_PAGES];
};

static void check(struct space *space, const struct model *model)
{
	for (uint64_t page = 0; page < NR_PAGES; page++) {
		const struct mapping *found = space_find(space, page);

		if (model->image[page] < 0) {
			ck_assert_ptr_null(found);
			continue;
		}
		ck_assert_ptr_nonnull(found);
		ck_assert_ptr_eq(found->image, entries[model->image[page]]);
		ck_assert_uint_eq(page - found->start + found->offset, model->offset[page]);
	}
	for (uint32_t i = 0; i < space->nr_mappings; i++) {
		ck_assert_uint_lt(space->mappings[i].start, space->mappings[i].end);
		if (i)
			ck_assert_uint_le(space->mappings[i - 1].end, space->mappings[i].start);
	}
}

static void map_both(struct space **space, struct model *model)
{
	uint64_t start = (uint64_t)(random() % NR_PAGES);
	uint64_t nr = 1 + (uint64_t)(random() % (random() % 4 ? 6 : NR_PAGES));
	uint64_t offset = (uint64_t)(random() % 3) * 10;
	int image = (int)(random() % (NR_IMAGES + 1)) - 1;

	if (start + nr > NR_PAGES)
		nr = NR_PAGES - start;
	map(space, start, start + nr, offset, image);
	for (uint64_t i = 0; i < nr; i++) {
		model->image[start + i] = image;
		model->offset[start + i] = offset + i;
	}
}

START_TEST(random_maps_and_forks_are_as_a_model_has_them)
{
	struct space *spaces[4] = {space_create(&nr_spaces)};
	struct model models[4];

	srandom((unsigned int)_i);
	memset(models[0].image, 0xff, sizeof(models[0].image));
	for (int step = 0; step < 2000; step++) {
		int one = (int)(random() % 4);
		int other = (int)(random() % 4);

		if (!spaces[one])
			continue;
		if (random() % 10) {
			map_both(&spaces[one], &models[one]);
		} else if (one != other) {
			space_put(spaces[other]);
			spaces[other] = space_get(spaces[one]);
			models[other] = models[one];
		}
		check(spaces[one], &models[one]);
		if (spaces[other])
			check(spaces[other], &models[other]);
	}
	for (int i = 0; i < 4; i++)
		space_put(spaces[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("space");
	TCase *tests = tcase_create("space");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_empty_space_has_nothing);
	tcase_add_test(tests, a_copy_is_made_only_when_one_of_two_changes);
	tcase_add_test(tests, a_copy_is_overgrown_where_the_shared_one_would_be);
	tcase_add_test(tests, the_ends_of_the_address_space_can_be_mapped);
	tcase_add_test(tests, without_memory_a_space_is_as_it_was);
	tcase_add_test(tests, a_space_that_is_too_large_is_refused);
	tcase_add_loop_test(tests, random_maps_and_forks_are_as_a_model_has_them, 1, 9);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
