// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/unread.h"

#include "lib/file.h"
#include "lib/log.h"
#include "lib/utf8.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_BYTES_MAX 65536u
#define START_FIELD	 22 /* number of the field of /proc/PID/stat with the start time */
#define SECOND_NS	 UINT64_C(1000000000)

/* ---- processes ---- */

static char *read_of_process(const char *proc_path, int32_t pid, const char *name)
{
	char path[PATH_MAX];
	char *text;

	if (snprintf(path, sizeof(path), "%s/%" PRId32 "/%s", proc_path, pid, name) >=
		    (int)sizeof(path) ||
	    file_read_text(path, STATUS_BYTES_MAX, &text, NULL))
		return NULL;
	return text;
}

/*
 * Parses "PID (NAME) STATE PPID ...". NAME may contain any characters, so it ends at the last
 * parenthesis.
 */
static void stat_parse(const char *text, struct unread_process *process)
{
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	size_t nr_name;

	if (!name || !end || end < name)
		return;
	nr_name = (size_t)(end - name) - 1;
	if (nr_name >= sizeof(process->name))
		nr_name = sizeof(process->name) - 1;
	memcpy(process->name, name + 1, nr_name);
	process->name[nr_name] = '\0';
	utf8_mask(process->name, "");
	for (int field = 2; end && field < START_FIELD; field++)
		end = strchr(end + 1, ' ');
	process->start_ticks = end ? strtoull(end, NULL, 10) : 0;
}

void unread_process_read(struct unread_process *process, const char *proc_path, int32_t pid)
{
	char *text = read_of_process(proc_path, pid, "stat");
	const char *uids;

	*process = (struct unread_process){.pid = pid, .uid = UNREAD_NO_USER};
	if (text)
		stat_parse(text, process);
	free(text);
	text = read_of_process(proc_path, pid, "status");
	uids = text ? strstr(text, "\nUid:") : NULL;
	if (uids)
		process->uid = (uid_t)strtoul(uids + strlen("\nUid:"), NULL, 10);
	free(text);
}

static bool is_same(const struct unread_process *one, const struct unread_process *other)
{
	return one->pid == other->pid && one->start_ticks == other->start_ticks;
}

/* ---- budgets ---- */

static bool turn_is_over(const struct unread_user *user, uint64_t now_ns)
{
	return now_ns - user->since_ns >= UNREAD_TURN_NS;
}

static bool is_exhausted(const struct unread_user *user, uint64_t budget_ns, uint64_t now_ns)
{
	return user->since_ns && !turn_is_over(user, now_ns) && user->waited_ns >= budget_ns;
}

/* Adds a wait to the budget. Returns whether this wait exhausts the budget. */
static bool wait_add(struct unread_user *user, uint64_t waited_ns, uint64_t budget_ns,
		     uint64_t now_ns)
{
	const bool was_exhausted = is_exhausted(user, budget_ns, now_ns);

	if (!user->since_ns || turn_is_over(user, now_ns)) {
		user->since_ns = now_ns;
		user->waited_ns = 0;
	}
	user->waited_ns += waited_ns;
	return !was_exhausted && is_exhausted(user, budget_ns, now_ns);
}

static const struct unread_user *user_find(const struct unread *unread, uid_t uid)
{
	for (unsigned int i = 0; i < UNREAD_USERS; i++)
		if (unread->users[i].since_ns && unread->users[i].uid == uid)
			return &unread->users[i];
	return NULL;
}

/*
 * Returns the entry of the user. A new user gets an unused entry, or the entry whose budget began
 * first.
 */
static struct unread_user *user_get(struct unread *unread, uid_t uid)
{
	struct unread_user *oldest = &unread->users[0];

	for (unsigned int i = 0; i < UNREAD_USERS; i++) {
		struct unread_user *user = &unread->users[i];

		if (user->since_ns && user->uid == uid)
			return user;
		if (user->since_ns < oldest->since_ns)
			oldest = user;
	}
	*oldest = (struct unread_user){.uid = uid};
	return oldest;
}

void unread_wait(struct unread *unread, uid_t uid, uint64_t waited_ns, uint64_t now_ns)
{
	const bool is_known = uid != UNREAD_NO_USER;

	if (wait_add(user_get(unread, uid), waited_ns, UNREAD_USER_NS, now_ns) && is_known)
		log_warning("for up to a minute, the daemon reads no mappings of processes of "
			    "user %" PRIu32 ", because such reads have taken more than %u s",
			    (uint32_t)uid, (unsigned int)(UNREAD_USER_NS / SECOND_NS));
	if (uid && is_known && wait_add(&unread->machine, waited_ns, UNREAD_MACHINE_NS, now_ns))
		log_warning("for up to a minute, the daemon reads no mappings of processes of "
			    "users other than root, because such reads have taken more than %u s",
			    (unsigned int)(UNREAD_MACHINE_NS / SECOND_NS));
}

unsigned int unread_exhausted(const struct unread *unread, uint64_t now_ns, uid_t *list,
			      unsigned int room)
{
	unsigned int nr = 0;

	if (room && is_exhausted(&unread->machine, UNREAD_MACHINE_NS, now_ns))
		list[nr++] = UNREAD_NO_USER;
	for (unsigned int i = 0; i < UNREAD_USERS && nr < room; i++)
		if (unread->users[i].uid != UNREAD_NO_USER &&
		    is_exhausted(&unread->users[i], UNREAD_USER_NS, now_ns))
			list[nr++] = unread->users[i].uid;
	return nr;
}

/* ---- offenders ---- */

static struct unread_offender *offender_find(struct unread *unread,
					     const struct unread_process *process)
{
	for (unsigned int i = 0; i < UNREAD_OFFENDERS; i++)
		if (unread->offenders[i].missed_ns &&
		    is_same(&unread->offenders[i].process, process))
			return &unread->offenders[i];
	return NULL;
}

/* Returns an unused entry, or the entry of the offender that missed a deadline first. */
static struct unread_offender *offender_room(struct unread *unread)
{
	struct unread_offender *oldest = &unread->offenders[0];

	for (unsigned int i = 1; i < UNREAD_OFFENDERS; i++)
		if (unread->offenders[i].missed_ns < oldest->missed_ns)
			oldest = &unread->offenders[i];
	return oldest;
}

bool unread_is_offender(const struct unread *unread, int32_t pid)
{
	for (unsigned int i = 0; i < UNREAD_OFFENDERS; i++)
		if (unread->offenders[i].missed_ns && unread->offenders[i].process.pid == pid)
			return true;
	return false;
}

static uint64_t pause_ns(const struct unread_offender *offender)
{
	return UNREAD_TURN_NS << (offender->nr_missed - 1);
}

bool unread_may_read(struct unread *unread, const struct unread_process *process, uint64_t now_ns)
{
	const struct unread_offender *offender = offender_find(unread, process);
	const struct unread_user *user = user_find(unread, process->uid);

	if ((offender && now_ns - offender->missed_ns < pause_ns(offender)) ||
	    (user && is_exhausted(user, UNREAD_USER_NS, now_ns)) ||
	    (process->uid && is_exhausted(&unread->machine, UNREAD_MACHINE_NS, now_ns))) {
		unread->nr_refused++;
		return false;
	}
	return true;
}

bool unread_miss(struct unread *unread, const struct unread_process *process, unsigned int work,
		 uint64_t now_ns)
{
	struct unread_offender *offender = offender_find(unread, process);
	const bool is_new = !offender;

	if (is_new) {
		offender = offender_room(unread);
		offender->nr_missed = 0;
	}
	if (offender->nr_missed < UNREAD_PAUSES_MAX)
		offender->nr_missed++;
	offender->process = *process;
	offender->work = work;
	offender->missed_ns = now_ns;
	unread->nr_missed++;
	return is_new;
}

void unread_good(struct unread *unread, const struct unread_process *process, unsigned int work)
{
	struct unread_offender *offender = offender_find(unread, process);

	if (offender && offender->work == work)
		offender->missed_ns = 0;
}

static int offender_compare(const void *a, const void *b)
{
	const struct unread_offender *one = a, *other = b;

	return (one->missed_ns < other->missed_ns) - (one->missed_ns > other->missed_ns);
}

unsigned int unread_list(const struct unread *unread, const char *proc_path,
			 struct unread_process *list, unsigned int room)
{
	struct unread_offender sorted[UNREAD_OFFENDERS];
	unsigned int nr = 0;

	memcpy(sorted, unread->offenders, sizeof(sorted));
	qsort(sorted, UNREAD_OFFENDERS, sizeof(sorted[0]), offender_compare);
	for (unsigned int i = 0; i < UNREAD_OFFENDERS && sorted[i].missed_ns && nr < room; i++) {
		struct unread_process now;

		unread_process_read(&now, proc_path, sorted[i].process.pid);
		if (is_same(&now, &sorted[i].process))
			list[nr++] = sorted[i].process;
	}
	return nr;
}
