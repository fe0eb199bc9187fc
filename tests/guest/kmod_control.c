// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the control filesystem's files: their values, accepted and refused writes. Runs in a
 * guest.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/kmod_files.h"
#include "tests/guest/kmod_numbers.h"
#include "tests/guest/kmod_test.h"

/* An invalid address that the compiler cannot recognise. */
static void *volatile nowhere = (void *)16;

static void every_setting_begins_with_its_default(void)
{
	unsigned int i;

	for (i = 0; i < kmod_nr_numbers; i++) {
		const struct kmod_number *number = &kmod_numbers[i];

		CHECK_IS_OF(kmod_number(number->name), (int64_t)number->preset, number->name);
	}
	CHECK_IS(kmod_number("version"), OPROF_KMOD_VERSION);
	CHECK_IS(kmod_number("enable"), 0);
}

static void what_is_written_is_read_back(void)
{
	unsigned int i;
	char text[32];

	for (i = 0; i < kmod_nr_numbers; i++) {
		const struct kmod_number *number = &kmod_numbers[i];

		CHECK_IS_OF(kmod_write_number(number->name, number->min), 0, number->name);
		CHECK_IS_OF(kmod_number(number->name), (int64_t)number->min, number->name);
		snprintf(text, sizeof(text), "%" PRIu64 "\n", number->max);
		CHECK_IS_OF(kmod_write_text(number->name, text), 0, number->name);
		CHECK_IS_OF(kmod_number(number->name), (int64_t)number->max, number->name);
		snprintf(text, sizeof(text), "0x%" PRIX64, number->min);
		CHECK_IS_OF(kmod_write_text(number->name, text), 0, number->name);
		CHECK_IS_OF(kmod_number(number->name), (int64_t)number->min, number->name);
		kmod_numbers_reset();
	}
}

/* Texts that are not one number, even after trimming. */
static const char *const not_numbers[] = {
	"",
	"\n",
	" ",
	"1 ",
	" 1",
	"-1",
	"+1",
	"--1",
	"0x",
	"0x\n",
	"x1",
	"1x",
	"1\n\n",
	"1 2",
	"1\n2",
	"1.0",
	"1e3",
	"0x0x1",
	"0X0x1",
	"a",
	"1a",
	"0b1",
	"yes",
	"1,000",
	"\n1",
	"1\r\n",
	"\t1",
	"1\t",
	"$((1))",
	"%d",
	"00x1",
	"\xff",
	"18446744073709551616",
	"0x10000000000000000",
	"99999999999999999999999",
	"0000000000000000000000000000000000001",
};

static void refuses(const char *name, const void *bytes, size_t nr_bytes)
{
	uint64_t before = kmod_number(name);

	CHECK_IS_OF(kmod_write(name, bytes, nr_bytes), -EINVAL, name);
	CHECK_IS_OF(kmod_number(name), (int64_t)before, name);
}

static void what_is_no_number_is_refused_and_changes_nothing(void)
{
	unsigned int i, j;

	for (i = 0; i < kmod_nr_numbers; i++) {
		const char *name = kmod_numbers[i].name;

		for (j = 0; j < sizeof(not_numbers) / sizeof(*not_numbers); j++)
			refuses(name, not_numbers[j], strlen(not_numbers[j]));
		refuses(name, "1", 2); /* with its NUL */
		refuses(name, "\0", 1);
		refuses(name, "1\0002", 3);
	}
	CHECK_IS(kmod_write_text("enable", "2"), -EINVAL);
	CHECK_IS(kmod_write_text("enable", ""), -EINVAL);
	CHECK_IS(kmod_write_text("enable", "1 "), -EINVAL);
	CHECK_IS(kmod_write_text("thinning", "1 "), -EINVAL);
}

static void what_is_out_of_range_is_refused_and_changes_nothing(void)
{
	unsigned int i;
	char text[32];

	for (i = 0; i < kmod_nr_numbers; i++) {
		const struct kmod_number *number = &kmod_numbers[i];

		if (number->min) {
			snprintf(text, sizeof(text), "%" PRIu64, number->min - 1);
			refuses(number->name, text, strlen(text));
		}
		if (number->max != UINT64_MAX) {
			snprintf(text, sizeof(text), "%" PRIu64, number->max + 1);
			refuses(number->name, text, strlen(text));
			refuses(number->name, "18446744073709551615", 20);
		}
	}
}

static void a_number_of_leading_noughts_is_decimal(void)
{
	CHECK_IS(kmod_write_text("backtrace_depth", "010"), 0);
	CHECK_IS(kmod_number("backtrace_depth"), 10);
	kmod_numbers_reset();
}

static void a_watershed_beyond_the_buffer_is_refused(void)
{
	CHECK_IS(kmod_write_number("buffer_size", 2048), -EINVAL); /* the watershed is 32768 */
	CHECK_IS(kmod_write_number("buffer_watershed", 131073), -EINVAL);
	CHECK_IS(kmod_write_number("buffer_watershed", 131072), 0);
	CHECK_IS(kmod_write_number("buffer_size", 131071), -EINVAL);
	CHECK_IS(kmod_write_number("buffer_watershed", 1024), 0);
	CHECK_IS(kmod_write_number("buffer_size", 1024), 0);
	CHECK_IS(kmod_write_number("buffer_watershed", 1025), -EINVAL);
	CHECK_IS(kmod_number("buffer_size"), 1024);
	CHECK_IS(kmod_number("buffer_watershed"), 1024);
	kmod_numbers_reset();
}

static void a_write_is_at_the_begin_and_from_memory_that_is_there(void)
{
	int fd = kmod_open("backtrace_depth", O_RDWR);
	char text[8] = "";

	CHECK_IS(pwrite(fd, "1", 1, 1), -1);
	CHECK_IS(errno, EINVAL);
	CHECK_IS(write(fd, nowhere, 1), -1);
	CHECK_IS(errno, EFAULT);
	CHECK_IS(kmod_number("backtrace_depth"), 0);
	CHECK_IS(write(fd, "7", 1), 1);
	CHECK_IS(write(fd, "6", 1), 1);
	CHECK_IS(read(fd, text, sizeof(text)), 2);
	CHECK(!strcmp(text, "6\n"));
	CHECK_IS(read(fd, text, sizeof(text)), 0);
	CHECK_IS(read(fd, nowhere, 1), 0);
	CHECK_IS(pread(fd, nowhere, 1, 0), -1);
	CHECK_IS(errno, EFAULT);
	close(fd);
	kmod_numbers_reset();
}

static void what_is_only_read_or_written_is_that(void)
{
	static const char *const texts[] = {"version",	  "cpu_type",	"clock",
					    "unmappings", "stats/seen", "stats/cpu0/seen"};
	unsigned int i;
	char text[8];
	int fd;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK_IS_OF(kmod_write_text(texts[i], "1"), -EINVAL, texts[i]);
	fd = kmod_open("dump", O_RDONLY);
	CHECK_IS(read(fd, text, sizeof(text)), -1);
	CHECK_IS(errno, EINVAL);
	close(fd);
	fd = kmod_open("buffer", O_RDWR);
	CHECK_IS(fd, -EINVAL);
	CHECK_IS(kmod_open("buffer", O_WRONLY), -EINVAL);
}

static void without_an_open_buffer_nothing_is_enabled_or_dumped(void)
{
	CHECK_IS(kmod_write_text("enable", "1"), -EINVAL);
	CHECK_IS(kmod_write_text("enable", "0"), -EINVAL);
	CHECK_IS(kmod_write_text("dump", "1"), -EINVAL);
	CHECK_IS(kmod_write_text("thinning", "1"), -EINVAL);
	CHECK_IS(kmod_number("enable"), 0);
}

static void nothing_can_be_made_renamed_or_removed(void)
{
	const char *top = OPROF_KMOD_MOUNT;

	CHECK_IS(chdir(top), 0);
	CHECK_IS(open("new", O_CREAT | O_WRONLY, 0600), -1);
	CHECK_IS(mkdir("new", 0700), -1);
	CHECK_IS(symlink("enable", "new"), -1);
	CHECK_IS(mknod("new", S_IFIFO | 0600, 0), -1);
	CHECK_IS(link("enable", "new"), -1);
	CHECK_IS(unlink("enable"), -1);
	CHECK_IS(rmdir("stats"), -1);
	CHECK_IS(rmdir("0"), -1);
	CHECK_IS(rename("enable", "new"), -1);
	CHECK_IS(rename("enable", "dump"), -1);
	CHECK_IS(rename("0", "1"), -1);
	CHECK_IS(access("new", F_OK), -1);
	CHECK_IS(access("enable", F_OK), 0);
	CHECK_IS(access("0/enabled", F_OK), 0);
	CHECK_IS(open("stats/new", O_CREAT | O_WRONLY, 0600), -1);
	CHECK_IS(chdir("/"), 0);
}

static void files_are_their_owners_only(void)
{
	struct stat status;

	CHECK_IS(stat(OPROF_KMOD_MOUNT, &status), 0);
	CHECK_IS(status.st_mode, S_IFDIR | 0700);
	CHECK_IS(stat(OPROF_KMOD_MOUNT "/enable", &status), 0);
	CHECK_IS(status.st_mode, S_IFREG | 0600);
	CHECK_IS(stat(OPROF_KMOD_MOUNT "/stats", &status), 0);
	CHECK_IS(status.st_mode, S_IFDIR | 0700);
	CHECK_IS(status.st_uid, 0);
	CHECK_IS(status.st_nlink >= 3, 1); /* at least one subdirectory, cpu0/ */
}

static void stats_of_the_cpus_add_up(void)
{
	uint64_t sum = 0;
	char name[64];
	int cpu;

	for (cpu = 0; cpu < 4096; cpu++) {
		snprintf(name, sizeof(name), OPROF_KMOD_MOUNT "/stats/cpu%d/passes", cpu);
		if (access(name, R_OK))
			continue;
		sum += kmod_number(name + strlen(OPROF_KMOD_MOUNT) + 1);
	}
	CHECK_IS(kmod_stats("passes"), (int64_t)sum);
}

/* ---- permissions ---- */

/* Runs what in a child with reduced rights and returns the child's exit status. */
static int in_child(int (*what)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(what());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int open_as_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		return 2;
	return kmod_open("enable", O_RDONLY) != -EACCES ||
	       open(OPROF_KMOD_MOUNT, O_RDONLY | O_DIRECTORY) >= 0;
}

/* Drops CAP_SYS_ADMIN but stays root; the C library has no function for capset(2). */
static int drop_sys_admin(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return -1;
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	data[0].permitted &= ~(1u << CAP_SYS_ADMIN);
	return syscall(SYS_capset, &head, data);
}

static int open_without_the_right(void)
{
	static const char *const names[] = {"enable",  "dump",	     "buffer",	       "version",
					    "0/event", "stats/seen", "stats/cpu0/seen"};
	unsigned int i;
	int wrong = 0;

	if (drop_sys_admin())
		return 2;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		wrong |= kmod_open(names[i], i == 1 ? O_WRONLY : O_RDONLY) != -EPERM;
	return wrong;
}

#define NO_NAMESPACES 77

static int mount_in_user_namespace(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return errno == EINVAL ? NO_NAMESPACES : 2;
	if (!mount("none", "/tmp", OPROF_KMOD_FS_TYPE, 0, NULL) || errno != EPERM)
		return 1;
	/* The file is visible, because it is mounted outside, but opening it must fail. */
	return kmod_open("enable", O_RDONLY) >= 0;
}

static void nobody_is_refused(void)
{
	CHECK_IS(in_child(open_as_nobody), 0);
}

static void root_without_the_right_is_refused(void)
{
	CHECK_IS(in_child(open_without_the_right), 0);
}

static void a_user_namespace_can_not_mount_it(void)
{
	int status = in_child(mount_in_user_namespace);

	if (status == NO_NAMESPACES)
		kmod_test_skip("this kernel has no user namespaces");
	else
		CHECK_IS(status, 0);
}

static void options_of_mount_are_refused(void)
{
	CHECK_IS(mount("none", "/tmp", OPROF_KMOD_FS_TYPE, 0, "uid=1"), -1);
	CHECK_IS(errno, EINVAL);
}

static void mounted_twice_is_one(void)
{
	const char *second = OPROF_KMOD_SYSFS;
	struct stat one, two;
	int fd, other;

	if (!CHECK_IS(mount("none", second, OPROF_KMOD_FS_TYPE, 0, NULL), 0))
		return;
	CHECK_IS(stat(OPROF_KMOD_MOUNT "/enable", &one), 0);
	CHECK_IS(stat(OPROF_KMOD_SYSFS "/enable", &two), 0);
	CHECK_IS(one.st_dev, two.st_dev);
	CHECK_IS(one.st_ino, two.st_ino);
	fd = kmod_open("buffer", O_RDONLY);
	CHECK(fd >= 0);
	other = open(OPROF_KMOD_SYSFS "/buffer", O_RDONLY);
	CHECK_IS(other, -1);
	CHECK_IS(errno, EBUSY);
	close(fd);
	CHECK_IS(umount(second), 0);
}

static void settings_outlive_a_mount(void)
{
	CHECK_IS(kmod_write_number("backtrace_depth", 33), 0);
	CHECK_IS(umount(OPROF_KMOD_MOUNT), 0);
	CHECK_IS(mount("none", OPROF_KMOD_MOUNT, OPROF_KMOD_FS_TYPE, 0, NULL), 0);
	CHECK_IS(kmod_number("backtrace_depth"), 33);
	kmod_numbers_reset();
}

int main(int nr, char **words)
{
	static const struct kmod_test tests[] = {
		KMOD_TEST(every_setting_begins_with_its_default),
		KMOD_TEST(what_is_written_is_read_back),
		KMOD_TEST(what_is_no_number_is_refused_and_changes_nothing),
		KMOD_TEST(what_is_out_of_range_is_refused_and_changes_nothing),
		KMOD_TEST(a_number_of_leading_noughts_is_decimal),
		KMOD_TEST(a_watershed_beyond_the_buffer_is_refused),
		KMOD_TEST(a_write_is_at_the_begin_and_from_memory_that_is_there),
		KMOD_TEST(what_is_only_read_or_written_is_that),
		KMOD_TEST(without_an_open_buffer_nothing_is_enabled_or_dumped),
		KMOD_TEST(nothing_can_be_made_renamed_or_removed),
		KMOD_TEST(files_are_their_owners_only),
		KMOD_TEST(stats_of_the_cpus_add_up),
		KMOD_TEST(nobody_is_refused),
		KMOD_TEST(root_without_the_right_is_refused),
		KMOD_TEST(a_user_namespace_can_not_mount_it),
		KMOD_TEST(options_of_mount_are_refused),
		KMOD_TEST(mounted_twice_is_one),
		KMOD_TEST(settings_outlive_a_mount),
	};

	(void)nr;
	kmod_numbers_init();
	return kmod_test_main(tests, sizeof(tests) / sizeof(*tests), words + 1);
}
