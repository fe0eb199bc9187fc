/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process of the daemon performs reads that may block. A user can make reads of a process's
 * /proc folder, and of files that the process maps, wait for ever. The daemon waits for an answer
 * until a deadline, or until a signal stops the daemon. Then it kills the child, and starts another
 * child for the next request. It does not wait for the killed child's end, because a process that
 * waits in a file system may not even react to SIGKILL. unread.h decides which processes may be
 * read.
 *
 * The child runs only functions of a fixed list. It has no descriptors of the daemon, and only the
 * capabilities that are needed to read other users' /proc folders and mapped files.
 *
 * Not for: threads. Only a process with a single thread may start a reader.
 */
#ifndef DAEMON_SLOW_READER_H
#define DAEMON_SLOW_READER_H

#include "daemon/system/unread.h"

#include <stddef.h>

/* Maximum size of a request. It is sent as one packet. */
#define SLOW_REQUEST_BYTES_MAX 65536u
/*
 * Limits of the number of killed children that have not ended yet. USER limits the children of one
 * user. The two other limits are for all children together: a request about a process of root is
 * refused if MAX children exist, any other request if MOST children exist.
 */
#define SLOW_ABANDONED_USER 4u
#define SLOW_ABANDONED_MOST 8u
#define SLOW_ABANDONED_MAX  16u

/* Receives the bytes that a function of the list writes. */
struct slow_answer;

/* Adds bytes to the answer. Returns 0 or -errno, which the function must return. */
int slow_answer_put(struct slow_answer *answer, const void *bytes, size_t nr_bytes);
/*
 * Sends what was added so far. Each packet restarts the deadline, within the limit of the whole
 * request. If a later part of the request is late, the caller gets the parts that were sent.
 */
int slow_answer_send(struct slow_answer *answer);

/* A function of the list. Runs in the child. Returns 0 or -errno, for slow_reader_call(). */
typedef int slow_work(const void *request, size_t nr_bytes, struct slow_answer *answer);

/* The collected answer. bytes is malloc'ed and ends with a NUL that nr_bytes does not include. */
struct slow_reply {
	char *bytes;
	size_t nr_bytes, room;
};

void slow_reply_deinit(struct slow_reply *reply);

struct slow_abandoned {
	pid_t pid; /* 0: this entry is not used */
	uid_t uid; /* user of the process at which the child waits */
};

struct slow_reader {
	const char *proc_path; /* borrowed */
	slow_work *const *works;
	unsigned int nr_works;
	int fd; /* socket to the child; -1: no child runs */
	pid_t pid;
	uint64_t nr_starts;	   /* children that were started */
	uint64_t nr_failed_starts; /* attempts to start a child that failed */
	struct slow_abandoned abandoned[SLOW_ABANDONED_MAX];
	struct unread unread;
};

/*
 * Initializes reader and starts the first child. Call this early, while the process is small and
 * has all its privileges. If the child cannot be started, slow_reader_call() tries again, and the
 * first failure is logged. works and proc_path are borrowed.
 */
void slow_reader_init(struct slow_reader *reader, const char *proc_path, slow_work *const *works,
		      unsigned int nr_works);
/* Ends the child without waiting for its end. */
void slow_reader_deinit(struct slow_reader *reader);

/*
 * Runs work, which must be in the reader's list, with the request about process pid, and collects
 * its answer in *reply, which the caller deinits. reader NULL: runs work in this process. Returns
 * what work returns, or:
 *
 * -ETIMEDOUT: the deadline was missed, or the child ended; *reply has the parts that were sent
 * -EBUSY: the process is not read now (unread.h), or too many children have been abandoned
 * -EINTR: the daemon was told to stop, or is ending and has waited enough
 * -ENOMEM: no memory for the answer
 * -EAGAIN: a child could not be started
 * -EMSGSIZE: the kernel's limits (net.core.wmem_max) do not allow so large a request
 */
int slow_reader_call(struct slow_reader *reader, slow_work *work, int32_t pid, const void *request,
		     size_t nr_bytes, struct slow_reply *reply);

/*
 * Call when the daemon begins to end. From then on, each request of any reader waits only for a
 * short time, and all of them together for at most a second. Later requests return -EINTR.
 */
void slow_reader_hurry(void);

/* Returns the processor time of the child, and of killed children that were not waited for yet. */
uint64_t slow_reader_cpu_ns(const struct slow_reader *reader);

/* Returns whether error means that the process could not be read in time. */
bool slow_reader_is_late(int error);

#endif
