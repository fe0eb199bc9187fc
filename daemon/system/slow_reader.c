// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon sends a request as one packet: the number of the function, and the bytes of the
 * request. The child answers with packets of at most PACKET_BYTES. The last packet is marked, and
 * has the result and the time for which the child waited for anything other than a CPU.
 */
#include "daemon/system/slow_reader.h"

#include "daemon/system/daemon_child.h"
#include "lib/clock.h"
#include "lib/deny_calls.h"
#include "lib/log.h"
#include "lib/stop_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* For kernel headers before Linux 5.8. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define PACKET_BYTES 32768u
/*
 * The socket's limit for packets, with room for the largest request and the kernel's own data. By
 * default, net.core.wmem_default is the limit, which may be smaller than a request.
 */
#define SOCKET_BYTES (256 << 10)
/* A child that sends nothing for DEADLINE_NS hangs, unless it uses a CPU or waits for a CPU. */
#define DEADLINE_NS UINT64_C(500000000)
/* Limit of a whole request. */
#define REQUEST_NS UINT64_C(2000000000)
/*
 * A request that waited for less than this time is not charged to the user. Longer waits are
 * charged as a whole, so that many short waits cannot add up to a long one.
 */
#define FREE_NS UINT64_C(1000000)
/* Limits of the waits while the daemon ends: of a request, and of all requests together. */
#define ENDING_REQUEST_NS UINT64_C(200000000)
#define ENDING_NS	  UINT64_C(1000000000)
#define STEP_MS		  50 /* the time between two checks for a stop signal */

/* Whether slow_reader_hurry() was called, and how long requests may still wait. */
static bool is_ending;
static uint64_t ending_left_ns;

struct request_head {
	uint32_t work; /* index of the function in the list */
	uint32_t reserved;
};

struct packet_head {
	uint32_t is_last;
	int32_t error;	    /* in the last packet: result of the function */
	uint64_t waited_ns; /* in the last packet: time for which the child waited */
};

struct slow_answer {
	struct slow_reply *reply; /* NULL: the answer is sent to the socket */
	int socket;
	size_t nr_bytes;
	char *bytes; /* PACKET_BYTES */
};

/* ---- answers ---- */

void slow_reply_deinit(struct slow_reply *reply)
{
	free(reply->bytes);
	*reply = (struct slow_reply){.bytes = NULL};
}

static int reply_add(struct slow_reply *reply, const void *bytes, size_t nr_bytes)
{
	if (reply->nr_bytes + nr_bytes + 1 > reply->room) {
		const size_t room = 2 * (reply->nr_bytes + nr_bytes + 1);
		char *larger = realloc(reply->bytes, room);

		if (!larger)
			return -ENOMEM;
		reply->bytes = larger;
		reply->room = room;
	}
	if (nr_bytes)
		memcpy(reply->bytes + reply->nr_bytes, bytes, nr_bytes);
	reply->nr_bytes += nr_bytes;
	reply->bytes[reply->nr_bytes] = '\0';
	return 0;
}

static int packet_send(struct slow_answer *answer, struct packet_head head)
{
	struct iovec parts[] = {{&head, sizeof(head)}, {answer->bytes, answer->nr_bytes}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	answer->nr_bytes = 0;
	return sendmsg(answer->socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int slow_answer_send(struct slow_answer *answer)
{
	if (answer->reply || !answer->nr_bytes)
		return 0;
	return packet_send(answer, (struct packet_head){.is_last = 0});
}

int slow_answer_put(struct slow_answer *answer, const void *bytes, size_t nr_bytes)
{
	const char *next = bytes;

	if (answer->reply)
		return reply_add(answer->reply, bytes, nr_bytes);
	while (nr_bytes) {
		const size_t room = PACKET_BYTES - answer->nr_bytes;
		const size_t nr = nr_bytes < room ? nr_bytes : room;
		int error = 0;

		memcpy(answer->bytes + answer->nr_bytes, next, nr);
		answer->nr_bytes += nr;
		next += nr;
		nr_bytes -= nr;
		if (answer->nr_bytes == PACKET_BYTES)
			error = slow_answer_send(answer);
		if (error)
			return error;
	}
	return 0;
}

/* ---- the child ---- */

/* Returns the time for which this process has used a CPU or waited for one. */
static uint64_t active_ns(int schedstat)
{
	char text[64];
	const ssize_t nr = pread(schedstat, text, sizeof(text) - 1, 0);
	uint64_t used_ns, delayed_ns;
	char *next;

	if (nr <= 0)
		return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	text[nr] = '\0';
	used_ns = strtoull(text, &next, 10);
	delayed_ns = strtoull(next, NULL, 10);
	return used_ns + delayed_ns;
}

static int run(struct slow_reader *reader, const char *bytes, size_t nr_bytes,
	       struct slow_answer *answer)
{
	struct request_head head;

	if (nr_bytes < sizeof(head))
		return -EINVAL;
	memcpy(&head, bytes, sizeof(head));
	if (head.work >= reader->nr_works)
		return -EINVAL;
	return reader->works[head.work](bytes + sizeof(head), nr_bytes - sizeof(head), answer);
}

static void child_loop(struct slow_reader *reader, int socket)
{
	static char request[sizeof(struct request_head) + SLOW_REQUEST_BYTES_MAX];
	static char packet[PACKET_BYTES];
	struct slow_answer answer = {.socket = socket, .bytes = packet};
	const int schedstat = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);

	for (;;) {
		const ssize_t nr = recv(socket, request, sizeof(request), 0);
		struct packet_head head = {.is_last = 1};
		uint64_t begin_ns, begin_active_ns, wall_ns, own_ns;

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return;
		begin_ns = clock_monotonic_ns();
		begin_active_ns = active_ns(schedstat);
		answer.nr_bytes = 0;
		head.error = run(reader, request, (size_t)nr, &answer);
		wall_ns = clock_monotonic_ns() - begin_ns;
		own_ns = wall_ns < FREE_NS ? wall_ns : active_ns(schedstat) - begin_active_ns;
		head.waited_ns = wall_ns > own_ns ? wall_ns - own_ns : 0;
		if (packet_send(&answer, head))
			return;
	}
}

static void __attribute__((noreturn)) child_main(struct slow_reader *reader, int fd, pid_t parent)
{
	const int socket = daemon_child_begin("oprof-reader", fd, NULL, parent);

	/*
	 * The child needs these capabilities to read the maps, links and mapped files of other
	 * users' processes. If CAP_SYS_PTRACE is missing, CAP_PERFMON suffices for some of these
	 * reads on some kernels.
	 */
	daemon_child_keep(daemon_child_bit(CAP_SYS_PTRACE) | daemon_child_bit(CAP_DAC_READ_SEARCH) |
			  daemon_child_bit(CAP_PERFMON) | daemon_child_map_files());
	/* Errors are ignored, because the reader also works without these filters. */
	(void)deny_calls(); /* the daemon may have kept its privileges */
	(void)deny_changes();
	child_loop(reader, socket);
	_exit(0);
}

/* ---- starting and abandoning children ---- */

/* Without privileges, net.core.wmem_max also limits the size. */
static void socket_size(int socket)
{
	const int size = SOCKET_BYTES;

	if (setsockopt(socket, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		(void)setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

/*
 * Returns -EAGAIN for every reason, because this error means that the process is to be read again
 * later. Other errors would mean, for example, that the process has ended.
 */
static int start_fails(struct slow_reader *reader, int error)
{
	if (!reader->nr_failed_starts++)
		log_warning("cannot start the process that reads /proc: %s; until this process "
			    "runs, samples of programs whose mappings are not known yet are lost",
			    strerror(error));
	return -EAGAIN;
}

static int reader_start(struct slow_reader *reader)
{
	const pid_t parent = getpid();
	int ends[2], error;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return start_fails(reader, errno);
	socket_size(ends[0]);
	socket_size(ends[1]);
	child = fork();
	if (!child)
		child_main(reader, ends[1], parent);
	error = errno;
	(void)close(ends[1]);
	if (child < 0) {
		(void)close(ends[0]);
		return start_fails(reader, error);
	}
	reader->fd = ends[0];
	reader->pid = child;
	reader->nr_starts++;
	return 0;
}

static void reap(struct slow_reader *reader)
{
	for (unsigned int i = 0; i < SLOW_ABANDONED_MAX; i++)
		if (reader->abandoned[i].pid &&
		    waitpid(reader->abandoned[i].pid, NULL, WNOHANG) != 0)
			reader->abandoned[i].pid = 0;
}

/* Kills the child. Until the child has ended, it counts as an abandoned child of the user. */
static void abandon(struct slow_reader *reader, uid_t uid)
{
	(void)close(reader->fd);
	reader->fd = -1;
	(void)kill(reader->pid, SIGKILL);
	for (unsigned int i = 0; i < SLOW_ABANDONED_MAX; i++) {
		if (!reader->abandoned[i].pid) {
			reader->abandoned[i] = (struct slow_abandoned){reader->pid, uid};
			break;
		}
	}
	reap(reader);
}

static bool has_too_many_abandoned(struct slow_reader *reader, uid_t uid)
{
	unsigned int nr = 0, nr_user = 0;

	reap(reader);
	for (unsigned int i = 0; i < SLOW_ABANDONED_MAX; i++) {
		nr += reader->abandoned[i].pid != 0;
		nr_user += reader->abandoned[i].pid && reader->abandoned[i].uid == uid;
	}
	return nr >= SLOW_ABANDONED_MAX || (uid && nr >= SLOW_ABANDONED_MOST) ||
	       nr_user >= SLOW_ABANDONED_USER;
}

void slow_reader_init(struct slow_reader *reader, const char *proc_path, slow_work *const *works,
		      unsigned int nr_works)
{
	memset(reader, 0, sizeof(*reader));
	reader->proc_path = proc_path;
	reader->works = works;
	reader->nr_works = nr_works;
	reader->fd = -1;
	(void)reader_start(reader);
}

void slow_reader_deinit(struct slow_reader *reader)
{
	/*
	 * An idle child ends soon after it was killed. Wait about 100 ms for its exit status, but
	 * not longer, because a child that hangs may never end.
	 */
	if (reader->fd >= 0)
		abandon(reader, 0);
	for (int i = 0; i < 100 && reader->pid && waitpid(reader->pid, NULL, WNOHANG) == 0; i++)
		(void)poll(NULL, 0, 1);
	reader->pid = 0;
}

/* ---- requests ---- */

/* The state of one request. */
struct call {
	struct slow_reader *reader;
	struct slow_reply *reply;
	uint32_t work; /* index of the function in the list */
	/* The process as it was before the request: it may end during the request. */
	struct unread_process process;
	uint64_t begin_ns, progress_ns; /* CLOCK_MONOTONIC of the request and of the last packet */
};

void slow_reader_hurry(void)
{
	if (!is_ending)
		ending_left_ns = ENDING_NS;
	is_ending = true;
}

static void ending_spend(uint64_t waited_ns)
{
	ending_left_ns -= waited_ns < ending_left_ns ? waited_ns : ending_left_ns;
}

/*
 * Returns whether requests must not wait any more. The daemon blocks the signals that stop it and
 * reads them later; then it calls slow_reader_hurry().
 */
static bool must_stop(void)
{
	sigset_t pending;

	return (is_ending && !ending_left_ns) || stop_signal_came() ||
	       (!sigpending(&pending) &&
		(sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1));
}

/* Returns the limit of a whole request. */
static uint64_t request_ns(void)
{
	if (!is_ending)
		return REQUEST_NS;
	return ending_left_ns < ENDING_REQUEST_NS ? ending_left_ns : ENDING_REQUEST_NS;
}

static bool is_late(const struct call *call)
{
	const uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - call->begin_ns >= request_ns())
		return true;
	return !is_ending && now_ns - call->progress_ns >= DEADLINE_NS &&
	       !daemon_child_runs(call->reader->pid);
}

/*
 * Receives a packet. Returns 0; -EAGAIN: no packet has arrived; -EPIPE: the child has ended; or
 * -ENOMEM.
 */
static int packet_take(struct call *call, struct packet_head *head)
{
	static char bytes[PACKET_BYTES];
	struct iovec parts[] = {{head, sizeof(*head)}, {bytes, sizeof(bytes)}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	const ssize_t nr = recvmsg(call->reader->fd, &message, MSG_DONTWAIT);

	if (nr < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (nr < (ssize_t)sizeof(*head))
		return -EPIPE;
	call->progress_ns = clock_monotonic_ns();
	return reply_add(call->reply, bytes, (size_t)nr - sizeof(*head));
}

/* The limits also apply to a child that sends packets again and again. */
static int answer_wait(struct call *call, struct packet_head *head)
{
	struct pollfd fd = {.fd = call->reader->fd, .events = POLLIN};

	for (;;) {
		int error = packet_take(call, head);

		if (!error && head->is_last)
			return 0;
		if (error && error != -EAGAIN)
			return error;
		if (must_stop())
			return -EINTR;
		if (is_late(call))
			return is_ending ? -EINTR : -ETIMEDOUT;
		if (error)
			(void)poll(&fd, 1, STEP_MS);
	}
}

/* Call when the child did not answer in time, or ended while it read this process. */
static void note_miss(struct call *call)
{
	struct slow_reader *reader = call->reader;
	const struct unread_process *process = &call->process;
	const uint64_t now_ns = clock_monotonic_ns();
	uint64_t waited_ns = now_ns - call->begin_ns;

	/*
	 * Charge at least half a deadline. Otherwise a child that always fails at once would be
	 * started again without a limit.
	 */
	if (waited_ns < DEADLINE_NS / 2)
		waited_ns = DEADLINE_NS / 2;
	unread_wait(&reader->unread, process->uid, waited_ns, now_ns);
	abandon(reader, process->uid);
	if (unread_miss(&reader->unread, process, call->work, now_ns))
		log_warning("cannot read process %" PRId32 " (%s, user %" PRIu32
			    ") in time: its mappings or a mapped file cannot be read without "
			    "waiting; the daemon tries again after a minute or later",
			    process->pid, process->name, (uint32_t)process->uid);
}

/*
 * Returns 0; -EMSGSIZE: the request is too large for the socket; or -EAGAIN: the child has ended.
 */
static int request_send(const struct slow_reader *reader, uint32_t work, const void *bytes,
			size_t nr_bytes)
{
	struct request_head head = {.work = work};
	struct iovec parts[] = {{&head, sizeof(head)}, {(void *)(uintptr_t)bytes, nr_bytes}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	if (sendmsg(reader->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return 0;
	return errno == EMSGSIZE ? -EMSGSIZE : -EAGAIN;
}

/* Starts a child if none runs, also if somebody has killed the idle child. */
static int request_begin(struct slow_reader *reader, uint32_t work, const void *bytes,
			 size_t nr_bytes)
{
	int error = -EAGAIN;

	if (reader->fd >= 0)
		error = request_send(reader, work, bytes, nr_bytes);
	if (error != -EAGAIN)
		return error;
	if (reader->fd >= 0)
		abandon(reader, 0);
	error = reader_start(reader);
	return error ? error : request_send(reader, work, bytes, nr_bytes);
}

/*
 * Charges the time that a request has waited to the process's user, unless this time is shorter
 * than FREE_NS. Root's processes are not charged: they may use a slow disk, and root can stop the
 * daemon anyway.
 */
static void charge(struct call *call, uint64_t waited_ns)
{
	if (is_ending)
		ending_spend(waited_ns);
	if (waited_ns >= FREE_NS && call->process.uid)
		unread_wait(&call->reader->unread, call->process.uid, waited_ns,
			    clock_monotonic_ns());
}

static int child_call(struct call *call, const void *bytes, size_t nr_bytes)
{
	struct packet_head head = {.is_last = 0};
	int error = request_begin(call->reader, call->work, bytes, nr_bytes);

	if (error)
		return error;
	error = answer_wait(call, &head);
	switch (error) {
	case 0:
		charge(call, head.waited_ns);
		unread_good(&call->reader->unread, &call->process, call->work);
		return head.error;
	case -EINTR:
	case -ENOMEM:
		ending_spend(clock_monotonic_ns() - call->begin_ns);
		abandon(call->reader, call->process.uid);
		return error;
	default:
		note_miss(call);
		return -ETIMEDOUT;
	}
}

static bool may_read(struct slow_reader *reader, const struct unread_process *process)
{
	if (!has_too_many_abandoned(reader, process->uid))
		return unread_may_read(&reader->unread, process, clock_monotonic_ns());
	reader->unread.nr_refused++;
	return false;
}

int slow_reader_call(struct slow_reader *reader, slow_work *work, int32_t pid, const void *request,
		     size_t nr_bytes, struct slow_reply *reply)
{
	struct call call = {.reader = reader, .reply = reply};
	struct slow_answer here = {.reply = reply, .socket = -1};
	int error;

	*reply = (struct slow_reply){.bytes = NULL};
	error = reply_add(reply, NULL, 0);
	if (error)
		return error;
	if (!reader)
		return work(request, nr_bytes, &here);
	while (call.work < reader->nr_works && reader->works[call.work] != work)
		call.work++;
	if (must_stop())
		return -EINTR;
	unread_process_read(&call.process, reader->proc_path, pid);
	if (!may_read(reader, &call.process))
		return -EBUSY;
	call.begin_ns = call.progress_ns = clock_monotonic_ns();
	return child_call(&call, request, nr_bytes);
}

bool slow_reader_is_late(int error)
{
	return error == -ETIMEDOUT || error == -EBUSY || error == -EINTR || error == -EAGAIN;
}

uint64_t slow_reader_cpu_ns(const struct slow_reader *reader)
{
	uint64_t ns = reader->fd >= 0 ? daemon_child_cpu_ns(reader->pid) : 0;

	for (unsigned int i = 0; i < SLOW_ABANDONED_MAX; i++)
		if (reader->abandoned[i].pid)
			ns += daemon_child_cpu_ns(reader->abandoned[i].pid);
	return ns;
}
