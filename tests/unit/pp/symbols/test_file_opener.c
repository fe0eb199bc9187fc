// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files the opener gives to a helper, and what it does with requests that are not valid. */
#include "pp/symbols/file_opener.h"

#include "lib/file.h"
#include "pp/symbols/symbol_image.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/oprof-opener.XXXXXX";
static char image_path[64], older[64]; /* `older` is the folder of -p */
static const struct oprof_image_identity identity;
static struct symbol_search search;
static struct symbol_request request;
static struct file_opener opener; /* asks the process at the other end of the socket */
static int alive;		  /* closes when the opener ends */

static const char *path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *bytes, size_t nr_bytes)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(file_write_all(fd, bytes, nr_bytes), 0);
	(void)close(fd);
}

static void write_elf(const char *name, unsigned int type, bool big_endian)
{
	unsigned char head[64] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};

	head[EI_NIDENT + big_endian] = (unsigned char)type;
	write_file(name, head, sizeof(head));
}

static void setup(void)
{
	int ends[2], pipe_ends[2];

	(void)snprintf(folder, sizeof(folder), "/tmp/oprof-opener.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(mkdir(path_of(".debug"), 0700), 0);
	(void)snprintf(image_path, sizeof(image_path), "%s/image", folder);
	write_elf("image", ET_EXEC, false);
	(void)snprintf(older, sizeof(older), "%s/older", folder);
	search = (struct symbol_search){.debug_path = "/nonexistent", .image_path = older};
	request = (struct symbol_request){.path = image_path,
					  .identity = &identity,
					  .kind = OPROF_IMAGE_FILE,
					  .search = &search};
	ck_assert_int_eq(file_opener_prepare(), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	ck_assert_int_eq(pipe2(pipe_ends, O_CLOEXEC), 0);
	alive = pipe_ends[0];
	ck_assert_int_eq(file_opener_begin(&request, ends[1], pipe_ends[1]), 0);
	(void)close(ends[1]);
	(void)close(pipe_ends[1]);
	file_opener_init(&opener, &request, ends[0]);
}

/* The opener must still live, and ends when the helper has ended. */
static void teardown(void)
{
	char command[128], byte;

	(void)close(opener.socket);
	ck_assert_int_eq(read(alive, &byte, 1), 0);
	(void)close(alive);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Asks for a file. Returns 0 if it was opened at this path in the folder, or -errno. */
static int ask(enum file_kind kind, const char *text, const char *name)
{
	const struct file_query query = {.kind = kind};
	char *path;
	int fd = file_opener_open(&opener, &query, text, &path);

	if (fd >= 0) {
		ck_assert_int_eq(close(fd), 0);
		ck_assert_str_eq(path, path_of(name));
	}
	free(path);
	return fd < 0 ? fd : 0;
}

static void open_image(void)
{
	ck_assert_int_eq(ask(FILE_IMAGE_PATH, "", "image"), 0);
}

START_TEST(files_are_opened_at_their_places)
{
	write_elf("linked", ET_EXEC, false);
	write_elf(".debug/hidden", ET_EXEC, false);
	write_elf("image.dwp", ET_REL, false);
	open_image();
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "linked", "linked"), 0);
	ck_assert_int_eq(ask(FILE_LINK_DEBUG, "hidden", ".debug/hidden"), 0);
	ck_assert_int_eq(ask(FILE_LINK_BELOW, "hidden", ""), -ENOENT);
	ck_assert_int_eq(ask(FILE_SPLIT_PACKAGE, "", "image.dwp"), 0);
	ck_assert_int_eq(ask(FILE_SPLIT_BESIDE, "linked", "linked"), 0);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("linked"), "linked"), 0);
	ck_assert_int_eq(ask(FILE_ALT_OF_IMAGE, ".debug/hidden", ".debug/hidden"), 0);
	ck_assert_int_eq(ask(FILE_IMAGE_KEPT, "", ""), -ENOENT);
	ck_assert_int_eq(ask(FILE_DEBUG_FETCHED, "", ""), -ENOENT);
	ck_assert_int_eq(ask(FILE_KERNEL_PLACE, "", ""), -ENOENT);
}
END_TEST

START_TEST(the_first_elf_file_at_several_places_is_opened)
{
	const struct file_query queries[] = {
		{.kind = FILE_LINK_BELOW}, {.kind = FILE_LINK_BESIDE}, {.kind = FILE_LINK_DEBUG}};
	unsigned int place;
	char *path;
	int fd;

	open_image();
	ck_assert_int_eq(file_opener_open_first(&opener, queries, 3, "x", &place, &path), -ENOENT);
	free(path);
	write_file("x", "text", 4);
	ck_assert_int_eq(file_opener_open_first(&opener, queries, 3, "x", &place, &path), -EBADMSG);
	free(path);
	write_elf(".debug/x", ET_EXEC, false);
	fd = file_opener_open_first(&opener, queries, 3, "x", &place, &path);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(place, 2);
	ck_assert_str_eq(path, path_of(".debug/x"));
	(void)close(fd);
	free(path);
}
END_TEST

START_TEST(files_that_are_not_elf_files_are_refused)
{
	static const char secret[] = "root:secret:20000:0:99999:7:::\n";

	write_file("secret", secret, sizeof(secret) - 1);
	write_file("short", ELFMAG, 3);
	write_file("empty", "", 0);
	ck_assert_int_eq(mkdir(path_of("folder"), 0700), 0);
	ck_assert_int_eq(mkfifo(path_of("pipe"), 0600), 0);
	open_image();
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("secret"), ""), -EBADMSG);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("short"), ""), -EBADMSG);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("empty"), ""), -EBADMSG);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("folder"), ""), -ENOEXEC);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("pipe"), ""), -ENOEXEC);
	ck_assert_int_eq(ask(FILE_SPLIT, "/dev/zero", ""), -ENOEXEC);
	ck_assert_int_eq(ask(FILE_SPLIT, "/proc/self/environ", ""), -EBADMSG);
	ck_assert_int_lt(ask(FILE_SPLIT, "/etc/shadow", ""), 0);
}
END_TEST

START_TEST(memory_of_programs_and_of_the_kernel_is_refused)
{
	write_elf("core", ET_CORE, false);
	write_elf("big_core", ET_CORE, true);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("core"), ""), -EBADMSG);
	ck_assert_int_eq(ask(FILE_SPLIT, path_of("big_core"), ""), -EBADMSG);
	ck_assert_int_lt(ask(FILE_SPLIT, "/proc/kcore", ""), 0);
	ck_assert_int_lt(ask(FILE_SPLIT, "/proc/self/mem", ""), 0);
}
END_TEST

START_TEST(names_of_links_stay_in_their_folders)
{
	write_elf("linked", ET_EXEC, false);
	open_image();
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "../linked", ""), -EINVAL);
	ck_assert_int_eq(ask(FILE_LINK_DEBUG, "../linked", ""), -EINVAL);
	ck_assert_int_eq(ask(FILE_LINK_BELOW, "/bin/true", ""), -EINVAL);
	ck_assert_int_eq(ask(FILE_SPLIT_BESIDE, ".debug/../linked", ""), -EINVAL);
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "", ""), -EINVAL);
}
END_TEST

START_TEST(places_beside_the_image_are_at_its_own_place)
{
	ck_assert_int_eq(ask(FILE_ALT_OF_DEBUG, "image", ""), -EINVAL); /* no build-id */
	/* The helper opened the image itself. */
	file_opener_open_own(&opener);
	open_image();
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "image", "image"), 0);
	ck_assert_int_eq(ask(FILE_ALT_OF_IMAGE, "image", "image"), 0);
	ck_assert_int_eq(ask(FILE_SPLIT_PACKAGE, "", ""), -ENOENT);
}
END_TEST

/*
 * With -p, another file of the same name is opened first, and refused by the helper. Afterwards the
 * opener searched debug files beside that file.
 */
START_TEST(places_beside_the_image_are_not_beside_an_older_file_of_its_name)
{
	ck_assert_int_eq(mkdir(path_of("older"), 0700), 0);
	write_elf("older/image", ET_EXEC, false);
	write_elf("older/linked", ET_EXEC, false);
	write_elf("linked", ET_EXEC, false);
	file_opener_open_own(&opener);
	ck_assert_int_eq(ask(FILE_IMAGE_FOLDER, "", "older/image"), 0);
	open_image();
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "linked", "linked"), 0);
	/* The opener keeps this place, and a file that it opened later has priority. */
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "linked", "linked"), 0);
	ck_assert_int_eq(ask(FILE_IMAGE_FOLDER, "", "older/image"), 0);
	ck_assert_int_eq(ask(FILE_LINK_BESIDE, "linked", "older/linked"), 0);
}
END_TEST

START_TEST(own_files_are_opened_before_the_helper_is_confined)
{
	file_opener_open_own(&opener);
	ck_assert_int_eq(unlink(image_path), 0);
	ck_assert_int_eq(ask(FILE_IMAGE_PATH, "", "image"), 0);
	ck_assert_int_eq(ask(FILE_IMAGE_PATH, "", ""), -ENOENT); /* now the opener is asked */
	write_elf("image", ET_EXEC, false);
	ck_assert_int_eq(ask(FILE_IMAGE_PATH, "", "image"), 0);
}
END_TEST

/* Sends a packet, perhaps with a descriptor. Returns the error in the answer. */
static int send_packet(const struct file_opener_query *query, size_t nr_bytes)
{
	struct file_opener_answer answer = {.error = 0};

	ck_assert_int_eq(send(opener.socket, query, nr_bytes, 0), (ssize_t)nr_bytes);
	ck_assert_int_gt(recv(opener.socket, &answer, sizeof(answer), 0), 0);
	ck_assert_str_eq(answer.path, "");
	return answer.error;
}

START_TEST(requests_that_are_not_valid_are_refused)
{
	struct file_opener_query query = {.version = FILE_OPENER_VERSION,
					  .nr_places = 1,
					  .places = {{.kind = FILE_SPLIT}},
					  .text = "/bin/true"};
	const size_t no_text = offsetof(struct file_opener_query, text);
	const size_t whole = no_text + sizeof("/bin/true");

	ck_assert_int_eq(send_packet(&query, 1), -EINVAL);
	ck_assert_int_eq(send_packet(&query, no_text), -EINVAL);
	ck_assert_int_eq(send_packet(&query, whole - 1), -EINVAL); /* without the NUL */
	ck_assert_int_eq(send_packet(&query, whole + 1), -EINVAL); /* with two */
	memset(query.text, 'a', sizeof(query.text));
	ck_assert_int_eq(send_packet(&query, sizeof(query)), -EINVAL);
	query.text[0] = '\0';
	query.places[0].kind = NR_FILE_KINDS;
	ck_assert_int_eq(send_packet(&query, no_text + 1), -EINVAL);
	query.places[0].kind = FILE_DEBUG_BUILD_ID;
	query.places[0].id.nr_bytes = BUILDID_BYTES_MAX + 1;
	ck_assert_int_eq(send_packet(&query, no_text + 1), -EINVAL);
	query.places[0].kind = FILE_IMAGE_PATH;
	query.nr_places = 0;
	ck_assert_int_eq(send_packet(&query, no_text + 1), -EINVAL);
	query.nr_places = FILE_OPENER_PLACES_MAX + 1;
	ck_assert_int_eq(send_packet(&query, no_text + 1), -EINVAL);
	query.nr_places = 1;
	query.version++;
	ck_assert_int_eq(send_packet(&query, no_text + 1), -EINVAL);
	open_image(); /* the opener goes on */
}
END_TEST

/* Returns a file of the opener's folder in /proc, or NULL if the kernel does not list children. */
static const char *opener_path(const char *name)
{
	static char path[128];
	char *children;

	if (file_read_text("/proc/thread-self/children", 4096, &children, NULL))
		return NULL;
	(void)snprintf(path, sizeof(path), "/proc/%ld/%s", strtol(children, NULL, 10), name);
	free(children);
	return path;
}

/* Returns the capabilities in a status file of /proc. */
static uint64_t permitted_at(const char *path)
{
	uint64_t capabilities;
	char *status, *line;

	ck_assert_int_eq(file_read_text(path, 65536, &status, NULL), 0);
	line = strstr(status, "\nCapPrm:\t");
	ck_assert_ptr_nonnull(line);
	capabilities = strtoull(line + strlen("\nCapPrm:\t"), NULL, 16);
	free(status);
	return capabilities;
}

START_TEST(opener_has_neither_the_descriptors_nor_the_rights_of_the_report)
{
	uint64_t kept = 1u << CAP_DAC_READ_SEARCH | 1u << CAP_SYS_PTRACE;
	char target[64] = "", *status;

	open_image(); /* so that the opener has begun */
	if (!opener_path(""))
		return;
	ck_assert_int_gt(readlink(opener_path("fd/1"), target, sizeof(target) - 1), 0);
	ck_assert_str_eq(target, "/dev/null");
	ck_assert_int_eq(file_read_text(opener_path("status"), 65536, &status, NULL), 0);
	ck_assert_ptr_nonnull(strstr(status, "\nNoNewPrivs:\t1\n"));
	free(status);
	if (!(permitted_at("/proc/self/status") & 1u << CAP_DAC_READ_SEARCH))
		kept |= 1u << CAP_DAC_OVERRIDE;
	ck_assert_uint_eq(permitted_at(opener_path("status")) & ~kept, 0);
}
END_TEST

/* Sends a request that is not valid with nr copies of a descriptor, and waits for the answer. */
static void send_descriptors(int fd, unsigned int nr)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = &(char){0}, .iov_len = 1};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = CMSG_SPACE(nr * sizeof(int))};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	struct file_opener_answer answer;

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(nr * sizeof(int));
	for (unsigned int i = 0; i < nr; i++)
		memcpy(CMSG_DATA(head) + i * sizeof(int), &fd, sizeof(fd));
	ck_assert_int_eq(sendmsg(opener.socket, &message, 0), 1);
	ck_assert_int_gt(recv(opener.socket, &answer, sizeof(answer), 0), 0);
}

START_TEST(descriptors_that_come_with_a_request_are_closed)
{
	for (unsigned int nr = 1; nr <= 4; nr++) {
		int ends[2];
		char byte;

		ck_assert_int_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
		send_descriptors(ends[1], nr);
		(void)close(ends[1]);
		ck_assert_int_eq(read(ends[0], &byte, 1), 0); /* not EAGAIN */
		(void)close(ends[0]);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("file_opener");
	TCase *tcase = tcase_create("file_opener");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, files_are_opened_at_their_places);
	tcase_add_test(tcase, the_first_elf_file_at_several_places_is_opened);
	tcase_add_test(tcase, files_that_are_not_elf_files_are_refused);
	tcase_add_test(tcase, memory_of_programs_and_of_the_kernel_is_refused);
	tcase_add_test(tcase, names_of_links_stay_in_their_folders);
	tcase_add_test(tcase, places_beside_the_image_are_at_its_own_place);
	tcase_add_test(tcase, places_beside_the_image_are_not_beside_an_older_file_of_its_name);
	tcase_add_test(tcase, own_files_are_opened_before_the_helper_is_confined);
	tcase_add_test(tcase, requests_that_are_not_valid_are_refused);
	tcase_add_test(tcase, opener_has_neither_the_descriptors_nor_the_rights_of_the_report);
	tcase_add_test(tcase, descriptors_that_come_with_a_request_are_closed);
	suite_add_tcase(all, tcase);
	return all;
}

int main(void)
{
	return run_suite(suite());
}
