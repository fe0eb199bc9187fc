// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of this program itself with their samples, and samples without instructions. */
#include "pp/annotate/format_annotated.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "tests/fixture/fake_lines.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct make_session session;
static struct make_profile made;
static struct annotation annotation;
static struct annotated_options options;
static const struct spec_list no_files;
static char self[PATH_MAX];
static struct oprof_image_identity identity;
static char *out_text, *err_text;
static struct diag diag;

__attribute__((noinline, used)) int assembly_few(int x);
__attribute__((noinline, used)) int assembly_many(int x);

int assembly_few(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

int assembly_many(int x)
{
	return assembly_few(x) + assembly_few(x + 1);
}

#define BLANKS	"               " /* instead of numbers */
#define NR_NOPS 6u

/* Instructions that all have the same length. */
__asm__(".pushsection .text\n"
	".globl assembly_nops\n"
	".type assembly_nops, %function\n"
	"assembly_nops: nop; nop; nop; nop; nop; nop\n"
	".size assembly_nops, . - assembly_nops\n"
	".popsection");

/* The calls that start the child that reads a binary. */
enum child_call {
	CALL_NONE,
	CALL_MEMFD,
	CALL_PIPE,
	CALL_FORK,
};

static enum child_call failing_call;

static bool fails(enum child_call call)
{
	if (failing_call == call)
		errno = EMFILE;
	return failing_call == call;
}

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __real_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags);
pid_t __real_fork(void);
pid_t __wrap_fork(void);

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	return fails(CALL_MEMFD) ? -1 : __real_memfd_create(name, flags);
}

int __wrap_pipe2(int fds[2], int flags)
{
	return fails(CALL_PIPE) ? -1 : __real_pipe2(fds, flags);
}

pid_t __wrap_fork(void)
{
	return fails(CALL_FORK) ? -1 : __real_fork();
}

static void setup(void)
{
	struct buildid id;
	ssize_t nr = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(nr, 0);
	self[nr] = '\0';
	if (!buildid_read_file(self, &id)) {
		memcpy(identity.build_id, id.bytes, id.nr_bytes);
		identity.nr_build_id = id.nr_bytes;
	}
	make_session_init(&session);
	made.profile_options.symbols = made.profile_options.details = true;
	options = (struct annotated_options){.assembly = true,
					     .demangle = DEMANGLE_NORMAL,
					     .command_line = "opannotate",
					     .include_files = &no_files,
					     .exclude_files = &no_files,
					     .profile = &made.profile_options};
}

static void teardown(void)
{
	free(out_text);
	free(err_text);
	make_profile_deinit(&made);
	fake_lines_clear();
	make_session_deinit(&session);
}

static void add(uint64_t key, uint64_t nr_samples)
{
	make_session_add_one(&session, &(struct make_file){.app = self, .identity = &identity}, key,
			     nr_samples);
}

/* Samples at the first byte of few and the last one of many, in no symbol, and in no file. */
static void add_usual(void)
{
	static const struct symbol_search search;
	struct symbol_table table;

	ck_assert_int_eq(symbol_table_load(&table, self, &identity, OPROF_IMAGE_FILE, &search), 0);
	for (size_t i = 0; i < table.nr_symbols; i++) {
		const struct symbol *symbol = &table.symbols[i];

		if (!strcmp(symbol->name, "assembly_few"))
			add(symbol->start, 10);
		if (!strcmp(symbol->name, "assembly_many"))
			add(symbol->start + symbol->nr_bytes - 1, 40);
	}
	symbol_table_deinit(&table);
	add(1, 5);
	make_session_add_one(&session, &(struct make_file){.app = self, .image = "/missing/lib"},
			     0x100, 45);
}

static void make_annotation(void)
{
	make_profile_init(&made, &session, "");
	ck_assert_int_eq(
		annotation_build(&annotation, &made.profile, &made.profile_options, options.source),
		0);
}

static int try_write(void)
{
	size_t nr_out, nr_err;
	FILE *out = open_memstream(&out_text, &nr_out), *err = open_memstream(&err_text, &nr_err);
	int error;

	ck_assert_ptr_nonnull(out);
	ck_assert_ptr_nonnull(err);
	error = annotated_format_assembly(&annotation, &options, out, err, &diag);
	annotation_deinit(&annotation);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(fclose(err), 0);
	return error;
}

static int try_format(void)
{
	make_annotation();
	return try_write();
}

static void format(void)
{
	ck_assert_int_eq(try_format(), 0);
}

/* The sum over all lines of instructions and of samples without one. */
static uint64_t sum_of_lines(void)
{
	uint64_t sum = 0;

	for (const char *line = out_text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strlen(line) > 15 && line[15] == ':')
			sum += strtoull(line, NULL, 10);
	}
	return sum;
}

static const char *place_of(const char *part)
{
	const char *place = strstr(out_text, part);

	ck_assert_msg(place != NULL, "\"%s\" is not in:\n%s", part, out_text);
	return place;
}

START_TEST(instructions_have_their_samples_functions_with_the_most_first)
{
	const char *many, *few, *none, *missing;

	add_usual();
	format();
	many = place_of("<assembly_many>: /* assembly_many total:     40 40.0000 */\n");
	few = place_of("<assembly_few>: /* assembly_few total:     10 10.0000 */\n"
		       "    10 10.0000 :");
	none = place_of("     5  5.0000 :/* outside every symbol */\n");
	missing = place_of(" * Total samples for image : \"/missing/lib\"\n *\n"
			   " *     45 45.0000 \n */\n");
	ck_assert(many < few && few < none && none < missing);
	ck_assert_uint_eq(sum_of_lines(), 100);
	ck_assert_str_eq(err_text, "");
}
END_TEST

START_TEST(functions_below_the_threshold_are_told_in_sum)
{
	add_usual();
	options.threshold = 10.5;
	format();
	ck_assert_ptr_null(strstr(out_text, "<assembly_few>:"));
	ck_assert_uint_eq(sum_of_lines(), 85);
	ck_assert_str_eq(err_text, "symbols below the threshold: 15 samples (15.00 %)\n");
}
END_TEST

/* Each instruction of assembly_nops gets one of the ranges and 10 samples. */
static void set_lines(struct fake_range *ranges, const char *const *files, size_t nr_files)
{
	static const struct symbol_search search;
	struct symbol_table table;
	const struct symbol *nops = NULL;

	ck_assert_int_eq(symbol_table_load(&table, self, &identity, OPROF_IMAGE_FILE, &search), 0);
	for (size_t i = 0; i < table.nr_symbols; i++)
		if (!strcmp(table.symbols[i].name, "assembly_nops"))
			nops = &table.symbols[i];
	ck_assert_ptr_nonnull(nops);
	for (unsigned int i = 0; i < NR_NOPS; i++) {
		ranges[i].start = nops->start + i * nops->nr_bytes / NR_NOPS;
		ranges[i].end = nops->start + (i + 1) * nops->nr_bytes / NR_NOPS;
		add(ranges[i].start, 10);
	}
	symbol_table_deinit(&table);
	fake_lines_set(self, ranges, NR_NOPS, files, nr_files);
	options.source = true;
	options.sources = (struct source_search){.search_dirs = &no_files, .base_dirs = &no_files};
}

/* Expect, between at and the next instruction, only a source mark of path (NULL: none) and more. */
static void expect_above(const char **at, const char *path, const char *more)
{
	char wanted[PATH_MAX + 128];

	*at = strchr(*at, '\n');
	ck_assert_ptr_nonnull(*at);
	(void)snprintf(wanted, sizeof(wanted),
		       "%s%s%s\n    10 16.6667 :", path ? "\n" BLANKS ":/* " : "\n",
		       path ? path : "", more);
	ck_assert_msg(!strncmp(*at, wanted, strlen(wanted)), "\"%s\" is not:%s", wanted, *at);
	*at += strlen(wanted);
}

START_TEST(source_lines_are_above_their_instructions_up_to_the_last_one)
{
	static const char text[] = "first\nsecond\nlast";
	char path[PATH_MAX];
	const char *const files[] = {"", path, "/missing/b.c"};
	struct fake_range ranges[NR_NOPS] = {
		{.file = 1, .line = 1},
		{.file = 1, .line = 3},
		{.file = 1, .line = 4},
		{.file = 2, .line = 1},
		{.file = 1,
		 .line = 3,
		 .inlines = {{.function = "square", .call = {1, 2}}},
		 .nr_inlines = 1},
		{.file = 1, .line = 3},
	};
	const char *at;

	(void)snprintf(path, sizeof(path), "%s/a.c", session.dir);
	ck_assert_int_eq(file_replace(path, text, strlen(text), 0600), 0);
	set_lines(ranges, files, 3);
	format();
	at = place_of("<assembly_nops>: /*");
	expect_above(&at, path, ":1 */\n" BLANKS ":first");
	expect_above(&at, NULL, BLANKS ":last"); /* a line of the same file */
	expect_above(&at, path, ":4 */");
	expect_above(&at, "/missing/b.c", ":1 */");
	expect_above(&at, path, ":3: inlined square (from line 2) */\n" BLANKS ":last");
	expect_above(&at, path, ":3 */\n" BLANKS ":last");
	ck_assert_ptr_null(strstr(at, BLANKS ":"));
	ck_assert_uint_eq(sum_of_lines(), 60);
	ck_assert_str_eq(err_text, "source file /missing/b.c is missing: 10 samples (16.67 %)\n"
				   "no source line: 0 samples (0.00 %)\n");
}
END_TEST

/* No folder can be made below a file. The first failure is reported, and no sums follow it. */
START_TEST(files_that_cannot_be_written_are_an_error)
{
	char dir[PATH_MAX + 8];

	add_usual();
	options.threshold = 10.5;
	snprintf(dir, sizeof(dir), "%s/below", self);
	options.output_dir = dir;
	ck_assert_int_eq(try_format(), -ENOTDIR);
	ck_assert_str_eq(out_text, "");
	ck_assert_str_eq(err_text, "");
	ck_assert_int_eq(strncmp(diag.text, "cannot write ", 12), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "/below/"));
	ck_assert_ptr_nonnull(strstr(diag.text, ": Not a directory"));
}
END_TEST

START_TEST(a_child_that_cannot_be_started_is_an_error_with_its_reason)
{
	/* Only for a file that is not at its own place, another process is asked, by a pipe. */
	const char *path = _i == CALL_PIPE ? "/missing/lib" : self;
	char wanted[PATH_MAX + 128];

	add_usual();
	options.threshold = 10.5; /* only the program itself */
	make_annotation();
	failing_call = (enum child_call)_i;
	ck_assert_int_eq(try_write(), -EMFILE);
	failing_call = CALL_NONE;
	ck_assert_str_eq(err_text, "");
	(void)snprintf(wanted, sizeof(wanted), "cannot read the code of %s: Too many open files",
		       path);
	ck_assert_str_eq(diag_show(&diag), wanted);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("format_assembly");
	TCase *tests = tcase_create("format_assembly");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, instructions_have_their_samples_functions_with_the_most_first);
	tcase_add_test(tests, functions_below_the_threshold_are_told_in_sum);
	tcase_add_test(tests, source_lines_are_above_their_instructions_up_to_the_last_one);
	tcase_add_test(tests, files_that_cannot_be_written_are_an_error);
	tcase_add_loop_test(tests, a_child_that_cannot_be_started_is_an_error_with_its_reason,
			    CALL_MEMFD, CALL_FORK + 1);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
