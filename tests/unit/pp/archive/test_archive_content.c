// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The content of an archive: names, and the numbers of binaries and debug files
 * that users are shown.
 */
#include "pp/archive/archive_content.h"

#include "lib/buildid.h"
#include "pp/archive/debug_list.h"
#include "tests/fixture/built_elf.h"
#include "tests/fixture/make_profile.h"
#include "tests/fixture/make_stacks.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static struct make_session session;
static struct make_profile made;
static unsigned int nr_skipped;
static unsigned int nr_slices; /* of nr_skipped */
static char skipped[PATH_MAX]; /* the last one */
static char reason[DIAG_TEXT_BYTES];
static const char *after_debug_list; /* a command that runs then; NULL: none */
static char *list;

int __real_debug_list_load(struct debug_list *files, const struct symbol_request *request);
int __wrap_debug_list_load(struct debug_list *files, const struct symbol_request *request);

/* Called through the linker's --wrap. */
int __wrap_debug_list_load(struct debug_list *files, const struct symbol_request *request)
{
	int error = __real_debug_list_load(files, request);

	if (after_debug_list)
		built_elf_run("%s", after_debug_list);
	return error;
}

static void setup(void)
{
	char tmp[PATH_MAX];

	nr_skipped = nr_slices = 0;
	/* root archives a binary without a build-id only if all users may read it. */
	ck_assert_ptr_nonnull(realpath("/tmp", tmp));
	ck_assert_int_eq(setenv("TMPDIR", tmp, 1), 0);
	(void)umask(022);
	built_elf_init();
	make_session_init(&session);
}

static void teardown(void)
{
	free(list);
	list = NULL;
	after_debug_list = NULL;
	make_profile_deinit(&made);
	made = (struct make_profile){0};
	make_session_deinit(&session);
	built_elf_deinit();
}

static void skip(const char *path, const struct diag *diag)
{
	(void)snprintf(skipped, sizeof(skipped), "%s", path);
	(void)snprintf(reason, sizeof(reason), "%s", diag_show(diag));
	nr_skipped++;
	nr_slices += strstr(path, ".slice") != NULL;
}

/* What the session knows of a file, besides its path and build-id. */
enum known {
	KNOWN_SIZE_AND_TIME,
	KNOWN_ALL, /* with the inode */
	KNOWN_INODE,
	KNOWN_INODE_ELSEWHERE, /* of another device */
	KNOWN_NOTHING,
};

static void add_sample(const char *path, enum known known)
{
	struct oprof_image_identity identity = {0};
	struct buildid id;
	struct stat st;

	if (!stat(path, &st) && known >= KNOWN_ALL && known != KNOWN_NOTHING) {
		identity.dev = ((uint64_t)major(st.st_dev) << 32 | minor(st.st_dev)) +
			       (known == KNOWN_INODE_ELSEWHERE);
		identity.inode = st.st_ino;
	}
	if (!stat(path, &st) && known <= KNOWN_ALL) {
		identity.size_bytes = (uint64_t)st.st_size;
		identity.mtime_ns = (uint64_t)st.st_mtim.tv_sec * UINT64_C(1000000000) +
				    (uint64_t)st.st_mtim.tv_nsec;
	}
	if (!buildid_read_file(path, &id)) {
		memcpy(identity.build_id, id.bytes, id.nr_bytes);
		identity.nr_build_id = id.nr_bytes;
	}
	make_session_add_one(&session, &(struct make_file){.app = path, .identity = &identity},
			     0x100, 1);
}

static void add_sample_of(const char *path)
{
	add_sample(path, KNOWN_SIZE_AND_TIME);
}

/* Lists what an archive of made.selection would contain. */
static struct archive_content list_selected(void)
{
	size_t nr_bytes;
	struct archive_content content = {.selection = &made.selection,
					  .session_dir = session.dir,
					  .options = &made.profile_options,
					  .list = open_memstream(&list, &nr_bytes),
					  .skip = skip};
	struct diag diag;

	free(list);
	ck_assert_ptr_nonnull(content.list);
	ck_assert_msg(!archive_content_add(&content, &diag), "%s", diag_show(&diag));
	ck_assert_int_eq(fclose(content.list), 0);
	return content;
}

static struct archive_content list_content(const char *word)
{
	struct diag diag;

	ck_assert_msg(!make_profile_select(&made, &session, word, &diag), "%s", diag_show(&diag));
	return list_selected();
}

static bool is_listed(const char *path)
{
	const char *name = path + (*path == '/');
	const size_t length = strlen(name);

	for (const char *line = list; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == '\n')
			return true;
	}
	return false;
}

static void assert_listed(const char *path)
{
	ck_assert_msg(is_listed(path), "%s is not in:\n%s", path, list);
}

START_TEST(binaries_go_in_with_all_their_debug_files_and_missing_ones_are_told)
{
	struct archive_content content;

	built_elf_source("a.c", "int b(int x);\nint main(void) { return b(1); }\n");
	built_elf_source("b.c", "int b(int x) { return x; }\n");
	built_elf_run("${CC:-cc} -g -gsplit-dwarf -c a.c && ${CC:-cc} -g -gsplit-dwarf -c b.c && "
		      "${CC:-cc} -o program a.o b.o -Wl,--build-id");
	/* Another program with the same debug files, which are listed only once. */
	built_elf_run("${CC:-cc} -o again a.o b.o -Wl,--build-id,--defsym,again=1");
	built_elf_run("${CC:-cc} -o plain a.o b.o -Wl,--build-id && strip plain");
	add_sample_of(built_elf_path("plain"));
	add_sample_of(built_elf_path("program"));
	add_sample_of(built_elf_path("again"));
	add_sample_of("/missing/first");
	add_sample_of("/missing/last");
	content = list_content("");
	ck_assert_uint_eq(content.nr_binaries, 3);
	ck_assert_uint_eq(content.nr_debug_files, 2);
	ck_assert_uint_eq(content.nr_missing, 2);
	ck_assert_uint_eq(nr_skipped, 2);
	assert_listed(built_elf_path("plain"));
	assert_listed(built_elf_path("program"));
	assert_listed(built_elf_path("again"));
	assert_listed(built_elf_path("a.dwo"));
	assert_listed(built_elf_path("b.dwo"));
	assert_listed(ARCHIVE_MANIFEST);
}
END_TEST

/* What another user can do to a binary whose symbols are in the cache. */
static const struct {
	const char *command, *reason;
} replaced[] = {
	{"echo secret > program", "not an ELF file"},
	{"echo secret > other && ln -sf other program", "not an ELF file"},
	{"${CC:-cc} -o program a.c -Wl,--build-id,--defsym,other=1", "replaced"},
	{"printf '\\004' | dd of=program bs=1 seek=16 conv=notrunc status=none", "core dump"},
	{"rm program && mkfifo program", "not an ELF file"},
	{"rm program", "missing"},
};

START_TEST(a_file_that_is_not_the_profiled_binary_is_not_archived)
{
	struct archive_content content;
	char *cache = strdup(built_elf_path("cache"));

	built_elf_source("a.c", "int main(void) { return 0; }\n");
	built_elf_run("${CC:-cc} -o program a.c -Wl,--build-id");
	add_sample_of(built_elf_path("program"));
	made.profile_options.cache_path = cache;
	content = list_content("");
	ck_assert_uint_eq(content.nr_binaries, 1);
	ck_assert_uint_eq(nr_skipped, 0);
	built_elf_run("%s", replaced[_i].command);
	content = list_selected();
	ck_assert_msg(!is_listed(built_elf_path("program")), "%s", list);
	ck_assert_uint_eq(content.nr_binaries, 0);
	ck_assert_uint_eq(content.nr_missing, 1);
	ck_assert_uint_eq(nr_skipped, 1);
	ck_assert_str_eq(skipped, built_elf_path("program"));
	ck_assert_msg(strstr(reason, replaced[_i].reason) != NULL, "%s", reason);
	free(cache);
}
END_TEST

#define LINK	"symbolic link"
#define PRIVATE "not every user may read this file" /* archived if the test is not root's */
#define MAPPED	"not every user may read" /* PRIVATE; also archived if the file is on a disk */
#define UNKNOWN "neither the build-id nor the size"

/*
 * Without a build-id, the size and the time prove little: another file can have them. The program
 * was at sub/program.
 */
static const struct {
	const char *command, *image_path, *root;
	const char *reason; /* NULL: archived */
	enum known known;
} weak[] = {
	{"true", NULL, NULL, NULL, 0},
	{"mv sub/program moved && ln -s ../moved sub/program", NULL, NULL, LINK, 0},
	{"mv sub/program moved && ln -s $PWD/moved sub/program", NULL, NULL, LINK, 0},
	{"mv sub moved && ln -s moved sub", NULL, NULL, LINK, 0},
	{"mv sub moved && ln -s /proc/self/cwd/moved sub", NULL, NULL, LINK, 0},
	{"touch -d @1 sub/program", NULL, NULL, "replaced", 0},
	{"printf x >>sub/program", NULL, NULL, "replaced", 0},
	{"chmod o-r sub/program", NULL, NULL, PRIVATE, 0},
	{"cp -a sub/program secret && chmod 600 secret && ln -f secret sub/program", NULL, NULL,
	 PRIVATE, 0},
	{"chmod o-x sub", NULL, NULL, PRIVATE, 0},
	{"chmod o-x .", NULL, NULL, PRIVATE, 0},
	{"mv sub copy", "copy", NULL, NULL, 0},
	{"mv sub copy", "./copy/", NULL, NULL, 0},
	{"mv sub copy && chmod o-x copy", "copy", NULL, NULL, 0},
	{"mv sub copy && chmod o-r copy/program", "copy", NULL, PRIVATE, 0},
	{"mv sub moved && ln -s moved copy", "copy", NULL, NULL, 0},
	{"mv sub moved && mkdir copy && ln -s ../moved/program copy", "copy", NULL, LINK, 0},
	{"mv sub copy && printf x >>copy/program", "copy", NULL, "replaced", 0},
	{"mkdir -p root$PWD && mv sub root$PWD", NULL, "root", NULL, 0},
	{"mkdir -p root$PWD && mv sub root$PWD", NULL, "root/", NULL, 0},
	{"mkdir -p root$PWD && mv sub root$PWD && chmod o-x root", NULL, "root", NULL, 0},
	{"mkdir -p root$PWD && mv sub root$PWD && chmod o-x root$(dirname $PWD)", NULL, "root",
	 PRIVATE, 0},
	{"mkdir -p real$PWD && mv sub real$PWD && ln -s real root", NULL, "root", NULL, 0},
	{"mkdir -p root$PWD && mv sub moved && ln -s $PWD/moved root$PWD/sub", NULL, "root", LINK,
	 0},
	{"mv sub copy", "/nowhere", NULL, "missing", KNOWN_NOTHING},
	{"true", "/nowhere", NULL, UNKNOWN, KNOWN_NOTHING},
	{"touch -d @1 sub/program", "/nowhere", NULL, "replaced", 0},
	{"mv sub copy && touch -d @1 copy/program", "copy", NULL, NULL, 0},
	{"true", NULL, NULL, NULL, KNOWN_ALL},
	{"chmod o-x .", NULL, NULL, MAPPED, KNOWN_ALL},
	{"chmod o-x .", "/nowhere", NULL, MAPPED, KNOWN_ALL},
	{"chmod o-r sub/program", NULL, NULL, PRIVATE, KNOWN_ALL},
	{"chmod o-rx sub/program", NULL, NULL, MAPPED, KNOWN_ALL},
	{"mv sub copy && chmod o-rx copy/program", "copy", NULL, PRIVATE, KNOWN_ALL},
	{"chmod o-x .", NULL, NULL, PRIVATE, KNOWN_INODE},
	{"chmod o-x .", NULL, NULL, PRIVATE, KNOWN_INODE_ELSEWHERE},
	{"true", NULL, NULL, NULL, KNOWN_INODE},
	{"cp -a sub/program new && mv new sub/program", "/nowhere", NULL, "replaced", KNOWN_INODE},
	{"cp -a sub/program new && mv new sub/program", NULL, NULL, "replaced", KNOWN_INODE},
	{"true", NULL, NULL, UNKNOWN, KNOWN_INODE_ELSEWHERE},
	{"mv sub copy", "copy", NULL, NULL, KNOWN_INODE_ELSEWHERE},
	{"true", NULL, NULL, UNKNOWN, KNOWN_NOTHING},
	{"mv sub copy", "copy", NULL, NULL, KNOWN_NOTHING},
};

static bool is_on_disk(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return major(st.st_dev);
}

START_TEST(a_file_without_a_build_id_is_archived_only_if_it_is_no_secret)
{
	char *program = strdup(built_elf_path("sub/program"));
	const char *why = weak[_i].reason;
	struct archive_content content;
	char before[PATH_MAX];

	built_elf_source("a.c", "int main(void) { return 0; }\n");
	built_elf_run("chmod 755 . && mkdir sub && "
		      "${CC:-cc} -o sub/program a.c -Wl,--build-id=none");
	add_sample(program, weak[_i].known);
	if (why && ((!strcmp(why, PRIVATE) && geteuid()) ||
		    (!strcmp(why, MAPPED) && (geteuid() || is_on_disk(program)))))
		why = NULL;
	built_elf_run("%s", weak[_i].command);
	made.profile_options.image_path = weak[_i].image_path;
	made.profile_options.root = weak[_i].root;
	ck_assert_ptr_nonnull(getcwd(before, sizeof(before)));
	ck_assert_int_eq(chdir(built_elf_path(".")), 0);
	content = list_content("");
	ck_assert_int_eq(chdir(before), 0);
	ck_assert_int_eq(is_listed(program), !why);
	ck_assert_uint_eq(content.nr_binaries, !why);
	ck_assert_uint_eq(content.nr_missing, why != NULL);
	if (why)
		ck_assert_msg(strstr(reason, why) != NULL, "%s", reason);
	free(program);
}
END_TEST

/* Reports find such a binary by its build-id, too. */
START_TEST(a_binary_below_the_folder_of_debug_files_is_archived)
{
	struct archive_content content;
	char *root = strdup(built_elf_path("root"));

	built_elf_source("a.c", "int main(void) { return 0; }\n");
	built_elf_run("${CC:-cc} -o program a.c -Wl,--build-id=0x0123456789");
	add_sample_of(built_elf_path("program"));
	built_elf_run("mkdir -p root/usr/lib/debug/.build-id/01 && "
		      "mv program root/usr/lib/debug/.build-id/01/23456789");
	made.profile_options.root = root;
	content = list_content("");
	assert_listed(built_elf_path("program"));
	ck_assert_uint_eq(content.nr_binaries, 1);
	ck_assert_uint_eq(content.nr_missing, 0);
	free(root);
}
END_TEST

/* A debug file is searched for and opened by the helper, and then opened again for the archive. */
START_TEST(a_file_that_is_not_the_debug_file_that_was_read_is_not_archived)
{
	struct archive_content content;

	built_elf_source("a.c", "int main(void) { return 0; }\n");
	built_elf_run("${CC:-cc} -g -gsplit-dwarf -c a.c && ${CC:-cc} -o program a.o "
		      "-Wl,--build-id && cp a.dwo other.dwo");
	add_sample_of(built_elf_path("program"));
	after_debug_list = "ln -sf other.dwo a.dwo";
	content = list_content("");
	ck_assert_msg(!is_listed(built_elf_path("a.dwo")), "%s", list);
	assert_listed(built_elf_path("program"));
	ck_assert_uint_eq(content.nr_debug_files, 0);
	ck_assert_uint_eq(nr_skipped, 1);
	ck_assert_str_eq(skipped, built_elf_path("a.dwo"));
	ck_assert_msg(strstr(reason, "replaced") != NULL, "%s", reason);
}
END_TEST

/* Files that are still being written are left out, and folders in the folders of meta, too. */
START_TEST(files_of_the_meta_folder_and_of_its_folders_go_in)
{
	static const char *const names[] = {"file", "symbols/last", "symbols/first",
					    "unfinished.tmp1", "symbols/deep/file"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_session_meta(&session, names[i], "text", 4);
	add_sample_of("/missing/first");
	(void)list_content("");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/samples/current/meta/%s", session.dir,
			       names[i]);
		ck_assert_msg(is_listed(path) == (i < 3), "%s\n%s", names[i], list);
	}
}
END_TEST

/* Damages the first byte of the stacks of the slice at path. */
static void damage_stacks(const char *path)
{
	struct oprof_slice_header header;
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t byte;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
	ck_assert_int_eq(pread(fd, &byte, 1, (off_t)header.stacks.offset), 1);
	byte ^= 0xff;
	ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)header.stacks.offset), 1);
	ck_assert_int_eq(close(fd), 0);
}

/* Makes a slice of two applications whose stacks are damaged. */
static void make_damaged_slice(void)
{
	const struct make_slice_part parts[] = {
		{.file = {.app = "/missing/first"}, .key = 0x100, .nr_samples = 1},
		{.file = {.app = "/missing/last"}, .key = 0x100, .nr_samples = 1},
	};
	struct make_slice_head head = {
		.level = OPROF_SLICE_MINUTE, .epoch_first = 1, .epoch_last = 1};
	struct stack_tree stacks;
	uint64_t random = 1;
	char path[PATH_MAX];

	ck_assert_int_eq(stack_tree_init(&stacks), 0);
	make_stacks_fill(&stacks, &random, 100);
	head.stacks = &stacks;
	make_session_slice(&session, &head, parts, 2, path);
	stack_tree_deinit(&stacks);
	damage_stacks(path);
}

/* The slice is copied as it is, but the binaries of its callers are not known. */
START_TEST(a_slice_whose_stacks_are_damaged_is_reported)
{
	make_damaged_slice();
	(void)list_content("");
	ck_assert_uint_eq(nr_slices, 1);
	ck_assert_msg(strstr(list, "minute.1.1.slice\n") != NULL, "%s", list);
}
END_TEST

/* Its stacks are read for the binaries of callers, and again to copy those of the application. */
START_TEST(a_damaged_slice_that_is_selected_in_part_is_reported_once)
{
	make_damaged_slice();
	(void)list_content("image:/missing/first");
	ck_assert_uint_eq(nr_slices, 1);
	ck_assert_msg(!strstr(list, "minute.1.1.slice\n"), "%s", list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("archive_content");
	TCase *tests = tcase_create("archive_content");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, files_of_the_meta_folder_and_of_its_folders_go_in);
	tcase_add_test(tests, a_slice_whose_stacks_are_damaged_is_reported);
	tcase_add_test(tests, a_damaged_slice_that_is_selected_in_part_is_reported_once);
	tcase_add_loop_test(tests, a_file_that_is_not_the_profiled_binary_is_not_archived, 0,
			    sizeof(replaced) / sizeof(replaced[0]));
	tcase_add_loop_test(tests, a_file_without_a_build_id_is_archived_only_if_it_is_no_secret, 0,
			    sizeof(weak) / sizeof(weak[0]));
	tcase_add_test(tests, a_binary_below_the_folder_of_debug_files_is_archived);
	tcase_add_test(tests, a_file_that_is_not_the_debug_file_that_was_read_is_not_archived);
	tcase_add_test(tests, binaries_go_in_with_all_their_debug_files_and_missing_ones_are_told);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
