// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile archives: they grow beyond a limit, or take over the process that parses them, which then
 * sends what it likes.
 */
#include "pp/session/archive_unpack.h"

#include "lib/file.h"
#include "pp/session/archive_reader.h"
#include "pp/session/archive_stream.h"
#include "tests/fixture/test_folder.h"
#include "tests/fixture/thorough.h"

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARCHIVE "hostile.tar.zst"
#define MB	(UINT64_C(1) << 20)
#define ENTRY	UINT64_C(4096) /* counted for each file and folder */

static struct diag diag;

/* Called through the linker's --wrap. */
static int (*hostile_child)(int from, int to); /* replaces archive_stream_write() in the child */
static bool disk_is_full;
static unsigned int disk_gets_full; /* at this call; 0: never */

int __real_archive_stream_write(int from, int to);
int __wrap_archive_stream_write(int from, int to);
int __real_fstatvfs(int fd, struct statvfs *fs);
int __wrap_fstatvfs(int fd, struct statvfs *fs);

int __wrap_archive_stream_write(int from, int to)
{
	return hostile_child ? hostile_child(from, to) : __real_archive_stream_write(from, to);
}

int __wrap_fstatvfs(int fd, struct statvfs *fs)
{
	int result = __real_fstatvfs(fd, fs);

	if (disk_is_full || (disk_gets_full && !--disk_gets_full))
		fs->f_bavail = 1;
	return result;
}

static void setup(void)
{
	test_folder_setup();
	ck_assert_int_eq(mkdir("in", 0700), 0);
	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	ck_assert_int_eq(setenv("TMPDIR", "tmp", 1), 0);
	hostile_child = NULL;
	disk_is_full = false;
	disk_gets_full = 0;
	diag_clear(&diag);
}

static struct archive *tar_begin(void)
{
	struct archive *tar = archive_write_new();

	ck_assert_int_eq(archive_write_set_format_pax_restricted(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_add_filter_zstd(tar), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_filename(tar, ARCHIVE), ARCHIVE_OK);
	return tar;
}

/* Adds a file of zeros. */
static void tar_add(struct archive *tar, const char *name, uint64_t nr_bytes)
{
	static const char zeros[MB];
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (int64_t)nr_bytes);
	archive_entry_set_mtime(entry, 1000, 0);
	ck_assert_int_eq(archive_write_header(tar, entry), ARCHIVE_OK);
	archive_entry_free(entry);
	while (nr_bytes) {
		size_t nr = nr_bytes < sizeof(zeros) ? (size_t)nr_bytes : sizeof(zeros);

		ck_assert_int_eq(archive_write_data(tar, zeros, nr), (la_ssize_t)nr);
		nr_bytes -= nr;
	}
}

static void tar_end(struct archive *tar)
{
	ck_assert_int_eq(archive_write_free(tar), ARCHIVE_OK);
}

static void make_one(const char *name, uint64_t nr_bytes)
{
	struct archive *tar = tar_begin();

	tar_add(tar, name, nr_bytes);
	tar_end(tar);
}

static off_t size_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_size;
}

static off_t blocks_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_blocks;
}

/* Unpacks into a new folder "in". */
static int unpack(const struct archive_limits *limits)
{
	int fd = open(ARCHIVE, O_RDONLY | O_CLOEXEC);
	int error;

	ck_assert_int_eq(file_remove_tree("in"), 0);
	ck_assert_int_eq(mkdir("in", 0700), 0);
	diag_clear(&diag);
	error = archive_unpack(fd, ARCHIVE, "in", limits, &diag);
	ck_assert_int_eq(close(fd), 0);
	ck_assert(!error || diag.text[0]);
	return error;
}

static int unpack_by(int (*child)(int from, int to))
{
	int error;

	hostile_child = child;
	error = unpack(&archive_default_limits);
	hostile_child = NULL;
	return error;
}

static void assert_diag(const char *file, const char *text)
{
	ck_assert_str_eq(diag.file, file);
	ck_assert_msg(strstr(diag.text, text) != NULL, "\"%s\" lacks \"%s\"", diag.text, text);
}

/* ---- items that a child sends ---- */

struct sent {
	uint32_t type, nr_bytes;
	const char *bytes; /* less than nr_bytes: zeros follow */
};

static const struct sent *sent;
static size_t nr_sent;

static int send_all(int from, int to)
{
	static char zeros[ARCHIVE_DATA_BYTES_MAX + 1];
	int error = 0;

	(void)from;
	for (size_t i = 0; !error && i < nr_sent; i++) {
		const struct archive_item item = {.type = sent[i].type,
						  .nr_bytes = sent[i].nr_bytes};
		size_t nr = strlen(sent[i].bytes);

		memset(zeros, 0, sizeof(zeros));
		memcpy(zeros, sent[i].bytes, nr);
		error = file_write_all(to, &item, sizeof(item));
		if (!error)
			error = file_write_all(to, zeros, sent[i].nr_bytes);
	}
	return error;
}

static int unpack_sent(const struct sent *items, size_t nr)
{
	sent = items;
	nr_sent = nr;
	return unpack_by(send_all);
}

#define FILE_ITEM(name)                                                                            \
	{                                                                                          \
		ARCHIVE_ITEM_FILE, sizeof(name) - 1, name                                          \
	}

/* ---- limits ---- */

START_TEST(a_bomb_of_zeros_is_refused_and_leaves_nothing)
{
	struct archive_place place;

	make_one("usr/bin/bomb", 100 * MB);
	ck_assert_int_lt(size_of(ARCHIVE), 20000);
	ck_assert_int_eq(archive_place_open(&place, ARCHIVE, &diag), -EFBIG);
	assert_diag(ARCHIVE, "more than 6"); /* 64 MB, and some for the compressed size */
	assert_diag(ARCHIVE, "reached at \"usr/bin/bomb\"");
	assert_diag(ARCHIVE, "archive:FOLDER");
	ck_assert_int_eq(rmdir("tmp"), 0);
}
END_TEST

START_TEST(a_small_archive_may_unpack_to_64_mb)
{
	make_one("bomb", 64 * MB - ENTRY);
	ck_assert_int_eq(unpack(&archive_default_limits), 0);
	ck_assert_int_eq(size_of("in/bomb"), (off_t)(64 * MB - ENTRY));
}
END_TEST

START_TEST(an_archive_may_unpack_to_a_multiple_of_its_size)
{
	struct archive_limits limits = archive_default_limits;
	uint64_t compressed;

	make_one("bomb", MB - ENTRY);
	compressed = (uint64_t)size_of(ARCHIVE);
	limits.free_bytes = 0;
	limits.ratio = (unsigned int)((MB + compressed - 1) / compressed);
	ck_assert_int_eq(unpack(&limits), 0);
	limits.ratio--;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	limits.free_bytes = MB - limits.ratio * compressed;
	ck_assert_int_eq(unpack(&limits), 0);
	limits.free_bytes--;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
}
END_TEST

START_TEST(all_files_count_towards_the_limits)
{
	struct archive_limits limits = archive_default_limits;
	struct archive *tar = tar_begin();

	tar_add(tar, "a/b/one", MB);
	tar_add(tar, "a/c/two", MB);
	tar_end(tar);
	limits.bytes_max = 2 * MB + 5 * ENTRY;
	limits.nr_max = 5;
	limits.depth_max = 2;
	ck_assert_int_eq(unpack(&limits), 0);
	limits.bytes_max--;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 2 MB, the limit for all archives");
	assert_diag(ARCHIVE, "a/c/two");
	limits.bytes_max++;
	limits.nr_max--;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 4 files and folders");
	limits.nr_max++;
	limits.depth_max--;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 1 folders");
}
END_TEST

/* Adds a frame to the archive that readers skip. Its content is a hole of 1 MB. */
static void add_hole(void)
{
	static const unsigned char header[] = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0x10, 0};
	int fd = open(ARCHIVE, O_WRONLY | O_APPEND | O_CLOEXEC);

	ck_assert_int_eq(file_write_all(fd, header, sizeof(header)), 0);
	ck_assert_int_eq(ftruncate(fd, size_of(ARCHIVE) + (off_t)MB), 0);
	ck_assert_int_eq(close(fd), 0);
}

START_TEST(holes_in_the_archive_do_not_raise_its_limit)
{
	make_one("file", 10);
	add_hole();
	ck_assert_int_eq(unpack(&archive_default_limits), 0);
	make_one("bomb", 100 * MB);
	add_hole();
	if (blocks_of(ARCHIVE) * 512 >= (off_t)(MB / 2)) /* the file system has no holes */
		return;
	ck_assert_int_eq(unpack(&archive_default_limits), -EFBIG);
	assert_diag(ARCHIVE, "the limit for a compressed file of");
}
END_TEST

static int send_folders(int from, int to)
{
	static const struct sent items[] = {{ARCHIVE_ITEM_FOLDER, 1, "a"},
					    {ARCHIVE_ITEM_FOLDER, 1, "b"},
					    {ARCHIVE_ITEM_END, 0, ""}};

	sent = items;
	nr_sent = 3;
	return send_all(from, to);
}

START_TEST(folders_count_as_bytes_and_need_room)
{
	struct archive_limits limits = archive_default_limits;

	make_one("file", 10);
	hostile_child = send_folders;
	limits.bytes_max = 2 * ENTRY;
	ck_assert_int_eq(unpack(&limits), 0);
	limits.bytes_max--;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "reached at \"b\"");
	disk_gets_full = 3; /* the first is before the first entry */
	ck_assert_int_eq(unpack(&archive_default_limits), -ENOSPC);
	ck_assert_int_eq(access("in/a", F_OK), 0);
	ck_assert_int_eq(access("in/b", F_OK), -1);
}
END_TEST

START_TEST(a_full_disk_is_not_filled_up)
{
	struct archive_place place;

	make_one("file", 10);
	disk_is_full = true;
	ck_assert_int_eq(archive_place_open(&place, ARCHIVE, &diag), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(diag.text, "TMPDIR"));
	ck_assert_int_eq(rmdir("tmp"), 0);
	disk_is_full = false;
	ck_assert_int_eq(unpack(&archive_default_limits), 0);
}
END_TEST

START_TEST(times_are_kept)
{
	struct stat st;

	make_one("file", 10);
	ck_assert_int_eq(unpack(&archive_default_limits), 0);
	ck_assert_int_eq(stat("in/file", &st), 0);
	ck_assert_int_eq(st.st_mtim.tv_sec, 1000);
}
END_TEST

START_TEST(a_name_that_occurs_twice_is_refused)
{
	static const char *const seconds[][2] = {
		{"a/b", "contains \"a/b\" twice"},
		{"a/b/c", "contains \"a/b/c\" below a file"},
		{"a", "contains \"a\" twice"},
	};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		struct archive *tar = tar_begin();

		tar_add(tar, "a/b", 10);
		tar_add(tar, seconds[i][0], 10);
		tar_end(tar);
		ck_assert_int_eq(unpack(&archive_default_limits), -EILSEQ);
		assert_diag(ARCHIVE, seconds[i][1]);
		ck_assert_int_eq(size_of("in/a/b"), 10);
	}
}
END_TEST

START_TEST(a_folder_with_the_name_of_a_file_is_refused)
{
	static const struct sent items[] = {FILE_ITEM("a"), {ARCHIVE_ITEM_FOLDER, 1, "a"}};

	make_one("file", 10);
	ck_assert_int_eq(unpack_sent(items, 2), -EILSEQ);
	assert_diag(ARCHIVE, "contains \"a\" twice");
}
END_TEST

/* ---- the process that parses ---- */

static int crash(int from, int to)
{
	(void)from;
	(void)to;
	(void)signal(SIGSEGV, SIG_DFL); /* a sanitizer catches it */
	return raise(SIGSEGV);
}

static int end_early(int from, int to)
{
	(void)from;
	(void)to;
	return 0;
}

static int give_up(int from, int to)
{
	(void)from;
	(void)to;
	return -EIO;
}

static int be_killed(int from, int to)
{
	(void)from;
	(void)to;
	return raise(SIGKILL);
}

START_TEST(a_killed_process_is_not_said_to_use_much_time)
{
	make_one("file", 10);
	ck_assert_int_eq(unpack_by(be_killed), -EIO);
	assert_diag(ARCHIVE, "killed by SIGKILL (the machine may be out of memory)");
}
END_TEST

START_TEST(a_crash_while_parsing_is_an_error_that_names_the_archive)
{
	struct archive_place place;

	make_one("file", 10);
	hostile_child = crash;
	ck_assert_int_eq(archive_place_open(&place, ARCHIVE, &diag), -EILSEQ);
	assert_diag(ARCHIVE, "SIGSEGV");
	ck_assert_int_eq(rmdir("tmp"), 0);
	ck_assert_int_eq(unpack_by(end_early), -EILSEQ);
	assert_diag(ARCHIVE, "ended early");
	ck_assert_int_eq(unpack_by(give_up), -EIO);
	assert_diag(ARCHIVE, strerror(EIO));
}
END_TEST

static int spin(int from, int to)
{
	(void)from;
	(void)to;
	for (volatile unsigned int i = 1; i; i = 1)
		;
	return 0;
}

START_TEST(the_time_for_parsing_is_limited)
{
	struct archive_limits limits = archive_default_limits;

	make_one("file", 10);
	limits.seconds_base = 1;
	limits.wait_seconds = 1000; /* on a busy machine, a second of CPU takes long */
	limits.bytes_max = MB;
	hostile_child = spin;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 1 s of CPU");
}
END_TEST

static int spin_on(int from, int to)
{
	(void)signal(SIGXCPU, SIG_IGN);
	return spin(from, to);
}

START_TEST(the_time_for_parsing_is_limited_even_if_the_signal_is_ignored)
{
	struct archive_limits limits = archive_default_limits;

	make_one("file", 10);
	limits.seconds_base = 1;
	limits.wait_seconds = 1000; /* on a busy machine, a second of CPU takes long */
	limits.bytes_max = MB;
	hostile_child = spin_on;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 1 s of CPU (SIGKILL)");
}
END_TEST

static int take_memory(int from, int to)
{
	(void)from;
	(void)to;
	return mmap(NULL, archive_default_limits.memory_bytes + MB, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		       ? -ENOMEM
		       : 0;
}

START_TEST(the_memory_for_parsing_is_limited)
{
	if (OPROF_SANITIZED) /* the address space is not limited then */
		return;
	make_one("file", 10);
	ck_assert_int_eq(unpack_by(take_memory), -ENOMEM);
	assert_diag(ARCHIVE, "more than 512 MB of memory");
}
END_TEST

/* Each returns -EXDEV if it can do what no reader does, and 0 if this is refused. */

static int read_a_file(int from, int to)
{
	(void)from;
	(void)to;
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ? -EXDEV : 0;
}

static int create_a_file(int from, int to)
{
	(void)from;
	(void)to;
	return open("in/own", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 ? -EXDEV : 0;
}

static int make_a_socket(int from, int to)
{
	(void)from;
	(void)to;
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 ? -EXDEV : 0;
}

static int start_a_process(int from, int to)
{
	(void)from;
	(void)to;
	return fork() >= 0 ? -EXDEV : 0;
}

static pid_t reporter;

static int signal_the_parent(int from, int to)
{
	(void)from;
	(void)to;
	return kill(reporter, 0) ? 0 : -EXDEV;
}

static int map_code(int from, int to)
{
	(void)from;
	(void)to;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED
		       ? 0
		       : -EXDEV;
}

START_TEST(the_process_that_parses_has_no_rights)
{
	if (OPROF_SANITIZED) /* there is no seccomp filter then */
		return;
	make_one("file", 10);
	reporter = getpid();
	ck_assert_int_eq(unpack_by(read_a_file), -EILSEQ);
	assert_diag(ARCHIVE, "ended early"); /* C libraries try this, too: it is only refused */
	ck_assert_int_eq(unpack_by(create_a_file), -EILSEQ);
	assert_diag(ARCHIVE, "(SIGSYS): the archive may be an attack");
	ck_assert_int_eq(access("in/own", F_OK), -1);
	ck_assert_int_eq(unpack_by(make_a_socket), -EILSEQ);
	assert_diag(ARCHIVE, "SIGSYS");
	ck_assert_int_eq(unpack_by(start_a_process), -EILSEQ);
	assert_diag(ARCHIVE, "SIGSYS");
	ck_assert_int_eq(unpack_by(signal_the_parent), -EILSEQ);
	assert_diag(ARCHIVE, "SIGSYS");
	ck_assert_int_eq(unpack_by(map_code), -EILSEQ);
	assert_diag(ARCHIVE, "SIGSYS");
}
END_TEST

/* ---- what a process sends that an archive has taken over ---- */

START_TEST(items_are_taken_as_the_child_sends_them)
{
	static const struct sent items[] = {
		{ARCHIVE_ITEM_FOLDER, 4, "a/b/"}, FILE_ITEM("a/c"), {ARCHIVE_ITEM_DATA, 3, "one"},
		{ARCHIVE_ITEM_DATA, 3, "two"},	  FILE_ITEM("d"),   {ARCHIVE_ITEM_END, 0, ""}};

	make_one("file", 10);
	ck_assert_int_eq(unpack_sent(items, 6), 0);
	ck_assert_int_eq(size_of("in/a/c"), 6);
	ck_assert_int_eq(size_of("in/d"), 0);
	ck_assert_int_eq(access("in/a/b", F_OK), 0);
	ck_assert_int_eq(unpack_sent(items, 5), -EILSEQ);
	assert_diag(ARCHIVE, "ended early");
}
END_TEST

static int send_a_folder_again_and_again(int from, int to)
{
	static const struct sent item = {ARCHIVE_ITEM_FOLDER, 3, "a/b"};
	int error = 0;

	sent = &item;
	nr_sent = 1;
	while (!error)
		error = send_all(from, to);
	return error;
}

static int send_a_folder_four_times(int from, int to)
{
	static const struct sent items[] = {{ARCHIVE_ITEM_FOLDER, 3, "a/b"},
					    {ARCHIVE_ITEM_FOLDER, 3, "a/b"},
					    {ARCHIVE_ITEM_FOLDER, 4, "a/b/"},
					    {ARCHIVE_ITEM_FOLDER, 3, "a/b"},
					    {ARCHIVE_ITEM_END, 0, ""}};

	sent = items;
	nr_sent = 5;
	return send_all(from, to);
}

START_TEST(entries_that_create_nothing_count_towards_the_limit)
{
	struct archive_limits limits = archive_default_limits;

	make_one("file", 10);
	limits.nr_max = 5; /* and the folder "a" */
	hostile_child = send_a_folder_four_times;
	ck_assert_int_eq(unpack(&limits), 0);
	limits.nr_max = 4;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 4 files and folders");
	limits.nr_max = 20000;
	limits.free_bytes = (limits.nr_max + UINT64_C(1)) * ENTRY;
	hostile_child = send_a_folder_again_and_again;
	ck_assert_int_eq(unpack(&limits), -EFBIG);
	assert_diag(ARCHIVE, "more than 20000 files and folders");
}
END_TEST

START_TEST(invalid_items_are_refused)
{
	static const struct sent items[][2] = {
		{{0, 0, ""}},
		{{ARCHIVE_ITEM_END + 1, 0, ""}},
		{{ARCHIVE_ITEM_DATA, 1, "x"}},
		{{ARCHIVE_ITEM_FOLDER, 1, "a"}, {ARCHIVE_ITEM_DATA, 1, "x"}},
		{FILE_ITEM("a"), {ARCHIVE_ITEM_DATA, ARCHIVE_DATA_BYTES_MAX + 1, ""}},
		{FILE_ITEM("a"), {ARCHIVE_ITEM_DATA, 0, ""}},
		{{ARCHIVE_ITEM_FILE, 5, "name"}},
		{{ARCHIVE_ITEM_FILE, ARCHIVE_NAME_BYTES_MAX + 1, "x"}},
		{{ARCHIVE_ITEM_DAMAGED, ARCHIVE_TEXT_BYTES_MAX + 1, "x"}},
	};

	make_one("file", 10);
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		ck_assert_int_eq(unpack_sent(items[i], items[i][1].type ? 2 : 1), -EILSEQ);
		assert_diag(ARCHIVE, "sent an invalid answer");
	}
}
END_TEST

START_TEST(names_that_lead_out_of_the_folder_are_refused_whoever_sends_them)
{
	static const struct sent items[] = {FILE_ITEM(""),
					    FILE_ITEM("../outside"),
					    FILE_ITEM("/tmp/outside"),
					    FILE_ITEM("a/../b"),
					    FILE_ITEM("."),
					    {ARCHIVE_ITEM_FOLDER, 8, "../other"},
					    {ARCHIVE_ITEM_OTHER, 4, "link"}};

	make_one("file", 10);
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		ck_assert_int_eq(unpack_sent(&items[i], 1), -EILSEQ);
		assert_diag(ARCHIVE, items[i].bytes);
		ck_assert_int_eq(rmdir("in"), 0); /* "in" is empty */
		ck_assert_int_eq(mkdir("in", 0700), 0);
	}
	ck_assert_int_ne(access("outside", F_OK), 0);
	ck_assert_int_ne(access("other", F_OK), 0);
}
END_TEST

/* Waits for ever, by a call that the child may use. */
static void sleep_for_ever(void)
{
	static int word;

	for (;;)
		(void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static int end_and_sleep(int from, int to)
{
	int error = send_all(from, to);

	if (!error)
		sleep_for_ever();
	return error;
}

static int close_and_sleep(int from, int to)
{
	(void)from;
	(void)close(to);
	sleep_for_ever();
	return 0;
}

static int only_sleep(int from, int to)
{
	(void)from;
	(void)to;
	sleep_for_ever();
	return 0;
}

START_TEST(a_child_that_does_not_end_is_ended)
{
	static const struct sent items[] = {FILE_ITEM("a"), {ARCHIVE_ITEM_END, 0, ""}};
	struct archive_limits limits = archive_default_limits;

	make_one("file", 10);
	sent = items;
	nr_sent = 2;
	ck_assert_int_eq(unpack_by(end_and_sleep), 0);
	ck_assert_int_eq(size_of("in/a"), 0);
	ck_assert_int_eq(unpack_by(close_and_sleep), -EILSEQ);
	assert_diag(ARCHIVE, "ended early");
	limits.wait_seconds = 1;
	hostile_child = only_sleep;
	ck_assert_int_eq(unpack(&limits), -ETIMEDOUT);
	assert_diag(ARCHIVE, "waited for more than 1 s");
	while (waitpid(-1, NULL, 0) > 0) /* a killed child may end late on a busy machine */
		;
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* Sends an item that changes nothing, again and again. */
static int drip(int from, int to)
{
	static const struct sent item = {ARCHIVE_ITEM_FOLDER, 1, "a"};
	static const struct timespec tick = {.tv_nsec = 20 * 1000000};
	static int word;
	int error = 0;

	sent = &item;
	nr_sent = 1;
	while (!error) {
		error = send_all(from, to);
		(void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &tick, NULL, 0);
	}
	return error;
}

START_TEST(a_child_that_sends_a_little_again_and_again_is_ended)
{
	struct archive_limits limits = archive_default_limits;

	make_one("file", 10);
	limits.wait_seconds = 1;
	hostile_child = drip;
	ck_assert_int_eq(unpack(&limits), -ETIMEDOUT);
	assert_diag(ARCHIVE, "waited for more than 1 s in all");
	ck_assert_int_eq(access("in/a", F_OK), 0);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("archive_unpack");

	tcase_add_checked_fixture(tc, setup, test_folder_teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_bomb_of_zeros_is_refused_and_leaves_nothing);
	tcase_add_test(tc, a_small_archive_may_unpack_to_64_mb);
	tcase_add_test(tc, an_archive_may_unpack_to_a_multiple_of_its_size);
	tcase_add_test(tc, all_files_count_towards_the_limits);
	tcase_add_test(tc, holes_in_the_archive_do_not_raise_its_limit);
	tcase_add_test(tc, folders_count_as_bytes_and_need_room);
	tcase_add_test(tc, a_full_disk_is_not_filled_up);
	tcase_add_test(tc, times_are_kept);
	tcase_add_test(tc, a_name_that_occurs_twice_is_refused);
	tcase_add_test(tc, a_folder_with_the_name_of_a_file_is_refused);
	tcase_add_test(tc, a_crash_while_parsing_is_an_error_that_names_the_archive);
	tcase_add_test(tc, a_killed_process_is_not_said_to_use_much_time);
	tcase_add_test(tc, the_time_for_parsing_is_limited);
	tcase_add_test(tc, the_time_for_parsing_is_limited_even_if_the_signal_is_ignored);
	tcase_add_test(tc, the_memory_for_parsing_is_limited);
	tcase_add_test(tc, the_process_that_parses_has_no_rights);
	tcase_add_test(tc, items_are_taken_as_the_child_sends_them);
	tcase_add_test(tc, entries_that_create_nothing_count_towards_the_limit);
	tcase_add_test(tc, invalid_items_are_refused);
	tcase_add_test(tc, names_that_lead_out_of_the_folder_are_refused_whoever_sends_them);
	tcase_add_test(tc, a_child_that_does_not_end_is_ended);
	tcase_add_test(tc, a_child_that_sends_a_little_again_and_again_is_ended);
	return test_run(tc);
}
