// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of functions that cannot be found by symbol or application. */
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/calls/call_places.h"

#include <check.h>
#include <inttypes.h>

static struct make_session session;
static struct make_chains chains;
static struct make_calls calls;
static struct call_places places;

static const struct symbol program_symbols[] = {
	{.start = 0x100, .nr_bytes = 0x100, .address = 0x400100, .name = "main"},
	{.start = 0x200, .nr_bytes = 0x10, .address = 0x400200, .name = "f"},
	{.start = 0x210, .nr_bytes = 0x10, .address = 0x400210, .name = "inner"},
};
static const struct symbol kernel_symbols[] = {
	{.start = 0x10, .nr_bytes = 0x10, .address = 0xff10, .name = "syscall"},
	{.start = 0x20, .nr_bytes = 0x10, .address = 0xff20, .name = "idle"},
};
static const struct fake_function functions[] = {{0x300, 0x340}, {0x340, 0x380}};
static const struct make_file a = {.app = "/bin/a"};

static void setup(void)
{
	make_session_init(&session);
	make_chains_init(&chains);
	calls = (struct make_calls){0};
	fake_symbols_set("/bin/a", program_symbols, 3, NULL);
	fake_symbols_set("vmlinux", kernel_symbols, 2, NULL);
	fake_functions_set("/bin/a", functions, 2);
	fake_functions_set("/lib/none", functions, 2);
}

static void teardown(void)
{
	fake_symbols_clear();
	fake_lines_clear();
	make_chains_deinit(&chains);
	make_session_deinit(&session);
}

static void begin(void)
{
	make_chains_live(&chains, &session, 1);
	calls.made.profile_options.symbols = calls.made.profile_options.details = true;
	make_calls_init(&calls, &session, "");
	make_calls_check_sums(&calls);
	ck_assert_int_eq(call_places_make(&places, &calls.tree, &calls.made.profile_options), 0);
}

static void end(void)
{
	call_places_deinit(&places);
	make_calls_deinit(&calls);
}

/* Samples of a function at an address, for all applications. */
static uint64_t count(const char *name, uint64_t address)
{
	uint32_t function = make_calls_function(&calls, name);
	uint64_t nr_samples = 0;

	for (size_t i = places.first[function]; i < places.first[function + 1]; i++)
		if (places.codes[places.places[i].code].address == address)
			nr_samples += places.counts[i];
	return nr_samples;
}

static void assert_all_have_places(void)
{
	for (uint32_t i = 0; i < calls.tree.nr_functions; i++) {
		uint64_t nr_samples = 0;

		for (size_t j = places.first[i]; j < places.first[i + 1]; j++)
			nr_samples += places.counts[j];
		ck_assert_msg(nr_samples == calls.graph.self[i],
			      "%s: %" PRIu64 " samples at addresses, not %" PRIu64,
			      calls.tree.functions[i].name, nr_samples, calls.graph.self[i]);
	}
}

START_TEST(functions_without_symbols_have_their_addresses)
{
	make_chains_add(&chains, &a, "+110 /lib/none+310 /lib/none+345", 1);
	make_chains_add(&chains, &a, "+110 /lib/none+350", 2);
	make_chains_add(&chains, &a, "/lib/none+33f", 4);
	make_chains_add(&chains, &a, "/lib/none+390", 8); /* in no function */
	begin();
	assert_all_have_places();
	ck_assert_uint_eq(count("none+0x340", 0x345), 1);
	ck_assert_uint_eq(count("none+0x340", 0x350), 2);
	ck_assert_uint_eq(count("none+0x300", 0x33f), 4);
	ck_assert_uint_eq(count("", 0x390), 8);
	end();
}
END_TEST

START_TEST(addresses_without_symbols_are_as_those_beside_them)
{
	make_chains_add(&chains, &a, "+110 +310", 1);
	make_chains_add(&chains, &a, "+110", 2);
	begin();
	assert_all_have_places();
	ck_assert_uint_eq(count("a+0x300", 0x400310), 1);
	ck_assert_uint_eq(count("main", 0x400110), 2);
	end();
}
END_TEST

/* As with --separate=lib. */
START_TEST(what_the_kernel_did_for_programs_has_its_addresses)
{
	const struct make_file kernel = {.app = "/bin/a", .flags = OPROF_STACK_BY_IMAGE};
	const struct make_file for_b = {.app = "/bin/b", .flags = OPROF_STACK_BY_IMAGE};
	const struct make_file itself = {.app = "vmlinux", .flags = OPROF_STACK_BY_IMAGE};

	make_chains_add(&chains, &kernel, "+110 vmlinux+10", 1);
	make_chains_add(&chains, &kernel, "+110 vmlinux+14", 2);
	make_chains_add(&chains, &for_b, "vmlinux+14", 4);
	make_chains_add(&chains, &itself, "vmlinux+20", 8);
	make_chains_add(&chains, &itself, "vmlinux+20 vmlinux+18", 16);
	make_chains_add(&chains, &a, "+110", 32);
	begin();
	assert_all_have_places();
	ck_assert_uint_eq(count("syscall", 0xff10), 1);
	ck_assert_uint_eq(count("syscall", 0xff14), 6);
	ck_assert_uint_eq(count("syscall", 0xff18), 16);
	ck_assert_uint_eq(count("idle", 0xff20), 8);
	ck_assert(places.is_shared[make_calls_function(&calls, "syscall")]);
	end();
}
END_TEST

/* Where samples are kept apart by program, each program has only its own addresses. */
START_TEST(what_is_filed_under_programs_is_theirs_alone)
{
	const struct make_file b = {.app = "/bin/b"};
	uint32_t function;

	make_chains_add(&chains, &a, "+110 vmlinux+10", 1);
	make_chains_add(&chains, &b, "vmlinux+14", 2);
	begin();
	assert_all_have_places();
	function = make_calls_function(&calls, "syscall");
	ck_assert(!places.is_shared[function]);
	ck_assert_uint_eq(places.places[places.first[function]].app, 0);
	ck_assert_uint_eq(places.places[places.first[function] + 1].app, 1);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_places");
	TCase *tests = tcase_create("call_places");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, functions_without_symbols_have_their_addresses);
	tcase_add_test(tests, addresses_without_symbols_are_as_those_beside_them);
	tcase_add_test(tests, what_the_kernel_did_for_programs_has_its_addresses);
	tcase_add_test(tests, what_is_filed_under_programs_is_theirs_alone);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
