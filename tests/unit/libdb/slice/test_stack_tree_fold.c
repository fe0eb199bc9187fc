// SPDX-License-Identifier: GPL-2.0-or-later
/* Folding, and adding up by function: sums must stay the same whatever is folded. */
#include "libdb/slice/stack_tree.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct stack_tree tree;
static uint64_t lot;

static void setup(void)
{
	lot = 7;
	ck_assert_int_eq(stack_tree_init(&tree), 0);
}

static void teardown(void)
{
	stack_tree_deinit(&tree);
}

struct sums {
	uint64_t samples[MAKE_STACKS_NR_ROOTS], weight[MAKE_STACKS_NR_ROOTS];
};

static struct sums sums_of(const struct stack_tree *of)
{
	struct sums sums = {0};

	ck_assert_uint_le(of->nr_roots, MAKE_STACKS_NR_ROOTS);
	for (uint32_t i = 0; i < of->nr_roots; i++) {
		sums.samples[i] = of->roots[i].nr_samples;
		sums.weight[i] = of->roots[i].weight;
	}
	return sums;
}

/* Makes a copy of the tree from the same samples, added in reverse order. */
static void copy_in_other_order(struct stack_tree *copy)
{
	struct stack_tree reversed;
	uint64_t again = 7;
	struct make_stacks_sample samples[2000];

	for (size_t i = 0; i < 2000; i++)
		samples[i] = make_stacks_next(&again);
	ck_assert_int_eq(stack_tree_init(&reversed), 0);
	for (size_t i = 2000; i-- > 0;)
		(void)make_stacks_add(&reversed, &samples[i]);
	*copy = reversed;
}

START_TEST(a_fold_keeps_the_sums_of_roots_and_the_bound)
{
	static const uint32_t bounds[] = {1, 12, 13, 100, 999, 3000, 5000};
	struct sums before, after;
	uint32_t nr_before;

	make_stacks_fill(&tree, &lot, 4000);
	nr_before = tree.nr_nodes;
	ck_assert_uint_gt(nr_before, 5000);
	before = sums_of(&tree);
	ck_assert_int_eq(stack_tree_fold(&tree, bounds[_i]), 0);
	after = sums_of(&tree);
	ck_assert(!memcmp(&before, &after, sizeof(before)));
	make_stacks_verify(&tree);
	/* Roots are never folded, and keep a node for all that is below them. */
	ck_assert_uint_le(tree.nr_nodes,
			  bounds[_i] > 2 * tree.nr_roots ? bounds[_i] : 2 * tree.nr_roots);
	if (bounds[_i] > 100) /* the fold removes no more than needed */
		ck_assert_uint_ge(tree.nr_nodes, bounds[_i] * 9 / 10);
}
END_TEST

START_TEST(a_tree_within_the_bound_is_left_as_it_is)
{
	struct stack_tree same;
	uint64_t again = lot;

	make_stacks_fill(&tree, &lot, 500);
	ck_assert_int_eq(stack_tree_init(&same), 0);
	make_stacks_fill(&same, &again, 500);
	ck_assert_int_eq(stack_tree_fold(&tree, tree.nr_nodes), 0);
	ck_assert_uint_eq(tree.nr_nodes, same.nr_nodes);
	ck_assert(!memcmp(tree.nodes, same.nodes, same.nr_nodes * sizeof(*same.nodes)));
	stack_tree_deinit(&same);
}
END_TEST

START_TEST(what_has_the_most_samples_stays)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	uint64_t *samples, *weights;
	uint32_t root, parent, nr_others = 0;

	root = (uint32_t)stack_tree_root(&tree, &section);
	(void)stack_tree_image(&tree, &image);
	for (uint32_t i = 0; i < 100; i++) {
		parent = (uint32_t)stack_tree_child(&tree, root, 0, i);
		parent = (uint32_t)stack_tree_child(&tree, parent, 0, 1000 + i);
		stack_tree_add(&tree, parent, i + 1, 1);
	}
	ck_assert_int_eq(stack_tree_fold(&tree, 42), 0);
	ck_assert_int_eq(stack_tree_sum(&tree, &samples, &weights), 0);
	for (uint32_t i = 1; i < tree.nr_nodes; i++) {
		if (tree.nodes[i].image == STACK_MARK(OPROF_STACK_OTHER))
			nr_others++;
		else
			ck_assert_uint_ge(tree.nodes[i].offset % 1000, 80);
	}
	ck_assert_uint_eq(tree.nr_nodes, 42);
	ck_assert_uint_eq(nr_others, 1);
	ck_assert_uint_eq(samples[root], 5050);
	free(samples);
	free(weights);
}
END_TEST

START_TEST(the_order_of_making_does_not_matter)
{
	struct stack_tree copy;
	uint8_t *bytes, *copy_bytes;
	size_t nr_bytes, nr_copy_bytes;

	make_stacks_fill(&tree, &lot, 2000);
	copy_in_other_order(&copy);
	ck_assert_int_eq(stack_tree_fold(&tree, 800), 0);
	ck_assert_int_eq(stack_tree_fold(&copy, 800), 0);
	make_stacks_same(&tree, &copy);
	ck_assert_int_eq(stack_tree_encode(&tree, &bytes, &nr_bytes), 0);
	ck_assert_int_eq(stack_tree_encode(&copy, &copy_bytes, &nr_copy_bytes), 0);
	ck_assert_uint_eq(nr_bytes, nr_copy_bytes);
	ck_assert(!memcmp(bytes, copy_bytes, nr_bytes));
	free(bytes);
	free(copy_bytes);
	stack_tree_deinit(&copy);
}
END_TEST

START_TEST(folding_again_and_adding_more_keeps_all)
{
	struct stack_tree all;
	uint64_t again = lot;
	struct sums left, right;

	ck_assert_int_eq(stack_tree_init(&all), 0);
	make_stacks_fill(&all, &again, 5000);
	for (int i = 0; i < 10; i++) {
		make_stacks_fill(&tree, &lot, 500);
		ck_assert_int_eq(stack_tree_fold(&tree, 300), 0);
		ck_assert_uint_le(tree.nr_nodes, 300);
		make_stacks_verify(&tree);
	}
	left = sums_of(&all);
	right = sums_of(&tree);
	ck_assert(!memcmp(&left, &right, sizeof(left)));
	stack_tree_deinit(&all);
}
END_TEST

START_TEST(a_folded_tree_is_found_again_by_what_it_holds)
{
	make_stacks_fill(&tree, &lot, 3000);
	ck_assert_int_eq(stack_tree_fold(&tree, 500), 0);
	for (uint32_t i = 0; i < tree.nr_nodes; i++) {
		const struct stack_node node = tree.nodes[i];

		if (node.parent != STACK_NODE_ROOT)
			ck_assert_int_eq(
				stack_tree_child(&tree, node.parent, node.image, node.offset), i);
	}
	for (unsigned int i = 0; i < MAKE_STACKS_NR_ROOTS; i++) {
		const struct slice_section section = make_stacks_root(i);
		const int64_t node = stack_tree_root(&tree, &section);

		ck_assert_int_ge(node, 0);
		ck_assert_uint_eq(tree.nodes[node].parent, STACK_NODE_ROOT);
	}
	ck_assert_uint_le(tree.nr_nodes, 500);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_tree_fold");
	TCase *tc = tcase_create("stack_tree_fold");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_fold_keeps_the_sums_of_roots_and_the_bound, 0, 7);
	tcase_add_test(tc, a_tree_within_the_bound_is_left_as_it_is);
	tcase_add_test(tc, what_has_the_most_samples_stays);
	tcase_add_test(tc, the_order_of_making_does_not_matter);
	tcase_add_test(tc, folding_again_and_adding_more_keeps_all);
	tcase_add_test(tc, a_folded_tree_is_found_again_by_what_it_holds);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
