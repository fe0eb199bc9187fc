// SPDX-License-Identifier: GPL-2.0-or-later
/* The rights of a confined process, inspected from outside and tried inside. */
#include "lib/confine.h"

#include "lib/file.h"
#include "tests/fixture/run_suite.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534ul

static const struct confine_limits limits = {
	.max_seconds = 10, .max_bytes = 64 << 20, .max_file_bytes = 1 << 20};

struct confined {
	pid_t pid;
	int go; /* closing it ends the child */
	int told;
};

/* Actions of the child before it is confined. */
static void nothing(void)
{
}

/* Drops root's capabilities to become another user, and no others. */
static void lose_other_users(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		_exit(99);
	data[0].effective &= ~(1u << CAP_SETUID | 1u << CAP_SETGID);
	data[0].permitted = data[0].effective;
	data[0].inheritable = 0;
	if (syscall(SYS_capset, &header, data))
		_exit(99);
}

/* Refuses further filters, as a kernel without seccomp does. */
static void lose_seccomp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(99);
}

static void lose_both(void)
{
	lose_other_users();
	lose_seccomp();
}

static void __attribute__((noreturn)) confined_main(int go, int told, void (*before)(void))
{
	int result[2];
	char end;

	before();
	result[0] = confine_process(&limits, CONFINE_DESCRIPTORS, go < told ? go : told,
				    go < told ? told : go);
	result[1] = open("/etc/passwd", O_RDWR | O_CLOEXEC) < 0 ? -errno : 0;
	if (write(told, result, sizeof(result)) != (ssize_t)sizeof(result))
		_exit(98);
	(void)!read(go, &end, 1);
	_exit(0);
}

/*
 * Starts a confined child; returns the result of confining, and of opening a file of root's for
 * writing.
 */
static struct confined begin(void (*before)(void), int *error, int *open_error)
{
	int go[2], told[2], result[2];
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(pipe(told), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		(void)close(go[1]);
		confined_main(go[0], told[1], before);
	}
	(void)close(go[0]);
	(void)close(told[1]);
	ck_assert_int_eq(read(told[0], result, sizeof(result)), (ssize_t)sizeof(result));
	*error = result[0];
	*open_error = result[1];
	return (struct confined){pid, go[1], told[0]};
}

static void end(const struct confined *confined)
{
	int status;

	(void)close(confined->go);
	(void)close(confined->told);
	ck_assert_int_eq(waitpid(confined->pid, &status, 0), confined->pid);
	ck_assert_int_eq(status, 0);
}

/* Returns the first number of a line in the child's status file. */
static unsigned long status_of(const struct confined *confined, const char *key, int base)
{
	unsigned long value;
	char path[64];
	char *text, *line;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)confined->pid);
	ck_assert_int_eq(file_read_text(path, 65536, &text, NULL), 0);
	line = strstr(text, key);
	ck_assert_ptr_nonnull(line);
	value = strtoul(line + strlen(key), NULL, base);
	free(text);
	return value;
}

START_TEST(a_confined_process_may_open_nothing_and_has_no_capabilities)
{
	int error, open_error;
	struct confined confined = begin(nothing, &error, &open_error);

	ck_assert_int_eq(error, 0);
	ck_assert_int_lt(open_error, 0);
	ck_assert_uint_eq(status_of(&confined, "\nCapEff:", 16), 0);
	ck_assert_uint_eq(status_of(&confined, "\nCapPrm:", 16), 0);
	if (!geteuid())
		ck_assert_uint_eq(status_of(&confined, "\nUid:", 10), NOBODY);
	end(&confined);
}
END_TEST

START_TEST(one_that_may_not_become_nobody_may_open_nothing_either)
{
	int error, open_error;
	struct confined confined;

	if (geteuid())
		return;
	confined = begin(lose_other_users, &error, &open_error);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(open_error, -EPERM);
	end(&confined);
}
END_TEST

START_TEST(without_seccomp_nobody_may_not_open_what_is_roots)
{
	int error, open_error;
	struct confined confined;

	if (geteuid())
		return;
	confined = begin(lose_seccomp, &error, &open_error);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(open_error, -EACCES);
	ck_assert_uint_eq(status_of(&confined, "\nUid:", 10), NOBODY);
	end(&confined);
}
END_TEST

START_TEST(root_that_nothing_holds_back_is_not_called_confined)
{
	int error, open_error;
	struct confined confined;

	if (geteuid())
		return;
	confined = begin(lose_both, &error, &open_error);
	ck_assert_int_eq(error, -EPERM);
	end(&confined);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("confine");
	TCase *tcase = tcase_create("confine");

	tcase_add_test(tcase, a_confined_process_may_open_nothing_and_has_no_capabilities);
	/* Sanitizers make their own system calls, so these builds have no filter. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tcase, one_that_may_not_become_nobody_may_open_nothing_either);
	tcase_add_test(tcase, without_seccomp_nobody_may_not_open_what_is_roots);
	tcase_add_test(tcase, root_that_nothing_holds_back_is_not_called_confined);
#endif
	suite_add_tcase(all, tcase);
	return all;
}

int main(void)
{
	return run_suite(suite());
}
