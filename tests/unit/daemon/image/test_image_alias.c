// SPDX-License-Identifier: GPL-2.0-or-later
/* Which file a device and an inode stand for, and the names of mappings (region). */
#include "daemon/image/image_alias.h"
#include "daemon/image/region.h"
#include "daemon/image/vdso.h"
#include "lib/buildid.h"
#include "lib/clock.h"
#include "lib/file.h"
#include "tests/fixture/fake_proc.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static struct fake_proc proc;
static struct image_alias_table aliases;
static char path[FAKE_PROC_PATH_BYTES];
static uint64_t slow_ns; /* the time that passes between two readings of the clock; 0: real time */

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static uint64_t ns;

	if (!slow_ns)
		return (int)syscall(SYS_clock_gettime, clock, now);
	ns += slow_ns;
	*now = (struct timespec){(time_t)(ns / NS_PER_SECOND), (long)(ns % NS_PER_SECOND)};
	return 0;
}

static void setup(void)
{
	fake_proc_init(&proc);
	ck_assert_int_eq(image_alias_init(&aliases, proc.path), 0);
	snprintf(path, sizeof(path), "%s/file", proc.path);
}

static void teardown(void)
{
	image_alias_deinit(&aliases);
	fake_proc_deinit(&proc);
}

/* The name of the file at path as a record gives it. */
static struct file_name name_of(const char *file_path)
{
	struct stat st;

	ck_assert_int_eq(stat(file_path, &st), 0);
	return (struct file_name){.path = path,
				  .dev = image_alias_dev(major(st.st_dev), minor(st.st_dev)),
				  .inode = st.st_ino};
}

static struct oprof_image_identity identify(const struct file_name *file, const char *map_path,
					    uint64_t time_ns)
{
	struct oprof_image_identity identity;

	const struct mapped_file mapped = {*file, map_path};

	image_alias_identify(&aliases, &mapped, 10, time_ns, &identity);
	return identity;
}

/* Copy a program in place: the inode stays the same. */
static void copy_program(const char *from, const char *to)
{
	char *bytes;
	size_t nr_bytes;
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_read_text(from, 1 << 26, &bytes, &nr_bytes), 0);
	ck_assert_int_eq(file_write_all(fd, bytes, nr_bytes), 0);
	close(fd);
	free(bytes);
}

static void expect_build_id(const struct oprof_image_identity *identity, const char *of)
{
	struct buildid id;

	ck_assert_int_eq(buildid_read_file(of, &id), 0);
	ck_assert_uint_eq(identity->nr_build_id, id.nr_bytes);
	ck_assert_mem_eq(identity->build_id, id.bytes, id.nr_bytes);
	ck_assert_uint_eq(identity->inode, 0);
}

START_TEST(a_file_with_a_build_id_is_known_by_it)
{
	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);
	struct oprof_image_identity identity = identify(&file, NULL, SECOND);

	expect_build_id(&identity, "/bin/sh");
}
END_TEST

START_TEST(a_file_without_one_is_known_by_all_the_rest)
{
	struct oprof_image_identity identity;
	struct stat st;

	fake_proc_print(&proc, "file", "not ELF");
	struct file_name file = name_of(path);

	ck_assert_int_eq(stat(path, &st), 0);
	identity = identify(&file, NULL, SECOND);
	ck_assert_uint_eq(identity.nr_build_id, 0);
	ck_assert_uint_eq(identity.dev, file.dev);
	ck_assert_uint_eq(identity.inode, st.st_ino);
	ck_assert_uint_eq(identity.size_bytes, 7);
	ck_assert_int_eq(identity.mtime_ns, st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
}
END_TEST

START_TEST(another_file_of_that_path_is_not_looked_into)
{
	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);

	file.inode++;
	struct oprof_image_identity identity = identify(&file, NULL, SECOND);

	ck_assert_uint_eq(identity.nr_build_id, 0);
	ck_assert_uint_eq(identity.inode, file.inode);
	ck_assert_uint_eq(identity.size_bytes, 0);
	file = name_of(path);
	file.dev++;
	identity = identify(&file, NULL, SECOND);
	ck_assert_uint_eq(identity.nr_build_id, 0);
}
END_TEST

/* Whoever made the recording can name any file of this machine. */
START_TEST(files_that_a_recording_names_are_not_opened)
{
	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);
	struct oprof_image_identity identity;

	file.inode_generation = 5;
	aliases.names_only = true;
	identity = identify(&file, path, SECOND);
	ck_assert_uint_eq(identity.nr_build_id, 0);
	ck_assert_uint_eq(identity.size_bytes, 0);
	ck_assert_int_eq(identity.mtime_ns, 0);
	ck_assert_uint_eq(identity.dev, file.dev);
	ck_assert_uint_eq(identity.inode, file.inode);
	ck_assert_uint_eq(identity.inode_generation, 5);
}
END_TEST

START_TEST(a_file_rewritten_in_place_is_another_a_second_later)
{
	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);
	struct oprof_image_identity identity = identify(&file, NULL, SECOND);

	copy_program("/bin/ls", path);
	ck_assert_uint_eq(name_of(path).inode, file.inode);
	identity = identify(&file, NULL, 2 * SECOND - 1);
	expect_build_id(&identity, "/bin/sh");
	identity = identify(&file, NULL, 2 * SECOND);
	expect_build_id(&identity, "/bin/ls");
}
END_TEST

START_TEST(what_was_found_once_is_kept_when_the_file_goes)
{
	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);
	struct oprof_image_identity identity = identify(&file, NULL, SECOND);

	unlink(path);
	identity = identify(&file, NULL, 10 * SECOND);
	expect_build_id(&identity, "/bin/sh");
	/* An inode generation that is reported only later does not make it another file. */
	file.inode_generation = 5;
	identity = identify(&file, NULL, 10 * SECOND);
	expect_build_id(&identity, "/bin/sh");
}
END_TEST

START_TEST(a_file_of_another_mount_namespace_is_found_by_the_process_root)
{
	char inside[2 * FAKE_PROC_PATH_BYTES];

	snprintf(inside, sizeof(inside), "%s/10/root%s", proc.path, path);
	ck_assert_int_eq(file_make_parent_dirs(inside, 0700), 0);
	copy_program("/bin/ls", inside);
	struct file_name file = name_of(inside);
	struct oprof_image_identity identity = identify(&file, NULL, SECOND);

	expect_build_id(&identity, "/bin/ls");
}
END_TEST

START_TEST(a_deleted_file_is_found_by_the_mapping)
{
	char map_path[FAKE_PROC_PATH_BYTES];
	int fd;

	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);

	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	snprintf(map_path, sizeof(map_path), "/proc/self/fd/%d", fd);
	struct oprof_image_identity identity = identify(&file, map_path, SECOND);

	expect_build_id(&identity, "/bin/sh");
	close(fd);
}
END_TEST

/* The device differs from stat()'s, as on btrfs: the mapping must then link to that path. */
START_TEST(a_file_on_another_device_is_the_one_that_the_mapping_links_to)
{
	char map_path[FAKE_PROC_PATH_BYTES], detour[FAKE_PROC_PATH_BYTES + 8];

	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);

	file.dev++;
	snprintf(map_path, sizeof(map_path), "%s/map", proc.path);
	snprintf(detour, sizeof(detour), "%s/./file", proc.path);
	/* A map_files entry that is not a link, or links to another path, names no file. */
	ck_assert_int_eq(link(path, map_path), 0);
	ck_assert_uint_eq(identify(&file, map_path, SECOND).nr_build_id, 0);
	ck_assert_int_eq(unlink(map_path), 0);
	ck_assert_int_eq(symlink(detour, map_path), 0);
	ck_assert_uint_eq(identify(&file, map_path, 2 * SECOND).nr_build_id, 0);
	ck_assert_int_eq(unlink(map_path), 0);
	ck_assert_int_eq(symlink(path, map_path), 0);
	struct oprof_image_identity identity = identify(&file, map_path, 3 * SECOND);

	expect_build_id(&identity, "/bin/sh");
}
END_TEST

START_TEST(a_fifo_does_not_hold_it_up)
{
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	struct file_name file = name_of(path);
	struct oprof_image_identity identity = identify(&file, path, SECOND);

	ck_assert_uint_eq(identity.inode, file.inode);
	ck_assert_uint_eq(identity.size_bytes, 0);
}
END_TEST

START_TEST(many_files_do_not_pile_up)
{
	char name[64];

	for (uint64_t i = 1; i < 40000; i++) {
		struct file_name file = {.path = name, .dev = 1, .inode = i};

		snprintf(name, sizeof(name), "/no/%lu", (unsigned long)i);
		(void)identify(&file, NULL, SECOND);
	}
	ck_assert_uint_le(aliases.aliases.nr_nodes, 16384);
}
END_TEST

/* ---- names of mappings ---- */

static const struct {
	const char *told;
	enum oprof_image_kind kind;
	const char *path;
} names[] = {
	{"", OPROF_IMAGE_ANON, "anon"},
	{"//anon", OPROF_IMAGE_ANON, "anon"},
	{"[anon:name of glibc]", OPROF_IMAGE_ANON, "anon"},
	{"//toolong", OPROF_IMAGE_ANON, "toolong"},
	{"[heap]", OPROF_IMAGE_ANON, "[heap]"},
	{"[stack]", OPROF_IMAGE_ANON, "[stack]"},
	{"[stack:77]", OPROF_IMAGE_ANON, "[stack]"},
	{"[uprobes]", OPROF_IMAGE_ANON, "[uprobes]"},
	{"[vdso]", OPROF_IMAGE_VDSO, "[vdso]"},
	{"/memfd:a/b (deleted)", OPROF_IMAGE_ANON, "memfd:a_b"},
	{"/dev/zero", OPROF_IMAGE_ANON, "dev_zero"},
	{"/dev/dri/card0", OPROF_IMAGE_ANON, "dev_dri_card0"},
	{"/dev/shm/code", OPROF_IMAGE_FILE, "/dev/shm/code"},
	{"/SYSV0000 (deleted)", OPROF_IMAGE_ANON, "SYSV0000"},
	{"/anon_hugepage (deleted)", OPROF_IMAGE_ANON, "anon_hugepage"},
	{"/bin/a", OPROF_IMAGE_FILE, "/bin/a"},
	{"/bin/a (deleted)", OPROF_IMAGE_FILE, "/bin/a"},
	{" (deleted)", OPROF_IMAGE_ANON, " (deleted)"},
};

START_TEST(mappings_become_images_by_what_they_are_called)
{
	struct region_told told = {
		.start = 0x1000, .end = 0x3000, .file_offset = 0x500, .path = names[_i].told};
	struct image_table images;
	struct vdso vdso = {.nr_bytes = 0x2000, .identity = {.nr_build_id = 1}};
	struct region_maker maker = {&images, &aliases, &vdso};
	struct mapping mapping;

	ck_assert_int_eq(image_table_init(&images), 0);
	ck_assert_int_eq(region_make(&maker, &told, &mapping), 0);
	ck_assert_int_eq(mapping.image->image.kind, names[_i].kind);
	ck_assert_str_eq(mapping.image->image.path, names[_i].path);
	ck_assert_uint_eq(mapping.offset, names[_i].kind == OPROF_IMAGE_FILE ? 0x500 : 0);
	if (names[_i].kind == OPROF_IMAGE_VDSO) {
		/* The vdso of this size is ours; one of another size is not. */
		ck_assert_uint_eq(mapping.image->image.identity.nr_build_id, 1);
		told.end = 0x2000;
		ck_assert_int_eq(region_make(&maker, &told, &mapping), 0);
		ck_assert_uint_eq(mapping.image->image.identity.nr_build_id, 0);
	}
	image_table_deinit(&images);
}
END_TEST

START_TEST(a_memfd_that_is_a_program_is_a_file)
{
	struct region_told told = {.start = 0x1000,
				   .end = 0x3000,
				   .path = "/memfd:runc (deleted)",
				   .identity = {.build_id = {1}, .nr_build_id = 1}};
	struct image_table images;
	struct vdso vdso = {.nr_bytes = 0};
	struct region_maker maker = {&images, &aliases, &vdso};
	struct mapping mapping;

	ck_assert_int_eq(image_table_init(&images), 0);
	ck_assert_int_eq(region_make(&maker, &told, &mapping), 0);
	ck_assert_int_eq(mapping.image->image.kind, OPROF_IMAGE_FILE);
	told.identity.nr_build_id = 0;
	told.exec_image = true;
	ck_assert_int_eq(region_make(&maker, &told, &mapping), 0);
	ck_assert_int_eq(mapping.image->image.kind, OPROF_IMAGE_FILE);
	image_table_deinit(&images);
}
END_TEST

static struct slow_reader reader;

/* Process 10 has missed its deadline, so its files are not read. */
static struct unread_process reader_begin(void)
{
	static slow_work *const works[] = {image_alias_look};
	struct unread_process process;

	slow_reader_init(&reader, proc.path, works, 1);
	aliases.reader = &reader;
	unread_process_read(&process, proc.path, 10);
	ck_assert(unread_miss(&reader.unread, &process, 0, clock_monotonic_ns()));
	return process;
}

/* A result that is missing because the process was not read is not cached. */
START_TEST(a_reader_identifies_files_if_there_is_one)
{
	struct oprof_image_identity identity;
	const struct unread_process process = reader_begin();

	copy_program("/bin/sh", path);
	struct file_name file = name_of(path);

	identity = identify(&file, NULL, SECOND);
	ck_assert_uint_eq(identity.nr_build_id, 0);
	ck_assert_uint_eq(identity.inode, file.inode);
	ck_assert_uint_eq(reader.unread.nr_refused, 1);
	unread_good(&reader.unread, &process, 0);
	identity = identify(&file, NULL, 2 * SECOND);
	expect_build_id(&identity, "/bin/sh");
	slow_reader_deinit(&reader);
}
END_TEST

START_TEST(many_files_of_a_process_that_is_not_read_cost_one_refusal)
{
	struct mapped_file files[1000];
	char names_of_files[1000][16];
	struct oprof_image_identity identity;
	const struct unread_process process = reader_begin();

	for (unsigned int i = 0; i < 1000; i++) {
		(void)snprintf(names_of_files[i], sizeof(names_of_files[i]), "/bin/%u", i);
		files[i] = (struct mapped_file){.name = {names_of_files[i], 1, i + 1, 0}};
	}
	image_alias_prepare(&aliases, files, 1000, 10, SECOND);
	for (unsigned int i = 0; i < 1000; i++) {
		image_alias_identify(&aliases, &files[i], 10, SECOND, &identity);
		ck_assert_uint_eq(identity.inode, i + 1);
	}
	ck_assert_uint_eq(reader.unread.nr_refused, 1);
	copy_program("/bin/sh", path);
	struct mapped_file file = {.name = name_of(path)};

	image_alias_identify(&aliases, &file, 10, SECOND, &identity);
	ck_assert_uint_eq(identity.nr_build_id, 0);
	image_alias_identify(&aliases, &file, 11, SECOND, &identity); /* another process */
	expect_build_id(&identity, "/bin/sh");
	unread_good(&reader.unread, &process, 0);
	slow_reader_deinit(&reader);
}
END_TEST

/* Many files on a slow disk took so long that their process was not read any more. */
START_TEST(a_request_for_many_slow_files_ends_itself)
{
	struct mapped_file files[100];
	char names_of_files[100][16];
	struct oprof_image_identity identity;

	for (unsigned int i = 0; i < 100; i++) {
		(void)snprintf(names_of_files[i], sizeof(names_of_files[i]), "/bin/%u", i);
		files[i] = (struct mapped_file){.name = {names_of_files[i], 1, i + 1, 0}};
	}
	slow_ns = NS_PER_SECOND / 10;
	image_alias_prepare(&aliases, files, 100, 10, SECOND);
	ck_assert_uint_ge(aliases.aliases.nr_nodes, 9);
	ck_assert_uint_le(aliases.aliases.nr_nodes, 11);
	slow_ns = 10 * NS_PER_SECOND;
	for (unsigned int i = 0; i < 100; i++) {
		image_alias_identify(&aliases, &files[i], 10, SECOND, &identity);
		ck_assert_uint_eq(identity.inode, i + 1);
	}
	slow_ns = 0;
	ck_assert_uint_eq(aliases.aliases.nr_nodes, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("image_alias");
	TCase *tests = tcase_create("image_alias");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_reader_identifies_files_if_there_is_one);
	tcase_add_test(tests, a_request_for_many_slow_files_ends_itself);
	tcase_add_test(tests, many_files_of_a_process_that_is_not_read_cost_one_refusal);
	tcase_add_test(tests, a_file_with_a_build_id_is_known_by_it);
	tcase_add_test(tests, a_file_without_one_is_known_by_all_the_rest);
	tcase_add_test(tests, another_file_of_that_path_is_not_looked_into);
	tcase_add_test(tests, files_that_a_recording_names_are_not_opened);
	tcase_add_test(tests, a_file_rewritten_in_place_is_another_a_second_later);
	tcase_add_test(tests, what_was_found_once_is_kept_when_the_file_goes);
	tcase_add_test(tests, a_file_of_another_mount_namespace_is_found_by_the_process_root);
	tcase_add_test(tests, a_deleted_file_is_found_by_the_mapping);
	tcase_add_test(tests, a_file_on_another_device_is_the_one_that_the_mapping_links_to);
	tcase_add_test(tests, a_fifo_does_not_hold_it_up);
	tcase_add_test(tests, many_files_do_not_pile_up);
	tcase_add_loop_test(tests, mappings_become_images_by_what_they_are_called, 0,
			    sizeof(names) / sizeof(names[0]));
	tcase_add_test(tests, a_memfd_that_is_a_program_is_a_file);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
