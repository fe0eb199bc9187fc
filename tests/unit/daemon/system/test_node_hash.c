// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/node_hash.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <stdlib.h>

struct thing {
	int key;
	struct node node;
};

static struct thing *find(const struct node_hash *table, int key, uint64_t hash)
{
	struct node *node = node_hash_first(table, hash);

	while (node && node_owner(node, struct thing, node)->key != key)
		node = node_hash_next(node);
	return node ? node_owner(node, struct thing, node) : NULL;
}

static void remove_odd(struct node *node, void *context)
{
	if (node_owner(node, struct thing, node)->key % 2)
		node_hash_remove(context, node);
}

START_TEST(what_was_added_is_found_until_it_is_removed)
{
	static struct thing things[10000];
	struct node_hash table;

	ck_assert_int_eq(node_hash_init(&table), 0);
	for (int i = 0; i < 10000; i++) {
		things[i].key = i;
		node_hash_add(&table, &things[i].node, hash_number((uint64_t)i));
	}
	for (int i = 0; i < 10000; i++)
		ck_assert_ptr_eq(find(&table, i, hash_number((uint64_t)i)), &things[i]);
	node_hash_walk(&table, remove_odd, &table);
	ck_assert_uint_eq(table.nr_nodes, 5000);
	for (int i = 0; i < 10000; i++)
		ck_assert_ptr_eq(find(&table, i, hash_number((uint64_t)i)),
				 i % 2 ? NULL : &things[i]);
	/* Removing an absent node has no effect. */
	node_hash_remove(&table, &things[1].node);
	ck_assert_uint_eq(table.nr_nodes, 5000);
	while (node_hash_any(&table))
		node_hash_remove(&table, node_hash_any(&table));
	ck_assert_uint_eq(table.nr_nodes, 0);
	node_hash_deinit(&table);
}
END_TEST

START_TEST(nodes_of_one_hash_are_told_apart_by_their_keys)
{
	struct thing things[100];
	struct node_hash table;

	ck_assert_int_eq(node_hash_init(&table), 0);
	for (int i = 0; i < 100; i++) {
		things[i].key = i;
		node_hash_add(&table, &things[i].node, i % 2 ? 7 : 7 + (1 << 20));
	}
	for (int i = 0; i < 100; i++) {
		ck_assert_ptr_eq(find(&table, i, i % 2 ? 7 : 7 + (1 << 20)), &things[i]);
		ck_assert_ptr_null(find(&table, i, i % 2 ? 7 + (1 << 20) : 7));
	}
	node_hash_deinit(&table);
}
END_TEST

/* If each step began at the table's start, this would take 10^10 steps. */
START_TEST(a_big_table_is_emptied_node_by_node)
{
	enum { NR = 200000 };
	struct thing *things = calloc(NR, sizeof(*things));
	struct node_hash table;
	struct node *node;
	int nr = 0;

	ck_assert_ptr_nonnull(things);
	ck_assert_int_eq(node_hash_init(&table), 0);
	for (int i = 0; i < NR; i++)
		node_hash_add(&table, &things[i].node, (uint64_t)i);
	for (; (node = node_hash_any(&table)); nr++)
		node_hash_remove(&table, node);
	ck_assert_int_eq(nr, NR);
	/* A node that is added again is found again. */
	node_hash_add(&table, &things[3].node, 3);
	ck_assert_ptr_eq(node_hash_any(&table), &things[3].node);
	node_hash_deinit(&table);
	free(things);
}
END_TEST

START_TEST(low_bits_of_hashes_differ_for_near_and_for_round_numbers)
{
	static unsigned int hits[1024];

	for (uint64_t i = 0; i < 1024; i++) {
		hits[hash_number(i) & 1023]++;
		hits[hash_number(i << 12) & 1023]++;
		hits[hash_number(i << 40) & 1023]++;
		hits[hash_bytes(0, &i, sizeof(i)) & 1023]++;
	}
	/* Four are expected in each; for 4096 random hits, more than 20 in one is practically
	 * impossible. */
	for (int i = 0; i < 1024; i++)
		ck_assert_uint_lt(hits[i], 20);
	ck_assert_uint_ne(hash_bytes(0, "abcdefgh\0", 9), hash_bytes(0, "abcdefgh", 8));
	ck_assert_uint_ne(hash_bytes(0, "a", 1), hash_bytes(1, "a", 1));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("node_hash");
	TCase *tests = tcase_create("node_hash");

	tcase_add_test(tests, what_was_added_is_found_until_it_is_removed);
	tcase_add_test(tests, nodes_of_one_hash_are_told_apart_by_their_keys);
	tcase_add_test(tests, a_big_table_is_emptied_node_by_node);
	tcase_add_test(tests, low_bits_of_hashes_differ_for_near_and_for_round_numbers);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
