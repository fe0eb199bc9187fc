// SPDX-License-Identifier: GPL-2.0-or-later
/* Records are sought by a hash: those of the same hash are told apart by all that they hold. */
#include "libdb/stacks/stack_record.h"
#include "libdb/sdb.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>

/* Does each differ from all others, and is it the same as itself? Its last byte counts, too. */
static void check_apart(const struct stack_record *records, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int j = 0; j < nr; j++) {
			const uint32_t nr_bytes = records[j].head.size_bytes;

			ck_assert_msg(stack_record_same(&records[i], records[j].bytes, nr_bytes) ==
					      (i == j),
				      "%u, %u", i, j);
			ck_assert(!stack_record_same(&records[i], records[j].bytes, nr_bytes - 1));
		}
}

START_TEST(images_that_differ_in_anything_are_not_the_same)
{
	const struct stack_image base = make_stacks_image(1);
	struct stack_image images[6] = {base, base, base, base, base, base};
	struct stack_record records[6];

	images[1].path.path = "/usr/lib/libd.so.6"; /* as long */
	images[2].path.path = "/usr/lib/libc.so";
	images[3].path.kind = SAMPLE_PATH_KERN;
	images[4].image_start++;
	images[5].identity.build_id[19]++;
	for (unsigned int i = 0; i < 6; i++)
		ck_assert_int_eq(stack_record_image(&records[i], &images[i]), 0);
	check_apart(records, 6);
}
END_TEST

START_TEST(roots_that_differ_in_anything_are_not_the_same)
{
	const struct slice_section base = make_stacks_root(2);
	struct slice_section roots[10];
	struct stack_record records[10];

	for (unsigned int i = 0; i < 10; i++)
		roots[i] = base;
	roots[1].app.path = "/opt/a name with blankz"; /* as long */
	roots[2].event = "cpu-clocl";
	roots[3].cgroup = "/system.slice/b.service";
	roots[4].period_or_hz++;
	roots[5].unit_mask++;
	roots[6].flags = OPROF_SDB_FREQUENCY;
	roots[7].tgid = 1;
	roots[8].tid = 1;
	roots[9].cpu = 1;
	for (unsigned int i = 0; i < 10; i++)
		ck_assert_int_eq(stack_record_root(&records[i], &roots[i]), 0);
	check_apart(records, 10);
	/* What does not tell roots apart. */
	roots[1] = base;
	roots[1].flags |= OPROF_SDB_WEIGHTED;
	ck_assert_int_eq(stack_record_root(&records[1], &roots[1]), 0);
	ck_assert(stack_record_same(&records[0], records[1].bytes, records[1].head.size_bytes));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack_record");
	TCase *tests = tcase_create("stack_record");

	tcase_add_test(tests, images_that_differ_in_anything_are_not_the_same);
	tcase_add_test(tests, roots_that_differ_in_anything_are_not_the_same);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
