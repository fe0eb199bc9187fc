// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/privileges.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

#define BIT(capability) (UINT64_C(1) << (capability))

static const struct privileges_needs whole_machine = {.whole_machine = true};

/* A set of this process, as /proc shows it: "CapEff" and the like. */
static uint64_t own(const char *set)
{
	unsigned long long value = 0;
	char line[256];
	FILE *stream = fopen("/proc/self/status", "re");
	bool found = false;

	ck_assert_ptr_nonnull(stream);
	while (!found && fgets(line, sizeof(line), stream))
		if (!strncmp(line, set, strlen(set)) && line[strlen(set)] == ':')
			found = sscanf(line + strlen(set) + 1, "%llx", &value) == 1;
	(void)fclose(stream);
	ck_assert(found);
	return value;
}

START_TEST(a_daemon_of_the_machine_wants_five_of_forty)
{
	ck_assert_uint_eq(privileges_wanted(&whole_machine, true, true),
			  BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) |
				  BIT(CAP_SYSLOG) | BIT(CAP_CHECKPOINT_RESTORE));
}
END_TEST

START_TEST(what_else_is_wanted_has_its_reason)
{
	struct privileges_needs foreign = {.whole_machine = true, .foreign_folders = true};
	uint64_t usual = privileges_wanted(&whole_machine, true, true);

	ck_assert_uint_eq(privileges_wanted(&whole_machine, false, true) & ~usual,
			  BIT(CAP_IPC_LOCK));
	ck_assert_uint_eq(privileges_wanted(&foreign, true, true) & ~usual, BIT(CAP_DAC_OVERRIDE));
	ck_assert_uint_eq(privileges_wanted(&whole_machine, true, false),
			  (usual & ~BIT(CAP_PERFMON)) | BIT(CAP_SYS_ADMIN));
}
END_TEST

START_TEST(what_is_dropped_is_gone_for_good)
{
	uint64_t before = own("CapPrm");
	struct privileges privileges;
	uint64_t wanted = privileges_wanted(&whole_machine, false, true) | BIT(CAP_SYS_ADMIN);

	ck_assert_int_eq(privileges_drop(&privileges, &whole_machine, NULL), 0);
	ck_assert_uint_eq(own("CapEff") & ~wanted, 0);
	ck_assert_uint_eq(own("CapPrm"), own("CapEff"));
	ck_assert_uint_eq(own("CapInh"), 0);
	ck_assert_uint_eq(own("CapAmb"), 0);
	ck_assert_uint_eq(privileges.kept, own("CapPrm"));
	ck_assert_uint_eq(own("CapPrm") & BIT(CAP_PERFMON), before & BIT(CAP_PERFMON));
	ck_assert_uint_eq(own("CapPrm") & BIT(CAP_SYS_PTRACE), before & BIT(CAP_SYS_PTRACE));
	ck_assert_int_eq(prctl(PR_GET_NO_NEW_PRIVS, 0UL, 0UL, 0UL, 0UL), 1);
	if (before & BIT(CAP_SETPCAP))
		ck_assert_uint_eq(own("CapBnd") & ~wanted, 0);
}
END_TEST

START_TEST(keep_privileges_keeps_them)
{
	struct privileges_needs everything = {.everything = true};
	struct privileges privileges;
	char text[PRIVILEGES_TEXT_BYTES];
	uint64_t before = own("CapEff");

	ck_assert_int_eq(privileges_drop(&privileges, &everything, NULL), 0);
	ck_assert_uint_eq(own("CapEff"), before);
	privileges_format(&privileges, text);
	ck_assert_str_eq(text, before ? "all" : "none");
}
END_TEST

START_TEST(an_ordinary_user_has_nothing_to_drop)
{
	struct privileges privileges;
	char text[PRIVILEGES_TEXT_BYTES];

	if (!geteuid())
		ck_assert_int_eq(setuid(65534), 0);
	ck_assert_int_eq(privileges_drop(&privileges, &whole_machine, NULL), 0);
	ck_assert_uint_eq(privileges.kept, 0);
	privileges_format(&privileges, text);
	ck_assert_str_eq(text, "none");
}
END_TEST

START_TEST(a_list_names_what_is_kept)
{
	struct privileges privileges = {.kept = BIT(CAP_PERFMON) | BIT(CAP_SYSLOG),
					.dropped = true};
	char text[PRIVILEGES_TEXT_BYTES];

	privileges_format(&privileges, text);
	ck_assert_str_eq(text, "perfmon,syslog");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("privileges");
	TCase *tc = tcase_create("privileges");

	tcase_add_test(tc, a_daemon_of_the_machine_wants_five_of_forty);
	tcase_add_test(tc, what_else_is_wanted_has_its_reason);
	tcase_add_test(tc, what_is_dropped_is_gone_for_good);
	tcase_add_test(tc, keep_privileges_keeps_them);
	tcase_add_test(tc, an_ordinary_user_has_nothing_to_drop);
	tcase_add_test(tc, a_list_names_what_is_kept);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
