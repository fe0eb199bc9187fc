// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

/* Returns the path of name in the test's folder, valid for the next three calls. */
static const char *in_folder(const char *name)
{
	static char paths[4][PATH_MAX + 256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	ck_assert_int_gt(snprintf(path, sizeof(paths[0]), "%s/%s", folder, name), 0);
	return path;
}

static void setup(void)
{
	const char *base = getenv("TMPDIR");

	ck_assert_int_gt(
		snprintf(folder, sizeof(folder), "%s/oprof-file-XXXXXX", base ? base : "/tmp"), 0);
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
	ck_assert_int_eq(file_remove_tree(folder), 0);
}

START_TEST(replace_then_read_gives_the_same_bytes)
{
	char *text = NULL;
	size_t nr_bytes = 0;

	ck_assert_int_eq(file_replace(in_folder("a"), "one\0two", 7, 0600), 0);
	ck_assert_int_eq(file_read_text(in_folder("a"), 100, &text, &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, 7);
	ck_assert_mem_eq(text, "one\0two", 8); /* including the NUL at the end */
	free(text);
}
END_TEST

START_TEST(read_refuses_a_file_above_the_bound_and_takes_one_at_it)
{
	static char big[20000];
	char *text = NULL;
	size_t nr_bytes = 0;

	memset(big, 'x', sizeof(big));
	ck_assert_int_eq(file_replace(in_folder("big"), big, sizeof(big), 0600), 0);
	ck_assert_int_eq(file_read_text(in_folder("big"), sizeof(big) - 1, &text, NULL), -EFBIG);
	ck_assert_ptr_null(text);
	ck_assert_int_eq(file_read_text(in_folder("big"), sizeof(big), &text, &nr_bytes), 0);
	ck_assert_uint_eq(nr_bytes, sizeof(big));
	ck_assert_mem_eq(text, big, sizeof(big));
	free(text);
}
END_TEST

START_TEST(read_works_where_stat_knows_no_size)
{
	char *text = NULL;
	size_t nr_bytes = 0;

	ck_assert_int_eq(file_read_text("/proc/self/status", 1 << 20, &text, &nr_bytes), 0);
	ck_assert_uint_gt(nr_bytes, 0);
	ck_assert_ptr_nonnull(strstr(text, "Pid:"));
	free(text);
}
END_TEST

START_TEST(read_of_a_missing_file_or_a_folder_fails_and_leaves_the_result_alone)
{
	char *text = NULL;

	ck_assert_int_eq(file_read_text(in_folder("none"), 100, &text, NULL), -ENOENT);
	ck_assert_int_eq(file_read_text(folder, 100, &text, NULL), -EISDIR);
	ck_assert_ptr_null(text);
}
END_TEST

START_TEST(what_is_no_regular_file_is_not_opened_and_not_waited_for)
{
	char *text;
	int fd;

	ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
	ck_assert_int_eq(file_open_regular(in_folder("pipe")), -EINVAL);
	ck_assert_int_eq(file_open_regular("/dev/zero"), -EINVAL);
	ck_assert_int_eq(file_open_regular("."), -EINVAL);
	ck_assert_int_eq(file_open_regular(in_folder("missing")), -ENOENT);
	ck_assert_int_eq(file_read_regular(in_folder("pipe"), 100, &text, NULL), -EINVAL);
	ck_assert_int_eq(file_replace(in_folder("file"), "text", 4, 0600), 0);
	fd = file_open_regular(in_folder("file"));
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(close(fd), 0);
	ck_assert_int_eq(file_read_regular(in_folder("file"), 100, &text, NULL), 0);
	ck_assert_str_eq(text, "text");
	free(text);
}
END_TEST

START_TEST(replace_that_fails_leaves_the_old_file_and_no_temporary_one)
{
	char *text = NULL;

	ck_assert_int_eq(file_make_dirs(in_folder("d/full"), 0700), 0);
	/* A file cannot replace a folder that is not empty. */
	ck_assert_int_eq(file_replace(in_folder("d/full/x"), "old", 3, 0600), 0);
	ck_assert_int_lt(file_replace(in_folder("d/full"), "new", 3, 0600), 0);
	ck_assert_int_eq(file_read_text(in_folder("d/full/x"), 10, &text, NULL), 0);
	ck_assert_str_eq(text, "old");
	free(text);
	ck_assert_int_eq(unlink(in_folder("d/full/x")), 0);
	ck_assert_int_eq(rmdir(in_folder("d/full")), 0);
	ck_assert_int_eq(rmdir(in_folder("d")), 0); /* empty: no temporary file was left */
}
END_TEST

START_TEST(replace_does_not_write_through_a_link_left_at_its_temporary_name)
{
	char link[PATH_MAX + 256];
	char *text = NULL;

	ck_assert_int_eq(file_replace(in_folder("victim"), "safe", 4, 0600), 0);
	ck_assert_int_gt(snprintf(link, sizeof(link), "%s.%d.tmp", in_folder("a"), (int)getpid()),
			 0);
	ck_assert_int_eq(symlink(in_folder("victim"), link), 0);
	ck_assert_int_eq(file_replace(in_folder("a"), "new", 3, 0600), 0);
	ck_assert_int_eq(file_read_text(in_folder("victim"), 10, &text, NULL), 0);
	ck_assert_str_eq(text, "safe");
	free(text);
}
END_TEST

START_TEST(make_dirs_makes_every_part_and_minds_none_that_is_there)
{
	struct stat st;

	ck_assert_int_eq(file_make_dirs(in_folder("x//y/z/"), 0700), 0);
	ck_assert_int_eq(file_make_dirs(in_folder("x/y/z"), 0700), 0);
	ck_assert_int_eq(stat(in_folder("x/y/z"), &st), 0);
	ck_assert(S_ISDIR(st.st_mode));
	ck_assert_int_eq(file_make_parent_dirs(in_folder("p/q/file"), 0700), 0);
	ck_assert_int_eq(stat(in_folder("p/q"), &st), 0);
	ck_assert_int_eq(stat(in_folder("p/q/file"), &st), -1);
	ck_assert_int_eq(file_make_parent_dirs("no_folder_in_it", 0700), 0);
}
END_TEST

START_TEST(make_dirs_refuses_a_file_in_the_way_an_empty_and_an_endless_path)
{
	static char endless[2 * PATH_MAX];

	ck_assert_int_eq(file_replace(in_folder("f"), "", 0, 0600), 0);
	ck_assert_int_eq(file_make_dirs(in_folder("f"), 0700), -ENOTDIR);
	ck_assert_int_eq(file_make_dirs(in_folder("f/g"), 0700), -ENOTDIR);
	ck_assert_int_eq(file_make_dirs("", 0700), -EINVAL);
	memset(endless, 'a', sizeof(endless) - 1);
	ck_assert_int_eq(file_make_dirs(endless, 0700), -ENAMETOOLONG);
	memset(endless, '/', sizeof(endless) - 1);
	ck_assert_int_eq(file_make_parent_dirs(endless, 0700), -ENAMETOOLONG);
}
END_TEST

START_TEST(remove_tree_takes_links_but_not_what_they_lead_to)
{
	struct stat st;

	ck_assert_int_eq(file_make_dirs(in_folder("keep"), 0700), 0);
	ck_assert_int_eq(file_replace(in_folder("keep/x"), "x", 1, 0600), 0);
	ck_assert_int_eq(file_make_dirs(in_folder("tree/deep"), 0700), 0);
	ck_assert_int_eq(symlink(in_folder("keep"), in_folder("tree/link")), 0);
	ck_assert_int_eq(file_remove_tree(in_folder("tree")), 0);
	ck_assert_int_eq(stat(in_folder("tree"), &st), -1);
	ck_assert_int_eq(stat(in_folder("keep/x"), &st), 0);
	ck_assert_int_eq(file_remove_tree(in_folder("tree")), -ENOENT);
}
END_TEST

/* Few descriptors suffice for any depth. */
START_TEST(remove_tree_is_not_limited_by_depth)
{
	struct rlimit before, few;
	struct stat st;
	int dir;

	ck_assert_int_eq(file_make_dirs(in_folder("tree"), 0700), 0);
	dir = open(in_folder("tree"), O_RDONLY | O_DIRECTORY);
	for (unsigned int i = 0; i < 1200; i++) {
		int file, sub;

		ck_assert_int_eq(mkdirat(dir, "d", 0700), 0);
		file = openat(dir, "f", O_WRONLY | O_CREAT, 0600);
		ck_assert_int_ge(file, 0);
		(void)close(file);
		sub = openat(dir, "d", O_RDONLY | O_DIRECTORY);
		ck_assert_int_ge(sub, 0);
		(void)close(dir);
		dir = sub;
	}
	(void)close(dir);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){32, before.rlim_max};
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq(file_remove_tree(in_folder("tree")), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(stat(in_folder("tree"), &st), -1);
}
END_TEST

/* Rights mean nothing to root. */
static void become_other(void)
{
	if (geteuid())
		return;
	ck_assert_int_eq(chown(folder, 65534, 65534), 0);
	ck_assert_int_eq(seteuid(65534), 0);
}

static void become_self(void)
{
	ck_assert_int_eq(seteuid(getuid()), 0);
}

START_TEST(remove_tree_takes_an_empty_folder_that_cannot_be_read)
{
	become_other();
	ck_assert_int_eq(file_make_dirs(in_folder("tree/x"), 0700), 0);
	ck_assert_int_eq(chmod(in_folder("tree/x"), 0), 0);
	ck_assert_int_eq(file_remove_tree(in_folder("tree")), 0);
	become_self();
}
END_TEST

/* As rm -r does: the first error is returned, and the rest is removed. */
START_TEST(remove_tree_goes_on_after_an_error)
{
	struct stat st;

	become_other();
	for (unsigned int i = 0; i < 300; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "tree/%u/b", i);
		ck_assert_int_eq(file_make_dirs(in_folder(name), 0700), 0);
	}
	ck_assert_int_eq(file_make_dirs(in_folder("tree/x/y"), 0700), 0);
	ck_assert_int_eq(chmod(in_folder("tree/x"), 0), 0);
	ck_assert_int_eq(file_remove_tree(in_folder("tree")), -EACCES);
	ck_assert_int_eq(chmod(in_folder("tree/x"), 0700), 0);
	ck_assert_int_eq(stat(in_folder("tree/x/y"), &st), 0);
	ck_assert_int_eq(rmdir(in_folder("tree/x/y")), 0);
	ck_assert_int_eq(rmdir(in_folder("tree/x")), 0);
	ck_assert_int_eq(rmdir(in_folder("tree")), 0); /* nothing else is left */
	become_self();
}
END_TEST

static volatile bool swap_begins, swap_ends;

/* What another user does who may rename the parts of a tree. */
static void *swap_until_end(void *paths)
{
	const char *const *path = paths;

	for (; !swap_ends; swap_begins = true)
		(void)renameat2(AT_FDCWD, path[0], AT_FDCWD, path[1], RENAME_EXCHANGE);
	return NULL;
}

START_TEST(remove_tree_is_not_led_elsewhere_by_a_folder_that_becomes_a_link)
{
	static char sub[PATH_MAX + 256], link[PATH_MAX + 256], below[PATH_MAX + 256];
	char *paths[] = {sub, link};
	struct stat st;

	ck_assert_int_eq(file_make_dirs(in_folder("keep"), 0700), 0);
	ck_assert_int_eq(file_replace(in_folder("keep/x"), "x", 1, 0600), 0);
	strcpy(sub, in_folder("tree/sub"));
	strcpy(link, in_folder("link"));
	strcpy(below, in_folder("tree/sub/sub"));
	for (unsigned int i = 0; i < 200; i++) {
		pthread_t thread;

		/* Two levels: the removal goes into the folder. */
		ck_assert_int_eq(file_make_dirs(below, 0700), 0);
		ck_assert_int_eq(symlink(in_folder("keep"), link), 0);
		swap_begins = swap_ends = false;
		ck_assert_int_eq(pthread_create(&thread, NULL, swap_until_end, paths), 0);
		while (!swap_begins)
			(void)sched_yield();
		(void)file_remove_tree(in_folder("tree")); /* it may meet what has just changed */
		swap_ends = true;
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		ck_assert_int_eq(stat(in_folder("keep/x"), &st), 0);
		(void)file_remove_tree(in_folder("tree"));
		(void)file_remove_tree(link);
	}
}
END_TEST

START_TEST(pread_is_short_at_the_end_of_the_file_only)
{
	char buf[8] = "";
	int fd;

	ck_assert_int_eq(file_replace(in_folder("a"), "123456", 6, 0600), 0);
	fd = open(in_folder("a"), O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_pread_all(fd, buf, 4, 0), 4);
	ck_assert_mem_eq(buf, "1234", 4);
	ck_assert_int_eq(file_pread_all(fd, buf, 8, 4), 2);
	ck_assert_mem_eq(buf, "56", 2);
	ck_assert_int_eq(file_pread_all(fd, buf, 8, 6), 0);
	close(fd);
	ck_assert_int_eq(file_pread_all(fd, buf, 8, 0), -EBADF);
}
END_TEST

static void on_signal(int signal_number)
{
	(void)signal_number;
}

#define PIPE_LOAD_BYTES ((size_t)4 << 20)

struct slow_reader {
	int fd;
	pthread_t writer;
	size_t nr_bytes;
	bool wrong;
};

/* Empties a pipe in small parts and interrupts the writer after each. */
static void *read_slowly(void *context)
{
	struct slow_reader *reader = context;
	char bite[30000];
	ssize_t nr;

	while ((nr = read(reader->fd, bite, sizeof(bite))) > 0) {
		for (ssize_t i = 0; i < nr; i++)
			reader->wrong |= bite[i] != (char)((reader->nr_bytes + (size_t)i) % 251);
		reader->nr_bytes += (size_t)nr;
		if (reader->nr_bytes < PIPE_LOAD_BYTES)
			pthread_kill(reader->writer, SIGUSR1);
	}
	return NULL;
}

START_TEST(write_all_writes_all_through_signals_and_short_writes)
{
	struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */
	struct slow_reader reader = {.writer = pthread_self()};
	char *load = malloc(PIPE_LOAD_BYTES);
	pthread_t thread;
	int fds[2];

	ck_assert_ptr_nonnull(load);
	for (size_t i = 0; i < PIPE_LOAD_BYTES; i++)
		load[i] = (char)(i % 251);
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(pipe(fds), 0);
	reader.fd = fds[0];
	ck_assert_int_eq(pthread_create(&thread, NULL, read_slowly, &reader), 0);
	ck_assert_int_eq(file_write_all(fds[1], load, PIPE_LOAD_BYTES), 0);
	close(fds[1]);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(reader.nr_bytes, PIPE_LOAD_BYTES);
	ck_assert(!reader.wrong);
	close(fds[0]);
	free(load);
}
END_TEST

START_TEST(write_all_tells_a_full_device)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, "x", 1), -ENOSPC);
	close(fd);
}
END_TEST

START_TEST(flush_returns_why_a_stream_could_not_be_written)
{
	char text[2 * BUFSIZ] = "";
	FILE *out = fopen("/dev/full", "we");

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(file_flush(out), 0);
	ck_assert_uint_eq(fwrite("x", 1, 1, out), 1);
	ck_assert_int_eq(file_flush(out), -ENOSPC);
	/* The first write fails before the flush, and what is left fails with it. */
	(void)fwrite(text, 1, sizeof(text), out);
	ck_assert_int_ne(ferror(out), 0);
	ck_assert_uint_eq(fwrite("x", 1, 1, out), 1);
	errno = 0;
	ck_assert_int_eq(file_flush(out), -ENOSPC);
	(void)fclose(out);
	out = fopen("/dev/full", "we");
	ck_assert_ptr_nonnull(out);
	(void)setvbuf(out, NULL, _IONBF, 0);
	ck_assert_uint_eq(fwrite("x", 1, 1, out), 0);
	ck_assert_int_eq(file_flush(out), -EIO);
	(void)fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("file");
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, replace_then_read_gives_the_same_bytes);
	tcase_add_test(tc, read_refuses_a_file_above_the_bound_and_takes_one_at_it);
	tcase_add_test(tc, read_works_where_stat_knows_no_size);
	tcase_add_test(tc, read_of_a_missing_file_or_a_folder_fails_and_leaves_the_result_alone);
	tcase_add_test(tc, what_is_no_regular_file_is_not_opened_and_not_waited_for);
	tcase_add_test(tc, replace_that_fails_leaves_the_old_file_and_no_temporary_one);
	tcase_add_test(tc, replace_does_not_write_through_a_link_left_at_its_temporary_name);
	tcase_add_test(tc, make_dirs_makes_every_part_and_minds_none_that_is_there);
	tcase_add_test(tc, make_dirs_refuses_a_file_in_the_way_an_empty_and_an_endless_path);
	tcase_add_test(tc, remove_tree_is_not_limited_by_depth);
	tcase_add_test(tc, remove_tree_takes_an_empty_folder_that_cannot_be_read);
	tcase_add_test(tc, remove_tree_goes_on_after_an_error);
	tcase_add_test(tc, remove_tree_is_not_led_elsewhere_by_a_folder_that_becomes_a_link);
	tcase_add_test(tc, remove_tree_takes_links_but_not_what_they_lead_to);
	tcase_add_test(tc, pread_is_short_at_the_end_of_the_file_only);
	tcase_add_test(tc, write_all_writes_all_through_signals_and_short_writes);
	tcase_add_test(tc, write_all_tells_a_full_device);
	tcase_add_test(tc, flush_returns_why_a_stream_could_not_be_written);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
