// SPDX-License-Identifier: GPL-2.0-or-later
/* Real binaries built here, and damaged copies of them. */
#include "pp/symbols/symbol_helper.h"
#include "pp/symbols/symbol_file.h"
#include "pp/symbols/symbol_reader.h"

#include "pp/symbols/debug_file.h"
#include "lib/buildid.h"
#include "lib/file.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define CC "${CC:-cc} -g -O1 -fno-inline "

static struct symbol_table table;
static struct oprof_image_identity identity;
static struct symbol_search search;

static const char program_source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"int data[10];\n"
	"__attribute__((noinline)) static int local_one(int x) { return data[x] * 3; }\n"
	"__attribute__((noinline)) int global_one(int x) { return local_one(x) + 1; }\n"
	"int alias_one(int x) __attribute__((alias(\"global_one\")));\n"
	"int __under(int x) __attribute__((alias(\"global_one\")));\n"
	"int mangled(int x) __asm__(\"_ZN3foo3barEi\");\n"
	"__attribute__((noinline)) int mangled(int x) { return x + data[1]; }\n"
	"__asm__(\".text\\n.type sized,@function\\nsized: nop\\nnop\\n.Lhid: label_in: nop\\n\"\n"
	"        \".size sized, .-sized\\nbare: nop\\n.Lsplit: nop\\nnop\\n.type behind,@function\\n\"\n"
	"        \"behind: nop\\n.size behind, .-behind\\n\");\n"
	"int main(int argc, char **argv) { (void)argv; puts(\"x\");\n"
	"  return global_one(argc) + mangled(argc) + atoi(\"1\"); }\n";

/* Built once for all tests, since building takes time. */
static void build_all(void)
{
	built_elf_init();
	built_elf_source("a.c", program_source);
	built_elf_source("l.c", "int exported(int x) { return x; }\n"
				"static int hidden(int x) { return -x; }\n"
				"int (*pointer)(int) = hidden;\n");
	/* In this one, names that begin with .L are in the file, as some compilers leave them. */
	built_elf_run(CC "-pie -fPIE -Wa,-L -Wl,--discard-none,--build-id -o pie a.c; "
			 "readelf -sW pie | grep -q ' [.]Lsplit$'");
	built_elf_run(CC "-no-pie -fno-pie -Wl,--build-id -o fixed a.c");
	built_elf_run(CC "-shared -fPIC -Wl,--build-id -o library.so l.c");
	built_elf_run("cp library.so dynamic.so; strip dynamic.so");
	built_elf_run("strip -o stripped fixed; strip --strip-all -R .dynsym -R .dynstr "
		      "-o bare.so library.so 2>/dev/null || cp dynamic.so bare.so");
	built_elf_run("objcopy --only-keep-debug pie pie.debug; strip -o nodebug pie");
	built_elf_run("cp nodebug linked; objcopy --add-gnu-debuglink=pie.debug linked");
	built_elf_run(CC "-pie -fPIE -Wl,--build-id=none -o noid a.c; "
			 "objcopy --only-keep-debug noid noid.debug; strip noid; "
			 "objcopy --add-gnu-debuglink=noid.debug noid");
}

static void setup(void)
{
	memset(&identity, 0, sizeof(identity));
	memset(&search, 0, sizeof(search));
	search.debug_path = "/nonexistent";
}

static void teardown(void)
{
	symbol_table_deinit(&table);
}

static void load_path(const char *path)
{
	struct symbol_request request = {
		.path = path, .identity = &identity, .kind = OPROF_IMAGE_FILE, .search = &search};

	symbol_table_deinit(&table);
	ck_assert_int_eq(symbol_helper_run(&request, symbol_read, &table), 0);
}

static void load(const char *name)
{
	load_path(built_elf_path(name));
}

static const struct symbol *find(const char *name)
{
	for (size_t i = 0; i < table.nr_symbols; i++)
		if (!strcmp(table.symbols[i].name, name))
			return &table.symbols[i];
	return NULL;
}

static struct symbol get(const char *name)
{
	const struct symbol *symbol = find(name);

	if (!symbol)
		ck_abort_msg("no symbol %s", name);
	return *symbol;
}

static void check_full(void)
{
	ck_assert_msg(table.lack == SYMBOLS_FULL, "%s", table.note);
	ck_assert_ptr_null(table.note);
	ck_assert_ptr_nonnull(find("local_one"));
	ck_assert_ptr_nonnull(find("main"));
}

static void set_build_id(const char *name)
{
	struct buildid id;

	ck_assert_int_eq(buildid_read_file(built_elf_path(name), &id), 0);
	memcpy(identity.build_id, id.bytes, id.nr_bytes);
	identity.nr_build_id = id.nr_bytes;
}

static void set_stat(const char *name)
{
	struct stat status;

	ck_assert_int_eq(stat(built_elf_path(name), &status), 0);
	identity.dev = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	identity.inode = status.st_ino;
	identity.size_bytes = (uint64_t)status.st_size;
	identity.mtime_ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
}

/* Compare a table with nm's symbols, sizes included. */
static void check_against_nm(const char *name)
{
	char command[256], line[256];
	int nr = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm -S --defined-only %s", built_elf_path(name));
	nm = popen(command, "r");
	while (fgets(line, sizeof(line), nm)) {
		unsigned long long address, nr_bytes;
		char type, text[128];
		const struct symbol *symbol;

		if (sscanf(line, "%llx %llx %c %127s", &address, &nr_bytes, &type, text) != 4 ||
		    !strchr("tT", type) || !(symbol = find(text)))
			continue;
		nr++;
		ck_assert_uint_eq(symbol->address, address);
		ck_assert_uint_eq(symbol->nr_bytes, nr_bytes);
	}
	ck_assert_int_eq(pclose(nm), 0);
	ck_assert_int_ge(nr, 5);
}

/* The bytes at a symbol's key are the function's: here, three nops of "sized". */
static void check_keys_are_offsets(const char *name)
{
	struct symbol symbol = get("sized");
	int fd = open(built_elf_path(name), O_RDONLY);
	unsigned char bytes[3];

	ck_assert_int_eq(file_pread_all(fd, bytes, 3, (off_t)symbol.start), 3);
	ck_assert(!memcmp(bytes, "\x90\x90\x90", 3));
	close(fd);
}

START_TEST(functions_of_a_program_are_those_of_nm)
{
	static const char *const names[] = {"pie", "fixed"};

	load(names[_i]);
	check_full();
	check_against_nm(names[_i]);
}
END_TEST

#if defined(__x86_64__) || defined(__i386__)
START_TEST(keys_are_offsets_in_the_file)
{
	static const char *const names[] = {"pie", "fixed"};

	load(names[_i]);
	check_keys_are_offsets(names[_i]);
}
END_TEST
#endif

/* Keys are file offsets or, for the kernel, addresses minus key_address. */
static const struct {
	bool by_address;
	uint64_t key, address, offset, nr_bytes; /* address 0: no segment holds the key */
} places[] = {
	{false, 0xfff, 0, 0, 0},
	{false, 0x1000, 0x401000, 0x1000, 0x200},
	{false, 0x11ff, 0x4011ff, 0x11ff, 1},
	{false, 0x1200, 0, 0, 0},
	{false, 0x2fff, 0, 0, 0},
	{false, 0x3000, 0x405000, 0x3000, 0x10},
	{false, 0x300f, 0x40500f, 0x300f, 1},
	{false, 0x3010, 0, 0, 0},
	{false, UINT64_MAX, 0, 0, 0},
	{true, 0, 0, 0, 0},
	{true, 0xfff, 0, 0, 0},
	{true, 0x1000, 0x401000, 0x1000, 0x200},
	{true, 0x11ff, 0x4011ff, 0x11ff, 1},
	{true, 0x1200, 0, 0, 0},
	{true, 0x5000, 0x405000, 0x3000, 0x10},
	{true, 0x5010, 0, 0, 0},
};

START_TEST(keys_that_no_segment_holds_have_no_address_and_no_offset)
{
	struct symbol_segment segments[] = {{0x401000, 0x401200, 0x1000},
					    {0x405000, 0x405010, 0x3000}};
	struct symbol_file file = {.segments = segments, .nr_segments = 2};
	uint64_t address = 0, offset = 0, nr_bytes = 0;
	bool held = places[_i].address != 0;

	file.by_address = places[_i].by_address;
	file.key_address = file.by_address ? 0x400000 : 0;
	ck_assert_int_eq(symbol_file_address(&file, places[_i].key, &address), held);
	ck_assert_int_eq(symbol_file_offset(&file, places[_i].key, &offset, &nr_bytes), held);
	ck_assert_uint_eq(address, places[_i].address);
	ck_assert_uint_eq(offset, places[_i].offset);
	ck_assert_uint_eq(nr_bytes, places[_i].nr_bytes);
}
END_TEST

START_TEST(calls_through_the_plt_have_names)
{
	load("fixed");
	ck_assert_ptr_nonnull(find("puts@plt"));
	load("stripped");
	ck_assert_ptr_nonnull(find("puts@plt"));
	ck_assert_uint_gt(get("puts@plt").nr_bytes, 0);
}
END_TEST

START_TEST(code_before_the_first_slot_has_a_name)
{
	uint64_t plt;

	load("fixed");
	plt = get(".plt").start;
	ck_assert_uint_gt(get(".plt").nr_bytes, 0);
	ck_assert_uint_gt(get("puts@plt").start, plt);
}
END_TEST

/* The slot has no name in the file, but the function that makes the choice has. */
START_TEST(slot_of_a_function_chosen_at_run_time_has_its_name)
{
	built_elf_source("i.c", "static int one(int x) { return x + 1; }\n"
				"static void *choose(void) { return one; }\n"
				"__attribute__((visibility(\"hidden\"), ifunc(\"choose\")))\n"
				"int chosen(int x);\n"
				"int call(int x) { return chosen(x); }\n");
	built_elf_run(CC "-shared -fPIC -o ifunc.so i.c");
	load("ifunc.so");
	/* The chooser has two names: its function's and the ifunc's. */
	ck_assert(find("choose@plt") || find("chosen@plt"));
}
END_TEST

START_TEST(alias_has_one_name)
{
	load("pie");
	ck_assert_ptr_nonnull(find("alias_one"));
	ck_assert_ptr_null(find("global_one"));
	ck_assert_ptr_null(find("__under"));
}
END_TEST

START_TEST(mangled_name_is_as_in_the_file)
{
	load("pie");
	ck_assert_ptr_nonnull(find("_ZN3foo3barEi"));
}
END_TEST

START_TEST(labels_count_between_functions_only)
{
	load("pie");
	ck_assert_ptr_null(find("label_in"));
	ck_assert_ptr_null(find(".Lhid"));
	ck_assert_ptr_null(find(".Lsplit"));
	ck_assert_ptr_null(find("data"));
	ck_assert_uint_eq(get("sized").nr_bytes, 3);
	ck_assert_uint_eq(get("bare").start + 3, get("behind").start);
	ck_assert_uint_eq(get("bare").nr_bytes, 3);
}
END_TEST

START_TEST(stripped_library_has_its_exported_names)
{
	load("library.so");
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	ck_assert_ptr_nonnull(find("hidden"));
	load("dynamic.so");
	ck_assert_int_eq(table.lack, SYMBOLS_DYNAMIC_ONLY);
	ck_assert_ptr_nonnull(find("exported"));
	ck_assert_ptr_null(find("hidden"));
	ck_assert_str_eq(table.note, "no debug symbols");
}
END_TEST

START_TEST(stripped_binary_that_carries_its_symbols_has_them)
{
	if (system("command -v xz >/dev/null 2>&1") != 0)
		return;
	built_elf_run("nm library.so -f posix --defined-only | awk '{ print $1 }' | grep hidden "
		      ">keep && objcopy --only-keep-debug library.so mini && objcopy -S "
		      "--remove-section .comment --keep-symbols=keep mini mini.small && "
		      "xz -c mini.small >mini.xz && objcopy --add-section "
		      ".gnu_debugdata=mini.xz dynamic.so mini.so");
	load("mini.so");
	ck_assert_msg(table.lack == SYMBOLS_FULL, "%s", table.note);
	ck_assert_ptr_nonnull(find("hidden"));
	ck_assert_ptr_nonnull(find("exported"));
	ck_assert_uint_eq(get("hidden").nr_bytes > 0, 1);
	built_elf_run("head -c 100 mini.xz >cut.xz && objcopy --add-section "
		      ".gnu_debugdata=cut.xz dynamic.so cut.so");
	load("cut.so");
	ck_assert_int_eq(table.lack, SYMBOLS_DAMAGED);
	ck_assert_ptr_nonnull(find("exported"));
}
END_TEST

/* ---- separate debug files ---- */

START_TEST(debug_file_is_found_by_build_id)
{
	char hex[BUILDID_HEX_BYTES];
	struct buildid id;

	ck_assert_int_eq(buildid_read_file(built_elf_path("pie"), &id), 0);
	buildid_to_hex(&id, hex);
	built_elf_run("mkdir -p dbg/.build-id/%.2s && cp pie.debug dbg/.build-id/%.2s/%s.debug",
		      hex, hex, hex + 2);
	search.debug_path = built_elf_path("dbg");
	load("nodebug");
	check_full();
	check_against_nm("pie");
	ck_assert_ptr_nonnull(strstr(table.debug_path, ".build-id"));
	built_elf_run("rm -r dbg");
}
END_TEST

/* Keys are those of the image; its debug file has no code, and other offsets. */
START_TEST(debug_file_gives_the_keys_of_the_image)
{
	uint64_t start;

	load("pie");
	start = get("main").start;
	load("linked");
	ck_assert_uint_eq(get("main").start, start);
}
END_TEST

START_TEST(debug_file_is_found_by_link)
{
	static const char *const folders[] = {".", ".debug", "dbg"};

	built_elf_run("mkdir -p app/.debug dbg/$PWD/app && cp linked app/");
	search.debug_path = built_elf_path("dbg");
	load("app/linked");
	ck_assert_int_eq(table.lack, SYMBOLS_DYNAMIC_ONLY);
	if (_i < 2)
		built_elf_run("cp pie.debug app/%s/", folders[_i]);
	else
		built_elf_run("cp pie.debug dbg/$PWD/app/");
	load("app/linked");
	check_full();
	ck_assert_ptr_nonnull(strstr(table.debug_path, folders[_i]));
	built_elf_run("rm -r app dbg");
}
END_TEST

START_TEST(debug_file_without_build_id_needs_the_right_checksum)
{
	load("noid");
	check_full();
	built_elf_run("mkdir bad && cp noid bad/ && cp noid.debug bad/ && echo >>bad/noid.debug");
	load("bad/noid");
	ck_assert_int_eq(table.lack, SYMBOLS_DYNAMIC_ONLY);
	ck_assert_ptr_null(table.debug_path);
	built_elf_run("rm -r bad");
}
END_TEST

START_TEST(debug_file_of_another_build_is_not_used)
{
	built_elf_run("mkdir other && cp linked other/");
	built_elf_run(CC "-DOTHER -O2 -pie -fPIE -Wl,--build-id -o other/x a.c && "
			 "objcopy --only-keep-debug other/x other/pie.debug");
	load("other/linked");
	ck_assert_int_eq(table.lack, SYMBOLS_DYNAMIC_ONLY);
	built_elf_run("rm -r other");
}
END_TEST

START_TEST(search_goes_on_after_a_debug_file_of_another_build)
{
	built_elf_run("mkdir -p other/.debug && cp linked other/ && cp pie.debug other/.debug/");
	built_elf_run("cp noid.debug other/pie.debug");
	load("other/linked");
	ck_assert_int_eq(table.lack, SYMBOLS_FULL);
	built_elf_run("rm -r other");
}
END_TEST

START_TEST(debug_file_of_another_build_is_told_from_a_missing_one)
{
	struct symbol_request request = {.path = built_elf_path("stale/linked"),
					 .identity = &identity,
					 .kind = OPROF_IMAGE_FILE,
					 .search = &search};
	struct symbol_image image;
	struct symbol_file debug;
	struct file_opener opener;

	built_elf_run("mkdir stale && cp linked stale/ && cp noid.debug stale/fetched");
	file_opener_init(&opener, &request, -1);
	request.opener = &opener;
	ck_assert_int_eq(symbol_image_open(&image, &request), 0);
	ck_assert_int_eq(debug_file_open(&debug, &image.file, &opener), -ENOENT);
	request.debug_file = built_elf_path("stale/fetched");
	ck_assert_int_eq(debug_file_open(&debug, &image.file, &opener), -ESTALE);
	symbol_image_close(&image);
	file_opener_deinit(&opener);
	built_elf_run("rm -r stale");
}
END_TEST

START_TEST(debug_link_that_leads_out_is_not_followed)
{
	struct debuglink link;

	ck_assert_int_eq(debuglink_parse("../x\0\0\0\0\1\2\3\4", 12, 0, &link), -EILSEQ);
	ck_assert_int_eq(debuglink_parse("abcd", 4, 0, &link), -EILSEQ);
	ck_assert_int_eq(debuglink_parse("abc\0\1\2\3", 7, 0, &link), -EILSEQ);
	ck_assert_int_eq(debuglink_parse("", 0, 0, &link), -EILSEQ);
	ck_assert_int_eq(debuglink_parse("abc\0\1\2\3\4", 8, 0, &link), 0);
	ck_assert_str_eq(link.name, "abc");
	ck_assert_uint_eq(link.crc, 0x04030201);
	ck_assert_int_eq(debuglink_parse("abcd\0\0\0\0\1\2\3\4", 12, 1, &link), 0);
	ck_assert_uint_eq(link.crc, 0x01020304);
}
END_TEST

START_TEST(debug_file_of_moved_addresses_is_shifted)
{
	uint64_t start, address;

	built_elf_run("strip -o moved library.so && "
		      "objcopy --only-keep-debug library.so moved.debug && "
		      "objcopy --change-addresses 0x10000 moved.debug && "
		      "objcopy --add-gnu-debuglink=moved.debug moved");
	load("library.so");
	start = get("hidden").start;
	address = get("hidden").address;
	load("moved");
	ck_assert_ptr_nonnull(find("hidden"));
	ck_assert_uint_eq(get("hidden").start, start);
	ck_assert_uint_eq(get("hidden").address, address);
}
END_TEST

/* ---- which file is used ---- */

START_TEST(file_of_the_same_build_id_is_taken)
{
	set_build_id("pie");
	load("pie");
	check_full();
}
END_TEST

START_TEST(file_of_another_build_id_is_refused)
{
	set_build_id("pie");
	load("fixed");
	ck_assert_int_eq(table.lack, SYMBOLS_WRONG_FILE);
	ck_assert_uint_eq(table.nr_symbols, 0);
	ck_assert_ptr_nonnull(strstr(table.note, "replaced"));
}
END_TEST

START_TEST(replaced_file_is_found_below_build_id)
{
	char hex[BUILDID_HEX_BYTES];
	struct buildid id;

	ck_assert_int_eq(buildid_read_file(built_elf_path("pie"), &id), 0);
	buildid_to_hex(&id, hex);
	built_elf_run("mkdir -p dbg/.build-id/%.2s && cp pie dbg/.build-id/%.2s/%s", hex, hex,
		      hex + 2);
	search.debug_path = built_elf_path("dbg");
	set_build_id("pie");
	load("fixed");
	check_full();
	load("no_such_file");
	check_full();
	built_elf_run("rm -r dbg");
}
END_TEST

START_TEST(file_of_the_same_stat_is_taken_and_another_refused)
{
	set_stat("pie");
	load("pie");
	check_full();
	load("fixed");
	ck_assert_int_eq(table.lack, SYMBOLS_WRONG_FILE);
	identity.mtime_ns++;
	load("pie");
	ck_assert_int_eq(table.lack, SYMBOLS_WRONG_FILE);
}
END_TEST

START_TEST(inode_counts_only_among_like_device_numbers)
{
	set_stat("pie");
	identity.inode++;
	load("pie");
	ck_assert_int_eq(table.lack, SYMBOLS_WRONG_FILE);
	identity.dev++;
	load("pie");
	check_full();
}
END_TEST

START_TEST(copy_is_found_by_root_or_image_path)
{
	char folders[600];

	built_elf_run("mkdir -p root/some/bin more && cp pie root/some/bin/ && cp pie more/");
	set_stat("pie");
	search.root = built_elf_path("root");
	load_path("/some/bin/pie");
	check_full();
	search.root = NULL;
	load_path("/some/bin/pie");
	ck_assert_int_eq(table.lack, SYMBOLS_NO_FILE);
	snprintf(folders, sizeof(folders), "/nonexistent,%s", built_elf_path("more"));
	search.image_path = folders;
	load_path("/some/bin/pie");
	check_full();
	built_elf_run("rm -r root more");
}
END_TEST

START_TEST(what_is_no_binary_is_told)
{
	load("a.c");
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	ck_assert_ptr_nonnull(strstr(table.note, "not an ELF file"));
	load("no_such_file");
	ck_assert_int_eq(table.lack, SYMBOLS_NO_FILE);
	built_elf_source("empty", "");
	load("empty");
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	built_elf_run("mkfifo pipe");
	load("pipe");
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
	load(".");
	ck_assert_int_eq(table.lack, SYMBOLS_NONE);
}
END_TEST

/* ---- damaged files ---- */

static char *read_whole(const char *name, size_t *nr_bytes)
{
	char *bytes;

	ck_assert_int_eq(file_read_text(built_elf_path(name), 1 << 24, &bytes, nr_bytes), 0);
	return bytes;
}

static void check_table(void)
{
	uint64_t end = 0;

	ck_assert_int_le(table.lack, SYMBOLS_DAMAGED);
	if (table.lack == SYMBOLS_DAMAGED)
		ck_assert_ptr_nonnull(table.note);
	for (size_t i = 0; i < table.nr_symbols; i++) {
		ck_assert_uint_ge(table.symbols[i].start, end);
		ck_assert_uint_gt(table.symbols[i].nr_bytes, 0);
		end = table.symbols[i].start + table.symbols[i].nr_bytes;
	}
}

START_TEST(truncated_file_costs_no_more_than_its_symbols)
{
	size_t nr_bytes, nr_damaged = 0;
	char *bytes = read_whole("fixed", &nr_bytes);

	for (size_t nr = 0; nr < nr_bytes; nr += 1 + nr_bytes / 97) {
		built_elf_write("cut", bytes, nr);
		load("cut");
		check_table();
		ck_assert_int_ne(table.lack, SYMBOLS_FULL);
		nr_damaged += table.lack == SYMBOLS_DAMAGED;
	}
	ck_assert_uint_gt(nr_damaged, 0);
	free(bytes);
}
END_TEST

START_TEST(flipped_bits_cost_no_more_than_the_symbols)
{
	size_t nr_bytes;
	char *bytes = read_whole("fixed", &nr_bytes);

	srand((unsigned int)_i);
	for (int n = 0; n < 25; n++) {
		char *copy = malloc(nr_bytes);

		memcpy(copy, bytes, nr_bytes);
		for (int flips = 0; flips < 1 + n; flips++) {
			/* Damage headers and tables more often than code. */
			size_t at = (size_t)rand() % (rand() % 2 ? nr_bytes : 4096);

			copy[at] ^= (char)(1 << rand() % 8);
		}
		search.max_seconds = 5;
		built_elf_write("flipped", copy, nr_bytes);
		load("flipped");
		check_table();
		free(copy);
	}
	free(bytes);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("symbol_reader");
	TCase *tcase = tcase_create("symbol_reader");

	tcase_add_unchecked_fixture(tcase, build_all, built_elf_deinit);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, functions_of_a_program_are_those_of_nm, 0, 2);
#if defined(__x86_64__) || defined(__i386__)
	tcase_add_loop_test(tcase, keys_are_offsets_in_the_file, 0, 2);
	tcase_add_loop_test(tcase, keys_that_no_segment_holds_have_no_address_and_no_offset, 0,
			    sizeof(places) / sizeof(places[0]));
#endif
	tcase_add_test(tcase, calls_through_the_plt_have_names);
	tcase_add_test(tcase, code_before_the_first_slot_has_a_name);
	tcase_add_test(tcase, slot_of_a_function_chosen_at_run_time_has_its_name);
	tcase_add_test(tcase, alias_has_one_name);
	tcase_add_test(tcase, mangled_name_is_as_in_the_file);
	tcase_add_test(tcase, labels_count_between_functions_only);
	tcase_add_test(tcase, stripped_library_has_its_exported_names);
	tcase_add_test(tcase, stripped_binary_that_carries_its_symbols_has_them);
	tcase_add_test(tcase, debug_file_is_found_by_build_id);
	tcase_add_test(tcase, debug_file_gives_the_keys_of_the_image);
	tcase_add_loop_test(tcase, debug_file_is_found_by_link, 0, 3);
	tcase_add_test(tcase, debug_file_without_build_id_needs_the_right_checksum);
	tcase_add_test(tcase, debug_file_of_another_build_is_not_used);
	tcase_add_test(tcase, search_goes_on_after_a_debug_file_of_another_build);
	tcase_add_test(tcase, debug_file_of_another_build_is_told_from_a_missing_one);
	tcase_add_test(tcase, debug_link_that_leads_out_is_not_followed);
	tcase_add_test(tcase, debug_file_of_moved_addresses_is_shifted);
	tcase_add_test(tcase, file_of_the_same_build_id_is_taken);
	tcase_add_test(tcase, file_of_another_build_id_is_refused);
	tcase_add_test(tcase, replaced_file_is_found_below_build_id);
	tcase_add_test(tcase, file_of_the_same_stat_is_taken_and_another_refused);
	tcase_add_test(tcase, inode_counts_only_among_like_device_numbers);
	tcase_add_test(tcase, copy_is_found_by_root_or_image_path);
	tcase_add_test(tcase, what_is_no_binary_is_told);
	tcase_add_test(tcase, truncated_file_costs_no_more_than_its_symbols);
	tcase_add_loop_test(tcase, flipped_bits_cost_no_more_than_the_symbols, 0, 8);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
