// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One program with its debug information in every form that compilers and tools
 * write: the table is the same in each case and agrees with addr2line.
 */
#include "pp/lines/line_table.h"

#include "lib/buildid.h"
#include "lib/file.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CC "${CC:-cc} -O2 -Wl,--build-id "

static struct line_table table;
static struct oprof_image_identity identity;
static struct symbol_search search;

static const char program_source[] =
	"#include \"inner.h\"\n"
	"volatile int sink[100];\n"
	"static inline __attribute__((always_inline)) int middle(int x)\n"
	"{\n"
	"  int sum = 0;\n"
	"  for (int i = 0; i < x; i++)\n"
	"    sum += inner(i);\n"
	"  return sum;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"  sink[1] = x;\n"
	"  return middle(x) + middle(x + 2);\n"
	"}\n"
	"__attribute__((noinline, section(\".text.dead\"))) int dead(int x) { return sink[x]; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"  (void)argv;\n"
	"  return outer(argc) + inner(argc);\n"
	"}\n";
static const char inner_source[] = "extern volatile int sink[100];\n"
				   "static inline __attribute__((always_inline)) int inner(int x)\n"
				   "{\n"
				   "  sink[x & 7] += x;\n"
				   "  return sink[x & 3] * 3;\n"
				   "}\n";

/* ---- the content of a table ---- */

struct text {
	char *bytes;
	size_t nr_bytes;
	FILE *file;
};

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_place(FILE *file, const struct line_place *place)
{
	fprintf(file, "%s:%u", last_name(table.files[place->file]), place->line);
}

/* As addr2line -i -f -s prints it, except the function that contains the address. */
static void put_found(FILE *file, const struct line_found *found)
{
	for (size_t i = 0; i < found->nr_inlines; i++) {
		fprintf(file, "%s ", found->inlines[i].function);
		put_place(file, i ? &found->inlines[i - 1].call : &found->place);
		fputc(' ', file);
	}
	put_place(file,
		  found->nr_inlines ? &found->inlines[found->nr_inlines - 1].call : &found->place);
	fputc('\n', file);
}

static int put_range(void *context, uint64_t start, uint64_t end, const struct line_found *found)
{
	struct text *text = context;

	ck_assert_uint_lt(start, end);
	fprintf(text->file, "%" PRIx64 " %" PRIx64 " ", start, end);
	put_found(text->file, found);
	return 0;
}

/* malloc'ed */
static char *dump(void)
{
	struct text text;

	text.file = open_memstream(&text.bytes, &text.nr_bytes);
	ck_assert_int_eq(line_table_walk(&table, put_range, &text), 0);
	fclose(text.file);
	return text.bytes;
}

static void load_kind(const char *path, enum oprof_image_kind kind)
{
	line_table_deinit(&table);
	ck_assert_int_eq(line_table_load(&table, path, &identity, kind, &search), 0);
}

static void load(const char *name)
{
	load_kind(built_elf_path(name), OPROF_IMAGE_FILE);
}

static void set_build_id(const char *name)
{
	struct buildid id;

	ck_assert_int_eq(buildid_read_file(built_elf_path(name), &id), 0);
	memcpy(identity.build_id, id.bytes, id.nr_bytes);
	identity.nr_build_id = id.nr_bytes;
}

/* ---- building ---- */

static int has_command(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", name);
	return system(command) == 0;
}

/* Not every objcopy knows zstd. */
static void build_zstd(void)
{
	built_elf_run("mkdir zstd && objcopy --compress-debug-sections=zstd gcc/plain zstd/plain "
		      "2>/dev/null || rm -f zstd/plain");
}

static int has_zstd(void)
{
	return !access(built_elf_path("zstd/plain"), F_OK);
}

/* Overwrite .debug_info with bytes, shift bytes from its start. */
static void damage(const char *from, const char *to, int shift, const char *bytes)
{
	built_elf_run("mkdir -p %s && cp %s/plain %s/plain && printf '%s' | dd of=%s/plain bs=1 "
		      "conv=notrunc seek=$((%d + 0x$(readelf -SW %s/plain | sed -n "
		      "'s/.* \\.z*debug_info *PROGBITS *[0-9a-f]* \\([0-9a-f]*\\).*/\\1/p'))) "
		      "2>/dev/null",
		      to, from, to, bytes, to, shift, from);
}

/* Build in a folder of its own; the code is the same in each. */
static void build(const char *name, const char *options)
{
	built_elf_run("mkdir %s && cp a.c inner.h %s && cd %s && " CC "%s -o plain a.c", name, name,
		      name, options);
}

static void build_separate(void)
{
	char hex[BUILDID_HEX_BYTES];
	struct buildid id;

	build("separate", "-g");
	ck_assert_int_eq(buildid_read_file(built_elf_path("separate/plain"), &id), 0);
	buildid_to_hex(&id, hex);
	built_elf_run("cd separate && mkdir -p dbg/.build-id/%.2s && objcopy --only-keep-debug "
		      "plain dbg/.build-id/%.2s/%s.debug && strip plain",
		      hex, hex, hex + 2);
}

static void build_dwz(void)
{
	build("dwz", "-g");
	built_elf_run("cd dwz && cp plain other && dwz -m alt.debug plain other");
	built_elf_run("mkdir noalt && cp dwz/plain noalt/");
}

static void build_all(void)
{
	built_elf_init();
	built_elf_source("a.c", program_source);
	built_elf_source("inner.h", inner_source);
	build("gcc", "-g");
	build("dwarf2", "-gdwarf-2 -gstrict-dwarf");
	build("dwarf3", "-gdwarf-3");
	build("dwarf4", "-gdwarf-4");
	build("dwarf64", "-gdwarf64 -gdwarf-5");
	build("zlib", "-g -gz=zlib");
	build("oldzlib", "-g"); /* newer compilers do not write this format */
	built_elf_run("objcopy --compress-debug-sections=zlib-gnu oldzlib/plain");
	build_zstd();
	build("split", "-g -gsplit-dwarf");
	build("split4", "-gdwarf-4 -gsplit-dwarf");
	build("nodwo", "-g -gsplit-dwarf");
	build("unlinked", "-g -Wl,--gc-sections -Wl,-z,nostart-stop-gc -ffunction-sections");
	built_elf_run("rm nodwo/*.dwo");
	build("none", "-g0");
	build_separate();
	if (has_command("dwp")) {
		build("package", "-g -gsplit-dwarf");
		build("package4", "-gdwarf-4 -gsplit-dwarf");
		built_elf_run("cd package4 && dwp -e plain && rm *.dwo");
	}
	if (has_command("dwz"))
		build_dwz();
}

static void setup(void)
{
	memset(&identity, 0, sizeof(identity));
	memset(&search, 0, sizeof(search));
	search.debug_path = "/nonexistent";
}

static void teardown(void)
{
	line_table_deinit(&table);
}

static char *dump_of(const char *name)
{
	load(name);
	ck_assert_msg(table.lack == SYMBOLS_FULL, "%s: %s", name, table.note);
	return dump();
}

static void check_same(const char *name)
{
	char *expected = dump_of("gcc/plain");
	char *got = dump_of(name);

	ck_assert_msg(!table.note, "%s: %s", name, table.note);
	ck_assert_ptr_nonnull(strstr(expected, "inner inner.h:4 middle a.c:7 a.c:13\n"));
	ck_assert_str_eq(got, expected);
	free(expected);
	free(got);
}

/* ---- addr2line's answers ---- */

/* Converts addr2line's "outer\nFILE:LINE\n..." to the form of put_found. */
static void read_addr2line(FILE *pipe, char *all, size_t room)
{
	char function[256], place[256];
	size_t nr = 0;

	all[0] = '\0';
	while (fgets(function, sizeof(function), pipe) && fgets(place, sizeof(place), pipe)) {
		function[strcspn(function, "\n")] = '\0';
		place[strcspn(place, " \n")] = '\0';
		nr += (size_t)snprintf(all + nr, room - nr, "%s %s\n", function, place);
	}
}

/* The last frame's function was not inlined. */
static void leave_out_last_function(char *all)
{
	char *line = all;

	for (char *newline; (newline = strchr(line, '\n')) && newline[1]; line = newline + 1)
		*newline = ' ';
	if (strchr(line, ' '))
		memmove(line, strchr(line, ' ') + 1, strlen(strchr(line, ' ')));
}

static void check_address(const char *name, uint64_t key, const struct line_found *found)
{
	char command[512], expected[2048], *got = NULL;
	size_t nr_bytes;
	FILE *pipe, *memory;

	snprintf(command, sizeof(command), "addr2line -fsie %s 0x%" PRIx64, built_elf_path(name),
		 key);
	pipe = popen(command, "r");
	read_addr2line(pipe, expected, sizeof(expected));
	ck_assert_int_eq(pclose(pipe), 0);
	leave_out_last_function(expected);
	memory = open_memstream(&got, &nr_bytes);
	put_found(memory, found);
	fclose(memory);
	ck_assert_msg(!strcmp(got, expected), "0x%" PRIx64 ": %s instead of %s", key, got,
		      expected);
	free(got);
}

static int check_range(void *context, uint64_t start, uint64_t end, const struct line_found *found)
{
	int *nr = context;

	(void)end;
	check_address("gcc/plain", start, found);
	(*nr)++;
	return 0;
}

/* File offsets and addresses of its code are equal, so keys are addresses. */
START_TEST(lines_and_inlined_functions_are_those_of_addr2line)
{
	int nr = 0;

	load("gcc/plain");
	ck_assert_int_eq(line_table_walk(&table, check_range, &nr), 0);
	ck_assert_int_gt(nr, 20);
}
END_TEST

/* ---- forms of debug information ---- */

START_TEST(all_versions_and_places_of_debug_information_say_the_same)
{
	static const char *const names[] = {"dwarf3/plain", "dwarf4/plain",  "dwarf64/plain",
					    "zlib/plain",   "oldzlib/plain", "split/plain",
					    "split4/plain"};

	check_same(names[_i]);
}
END_TEST

START_TEST(sections_compressed_with_zstd_say_the_same)
{
	if (has_zstd())
		check_same("zstd/plain");
}
END_TEST

START_TEST(split_file_with_sections_compressed_with_zstd_says_the_same)
{
	if (!has_zstd())
		return;
	built_elf_run("rm -rf zstddwo && cp -r split zstddwo && cd zstddwo && for i in *.dwo; do "
		      "objcopy --compress-debug-sections=zstd $i new && mv new $i; done");
	/* Its recorded path is split/. */
	built_elf_run("mv split kept");
	check_same("zstddwo/plain");
	built_elf_run("mv kept split");
}
END_TEST

static void check_refused(const char *name)
{
	load(name);
	ck_assert_int_eq(table.lack, SYMBOLS_STRIPPED);
	ck_assert_msg(strstr(table.note, "compressed") != NULL, "%s: %s", name, table.note);
	ck_assert_uint_eq(table.nr_ranges, 0);
}

START_TEST(compressed_sections_that_claim_more_than_can_be_are_refused)
{
	static const char *const names[] = {"zlib", "zstd"};

	for (int i = 0; i < 1 + has_zstd(); i++) {
		damage(names[i], "zip_claims", 8 + 3, "\\177\\001");
		check_refused("zip_claims/plain");
		damage(names[i], "zip_short", 8, "\\001\\000");
		check_refused("zip_short/plain");
		damage(names[i], "zip_none", 8, "\\000\\000\\000");
		check_refused("zip_none/plain");
		damage(names[i], "zip_damaged", 24 + 9, "\\252\\252\\252\\252\\252\\252\\252");
		check_refused("zip_damaged/plain");
		damage(names[i], "zip_kind", 0, "\\011");
		check_refused("zip_kind/plain");
	}
	damage("oldzlib", "zip_claims", 4, "\\177");
	check_refused("zip_claims/plain");
}
END_TEST

START_TEST(symbols_are_read_whatever_the_compression)
{
	static const char *const names[] = {"zlib/plain", "oldzlib/plain", "zstd/plain"};
	struct symbol_table expected, got;

	ck_assert_int_eq(symbol_table_load(&expected, built_elf_path("gcc/plain"), &identity,
					   OPROF_IMAGE_FILE, &search),
			 0);
	ck_assert_int_eq(expected.lack, SYMBOLS_FULL);
	for (int i = 0; i < 2 + has_zstd(); i++) {
		ck_assert_int_eq(symbol_table_load(&got, built_elf_path(names[i]), &identity,
						   OPROF_IMAGE_FILE, &search),
				 0);
		ck_assert_msg(got.lack == SYMBOLS_FULL, "%s: %s", names[i], got.note);
		ck_assert_uint_eq(got.nr_symbols, expected.nr_symbols);
		for (size_t s = 0; s < got.nr_symbols; s++)
			ck_assert_str_eq(got.symbols[s].name, expected.symbols[s].name);
		symbol_table_deinit(&got);
	}
	symbol_table_deinit(&expected);
}
END_TEST

/* below: a folder, or "". */
static void check_has_file(const char *below, const char *path)
{
	size_t nr_below = strlen(below), i = 0;

	while (i < table.nr_files && (strncmp(table.files[i], below, nr_below) != 0 ||
				      strcmp(table.files[i] + nr_below, path) != 0))
		i++;
	ck_assert_msg(i < table.nr_files, "no %s%s", below, path);
}

/* b.c, which includes deep/in.h, from a folder that the options may hide. */
static const struct {
	const char *from, *options, *source, *header;
} path_cases[] = {
	{"sub", "-gdwarf-4 b.c", "/b.c", "/deep/in.h"},
	{"sub", "-gdwarf-5 b.c", "/b.c", "/deep/in.h"},
	{".", "-gdwarf-4 sub/b.c", "/sub/b.c", "/sub/deep/in.h"},
	{".", "-gdwarf-5 sub/b.c", "/sub/b.c", "/sub/deep/in.h"},
	{".", "-gdwarf-4 -fdebug-prefix-map=$PWD=/made sub/b.c", "/made/sub/b.c",
	 "/made/sub/deep/in.h"},
	{".", "-gdwarf-4 -fdebug-prefix-map=$PWD= sub/b.c", "sub/b.c", "sub/deep/in.h"},
	{".", "-gdwarf-5 -fdebug-prefix-map=$PWD= sub/b.c", "sub/b.c", "sub/deep/in.h"},
	{"sub", "-gdwarf-4 -fdebug-prefix-map=$PWD= b.c", "b.c", "deep/in.h"},
};

START_TEST(files_have_the_paths_that_they_were_compiled_from)
{
	char *folder;

	built_elf_run("rm -rf paths && mkdir -p paths/sub/deep && cp a.c paths/sub/b.c && "
		      "cp inner.h paths/sub/deep/in.h && cd paths && top=$PWD && "
		      "sed -i s,inner.h,deep/in.h, sub/b.c && cd %s && "
		      "printf %%s \"$PWD\" >$top/folder && " CC "-o $top/plain %s",
		      path_cases[_i].from, path_cases[_i].options);
	ck_assert_int_eq(file_read_text(built_elf_path("paths/folder"), 4096, &folder, NULL), 0);
	if (strstr(path_cases[_i].options, "-map="))
		*folder = '\0';
	load("paths/plain");
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	check_has_file(folder, path_cases[_i].source);
	check_has_file(folder, path_cases[_i].header);
	free(folder);
}
END_TEST

/* DWARF 2 has no ranges, nor gcc's description of inlined functions in several pieces. */
START_TEST(version_2_has_the_same_lines)
{
	load("dwarf2/plain");
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_uint_gt(table.nr_ranges, 10);
}
END_TEST

START_TEST(debug_file_has_the_lines_of_the_image)
{
	search.debug_path = built_elf_path("separate/dbg");
	check_same("separate/plain");
	ck_assert_ptr_nonnull(strstr(table.debug_path, "/.build-id/"));
}
END_TEST

/* As after sstrip: e_shoff, e_shnum and e_shstrndx are 0. */
START_TEST(binary_without_section_headers_has_the_lines_of_its_debug_file)
{
	built_elf_run(
		"rm -rf bare && mkdir bare && cp separate/plain bare/ && for i in 40:8 60:4; do "
		"dd if=/dev/zero of=bare/plain bs=1 conv=notrunc seek=${i%%:*} count=${i#*:} "
		"2>/dev/null; done");
	search.debug_path = built_elf_path("separate/dbg");
	check_same("bare/plain");
}
END_TEST

START_TEST(package_of_split_files_is_found_beside_the_binary)
{
	if (has_command("dwp"))
		check_same("package4/plain");
}
END_TEST

START_TEST(what_dwz_took_out_is_found_by_its_name)
{
	if (has_command("dwz"))
		check_same("dwz/plain");
}
END_TEST

START_TEST(clang_and_gcc_agree_on_where_a_function_was_inlined)
{
	static const char *const options[] = {"-g", "-gdwarf-4", "-g -gsplit-dwarf"};
	char *got;

	if (!has_command("clang"))
		return;
	built_elf_run("rm -rf clang && mkdir clang && cp a.c inner.h clang && cd clang && "
		      "clang -O2 %s -c a.c -o a.o && clang -o plain a.o",
		      options[_i]);
	got = dump_of("clang/plain");
	ck_assert_ptr_null(table.note);
	ck_assert_ptr_nonnull(strstr(got, "inner inner.h:4 middle a.c:7 a.c:13\n"));
	free(got);
}
END_TEST

/* An external function's name need not be its first attribute and may be in its declaration. */
START_TEST(external_functions_that_were_inlined_have_their_names)
{
	char *got;

	built_elf_source(
		"external.c",
		"volatile int sink[100];\n"
		"extern inline __attribute__((always_inline, gnu_inline)) int shared(int x)\n"
		"{ return sink[x & 7] += x; }\n"
		"int main(int argc, char **argv)\n"
		"{ (void)argv; return shared(argc); }\n");
	built_elf_run(CC "-g -o external external.c");
	got = dump_of("external");
	ck_assert_msg(strstr(got, " shared external.c:3 external.c:5\n") != NULL, "%s", got);
	free(got);
	if (!has_command("c++"))
		return;
	built_elf_source("member.cc",
			 "volatile int sink[100];\n"
			 "struct thing { static int run(int x); };\n"
			 "__attribute__((always_inline)) inline int thing::run(int x)\n"
			 "{ return sink[x & 7] = x; }\n"
			 "int main(int argc, char **)\n"
			 "{ return thing::run(argc); }\n");
	built_elf_run("c++ -O2 -g -o member member.cc");
	got = dump_of("member");
	ck_assert_msg(strstr(got, " _ZN5thing3runEi member.cc:4 member.cc:6\n") != NULL, "%s", got);
	free(got);
}
END_TEST

/* Their rows are at address 0, where there is no code. */
START_TEST(functions_that_were_not_linked_have_no_lines)
{
	char *got = dump_of("unlinked/plain");

	ck_assert_ptr_null(strstr(got, "a.c:15\n"));
	ck_assert_ptr_nonnull(strstr(got, "inner inner.h:4 middle a.c:7 a.c:13\n"));
	free(got);
}
END_TEST

/* ---- missing files ---- */

START_TEST(missing_split_file_costs_what_was_inlined_and_is_told)
{
	char *got = dump_of("nodwo/plain");

	ck_assert_ptr_nonnull(strstr(table.note, "plain-a.dwo is missing"));
	ck_assert_ptr_nonnull(strstr(got, " inner.h:4\n"));
	free(got);
}
END_TEST

START_TEST(missing_file_of_dwz_costs_names_and_is_told)
{
	if (!has_command("dwz"))
		return;
	load("noalt/plain");
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_nonnull(strstr(table.note, "alt.debug, which is missing"));
}
END_TEST

START_TEST(binary_without_debug_information_says_what_to_do)
{
	struct line_found found;
	size_t hint = 0;

	load("none/plain");
	ck_assert_int_eq(table.lack, SYMBOLS_STRIPPED);
	ck_assert_ptr_nonnull(strstr(table.note, "compile the binary with -g"));
	ck_assert_int_eq(line_table_find(&table, 0x1000, &hint, &found), -ENOENT);
}
END_TEST

START_TEST(missing_and_replaced_binaries_are_told)
{
	load("nonexistent");
	ck_assert_int_eq(table.lack, SYMBOLS_NO_FILE);
	set_build_id("none/plain");
	load("gcc/plain");
	ck_assert_int_eq(table.lack, SYMBOLS_WRONG_FILE);
	ck_assert_ptr_nonnull(table.note);
}
END_TEST

/* Samples and binaries of an archive may name any path. */
START_TEST(paths_do_not_lead_out_of_the_root)
{
	search.root = built_elf_path("gcc");
	load_kind("/./sub/../plain", OPROF_IMAGE_FILE);
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	load_kind("/../zlib/plain", OPROF_IMAGE_FILE);
	ck_assert_int_eq(table.lack, SYMBOLS_NO_FILE);
	load_kind("/sub/../../zlib/plain", OPROF_IMAGE_FILE);
	ck_assert_int_eq(table.lack, SYMBOLS_NO_FILE);
}
END_TEST

START_TEST(what_has_no_lines_is_told)
{
	load_kind("[anon]", OPROF_IMAGE_ANON);
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_nonnull(table.note);
}
END_TEST

/* ---- finding ---- */

START_TEST(keys_are_found_in_any_order)
{
	struct line_found once, again;
	size_t hint = 0, other = 0;
	uint64_t last;

	load("gcc/plain");
	ck_assert_int_eq(line_table_find(&table, 0, &hint, &once), -ENOENT);
	last = 0x3000;
	for (uint64_t key = 0; key < last; key++) {
		size_t none = 0;
		int result = line_table_find(&table, key, &hint, &once);

		ck_assert_int_eq(result, line_table_find(&table, key, &none, &again));
		ck_assert_uint_eq(hint, none);
		ck_assert_uint_gt(once.end, key);
		ck_assert_int_eq(result, line_table_find(&table, key, &other, &again));
		other = (size_t)(key * 7919 % (2 * table.nr_ranges)); /* any hint must do */
	}
}
END_TEST

/* ---- the kernel ---- */

START_TEST(keys_of_the_kernel_are_relative_to_its_text)
{
	char *got;

	built_elf_run("cd gcc && " CC "-g -static-pie -o vmlinux a.c -Wl,--defsym,_text=outer "
		      "2>/dev/null || " CC "-g -o vmlinux a.c -Wl,--defsym,_text=outer");
	set_build_id("gcc/vmlinux");
	search.image_path = built_elf_path("gcc");
	load_kind("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_msg(table.lack == SYMBOLS_FULL, "%s", table.note);
	got = dump();
	ck_assert_int_eq(strncmp(got, "0 ", 2), 0);
	*strchr(got, '\n') = '\0';
	ck_assert_msg(strstr(got, " a.c:1") != NULL, "%s", got);
	free(got);
	set_build_id("gcc/plain");
	load_kind("vmlinux", OPROF_IMAGE_KERNEL);
	ck_assert_int_eq(table.lack, SYMBOLS_WRONG_FILE);
	ck_assert_ptr_nonnull(strstr(table.note, "another build"));
}
END_TEST

/* ---- the cache ---- */

START_TEST(table_is_read_once_and_then_from_the_cache)
{
	char *first, *second;

	built_elf_run("rm -rf cache moved && cp -r gcc moved && mkdir cache");
	search.debug_path = NULL;
	search.cache_path = built_elf_path("cache");
	set_build_id("moved/plain");
	first = dump_of("moved/plain");
	built_elf_run("ls cache/*-lines && rm moved/plain");
	second = dump_of("moved/plain");
	ck_assert_str_eq(first, second);
	free(first);
	free(second);
}
END_TEST

/* A cache file with one changed byte is read or refused, without a crash. */
START_TEST(damaged_cache_does_no_harm)
{
	size_t nr_bytes;
	char *bytes, *name;

	built_elf_run("rm -rf cache && mkdir cache");
	search.debug_path = NULL;
	search.cache_path = built_elf_path("cache");
	set_build_id("gcc/plain");
	load("gcc/plain");
	built_elf_run("for i in cache/*-lines; do printf %%s $i >name && mv $i whole; done");
	ck_assert_int_eq(file_read_text(built_elf_path("name"), 1 << 10, &name, NULL), 0);
	ck_assert_int_eq(file_read_text(built_elf_path("whole"), 1 << 24, &bytes, &nr_bytes), 0);
	for (size_t i = 0; i < nr_bytes; i += 1 + i / 16) {
		char *got;

		bytes[i] = (char)~bytes[i];
		built_elf_write(name, bytes, nr_bytes);
		load("gcc/plain");
		got = dump();
		free(got);
		bytes[i] = (char)~bytes[i];
	}
	free(name);
	free(bytes);
}
END_TEST

static Suite *line_table_suite(void)
{
	Suite *suite = suite_create("line_table");
	TCase *tcase = tcase_create("line_table");

	tcase_add_unchecked_fixture(tcase, build_all, built_elf_deinit);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, lines_and_inlined_functions_are_those_of_addr2line);
	tcase_add_loop_test(tcase, all_versions_and_places_of_debug_information_say_the_same, 0, 7);
	tcase_add_test(tcase, sections_compressed_with_zstd_say_the_same);
	tcase_add_test(tcase, split_file_with_sections_compressed_with_zstd_says_the_same);
	tcase_add_test(tcase, compressed_sections_that_claim_more_than_can_be_are_refused);
	tcase_add_test(tcase, symbols_are_read_whatever_the_compression);
	tcase_add_loop_test(tcase, files_have_the_paths_that_they_were_compiled_from, 0,
			    sizeof(path_cases) / sizeof(path_cases[0]));
	tcase_add_test(tcase, version_2_has_the_same_lines);
	tcase_add_test(tcase, debug_file_has_the_lines_of_the_image);
	tcase_add_test(tcase, binary_without_section_headers_has_the_lines_of_its_debug_file);
	tcase_add_test(tcase, package_of_split_files_is_found_beside_the_binary);
	tcase_add_test(tcase, what_dwz_took_out_is_found_by_its_name);
	tcase_add_loop_test(tcase, clang_and_gcc_agree_on_where_a_function_was_inlined, 0, 3);
	tcase_add_test(tcase, external_functions_that_were_inlined_have_their_names);
	tcase_add_test(tcase, functions_that_were_not_linked_have_no_lines);
	tcase_add_test(tcase, missing_split_file_costs_what_was_inlined_and_is_told);
	tcase_add_test(tcase, missing_file_of_dwz_costs_names_and_is_told);
	tcase_add_test(tcase, binary_without_debug_information_says_what_to_do);
	tcase_add_test(tcase, missing_and_replaced_binaries_are_told);
	tcase_add_test(tcase, paths_do_not_lead_out_of_the_root);
	tcase_add_test(tcase, what_has_no_lines_is_told);
	tcase_add_test(tcase, keys_are_found_in_any_order);
	tcase_add_test(tcase, keys_of_the_kernel_are_relative_to_its_text);
	tcase_add_test(tcase, table_is_read_once_and_then_from_the_cache);
	tcase_add_test(tcase, damaged_cache_does_no_harm);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(line_table_suite());
}
