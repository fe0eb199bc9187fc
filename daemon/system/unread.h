/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which processes the daemon may read from /proc, so that no user can make the daemon wait
 * for long. A process at which a read missed its deadline is an offender: it is not read again for
 * a minute, and each further miss doubles this pause, up to a limit. Each user has a budget of
 * waiting for each minute. The machine also has such a budget, from which root's processes are
 * exempt. A process beyond a budget is not read. Processes whose user is not known share a budget.
 *
 * All tables have a fixed size. Not for: the reads and their deadlines (slow_reader.h).
 */
#ifndef DAEMON_UNREAD_H
#define DAEMON_UNREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define UNREAD_NAME_BYTES 64
#define UNREAD_OFFENDERS  64u
#define UNREAD_USERS	  64u
#define UNREAD_TURN_NS	  UINT64_C(60000000000) /* after this time, budgets begin again */
#define UNREAD_PAUSES_MAX 7u /* number of misses after which the pause is not doubled any more */
#define UNREAD_USER_NS	  UINT64_C(3000000000) /* budget of a user */
#define UNREAD_MACHINE_NS UINT64_C(6000000000) /* budget of all users except root */
#define UNREAD_NO_USER	  ((uid_t)-1)	       /* the user of a process that has ended */

struct unread_process {
	int32_t pid;
	uint64_t start_ticks;	      /* distinguishes two lives of a pid; 0: not known */
	uid_t uid;		      /* real user, which a set-user-ID program does not change */
	char name[UNREAD_NAME_BYTES]; /* without control characters */
};

struct unread_offender {
	struct unread_process process;
	uint64_t missed_ns;	/* time of the last missed deadline; 0: this entry is not used */
	unsigned int work;	/* the kind of read that missed its deadline */
	unsigned int nr_missed; /* misses since this kind of read last succeeded */
};

struct unread_user {
	uid_t uid;
	/* time at which the user's budget last began; 0: this entry is not used */
	uint64_t since_ns;
	uint64_t waited_ns;
};

struct unread {
	struct unread_offender offenders[UNREAD_OFFENDERS];
	struct unread_user users[UNREAD_USERS];
	struct unread_user machine; /* all known users except root */
	uint64_t nr_missed;	    /* missed deadlines */
	uint64_t nr_refused;	    /* reads that unread_may_read did not allow */
};

/*
 * Fills *process from proc_path, from files that never block. If the process has ended, only pid is
 * known, and uid is UNREAD_NO_USER.
 */
void unread_process_read(struct unread_process *process, const char *proc_path, int32_t pid);

/* Returns whether a process with this pid is an offender. */
bool unread_is_offender(const struct unread *unread, int32_t pid);

/* Returns whether the process may be read now. now_ns: CLOCK_MONOTONIC, as below. */
bool unread_may_read(struct unread *unread, const struct unread_process *process, uint64_t now_ns);

/*
 * Reports that a read of a process of this user made the daemon wait for waited_ns. Logs if a
 * budget is exhausted now.
 */
void unread_wait(struct unread *unread, uid_t uid, uint64_t waited_ns, uint64_t now_ns);

/*
 * Fills list[room] with the users whose budget is exhausted. UNREAD_NO_USER stands for all users
 * except root. Returns the number of entries filled.
 */
unsigned int unread_exhausted(const struct unread *unread, uint64_t now_ns, uid_t *list,
			      unsigned int room);

/*
 * Reports that a read of the process missed its deadline. work: a number for the kind of read.
 * Returns whether the process was not an offender before.
 */
bool unread_miss(struct unread *unread, const struct unread_process *process, unsigned int work,
		 uint64_t now_ns);

/*
 * Reports that a read of this kind ended in time. Reads of other kinds may still miss their
 * deadlines.
 */
void unread_good(struct unread *unread, const struct unread_process *process, unsigned int work);

/*
 * Fills list[room] with the offenders that still run according to proc_path, the latest first.
 * Returns the number of entries filled.
 */
unsigned int unread_list(const struct unread *unread, const char *proc_path,
			 struct unread_process *list, unsigned int room);

#endif
