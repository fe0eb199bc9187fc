// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/gprof/gprof_data.h"

#include "lib/file.h"
#include "tests/fixture/failing_calls.h"
#include "tests/fixture/fake_symbols.h"
#include "tests/fixture/make_calls.h"
#include "tests/fixture/make_chains.h"
#include "tests/fixture/make_session.h"
#include "tests/fixture/run_suite.h"
#include "pp/gprof/gmon.h"

#include <check.h>
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct make_session session;
static struct make_profile made;
static struct diag diag;

/* f and g share a bin; h and k begin or end within one, and k is the longest. */
static const struct symbol symbols[] = {
	{.start = 0x100, .nr_bytes = 0x11, .address = 0x1100, .name = "f"},
	{.start = 0x111, .nr_bytes = 0x0f, .address = 0x1111, .name = "g"},
	{.start = 0x201, .nr_bytes = 0x07, .address = 0x1201, .name = "h"},
	{.start = 0x301, .nr_bytes = 0x40, .address = 0x1301, .name = "k"},
};

static void setup(void)
{
	make_session_init(&session);
	made = (struct make_profile){.profile_options = {.symbols = true, .details = true}};
	fake_symbols_set("/bin/a", symbols, 4, NULL);
}

static void teardown(void)
{
	fake_symbols_clear();
	make_session_deinit(&session);
}

static void add(const struct make_file *file, uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, file, key, nr_samples);
}

/* ---- the image chosen ---- */

static uint32_t chosen(int expected)
{
	uint32_t image = UINT32_MAX;

	make_profile_init(&made, &session, "");
	diag_clear(&diag);
	ck_assert_int_eq(gprof_data_choose(&made.profile, &image, &diag), expected);
	return image;
}

static void assert_chosen(const char *path)
{
	uint32_t image = chosen(0);

	ck_assert_uint_lt(image, made.selection.nr_images);
	ck_assert_str_eq(made.selection.images[image].path, path);
	make_profile_deinit(&made);
}

START_TEST(the_only_image_or_the_only_application_is_chosen)
{
	add(&(struct make_file){.app = "/bin/a", .image = "/lib/b"}, 0x10, 1);
	assert_chosen("/lib/b");
	add(&(struct make_file){.app = "/bin/a"}, 0x100, 1);
	assert_chosen("/bin/a");
	add(&(struct make_file){.app = "/bin/a", .image = "/lib/c"}, 0x10, 1);
	assert_chosen("/bin/a");
}
END_TEST

START_TEST(several_images_are_refused_and_named)
{
	char name[32];

	for (int i = 0; i < 6; i++) {
		(void)snprintf(name, sizeof(name), "/bin/p%d", i);
		add(&(struct make_file){.app = name}, 0x10, 1);
	}
	(void)chosen(-EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, " 6 binaries have samples; "));
	ck_assert_ptr_nonnull(strstr(
		diag.text, "(available: /bin/p0, /bin/p1, /bin/p2, /bin/p3, /bin/p4, /bin/p5)"));
	make_profile_deinit(&made);
	add(&(struct make_file){.app = "/bin/p6"}, 0x10, 1);
	(void)chosen(-EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, " 7 binaries have samples; "));
	ck_assert_ptr_nonnull(strstr(diag.text, ", /bin/p5, ...)"));
	make_profile_deinit(&made);
}
END_TEST

/* ---- the data written ---- */

struct gmon_reader {
	const uint8_t *bytes;
	size_t nr_bytes, at;
};

static uint64_t take(struct gmon_reader *reader, size_t nr)
{
	uint64_t value = 0;

	ck_assert_uint_le(nr, reader->nr_bytes - reader->at);
	for (size_t i = 0; i < nr; i++)
		value |= (uint64_t)reader->bytes[reader->at + i] << (8 * i);
	reader->at += nr;
	return value;
}

static void put_histogram(struct gmon_reader *reader, size_t word, FILE *text)
{
	uint64_t start = take(reader, word), end = take(reader, word);
	uint64_t nr_bins = take(reader, 4), rate = take(reader, 4);
	char unit[17] = "";

	for (size_t i = 0; i < 16; i++)
		unit[i] = (char)take(reader, 1);
	(void)fprintf(text, "%lx-%lx %lu %s:", (unsigned long)start, (unsigned long)end,
		      (unsigned long)rate, unit);
	for (uint64_t i = 0; i < nr_bins; i++) {
		uint64_t nr = take(reader, 2);

		if (nr)
			(void)fprintf(text, " %lx=%lu", (unsigned long)(start + i * GMON_BIN_BYTES),
				      (unsigned long)nr);
	}
	(void)fputc('\n', text);
}

static void put_arc(struct gmon_reader *reader, size_t word, FILE *text)
{
	uint64_t from = take(reader, word), to = take(reader, word);

	(void)fprintf(text, "%lx>%lx %lu\n", (unsigned long)from, (unsigned long)to,
		      (unsigned long)take(reader, 4));
}

/* The records of a little-endian target, one a line; malloc'ed. */
static char *show(const char *bytes, size_t nr_bytes, size_t word)
{
	struct gmon_reader reader = {
		.bytes = (const uint8_t *)bytes, .nr_bytes = nr_bytes, .at = 20};
	char *shown;
	size_t nr_shown;
	FILE *text = open_memstream(&shown, &nr_shown);

	ck_assert_uint_ge(nr_bytes, 20);
	while (reader.at < nr_bytes)
		(take(&reader, 1) ? put_arc : put_histogram)(&reader, word, text);
	ck_assert_int_eq(fclose(text), 0);
	return shown;
}

static struct gprof_data_result result;
static const char *binary; /* path of the binary */

static int write_data(const struct profile *profile, const struct call_graph *graph, char **bytes,
		      size_t *nr_bytes)
{
	FILE *out = open_memstream(bytes, nr_bytes);
	uint32_t image = 0;
	int error;

	while (strcmp(profile->selection->images[image].path, "/bin/a") != 0)
		image++;
	error = gprof_data_write(out, profile, image, binary, graph, &result, &diag);
	ck_assert_int_eq(fclose(out), 0);
	return error;
}

static void assert_written(const struct profile *profile, const struct call_graph *graph,
			   size_t word, const char *expected)
{
	char *bytes, *shown;
	size_t nr_bytes;

	diag_clear(&diag);
	ck_assert_msg(!write_data(profile, graph, &bytes, &nr_bytes), "%s", diag_show(&diag));
	shown = show(bytes, nr_bytes, word);
	ck_assert_str_eq(shown, expected);
	free(shown);
	free(bytes);
}

/* Make a binary; only its first bytes are read. */
static void make_binary(uint8_t class, uint8_t order)
{
	static char path[PATH_MAX];
	const uint8_t ident[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class, order};

	(void)snprintf(path, sizeof(path), "%s/binary", session.dir);
	ck_assert_int_eq(file_replace(path, ident, sizeof(ident), 0600), 0);
	binary = path;
}

static void add_all(const struct make_file *file)
{
	add(file, 0x100, 1);
	add(file, 0x110, 2); /* f's last byte, in the bin of g's first byte */
	add(file, 0x111, 4);
	add(file, 0x11f, 8);
	add(file, 0x201, 16);
	add(file, 0x207, 32);
	add(file, 0x208, 64); /* in no symbol */
	add(file, 0x340, 128);
}

START_TEST(stretches_are_of_whole_bins_and_no_symbol_is_in_two)
{
	make_binary(ELFCLASS64, ELFDATA2LSB);
	add_all(&(struct make_file){.app = "/bin/a"});
	add(&(struct make_file){.app = "/bin/a", .image = "/lib/b"}, 0x100, 256);
	make_profile_init(&made, &session, "");
	assert_written(&made.profile, NULL, 8,
		       "1100-1120 1000 seconds: 1100=1 1110=6 111e=8\n"
		       "1200-1208 1000 seconds: 1200=16 1206=32\n"
		       "1300-1342 1000 seconds: 1340=128\n");
	ck_assert_uint_eq(result.nr_samples, 63 + 128);
	ck_assert_uint_eq(result.nr_outside, 64);
	ck_assert_uint_eq(result.nr_histograms, 3);
	ck_assert_uint_eq(result.nr_arcs, 0);
	make_profile_deinit(&made);
}
END_TEST

/* A symbol has one stretch, with the samples of all applications. */
START_TEST(applications_are_summed)
{
	make_binary(ELFCLASS64, ELFDATA2LSB);
	add(&(struct make_file){.app = "/bin/a"}, 0x201, 1);
	add(&(struct make_file){.app = "/bin/b", .image = "/bin/a"}, 0x201, 2);
	add(&(struct make_file){.app = "/bin/b", .image = "/bin/a"}, 0x203, 4);
	make_profile_init(&made, &session, "");
	assert_written(&made.profile, NULL, 8, "1200-1208 1000 seconds: 1200=3 1202=4\n");
	ck_assert_uint_eq(result.nr_samples, 7);
	make_profile_deinit(&made);
}
END_TEST

START_TEST(words_are_those_of_the_binary)
{
	static const char expected[] = "1200-1208 1000 seconds: 1200=1\n";
	size_t nr_bytes;
	char *bytes;

	add(&(struct make_file){.app = "/bin/a"}, 0x201, 1);
	make_profile_init(&made, &session, "");
	make_binary(ELFCLASS32, ELFDATA2LSB);
	assert_written(&made.profile, NULL, 4, expected);
	make_binary(ELFCLASS64, ELFDATA2LSB);
	assert_written(&made.profile, NULL, 8, expected);
	make_binary(ELFCLASS32, ELFDATA2MSB);
	ck_assert_int_eq(write_data(&made.profile, NULL, &bytes, &nr_bytes), 0);
	ck_assert_mem_eq(bytes + 20, "\0\0\0\x12\0\0\0\x12\x08", 9);
	free(bytes);
#if __BYTE_ORDER == __LITTLE_ENDIAN
	binary = "/nonexistent";
	assert_written(&made.profile, NULL, sizeof(void *), expected);
	binary = NULL;
	assert_written(&made.profile, NULL, sizeof(void *), expected);
#endif
	make_profile_deinit(&made);
}
END_TEST

START_TEST(a_unit_is_a_second_where_the_event_is_time)
{
	static const struct {
		struct make_file file;
		const char *expected;
	} cases[] = {
		{{.event = "cpu-clock", .period_or_hz = 500000}, "2000 seconds"},
		{{.event = "task-clock", .period_or_hz = 999999999}, "1 seconds"},
		{{.event = "cpu-clock", .period_or_hz = 1000000000}, "1 seconds"},
		{{.event = "cycles", .period_or_hz = 500000}, "1 cycles"},
		{{.event = "cycles", .period_or_hz = 997, .frequency = true}, "997 seconds"},
	};
	char expected[64];

	make_binary(ELFCLASS64, ELFDATA2LSB);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct make_file file = cases[i].file;

		if (i) {
			teardown();
			setup();
			make_binary(ELFCLASS64, ELFDATA2LSB);
		}
		file.app = "/bin/a";
		add(&file, 0x201, 1);
		make_profile_init(&made, &session, "");
		(void)snprintf(expected, sizeof(expected), "1200-1208 %s: 1200=1\n",
			       cases[i].expected);
		assert_written(&made.profile, NULL, 8, expected);
		make_profile_deinit(&made);
	}
}
END_TEST

START_TEST(addresses_that_a_binary_does_not_hold_are_told)
{
	static const struct symbol far = {
		.start = 0x100, .nr_bytes = 2, .address = UINT64_C(1) << 32, .name = "far"};
	size_t nr_bytes;
	char *bytes;

	fake_symbols_clear();
	fake_symbols_set("/bin/a", &far, 1, NULL);
	make_binary(ELFCLASS32, ELFDATA2LSB);
	add(&(struct make_file){.app = "/bin/a"}, 0x100, 1);
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(write_data(&made.profile, NULL, &bytes, &nr_bytes), -ERANGE);
	ck_assert_str_eq(
		diag.text,
		"an address of /bin/a does not fit into 32 bits, the word size of the file");
	free(bytes);
	make_profile_deinit(&made);
}
END_TEST

/* A damaged binary's symbol may have any size. */
START_TEST(a_symbol_that_is_too_large_is_refused_before_memory_is_taken_for_it)
{
	static const struct symbol large = {
		.start = 0x100, .nr_bytes = UINT64_C(1) << 62, .address = 0x1100, .name = "large"};
	size_t nr_bytes;
	char *bytes;

	fake_symbols_clear();
	fake_symbols_set("/bin/a", &large, 1, NULL);
	make_binary(ELFCLASS64, ELFDATA2LSB);
	add(&(struct make_file){.app = "/bin/a"}, 0x100, 1);
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(write_data(&made.profile, NULL, &bytes, &nr_bytes), -EFBIG);
	ck_assert_str_eq(diag.text, "/bin/a: File too large");
	free(bytes);
	make_profile_deinit(&made);
}
END_TEST

/* ---- arcs ---- */

static struct make_calls calls;

/* f calls g and h, and h calls itself; calls of a library, of a mark and of code without a symbol
 * have no arcs. */
static void make_graph(void)
{
	const struct make_file file = {.app = "/bin/a"};
	struct make_chains chains;

	make_chains_init(&chains);
	make_chains_add(&chains, &file, "+100 +111", 1);
	make_chains_add(&chains, &file, "+100 +201 +203", 2);
	make_chains_add(&chains, &file, "+100 /lib/b+10 +201", 4);
	make_chains_add(&chains, &file, "[truncated] +100 +208", 8);
	make_chains_live(&chains, &session, 1);
	make_chains_deinit(&chains);
	calls = (struct make_calls){.made.profile_options = {.symbols = true, .details = true}};
	make_calls_init(&calls, &session, "");
}

START_TEST(arcs_are_those_within_the_image)
{
	make_binary(ELFCLASS64, ELFDATA2LSB);
	make_graph();
	assert_written(&calls.made.profile, &calls.graph, 8,
		       "1110-1120 1000 seconds: 1110=1\n"
		       "1200-1208 1000 seconds: 1200=4 1202=2\n"
		       "1100>1111 1\n"
		       "1100>1201 2\n"
		       "1201>1201 2\n");
	ck_assert_uint_eq(result.nr_arcs, 3);
	assert_written(&calls.made.profile, NULL, 8,
		       "1110-1120 1000 seconds: 1110=1\n"
		       "1200-1208 1000 seconds: 1200=4 1202=2\n");
	ck_assert_uint_eq(result.nr_arcs, 0);
	make_calls_deinit(&calls);
}
END_TEST

/* ---- without memory ---- */

START_TEST(no_memory_is_an_error_and_never_wrong_data)
{
	char *whole, *bytes;
	size_t nr_whole, nr_bytes;
	bool failed = true;

	make_binary(ELFCLASS64, ELFDATA2LSB);
	make_graph();
	ck_assert_int_eq(write_data(&calls.made.profile, &calls.graph, &whole, &nr_whole), 0);
	for (unsigned long nth = 1; failed; nth++) {
		int error;

		failing_begin(FAILING_MEMORY, nth, 0);
		error = write_data(&calls.made.profile, &calls.graph, &bytes, &nr_bytes);
		failed = failing_end();
		ck_assert_msg(error == (failed ? -ENOMEM : 0), "allocation %lu: %d", nth, error);
		if (failed)
			ck_assert_ptr_nonnull(strstr(diag.text, "/bin/a: "));
		else
			ck_assert(nr_bytes == nr_whole && !memcmp(bytes, whole, nr_whole));
		ck_assert(failed || nth > 2);
		free(bytes);
	}
	free(whole);
	make_calls_deinit(&calls);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gprof_data");
	TCase *tests = tcase_create("gprof_data");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_only_image_or_the_only_application_is_chosen);
	tcase_add_test(tests, several_images_are_refused_and_named);
	tcase_add_test(tests, stretches_are_of_whole_bins_and_no_symbol_is_in_two);
	tcase_add_test(tests, applications_are_summed);
	tcase_add_test(tests, words_are_those_of_the_binary);
	tcase_add_test(tests, a_unit_is_a_second_where_the_event_is_time);
	tcase_add_test(tests, addresses_that_a_binary_does_not_hold_are_told);
	tcase_add_test(tests, a_symbol_that_is_too_large_is_refused_before_memory_is_taken_for_it);
	tcase_add_test(tests, arcs_are_those_within_the_image);
	tcase_add_test(tests, no_memory_is_an_error_and_never_wrong_data);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
