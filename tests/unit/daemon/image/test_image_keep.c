// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to a real keeper, with a /proc of the test's own, and their results. */
#include "daemon/image/image_keep.h"

#include "daemon/image/image_alias.h"
#include "lib/buildid.h"
#include "lib/file.h"
#include "libdb/sample_name.h"
#include "tests/fixture/test_folder.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECOND	UINT64_C(1000000000)
#define ADDRESS UINT64_C(0x401000)
#define PID	10
#define PARENT	9

static struct image_table images;
static struct image_keep keep;
static struct image_entry *entry;
static char here[PATH_MAX];
static uint64_t now_ns; /* the time given to the keep, far from the clock's */
static const int32_t pids[KEEPER_PIDS] = {PID, PARENT};

static void copy_file(const char *from, const char *to)
{
	char *bytes;
	size_t nr_bytes;

	ck_assert_int_eq(file_make_parent_dirs(to, 0700), 0);
	ck_assert_int_eq(file_read_text(from, 256 << 20, &bytes, &nr_bytes), 0);
	ck_assert_int_eq(file_replace(to, bytes, nr_bytes, 0700), 0);
	free(bytes);
}

/* An image named path whose file is at content. */
static struct image_entry *image_of(const char *path, const char *content, bool by_build_id)
{
	struct oprof_image_identity identity = {.nr_build_id = 0};
	struct image_key key = {.kind = OPROF_IMAGE_FILE, .path = path, .identity = &identity};
	struct buildid id;
	struct stat st;
	struct image_entry *made;

	ck_assert_int_eq(stat(content, &st), 0);
	identity.dev = image_alias_dev(major(st.st_dev), minor(st.st_dev));
	identity.inode = st.st_ino;
	if (by_build_id && !buildid_read_file(content, &id)) {
		memcpy(identity.build_id, id.bytes, sizeof(id.bytes));
		identity.nr_build_id = id.nr_bytes;
	}
	made = image_table_get(&images, &key);
	ck_assert_ptr_nonnull(made);
	ck_assert_uint_ne(image_tell(made), OPROF_IMAGE_NONE);
	return made;
}

static void setup(void)
{
	test_folder_setup();
	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	ck_assert_int_eq(file_make_dirs("proc/10/map_files", 0700), 0);
	ck_assert_int_eq(file_make_dirs("proc/9", 0700), 0);
	ck_assert_int_eq(file_make_dirs("box/bin", 0700), 0);
	ck_assert_int_eq(file_make_dirs("meta", 0700), 0);
	copy_file("/proc/self/exe", "box/bin/program");
	ck_assert_int_eq(image_table_init(&images), 0);
	image_keep_init(&keep, &images, "proc");
	image_keep_folder(&keep, "meta");
	now_ns = 1000 * SECOND;
	entry = image_of("/bin/program", "box/bin/program", true);
}

static void teardown(void)
{
	image_keep_deinit(&keep);
	image_table_deinit(&images);
	test_folder_teardown();
}

/*
 * The clock, which begins at boot, decides whether the keeper hangs: a keeper
 * that was asked before the clock reached now_ns would seem to hang.
 */
static void tend(void)
{
	keep.answered_ns = now_ns;
	image_keep_tend(&keep, now_ns);
}

/* Ask and wait for the answer. fd: the file itself, or -1. */
static void ask_with(struct image_entry *image, uint64_t address, int fd)
{
	uint64_t asked_ns;

	image_keep_want(&keep, image, pids, address, fd, now_ns);
	asked_ns = image->keep_due_ns;
	for (int i = 0; i < 10000 && image->keep_due_ns == asked_ns; i++) {
		(void)poll(NULL, 0, 1);
		tend();
	}
	ck_assert_uint_ne(image->keep_due_ns, asked_ns);
}

static void ask(struct image_entry *image)
{
	ask_with(image, ADDRESS, -1);
}

static bool is_kept(const struct image_entry *image, struct stat *st)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "meta/images/%016" PRIx64,
		       sample_identity(&image->image.identity));
	return !stat(path, st);
}

static void check_kept(const struct image_entry *image)
{
	struct buildid id;
	char path[PATH_MAX];
	struct stat st;

	ck_assert(is_kept(image, &st));
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_uint_eq(image->keep_due_ns, UINT64_MAX);
	ck_assert_uint_eq(keep.counters.kept, 1);
	ck_assert_uint_eq(keep.counters.wanted, 1);
	(void)snprintf(path, sizeof(path), "meta/images/%016" PRIx64,
		       sample_identity(&image->image.identity));
	ck_assert_int_eq(buildid_read_file(path, &id), 0);
}

START_TEST(a_binary_in_the_root_of_its_process_is_kept)
{
	struct stat st;

	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	check_kept(entry);
	ck_assert(is_kept(entry, &st));
	ck_assert_int_gt(st.st_size, 0);
}
END_TEST

START_TEST(a_binary_in_the_root_of_a_parent_is_kept)
{
	ck_assert_int_eq(symlink("../../box", "proc/9/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(a_binary_that_only_the_mapping_leads_to_is_kept)
{
	char maps[256];
	int nr = snprintf(maps, sizeof(maps),
			  "400000-401000 r--p 0 0:0 1 /x\n401000-402000 r-xp 0 0:0 1 /x\n");

	ck_assert_int_eq(file_replace("proc/10/maps", maps, (size_t)nr, 0600), 0);
	ck_assert_int_eq(symlink("../../../box/bin/program", "proc/10/map_files/401000-402000"), 0);
	image_keep_start(&keep);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(a_mapping_is_found_by_the_path_of_its_file_where_its_address_is_not_known)
{
	char maps[512];
	int nr = snprintf(maps, sizeof(maps),
			  "300000-301000 r-xp 0 0:0 1 /bin/programs\n"
			  "400000-401000 r-xp 0 0:0 0 \n"
			  "401000-402000 r-xp 0 0:0 1 /bin/program (deleted)\n");

	ck_assert_int_eq(file_replace("proc/10/maps", maps, (size_t)nr, 0600), 0);
	ck_assert_int_eq(symlink("../../../box/bin/program", "proc/10/map_files/401000-402000"), 0);
	image_keep_start(&keep);
	ask_with(entry, 0, -1);
	check_kept(entry);
}
END_TEST

START_TEST(a_binary_that_came_along_is_kept_though_nobody_has_it_any_more)
{
	int fd = open("box/bin/program", O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(unlink("box/bin/program"), 0);
	image_keep_start(&keep);
	ask_with(entry, 0, fd);
	(void)close(fd);
	check_kept(entry);
}
END_TEST

START_TEST(another_file_that_came_along_is_not_taken)
{
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	struct stat st;

	image_keep_start(&keep);
	ask_with(entry, 0, fd);
	(void)close(fd);
	ck_assert(!is_kept(entry, &st));
	ck_assert_uint_eq(keep.counters.wanted, 1);
}
END_TEST

START_TEST(a_program_that_only_exe_leads_to_is_kept)
{
	ck_assert_int_eq(symlink("../../box/bin/program", "proc/10/exe"), 0);
	image_keep_start(&keep);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(a_binary_without_build_id_is_known_by_its_inode)
{
	entry = image_of("/bin/program", "box/bin/program", false);
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(another_file_of_that_path_is_not_taken)
{
	struct stat st;

	copy_file("/bin/sh", "root2/bin/program");
	ck_assert_int_eq(symlink("../../root2", "proc/10/root"), 0);
	ck_assert_int_eq(symlink("../../root2/bin/program", "proc/10/exe"), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert(!is_kept(entry, &st));
	ck_assert_uint_eq(keep.counters.wanted, 1);
	ck_assert_uint_eq(keep.counters.kept, 0);
	ask(image_of("/bin/program", "box/bin/program", false));
	ck_assert_uint_eq(keep.counters.kept, 0);
}
END_TEST

START_TEST(links_of_a_container_do_not_lead_out_of_it)
{
	struct stat st;
	char target[PATH_MAX + 16];

	(void)snprintf(target, sizeof(target), "%s/box/bin/program", here);
	ck_assert_int_eq(file_make_dirs("root2/bin", 0700), 0);
	ck_assert_int_eq(symlink(target, "root2/bin/program"), 0);
	ck_assert_int_eq(symlink("../../root2", "proc/10/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert(!is_kept(entry, &st));
}
END_TEST

START_TEST(what_reports_find_is_not_kept_but_looked_for_again)
{
	char path[PATH_MAX + 16];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/box/bin/program", here);
	entry = image_of(path, "box/bin/program", true);
	image_keep_start(&keep);
	ask(entry);
	ck_assert(!is_kept(entry, &st));
	ck_assert_uint_eq(keep.counters.wanted, 0);
	ck_assert_uint_gt(entry->keep_due_ns, now_ns + 5 * SECOND);
	ck_assert_uint_lt(entry->keep_due_ns, now_ns + 120 * SECOND);
	/* The program is deleted while it runs. */
	ck_assert_int_eq(rename("box/bin/program", "elsewhere"), 0);
	ck_assert_int_eq(symlink("../../elsewhere", "proc/10/exe"), 0);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(a_process_that_is_gone_leaves_it_to_the_next)
{
	struct stat st;
	uint64_t pause_ns = 0;

	image_keep_start(&keep);
	for (int i = 0; i < 20; i++) {
		ask(entry);
		ck_assert_uint_ge(entry->keep_due_ns - now_ns, pause_ns);
		pause_ns = entry->keep_due_ns - now_ns;
		ck_assert_uint_le(pause_ns, 60 * SECOND);
		now_ns += pause_ns;
	}
	ck_assert(!is_kept(entry, &st));
	ck_assert_uint_eq(keep.counters.wanted, 1);
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(what_is_no_elf_file_is_counted_and_left)
{
	static const char text[] = "#!/bin/sh\n";
	struct stat st;

	ck_assert_int_eq(file_replace("box/bin/script", text, sizeof(text) - 1, 0700), 0);
	entry = image_of("/bin/script", "box/bin/script", true);
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert(!is_kept(entry, &st));
	ck_assert_uint_eq(keep.counters.unreadable, 1);
	ck_assert_uint_eq(entry->keep_due_ns, UINT64_MAX);
}
END_TEST

START_TEST(a_fifo_or_device_in_its_place_is_not_opened)
{
	struct stat st;

	ck_assert_int_eq(unlink("box/bin/program"), 0);
	ck_assert_int_eq(mkfifo("box/bin/program", 0600), 0);
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	ck_assert_int_eq(symlink("/dev/tty", "proc/10/exe"), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert(!is_kept(entry, &st));
}
END_TEST

START_TEST(a_new_session_gets_what_it_lacks_and_nothing_twice)
{
	struct stat first, second;

	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert(is_kept(entry, &first));
	/* The session has another folder, which shares the files. */
	ck_assert_int_eq(rename("meta", "saved"), 0);
	ck_assert_int_eq(file_make_dirs("meta/images", 0700), 0);
	image_keep_folder(&keep, "meta");
	ck_assert_uint_eq(entry->keep_due_ns, 0);
	ask(entry);
	ck_assert(is_kept(entry, &second));
	ck_assert_uint_ne(second.st_ino, first.st_ino);
	image_keep_folder(&keep, "meta");
	ck_assert_uint_eq(entry->keep_due_ns, UINT64_MAX);
	image_table_keep_again(&images);
	ask(entry);
	ck_assert(is_kept(entry, &first));
	ck_assert_uint_eq(second.st_ino, first.st_ino);
}
END_TEST

START_TEST(what_is_beyond_the_bound_of_a_session_is_counted_and_left)
{
	struct stat st;

	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	keep.bytes_max = 1000;
	image_keep_start(&keep);
	ask(entry);
	ck_assert(!is_kept(entry, &st));
	ck_assert_uint_eq(keep.counters.full, 1);
	ck_assert_uint_eq(keep.counters.kept, 0);
}
END_TEST

START_TEST(a_folder_that_can_not_be_written_is_told_once_and_counted)
{
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	ck_assert_int_eq(file_replace("meta/images", "", 0, 0600), 0);
	image_keep_start(&keep);
	ask(entry);
	ck_assert_uint_eq(keep.counters.failed, 1);
	ck_assert_uint_eq(entry->keep_due_ns, UINT64_MAX);
}
END_TEST

/* A number of /proc/PID/status. */
static uint64_t status_of(pid_t pid, const char *name, int base)
{
	uint64_t value;
	char path[64];
	char *text, *line;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	ck_assert_int_eq(file_read_text(path, 65536, &text, NULL), 0);
	line = strstr(text, name);
	ck_assert_ptr_nonnull(line);
	value = strtoull(line + strlen(name), NULL, base);
	free(text);
	return value;
}

/* Without these, the copier stays root and reads a hostile binary as root. */
START_TEST(the_keeper_may_make_its_copier_another_user)
{
	const uint64_t needed = UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID;
	const uint64_t own = status_of(getpid(), "\nCapEff:", 16);
	uint64_t kept;

	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ask(entry);
	kept = status_of(keep.pid, "\nCapEff:", 16);
	ck_assert_uint_eq(kept & needed, own & needed);
	/* It ends a copier that hangs: as its user, or with the capability. */
	if ((own & needed) == needed)
		ck_assert_int_eq(!status_of(keep.pid, "\nUid:", 10),
				 (kept & UINT64_C(1) << CAP_KILL) != 0);
	check_kept(entry);
}
END_TEST

START_TEST(a_keeper_that_hangs_is_replaced)
{
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ck_assert_int_eq(kill(keep.pid, SIGSTOP), 0);
	image_keep_want(&keep, entry, pids, ADDRESS, -1, now_ns);
	ck_assert_uint_eq(keep.nr_waiting, 1);
	/* The keep compares this time with the clock's. */
	image_keep_tend(&keep, keep.answered_ns + 5 * SECOND);
	ck_assert_int_ge(keep.fd, 0);
	image_keep_tend(&keep, keep.answered_ns + 11 * SECOND);
	ck_assert_int_lt(keep.fd, 0);
	ck_assert_uint_eq(keep.counters.restarts, 1);
	image_keep_tend(&keep, keep.started_ns + 11 * SECOND);
	ck_assert_int_ge(keep.fd, 0);
	now_ns = entry->keep_due_ns;
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(a_keeper_that_was_killed_is_replaced)
{
	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	ck_assert_int_eq(kill(keep.pid, SIGKILL), 0);
	for (int i = 0; i < 10000 && keep.fd >= 0; i++) {
		(void)poll(NULL, 0, 1);
		image_keep_tend(&keep, keep.started_ns);
	}
	ck_assert_uint_eq(keep.counters.restarts, 1);
	image_keep_want(&keep, entry, pids, ADDRESS, -1, now_ns);
	ck_assert_uint_lt(entry->keep_due_ns, now_ns + 5 * SECOND);
	image_keep_tend(&keep, keep.started_ns + 11 * SECOND);
	ask(entry);
	check_kept(entry);
}
END_TEST

START_TEST(more_images_than_the_socket_holds_all_get_their_turn)
{
	enum { NR = 400 };
	static struct image_entry *entries[NR];
	uint64_t nr_kept = 0;

	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	for (int i = 0; i < NR; i++) {
		char path[64], content[64];

		(void)snprintf(path, sizeof(path), "/bin/program%d", i);
		(void)snprintf(content, sizeof(content), "box/bin/program%d", i);
		ck_assert_int_eq(link("box/bin/program", content), 0);
		entries[i] = image_of(path, content, true);
	}
	image_keep_start(&keep);
	for (int round = 0; round < 10000 && nr_kept < NR; round++) {
		now_ns += SECOND / 100;
		for (int i = 0; i < NR; i++)
			if (now_ns >= entries[i]->keep_due_ns)
				image_keep_want(&keep, entries[i], pids, ADDRESS, -1, now_ns);
		tend();
		nr_kept = 0;
		for (int i = 0; i < NR; i++)
			nr_kept += entries[i]->keep_due_ns == UINT64_MAX;
		(void)poll(NULL, 0, 1);
	}
	ck_assert_uint_eq(nr_kept, NR);
	ck_assert_uint_eq(keep.counters.kept, NR);
}
END_TEST

START_TEST(at_the_end_what_was_asked_is_still_kept)
{
	struct stat st;

	ck_assert_int_eq(symlink("../../box", "proc/10/root"), 0);
	image_keep_start(&keep);
	image_keep_want(&keep, entry, pids, ADDRESS, -1, now_ns);
	image_keep_deinit(&keep);
	ck_assert(is_kept(entry, &st));
	image_keep_init(&keep, &images, "proc");
}
END_TEST

START_TEST(without_a_keeper_nothing_is_asked)
{
	image_keep_want(&keep, entry, pids, ADDRESS, -1, now_ns);
	ck_assert_uint_eq(entry->keep_due_ns, UINT64_MAX);
	image_keep_tend(&keep, now_ns);
	ck_assert_uint_eq(keep.counters.wanted, 0);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, a_binary_in_the_root_of_its_process_is_kept);
	tcase_add_test(all, a_binary_in_the_root_of_a_parent_is_kept);
	tcase_add_test(all, a_binary_that_only_the_mapping_leads_to_is_kept);
	tcase_add_test(all,
		       a_mapping_is_found_by_the_path_of_its_file_where_its_address_is_not_known);
	tcase_add_test(all, a_binary_that_came_along_is_kept_though_nobody_has_it_any_more);
	tcase_add_test(all, another_file_that_came_along_is_not_taken);
	tcase_add_test(all, a_program_that_only_exe_leads_to_is_kept);
	tcase_add_test(all, a_binary_without_build_id_is_known_by_its_inode);
	tcase_add_test(all, another_file_of_that_path_is_not_taken);
	tcase_add_test(all, links_of_a_container_do_not_lead_out_of_it);
	tcase_add_test(all, what_reports_find_is_not_kept_but_looked_for_again);
	tcase_add_test(all, a_process_that_is_gone_leaves_it_to_the_next);
	tcase_add_test(all, what_is_no_elf_file_is_counted_and_left);
	tcase_add_test(all, a_fifo_or_device_in_its_place_is_not_opened);
	tcase_add_test(all, a_new_session_gets_what_it_lacks_and_nothing_twice);
	tcase_add_test(all, what_is_beyond_the_bound_of_a_session_is_counted_and_left);
	tcase_add_test(all, a_folder_that_can_not_be_written_is_told_once_and_counted);
	tcase_add_test(all, the_keeper_may_make_its_copier_another_user);
	tcase_add_test(all, a_keeper_that_hangs_is_replaced);
	tcase_add_test(all, a_keeper_that_was_killed_is_replaced);
	tcase_add_test(all, more_images_than_the_socket_holds_all_get_their_turn);
	tcase_add_test(all, at_the_end_what_was_asked_is_still_kept);
	tcase_add_test(all, without_a_keeper_nothing_is_asked);
	return test_run(all);
}
