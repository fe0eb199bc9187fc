// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/sync_job.h"

#include "lib/file.h"
#include "lib/log.h"
#include "tests/fixture/fake_source.h"
#include "tests/fixture/test_folder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct event_choice events[] = {{.name = "cpu-clock", .period_or_hz = 1000}};

static struct session session;
static struct profiler profiler;
static struct sync_job sync_state;
static struct diag diag;

static void setup(void)
{
	struct profiler_config config = {
		.ops = &source_fake,
		.source = {.events = events, .nr_events = 1},
	};

	test_folder_setup();
	log_init("test", LOG_LEVEL_ERROR);
	ck_assert_int_eq(log_open("log"), 0);
	fake_init(NULL);
	fake_image(1, OPROF_IMAGE_FILE, "/bin/true");
	ck_assert_int_eq(session_lock(&session, ".", &diag), 0);
	ck_assert_int_eq(profiler_open(&profiler, &session, &config, &diag), 0);
	fake_task(1, 1, 1, 0);
	fake_sample(0, OPROF_MODE_USER, 1, 1, 1);
	ck_assert_int_eq(profiler_dump(&profiler), 0);
	sync_job_init(&sync_state, &profiler);
}

static void teardown(void)
{
	sync_job_wait(&sync_state);
	profiler_close(&profiler);
	session_unlock(&session);
	test_folder_teardown();
}

/* Waits for the next job that ends. */
static void reap_result(struct sync_job_result *result)
{
	for (unsigned int i = 0; i < 10000 && !sync_job_reap(&sync_state, result); i++)
		(void)poll(NULL, 0, 1);
}

/* The same; returns its number and an error of writing. */
static uint64_t reap(int *error)
{
	struct sync_job_result result = {0};

	reap_result(&result);
	*error = result.write_error;
	return result.job;
}

START_TEST(a_job_ends_with_its_number)
{
	int error = 1;
	uint64_t job = sync_job_request(&sync_state, &error);

	ck_assert_uint_eq(job, 1);
	ck_assert_uint_eq(reap(&error), 1);
	ck_assert_int_eq(error, 0);
	ck_assert_uint_eq(sync_job_request(&sync_state, &error), 2);
}
END_TEST

START_TEST(requests_made_while_one_runs_share_the_next)
{
	int error = 1;

	ck_assert_uint_eq(sync_job_request(&sync_state, &error), 1);
	ck_assert_uint_eq(sync_job_request(&sync_state, &error), 2);
	ck_assert_uint_eq(sync_job_request(&sync_state, &error), 2);
	ck_assert_uint_eq(reap(&error), 1);
	ck_assert_uint_eq(reap(&error), 2);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(sync_state.pid, 0);
}
END_TEST

START_TEST(a_job_that_fails_tells_its_error)
{
	int error = 0;

	ck_assert_int_eq(unlink("samples/current/meta/stats"), 0);
	ck_assert_uint_eq(sync_job_request(&sync_state, &error), 1);
	ck_assert_uint_eq(reap(&error), 1);
	ck_assert_int_eq(error, -ENOENT);
}
END_TEST

/* A read that failed may still have read samples, which are written to disk like any others. */
START_TEST(a_dump_whose_read_failed_is_written_and_then_tells_the_error)
{
	struct sync_job_result result = {0};
	enum sync_job_step failed;
	uint64_t job = 0;

	fake.drain_error = -EPIPE;
	ck_assert_int_eq(sync_job_dump(&sync_state, &job, &failed), 0);
	ck_assert_uint_eq(job, 1);
	reap_result(&result);
	ck_assert_uint_eq(result.job, 1);
	ck_assert_int_eq(result.read_error, -EPIPE);
	ck_assert_int_eq(result.write_error, 0);
	fake.drain_error = 0;
	ck_assert_int_eq(sync_job_dump(&sync_state, &job, &failed), 0);
	reap_result(&result);
	ck_assert_uint_eq(result.job, 2);
	ck_assert_int_eq(result.read_error, 0);
}
END_TEST

/* The first job may already be past the samples of the second dump, whose error is not its own. */
START_TEST(an_error_of_reading_belongs_to_the_job_that_writes_the_dump)
{
	struct sync_job_result result = {0};
	enum sync_job_step failed;
	uint64_t job = 0;

	ck_assert_int_eq(sync_job_dump(&sync_state, &job, &failed), 0);
	fake.drain_error = -EPIPE;
	ck_assert_int_eq(sync_job_dump(&sync_state, &job, &failed), 0);
	ck_assert_uint_eq(job, 2);
	fake.drain_error = -EIO;
	ck_assert_int_eq(sync_job_dump(&sync_state, &job, &failed), 0);
	ck_assert_uint_eq(job, 2);
	fake.drain_error = 0;
	reap_result(&result);
	ck_assert_uint_eq(result.job, 1);
	ck_assert_int_eq(result.read_error, 0);
	reap_result(&result);
	ck_assert_uint_eq(result.job, 2);
	ck_assert_int_eq(result.read_error, -EPIPE);
	ck_assert_int_eq(sync_job_dump(&sync_state, &job, &failed), 0);
	reap_result(&result);
	ck_assert_uint_eq(result.job, 3);
	ck_assert_int_eq(result.read_error, 0);
}
END_TEST

static int hold_ends[2];

/* Runs in the job, as in every forked child: waits until the test releases it. */
static void hold(void)
{
	char byte;

	while (read(hold_ends[0], &byte, 1) < 0 && errno == EINTR)
		;
}

/* A save renames the session. Its old name may become another session's. */
START_TEST(a_job_goes_on_where_its_session_is_renamed_before_it_begins)
{
	int error = 1;

	ck_assert_int_eq(profiler_close_epoch(&profiler), 0); /* also a slice */
	ck_assert_int_eq(pipe(hold_ends), 0);
	ck_assert_int_eq(pthread_atfork(NULL, NULL, hold), 0);
	ck_assert_uint_eq(sync_job_request(&sync_state, &error), 1);
	ck_assert_int_eq(rename("samples/current", "samples/saved"), 0);
	ck_assert_int_eq(write(hold_ends[1], "x", 1), 1);
	ck_assert_uint_eq(reap(&error), 1);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(close(hold_ends[1]), 0); /* children no longer wait */
	ck_assert_int_eq(rename("samples/saved", "samples/current"), 0);
}
END_TEST

/* The job has the daemon's files, locks and clients open, which would block the next daemon. */
START_TEST(a_daemon_that_is_killed_takes_its_job_along)
{
	struct pollfd held = {.events = POLLIN};
	int ends[2];
	int error = 0;
	pid_t daemon_pid;

	/* The job waits in opening this FIFO for a writer. */
	ck_assert_int_eq(unlink("samples/current/meta/stats"), 0);
	ck_assert_int_eq(mkfifo("samples/current/meta/stats", 0600), 0);
	ck_assert_int_eq(pipe(ends), 0);
	daemon_pid = fork();
	ck_assert_int_ge(daemon_pid, 0);
	if (!daemon_pid) {
		if (sync_job_request(&sync_state, &error) != 1)
			_exit(1);
		(void)kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(close(ends[1]), 0);
	ck_assert_int_eq(waitpid(daemon_pid, &error, 0), daemon_pid);
	ck_assert(WIFSIGNALED(error));
	held.fd = ends[0];
	ck_assert_msg(poll(&held, 1, 30000) == 1, "somebody has the daemon's descriptors");
	(void)close(ends[0]);
}
END_TEST

START_TEST(where_no_child_can_be_made_it_is_done_at_once)
{
	struct rlimit limit;
	struct rlimit none;
	uid_t user = geteuid();
	enum sync_job_step failed;
	uint64_t job;
	int error;

	/* Root may always fork, so become another user for now. */
	ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	if (setrlimit(RLIMIT_NPROC, &none) || (!user && setresuid(65534, 65534, 0)))
		return;
	error = sync_job_dump(&sync_state, &job, &failed);
	ck_assert_int_eq(user ? 0 : setresuid(0, 0, 0), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0);
	ck_assert_uint_eq(job, 0);
	/* Another user cannot open the files again; the error is reported. */
	ck_assert_int_eq(error, user ? 0 : -EACCES);
	ck_assert(!error || failed == SYNC_JOB_WRITE);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("sync_job");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_job_ends_with_its_number);
	tcase_add_test(tc, requests_made_while_one_runs_share_the_next);
	tcase_add_test(tc, a_job_that_fails_tells_its_error);
	tcase_add_test(tc, a_dump_whose_read_failed_is_written_and_then_tells_the_error);
	tcase_add_test(tc, an_error_of_reading_belongs_to_the_job_that_writes_the_dump);
	tcase_add_test(tc, a_job_goes_on_where_its_session_is_renamed_before_it_begins);
	tcase_add_test(tc, a_daemon_that_is_killed_takes_its_job_along);
	tcase_add_test(tc, where_no_child_can_be_made_it_is_done_at_once);
	return test_run(tc);
}
