// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/stack_tree.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct stack_tree tree, other;
static uint64_t lot;

static void setup(void)
{
	lot = 1;
	ck_assert_int_eq(stack_tree_init(&tree), 0);
	ck_assert_int_eq(stack_tree_init(&other), 0);
}

static void teardown(void)
{
	stack_tree_deinit(&tree);
	stack_tree_deinit(&other);
}

static uint32_t root_of(struct stack_tree *to, unsigned int i)
{
	const struct slice_section section = make_stacks_root(i);
	const int64_t node = stack_tree_root(to, &section);

	ck_assert_int_ge(node, 0);
	return (uint32_t)node;
}

static uint32_t image_of(struct stack_tree *to, unsigned int i)
{
	const struct stack_image image = make_stacks_image(i);
	const int64_t found = stack_tree_image(to, &image);

	ck_assert_int_ge(found, 0);
	return (uint32_t)found;
}

static uint32_t child_of(struct stack_tree *to, uint32_t parent, uint32_t image, uint64_t offset)
{
	const int64_t node = stack_tree_child(to, parent, image, offset);

	ck_assert_int_ge(node, 0);
	return (uint32_t)node;
}

START_TEST(what_is_the_same_is_one_node)
{
	const uint32_t root = root_of(&tree, 0), image = image_of(&tree, 1);
	const uint32_t child = child_of(&tree, root, image, 64);

	ck_assert_uint_eq(root_of(&tree, 0), root);
	ck_assert_uint_eq(image_of(&tree, 1), image);
	ck_assert_uint_eq(child_of(&tree, root, image, 64), child);
	ck_assert_uint_ne(child_of(&tree, root, image, 65), child);
	ck_assert_uint_ne(child_of(&tree, child, image, 64), child);
	ck_assert_uint_ne(child_of(&tree, root_of(&tree, 1), image, 64), child);
	ck_assert_uint_ne(child_of(&tree, root, image_of(&tree, 2), 64), child);
	ck_assert_uint_eq(tree.nr_roots, 2);
	ck_assert_uint_eq(tree.nr_images, 2);
	ck_assert_uint_eq(tree.nr_nodes, 7);
}
END_TEST

START_TEST(every_kind_of_root_and_image_differs_from_the_others)
{
	for (unsigned int i = 0; i < MAKE_STACKS_NR_ROOTS; i++)
		(void)root_of(&tree, i);
	for (unsigned int i = 0; i < MAKE_STACKS_NR_IMAGES; i++)
		(void)image_of(&tree, i);
	ck_assert_uint_eq(tree.nr_roots, MAKE_STACKS_NR_ROOTS);
	ck_assert_uint_eq(tree.nr_images, MAKE_STACKS_NR_IMAGES);
}
END_TEST

START_TEST(strings_are_copied)
{
	char app[] = "/bin/a", event[] = "cycles", cgroup[] = "/c", file[] = "/lib/b";
	const struct slice_section section = {.app = {.path = app},
					      .event = event,
					      .tgid = -1,
					      .tid = -1,
					      .cpu = -1,
					      .cgroup = cgroup};
	struct stack_image image = {.kind = OPROF_IMAGE_FILE};

	image.path.path = file;
	ck_assert_int_eq(stack_tree_root(&tree, &section), 0);
	ck_assert_int_eq(stack_tree_image(&tree, &image), 0);
	app[0] = event[0] = cgroup[0] = file[0] = 'x';
	ck_assert_str_eq(tree.roots[0].app.path, "/bin/a");
	ck_assert_str_eq(tree.roots[0].event, "cycles");
	ck_assert_str_eq(tree.roots[0].cgroup, "/c");
	ck_assert_str_eq(tree.images[0].path.path, "/lib/b");
}
END_TEST

START_TEST(images_of_one_build_id_are_one_whatever_their_inode)
{
	struct stack_image image = make_stacks_image(1);

	image.identity.inode = 5;
	ck_assert_int_eq(stack_tree_image(&tree, &image), 0);
	ck_assert_uint_eq(image_of(&tree, 1), 0);
}
END_TEST

START_TEST(below_other_there_is_only_other)
{
	const uint32_t root = root_of(&tree, 0), image = image_of(&tree, 0);
	const uint32_t folded = child_of(&tree, root, STACK_MARK(OPROF_STACK_OTHER), 7);

	ck_assert_uint_eq(tree.nodes[folded].offset, 0);
	ck_assert_uint_eq(child_of(&tree, folded, image, 5), folded);
	ck_assert_uint_eq(tree.nr_nodes, 2);
}
END_TEST

START_TEST(sums_are_of_all_below)
{
	const uint32_t root = root_of(&tree, 0), image = image_of(&tree, 0);
	const uint32_t a = child_of(&tree, root, image, 1), b = child_of(&tree, a, image, 2),
		       c = child_of(&tree, a, image, 3);
	uint64_t *samples, *weights;

	stack_tree_add(&tree, a, 1, 10);
	stack_tree_add(&tree, b, 2, 20);
	stack_tree_add(&tree, c, 4, 40);
	stack_tree_add(&tree, c, 8, 80);
	ck_assert_int_eq(stack_tree_sum(&tree, &samples, &weights), 0);
	ck_assert_uint_eq(samples[root], 15);
	ck_assert_uint_eq(samples[a], 15);
	ck_assert_uint_eq(samples[b], 2);
	ck_assert_uint_eq(samples[c], 12);
	ck_assert_uint_eq(weights[root], 150);
	ck_assert_uint_eq(weights[c], 120);
	ck_assert_uint_eq(tree.roots[0].nr_samples, 15);
	ck_assert_uint_eq(tree.roots[0].nr_keys, 4);
	free(samples);
	free(weights);
	make_stacks_verify(&tree);
}
END_TEST

START_TEST(sums_stay_at_the_highest_number)
{
	const uint32_t root = root_of(&tree, 0);
	const uint32_t a = child_of(&tree, root, image_of(&tree, 0), 1);
	uint64_t *samples, *weights;

	stack_tree_add(&tree, a, UINT64_MAX - 1, 1);
	stack_tree_add(&tree, a, 5, UINT64_MAX);
	stack_tree_add(&tree, root, 5, 5);
	ck_assert_uint_eq(tree.nodes[a].nr_samples, UINT64_MAX);
	ck_assert_int_eq(stack_tree_sum(&tree, &samples, &weights), 0);
	ck_assert_uint_eq(samples[root], UINT64_MAX);
	ck_assert_uint_eq(weights[root], UINT64_MAX);
	free(samples);
	free(weights);
}
END_TEST

START_TEST(an_empty_tree_has_no_sums)
{
	uint64_t *samples, *weights;

	ck_assert_int_eq(stack_tree_sum(&tree, &samples, &weights), 0);
	free(samples);
	free(weights);
	ck_assert_int_eq(stack_tree_merge(&tree, &other), 0);
	ck_assert_uint_eq(tree.nr_nodes, 0);
}
END_TEST

START_TEST(merging_parts_gives_what_adding_all_gives)
{
	struct stack_tree part;
	uint64_t again = lot;

	make_stacks_fill(&other, &again, 6000);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(stack_tree_init(&part), 0);
		make_stacks_fill(&part, &lot, 1000);
		make_stacks_verify(&part);
		ck_assert_int_eq(stack_tree_merge(&tree, &part), 0);
		stack_tree_deinit(&part);
	}
	make_stacks_same(&tree, &other);
	ck_assert_uint_eq(tree.nr_nodes, other.nr_nodes);
}
END_TEST

START_TEST(merging_with_itself_doubles)
{
	struct stack_tree twice;
	uint64_t again = lot;

	make_stacks_fill(&tree, &again, 500);
	ck_assert_int_eq(stack_tree_init(&twice), 0);
	ck_assert_int_eq(stack_tree_merge(&twice, &tree), 0);
	ck_assert_int_eq(stack_tree_merge(&twice, &tree), 0);
	ck_assert_uint_eq(twice.nr_nodes, tree.nr_nodes);
	for (uint32_t i = 0; i < tree.nr_roots; i++)
		ck_assert_uint_eq(twice.roots[i].nr_samples, 2 * tree.roots[i].nr_samples);
	make_stacks_verify(&twice);
	stack_tree_deinit(&twice);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_tree");
	TCase *tc = tcase_create("stack_tree");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_the_same_is_one_node);
	tcase_add_test(tc, every_kind_of_root_and_image_differs_from_the_others);
	tcase_add_test(tc, strings_are_copied);
	tcase_add_test(tc, images_of_one_build_id_are_one_whatever_their_inode);
	tcase_add_test(tc, below_other_there_is_only_other);
	tcase_add_test(tc, sums_are_of_all_below);
	tcase_add_test(tc, sums_stay_at_the_highest_number);
	tcase_add_test(tc, an_empty_tree_has_no_sums);
	tcase_add_test(tc, merging_parts_gives_what_adding_all_gives);
	tcase_add_test(tc, merging_with_itself_doubles);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
