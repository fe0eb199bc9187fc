// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_helper.h"

#include "lib/children.h"
#include "lib/clock.h"
#include "lib/confine.h"
#include "lib/stop_signal.h"
#include "pp/symbols/debug_fetch.h"
#include "pp/symbols/file_opener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SECONDS 60
#define DEFAULT_BYTES	((size_t)4 << 30)

/*
 * The limit of elapsed time is this factor times the limit of CPU time. Elapsed time is limited
 * because a process that waits for a hanging file system uses no CPU time.
 */
#define CLOCK_LIMIT_FACTOR 5

struct helper {
	const struct symbol_request *request;
	struct confine_limits limits;
	pid_t pid;
	int result_fd;	/* a file in memory */
	int sockets[2]; /* [0]: the helper's end; [1]: the opener's end */
	/*
	 * A pipe, created when the opener begins to serve the helper. The opener closes the write
	 * end when the helper has closed its end of the socket.
	 */
	int alive[2];
	int hung;
	int killed; /* the helper did not end by itself; end_process() sent SIGKILL */
};

static void helper_init(struct helper *helper, const struct symbol_request *request)
{
	const struct symbol_search *search = request->search;

	*helper = (struct helper){
		.request = request, .result_fd = -1, .sockets = {-1, -1}, .alive = {-1, -1}};
	helper->limits.max_seconds = search->max_seconds ? search->max_seconds : DEFAULT_SECONDS;
	helper->limits.max_bytes = search->max_bytes ? search->max_bytes : DEFAULT_BYTES;
	helper->limits.max_file_bytes = SYMBOL_WIRE_MAX_BYTES;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void helper_deinit(struct helper *helper)
{
	close_fd(&helper->result_fd);
	for (int i = 0; i < 2; i++) {
		close_fd(&helper->sockets[i]);
		close_fd(&helper->alive[i]);
	}
}

/*
 * Waits a short time for the helper to end by itself, then kills it. Returns the wait status, or 0
 * if another caller reaped the process; take() checks the result in this case, too. Sets
 * helper->hung if SIGKILL does not end the process.
 */
static int end_process(struct helper *helper)
{
	int status = 0, ended;

	/* The kernel closes the helper's descriptors a moment before the helper can be reaped. */
	for (int tries = 0; tries < 10; tries++) {
		pid_t pid = waitpid(helper->pid, &status, WNOHANG);

		if (pid)
			return pid < 0 ? 0 : status;
		if (helper->hung)
			break;
		(void)usleep(1000);
	}
	helper->killed = 1;
	(void)kill(helper->pid, SIGKILL);
	ended = child_wait_ended(helper->pid, &status);
	if (!ended)
		helper->hung = 1;
	return ended > 0 ? status : ended ? 0 : SIGKILL;
}

/*
 * Body of the helper. Never returns to the parent's code, and does not flush the parent's stdio
 * buffers.
 */
__attribute__((noreturn)) static void child_main(struct helper *helper, symbol_read_fn *read)
{
	int keep[2 + FILE_OPENER_OWN_MAX] = {helper->result_fd, helper->sockets[0]};
	struct symbol_request request = *helper->request;
	struct file_opener opener;
	unsigned int nr_keep = 2;
	int error;

	/* If the opener ends, write() must return an error instead of killing the helper. */
	(void)signal(SIGPIPE, SIG_IGN);
	file_opener_forget();
	file_opener_init(&opener, &request, helper->sockets[0]);
	request.opener = &opener;
	file_opener_open_own(&opener);
	for (unsigned int i = 0; i < FILE_OPENER_OWN_MAX; i++)
		if (opener.ready[i].fd >= 0)
			keep[nr_keep++] = opener.ready[i].fd;
	error = confine_process_keeping(&helper->limits, CONFINE_RECEIVE, keep, nr_keep);
	if (!error)
		error = read(&request, helper->result_fd);
	_exit(-error & 0xff);
}

static int start(struct helper *helper, symbol_read_fn *read)
{
	confine_prepare();
	helper->result_fd = memfd_create("oprof-symbols", MFD_CLOEXEC);
	if (helper->result_fd < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, helper->sockets))
		return -errno;
	helper->pid = fork();
	if (helper->pid < 0)
		return -errno;
	if (!helper->pid)
		child_main(helper, read);
	close_fd(&helper->sockets[0]);
	return 0;
}

/* Makes the opener serve the helper, which asks for a file. */
static int serve(struct helper *helper)
{
	int error = file_opener_prepare();

	if (!error && pipe2(helper->alive, O_CLOEXEC))
		error = -errno;
	if (!error)
		error = file_opener_begin(helper->request, helper->sockets[1], helper->alive[1]);
	close_fd(&helper->sockets[1]);
	close_fd(&helper->alive[1]);
	return error;
}

/*
 * poll() misses a stop signal that arrives just before the call, so check for signals at this
 * interval.
 */
#define LOOK_MS 500

/*
 * Waits until the helper has ended. Kills both processes on timeout or a stop signal. Returns
 * -errno if the helper asked for a file and cannot be served.
 */
static int wait_for_end(struct helper *helper)
{
	int64_t end = clock_monotonic_ms() +
		      helper->limits.max_seconds * INT64_C(1000) * CLOCK_LIMIT_FACTOR;
	struct pollfd poll_fd = {.fd = helper->sockets[1], .events = POLLIN};

	for (;;) {
		int64_t left = end - clock_monotonic_ms();
		int nr = poll(&poll_fd, 1, left > LOOK_MS ? LOOK_MS : left > 0 ? (int)left : 0);

		if (nr > 0) {
			int error;

			if (poll_fd.revents & (POLLHUP | POLLERR))
				return 0;
			error = serve(helper);
			if (error)
				return error;
			/* events is 0: poll returns only on POLLHUP, not for data. */
			poll_fd = (struct pollfd){.fd = helper->alive[0]};
			continue;
		}
		if (left > 0 && (!nr || errno == EINTR) && !stop_signal_came())
			continue;
		helper->hung = 1;
		file_opener_kill();
		kill(helper->pid, SIGKILL);
		return 0;
	}
}

/* ---- the child's result ---- */

static char *tell_signal(const struct helper *helper, int number)
{
	char *text;
	int nr;

	if (helper->hung)
		nr = asprintf(&text, "reading the file took more than %u s",
			      helper->limits.max_seconds * CLOCK_LIMIT_FACTOR);
	else if (helper->killed)
		nr = asprintf(&text, "the process that read the file was stopped, because it did "
				     "not end after its last request, or because the process that "
				     "opens files for it had ended");
	else if (number == SIGXCPU || number == SIGKILL)
		nr = asprintf(&text, "reading the file took more than %u s of CPU (SIG%s)",
			      confine_cpu_seconds(&helper->limits), sigabbrev_np(number));
	else if (number == SIGSYS)
		nr = asprintf(&text,
			      "the process that read the file was stopped, because it made a "
			      "forbidden system call (SIGSYS): the file may be an attack");
	else
		nr = asprintf(
			&text,
			"the process that read the file ended by SIG%s: the file may be damaged",
			sigabbrev_np(number) ? sigabbrev_np(number) : "?");
	return nr < 0 ? NULL : text;
}

static char *tell_error(const struct helper *helper, int error)
{
	char *text;
	int nr;

	if (error == ENOMEM)
		nr = asprintf(&text, "reading the file needs more than %zu MB of memory",
			      helper->limits.max_bytes >> 20);
	else
		nr = asprintf(&text, "cannot be read: %s", strerror(error));
	return nr < 0 ? NULL : text;
}

static int finish(struct helper *helper, int status, int (*take)(int fd, void *result),
		  void *result, char **note)
{
	int error = -EILSEQ;

	if (stop_signal_came())
		return -EINTR;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		error = take(helper->result_fd, result);
	if (!error || error == -ENOMEM)
		return error;
	if (WIFSIGNALED(status))
		*note = tell_signal(helper, WTERMSIG(status));
	else
		*note = tell_error(helper, WEXITSTATUS(status) ? WEXITSTATUS(status) : EILSEQ);
	return *note ? 0 : -ENOMEM;
}

int symbol_helper_read(const struct symbol_request *request, symbol_read_fn *read,
		       int (*take)(int fd, void *result), void *result, char **note)
{
	struct helper helper;
	int error;

	*note = NULL;
	helper_init(&helper, request);
	error = start(&helper, read);
	if (!error) {
		int status;

		error = wait_for_end(&helper);
		status = end_process(&helper);
		if (!error)
			error = finish(&helper, status, take, result, note);
	}
	helper_deinit(&helper);
	return error;
}

int symbol_helper_fetch(const struct symbol_request *request, struct symbol_request *fetched,
			char **path)
{
	const struct oprof_image_identity *identity = request->identity;
	struct buildid id = {.nr_bytes = identity->nr_build_id};
	int error;

	*path = NULL;
	if (id.nr_bytes > BUILDID_BYTES_MAX || request->debug_file)
		return -ENOENT;
	memcpy(id.bytes, identity->build_id, id.nr_bytes);
	error = debug_fetch(&id, path);
	if (error)
		return error == -ENOMEM ? error : -ENOENT;
	*fetched = *request;
	fetched->debug_file = *path;
	return 0;
}

static int take_table(int fd, void *result)
{
	return symbol_wire_read(fd, result);
}

int symbol_helper_run(const struct symbol_request *request, symbol_read_fn *read,
		      struct symbol_table *table)
{
	char *note;
	int error;

	*table = (struct symbol_table){0};
	error = symbol_helper_read(request, read, take_table, table, &note);
	if (!error && note) {
		table->lack = SYMBOLS_DAMAGED;
		table->note = note;
	}
	return error;
}
