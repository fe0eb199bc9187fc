// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees are encoded and decoded; bytes that are not a tree are refused. */
#include "libdb/slice/stack_tree.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct stack_tree tree;
static uint64_t lot;
static uint8_t *bytes;
static size_t nr_bytes;

static void setup(void)
{
	lot = 3;
	ck_assert_int_eq(stack_tree_init(&tree), 0);
}

static void teardown(void)
{
	stack_tree_deinit(&tree);
	free(bytes);
	bytes = NULL;
}

static void encode(void)
{
	free(bytes);
	bytes = NULL;
	ck_assert_int_eq(stack_tree_encode(&tree, &bytes, &nr_bytes), 0);
}

static struct stack_tree decode(void)
{
	struct stack_tree decoded;
	struct diag diag;

	ck_assert_msg(!stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes, &diag),
		      "%s", diag_show(&diag));
	return decoded;
}

START_TEST(what_is_encoded_decodes_to_the_same)
{
	static const size_t numbers[] = {0, 1, 2, 50, 5000};
	struct stack_tree decoded;

	make_stacks_fill(&tree, &lot, numbers[_i]);
	encode();
	decoded = decode();
	make_stacks_same(&tree, &decoded);
	ck_assert_uint_eq(decoded.nr_nodes, tree.nr_nodes);
	stack_tree_deinit(&decoded);
}
END_TEST

START_TEST(decoded_and_encoded_again_the_bytes_are_the_same)
{
	struct stack_tree decoded;
	uint8_t *again;
	size_t nr_again;

	make_stacks_fill(&tree, &lot, 3000);
	encode();
	decoded = decode();
	ck_assert_int_eq(stack_tree_encode(&decoded, &again, &nr_again), 0);
	ck_assert_uint_eq(nr_again, nr_bytes);
	ck_assert(!memcmp(again, bytes, nr_bytes));
	free(again);
	stack_tree_deinit(&decoded);
}
END_TEST

/*
 * A machine, compiler or change with another encoding would write slices that others cannot read.
 */
START_TEST(bytes_are_those_of_version_2_on_every_machine)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	make_stacks_fill(&tree, &lot, 3000);
	encode();
	for (size_t i = 0; i < nr_bytes; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	ck_assert_msg(nr_bytes == 32997 && hash == UINT64_C(0x8bd72e7e644dcf70),
		      "%zu bytes, 0x%llx", nr_bytes, (unsigned long long)hash);
}
END_TEST

START_TEST(the_same_tree_gives_the_same_bytes_in_whatever_order_it_was_made)
{
	struct make_stacks_sample *samples = calloc(3000, sizeof(*samples));
	uint8_t *first;
	size_t nr_first;

	for (size_t i = 0; i < 3000; i++)
		samples[i] = make_stacks_next(&lot);
	for (size_t i = 0; i < 3000; i++)
		(void)make_stacks_add(&tree, &samples[i]);
	encode();
	first = bytes;
	nr_first = nr_bytes;
	bytes = NULL;
	stack_tree_deinit(&tree);
	ck_assert_int_eq(stack_tree_init(&tree), 0);
	for (size_t i = 3000; i-- > 0;)
		(void)make_stacks_add(&tree, &samples[i]);
	encode();
	ck_assert_uint_eq(nr_first, nr_bytes);
	ck_assert(!memcmp(first, bytes, nr_bytes));
	free(first);
	free(samples);
}
END_TEST

START_TEST(decoded_trees_take_more)
{
	struct stack_tree decoded;
	uint64_t again = lot;

	make_stacks_fill(&tree, &lot, 1000);
	encode();
	decoded = decode();
	make_stacks_fill(&decoded, &lot, 1000);
	stack_tree_deinit(&tree);
	ck_assert_int_eq(stack_tree_init(&tree), 0);
	make_stacks_fill(&tree, &again, 2000);
	make_stacks_same(&tree, &decoded);
	stack_tree_deinit(&decoded);
}
END_TEST

START_TEST(weights_are_stored_where_they_do_not_follow_from_samples)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	struct stack_tree decoded;
	size_t nr_plain;
	uint32_t node;

	(void)stack_tree_image(&tree, &image);
	node = (uint32_t)stack_tree_child(&tree, (uint32_t)stack_tree_root(&tree, &section), 0, 1);
	stack_tree_add(&tree, node, 3, 3 * 997);
	encode();
	nr_plain = nr_bytes;
	stack_tree_add(&tree, node, 0, 1);
	encode();
	ck_assert_uint_gt(nr_bytes, nr_plain);
	decoded = decode();
	ck_assert_uint_eq(decoded.nodes[1].weight, 3 * 997 + 1);
	ck_assert_uint_eq(decoded.roots[0].weight, 3 * 997 + 1);
	ck_assert_uint_eq(decoded.roots[0].flags, OPROF_SDB_WEIGHTED);
	stack_tree_deinit(&decoded);
}
END_TEST

/* Adds a function below the root with nr samples; returns its node. */
static uint32_t add_function(const struct slice_section *section, uint64_t offset, uint64_t nr)
{
	const struct stack_image image = make_stacks_image(0);
	uint32_t node;

	ck_assert_int_eq(stack_tree_image(&tree, &image), 0);
	node = (uint32_t)stack_tree_child(&tree, (uint32_t)stack_tree_root(&tree, section), 0,
					  offset);
	stack_tree_add(&tree, node, nr, nr * 997);
	return node;
}

START_TEST(nodes_without_samples_are_nodes_as_well)
{
	const struct slice_section section = make_stacks_root(0), other = make_stacks_root(1);
	struct stack_tree decoded;

	(void)stack_tree_child(&tree, add_function(&section, 16, 3), 0, 32);
	(void)add_function(&section, 64, 0);
	(void)stack_tree_root(&tree, &other);
	encode();
	decoded = decode();
	make_stacks_same(&tree, &decoded);
	ck_assert_uint_eq(decoded.nr_nodes, tree.nr_nodes);
	ck_assert_uint_eq(decoded.nr_roots, 2);
	stack_tree_deinit(&decoded);
}
END_TEST

START_TEST(samples_beyond_64_bits_are_kept_node_by_node)
{
	static const uint64_t numbers[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2};
	const struct slice_section section = make_stacks_root(0);
	struct stack_tree decoded;

	(void)add_function(&section, 16, numbers[_i]);
	(void)add_function(&section, 32, numbers[_i]);
	encode();
	decoded = decode();
	make_stacks_same(&tree, &decoded);
	ck_assert_uint_eq(decoded.roots[0].nr_samples, tree.roots[0].nr_samples);
	ck_assert_uint_eq(decoded.nodes[2].nr_samples, numbers[_i]);
	stack_tree_deinit(&decoded);
}
END_TEST

/*
 * Each function of a program calls a few others. These are encoded once, and after that only the
 * path of each sample.
 */
START_TEST(ways_through_a_program_take_less_than_a_byte_a_node)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	uint64_t random = 1;

	ck_assert_int_eq(stack_tree_image(&tree, &image), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t node = (uint32_t)stack_tree_root(&tree, &section);
		uint64_t function = 0;

		for (unsigned int depth = 0; depth < 20; depth++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			function = (function * 5 + 1 + (random >> 33) % 3) % 1000;
			node = (uint32_t)stack_tree_child(&tree, node, 0, 16 * function);
		}
		stack_tree_add(&tree, node, 1, 997);
	}
	encode();
	ck_assert_uint_gt(tree.nr_nodes, 100000);
	ck_assert_uint_lt(nr_bytes, tree.nr_nodes * 3 / 4);
}
END_TEST

START_TEST(cut_bytes_are_refused)
{
	struct stack_tree decoded;
	struct diag diag;

	make_stacks_fill(&tree, &lot, 40);
	encode();
	for (size_t nr = 0; nr < nr_bytes; nr++) {
		ck_assert_int_eq(stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr, &diag),
				 -EILSEQ);
		ck_assert_ptr_nonnull(strstr(diag.text, "stacks"));
	}
}
END_TEST

START_TEST(bytes_behind_the_end_are_refused)
{
	struct stack_tree decoded;
	uint8_t *longer;

	make_stacks_fill(&tree, &lot, 40);
	encode();
	longer = realloc(bytes, nr_bytes + 1);
	ck_assert_ptr_nonnull(longer);
	bytes = longer;
	bytes[nr_bytes] = 0;
	ck_assert_int_eq(
		stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes + 1, NULL),
		-EILSEQ);
}
END_TEST

/* Whatever is accepted must be a tree, and must be encoded as the same bytes. */
START_TEST(changed_bytes_are_refused_or_another_tree)
{
	struct stack_tree decoded;
	unsigned int nr_taken = 0;

	make_stacks_fill(&tree, &lot, 30);
	encode();
	for (size_t i = 0; i < nr_bytes; i++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			uint8_t *again;
			size_t nr_again;

			bytes[i] ^= (uint8_t)(1u << bit);
			if (!stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes,
					       NULL)) {
				make_stacks_verify(&decoded);
				ck_assert_int_eq(stack_tree_encode(&decoded, &again, &nr_again), 0);
				free(again);
				stack_tree_deinit(&decoded);
				nr_taken++;
			}
			bytes[i] ^= (uint8_t)(1u << bit);
		}
	}
	ck_assert_uint_gt(nr_taken, 0);
	ck_assert_uint_lt(nr_taken, 8 * nr_bytes);
}
END_TEST

START_TEST(few_bytes_do_not_make_many_nodes)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	uint32_t node = (uint32_t)stack_tree_root(&tree, &section);
	struct stack_tree decoded;
	uint8_t *longer;

	(void)stack_tree_image(&tree, &image);
	for (unsigned int i = 0; i < 9999; i++)
		node = (uint32_t)stack_tree_child(&tree, node, 0, 16);
	stack_tree_add(&tree, node, 1, 997);
	encode();
	ck_assert_uint_eq(nr_bytes, (10000 - 64 + 7) / 8);
	ck_assert_uint_eq(bytes[nr_bytes - 1], 0);
	ck_assert_int_eq(
		stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes - 1, NULL),
		-EILSEQ);
	longer = realloc(bytes, nr_bytes + 1);
	ck_assert_ptr_nonnull(longer);
	bytes = longer;
	bytes[nr_bytes] = 0;
	ck_assert_int_eq(
		stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes + 1, NULL),
		-EILSEQ);
	bytes[nr_bytes - 1] = 1;
	ck_assert_int_eq(stack_tree_decode(&decoded, OPROF_SLICE_VERSION, bytes, nr_bytes, NULL),
			 -EILSEQ);
}
END_TEST

START_TEST(deep_stacks_are_as_good_as_wide_ones)
{
	const struct slice_section section = make_stacks_root(0);
	const struct stack_image image = make_stacks_image(0);
	struct stack_tree decoded;
	uint32_t node = (uint32_t)stack_tree_root(&tree, &section);

	(void)stack_tree_image(&tree, &image);
	for (uint64_t i = 0; i < 300000; i++)
		node = (uint32_t)stack_tree_child(&tree, node, 0, i % 3);
	stack_tree_add(&tree, node, 1, 997);
	encode();
	ck_assert_uint_ge(8 * nr_bytes,
			  300001 - 64); /* most nodes that a reader may accept per byte */
	decoded = decode();
	ck_assert_uint_eq(decoded.nr_nodes, 300001);
	ck_assert_uint_eq(decoded.roots[0].nr_samples, 1);
	ck_assert_int_eq(stack_tree_fold(&decoded, 1000), 0);
	ck_assert_uint_le(decoded.nr_nodes, 1000);
	ck_assert_uint_eq(decoded.roots[0].nr_samples, 1);
	stack_tree_deinit(&decoded);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_tree_encode");
	TCase *tc = tcase_create("stack_tree_encode");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_is_encoded_decodes_to_the_same, 0, 5);
	tcase_add_test(tc, decoded_and_encoded_again_the_bytes_are_the_same);
	tcase_add_test(tc, bytes_are_those_of_version_2_on_every_machine);
	tcase_add_test(tc, the_same_tree_gives_the_same_bytes_in_whatever_order_it_was_made);
	tcase_add_test(tc, decoded_trees_take_more);
	tcase_add_test(tc, weights_are_stored_where_they_do_not_follow_from_samples);
	tcase_add_test(tc, nodes_without_samples_are_nodes_as_well);
	tcase_add_loop_test(tc, samples_beyond_64_bits_are_kept_node_by_node, 0, 3);
	tcase_add_test(tc, ways_through_a_program_take_less_than_a_byte_a_node);
	tcase_add_test(tc, cut_bytes_are_refused);
	tcase_add_test(tc, bytes_behind_the_end_are_refused);
	tcase_add_test(tc, changed_bytes_are_refused_or_another_tree);
	tcase_add_test(tc, few_bytes_do_not_make_many_nodes);
	tcase_add_test(tc, deep_stacks_are_as_good_as_wide_ones);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
