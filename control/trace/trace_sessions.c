// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/trace/trace_sessions.h"

#include "client/client.h"
#include "lib/file.h"
#include "lib/key_value.h"
#include "lib/log.h"
#include "lib/utf8.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NAME_LENGTH_MAX 64u

int trace_sessions_check_name(const char *name, struct diag *diag)
{
	size_t nr = 0;

	/* The first character must not be "-", as in options, or ".", as in hidden files. */
	while (name[nr] && (isalnum((unsigned char)name[nr]) || name[nr] == '_' ||
			    (nr && (name[nr] == '-' || name[nr] == '.'))))
		nr++;
	if (nr && !name[nr] && nr <= NAME_LENGTH_MAX)
		return 0;
	return diag_set(diag, -EINVAL,
			"\"%s\" is not a name of a trace; use letters, digits, \"_\" and, after "
			"the first character, \"-\" and \".\"; at most %u characters",
			name, NAME_LENGTH_MAX);
}

/*
 * Returns the pid of a tracer that died without ending the session; 0: no tracer died. The pid of
 * such a tracer is still in the lock file, but the file is no longer locked.
 */
static long dead_tracer(const char *folder)
{
	char path[PATH_MAX], text[32] = "";
	long pid = 0;
	int fd;

	if (snprintf(path, sizeof(path), "%s/lock", folder) >= (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (!flock(fd, LOCK_SH | LOCK_NB) && file_pread_all(fd, text, sizeof(text) - 1, 0) > 0)
		pid = strtol(text, NULL, 10);
	(void)close(fd);
	return pid;
}

int trace_sessions_none(const char *session_dir, const char *name, struct diag *diag)
{
	char folder[PATH_MAX];
	long pid = 0;

	if (snprintf(folder, sizeof(folder), "%s/" TRACE_SESSIONS_FOLDER "/%s", session_dir, name) <
	    (int)sizeof(folder))
		pid = dead_tracer(folder);
	if (pid)
		return diag_set(
			diag, -ENOTCONN,
			"no trace %s runs: its tracer, process %ld, died, and its events in "
			"memory are lost; optrace start begins a new trace",
			name, pid);
	return diag_set(
		diag, -ENOTCONN,
		"no trace %s runs; optrace status lists the running traces, optrace start begins "
		"one",
		name);
}

/* ---- the table ---- */

static void show_size(char *to, size_t nr_bytes, uint64_t value)
{
	static const char units[] = "KMG";
	unsigned int unit = 0;

	if (value < 1024 || value % 1024) {
		(void)snprintf(to, nr_bytes, "%" PRIu64, value);
		return;
	}
	for (value /= 1024; value >= 1024 && !(value % 1024) && units[unit + 1]; value /= 1024)
		unit++;
	(void)snprintf(to, nr_bytes, "%" PRIu64 "%c", value, units[unit]);
}

static void show_lost(const char *text, const char *key, const char *why)
{
	const uint64_t nr = key_value_number(text, key, 0);

	if (nr)
		(void)printf("    %" PRIu64 " %s\n", nr, why);
}

/* For each line of text that has this key, prints a line: `before`, and then the value. */
static void show_lines(const char *text, const char *key, const char *before)
{
	const size_t length = strlen(key);

	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (!strncmp(text, key, length) && text[length] == ' ')
			(void)printf("    %s%.*s\n", before,
				     (int)(strcspn(text, "\n") - length - 1), text + length + 1);
}

static void show_one(const char *name, const char *text)
{
	char mode[32] = "", size[32], sizes[96];
	const uint64_t lost =
		key_value_number(text, "lost_kernel", 0) +
		key_value_number(text, "lost_nested", 0) + key_value_number(text, "lost_room", 0) +
		key_value_number(text, "lost_bad", 0) + key_value_number(text, "lost_disk", 0);

	(void)key_value_find(text, "mode", mode, sizeof(mode));
	show_size(size, sizeof(size), key_value_number(text, "sub_buffer_bytes", 0));
	(void)snprintf(sizes, sizeof(sizes), "%s:%" PRIu64 "x%s", mode,
		       key_value_number(text, "sub_buffers", 0), size);
	(void)printf(
		"%-16s %-18s %6" PRIu64 " %8.1f %9.1f %12" PRIu64 " %10" PRIu64 " %9" PRIu64 "\n",
		name, sizes, key_value_number(text, "events", 0),
		(double)key_value_number(text, "memory_bytes", 0) / (1 << 20),
		(double)key_value_number(text, "covered_ns", 0) / 1e9,
		key_value_number(text, "records", 0), lost, key_value_number(text, "snapshots", 0));
	show_lost(text, "lost_kernel", "lost: the kernel's buffers were full or already closed");
	show_lost(
		text, "lost_nested",
		"lost: too many nested interrupts, or the thread that wrote the events was killed");
	show_lost(text, "lost_room",
		  "lost: the events were longer than a buffer, or memory was lacking");
	show_lost(text, "lost_bad", "lost: the events did not match the kernel's description");
	show_lost(text, "lost_disk", "lost: the events could not be written to disk");
	show_lost(text, "ring_errors", "times, the kernel's buffers were damaged");
	show_lost(text, "packet_errors", "packets were refused, because of an error in oprof");
	show_lost(text, "late", "events arrived late, and have the time of the previous event");
	show_lost(text, "throttled", "times, the kernel took no samples for a while");
	show_lost(text, "chunks_failed", "chunks could not be compressed or removed");
	show_lost(text, "unjudged",
		  "events were not checked against the conditions of --snapshot-if");
	show_lost(text, "forgotten",
		  "starts, ends and mappings of programs were discarded from memory, the oldest "
		  "first");
	show_lost(text, "snapshots_failed", "snapshots could not be taken");
	show_lines(text, "last_failure", "last failure: ");
	if (!strcmp(mode, "discard"))
		show_lines(text, "folder", "writes to ");
	show_lines(text, "snapshot_if", "snapshot if ");
	show_lines(text, "last_snapshot", "last snapshot ");
	show_lines(text, "warning", "");
}

static void show_head(bool *is_shown)
{
	if (!*is_shown)
		(void)printf("%-16s %-18s %6s %8s %9s %12s %10s %9s\n", "TRACE", "MODE", "EVENTS",
			     "MIB", "SECONDS", "RECORDS", "LOST", "SNAPSHOTS");
	*is_shown = true;
}

/* Returns 0, or the error of the request. */
static int show(const char *folder, const char *name, bool *is_shown, struct diag *diag)
{
	struct client_answer answer;
	const struct client_patience patience = {CLIENT_TIMEOUT_MS, -1};
	const int error =
		client_ask_trusted(folder, OPROF_REQUEST_STATUS, NULL, &patience, &answer, diag);

	if (error)
		return error;
	utf8_mask(answer.text, "\n");
	show_head(is_shown);
	show_one(name, answer.text);
	client_answer_deinit(&answer);
	return 0;
}

static int is_name(const struct dirent *entry)
{
	return !trace_sessions_check_name(entry->d_name, NULL);
}

int trace_sessions_show(const char *session_dir, const char *name, struct diag *diag)
{
	char folder[PATH_MAX];
	struct dirent **names = NULL;
	bool is_shown = false;
	int nr, error;

	if (snprintf(folder, sizeof(folder), "%s/" TRACE_SESSIONS_FOLDER "%s%s", session_dir,
		     name ? "/" : "", name ? name : "") >= (int)sizeof(folder))
		return diag_set(diag, -ENAMETOOLONG,
				"the path of the session folder is too long: %s", session_dir);
	if (name) {
		error = show(folder, name, &is_shown, diag);
		return error == -ENOTCONN ? trace_sessions_none(session_dir, name, diag) : error;
	}
	nr = scandir(folder, &names, is_name, alphasort);
	if (nr < 0 && errno != ENOENT)
		return diag_set(diag, -errno, "cannot read %s: %s", folder, strerror(errno));
	for (int i = 0; i < nr; i++) {
		char path[PATH_MAX];
		struct diag why;

		error = snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) <
					(int)sizeof(path)
				? show(path, names[i]->d_name, &is_shown, &why)
				: -ENOTCONN;
		if (error == -ENOTCONN && dead_tracer(path))
			log_warning("trace %s: its tracer, process %ld, died, and its events in "
				    "memory are lost",
				    names[i]->d_name, dead_tracer(path));
		else if (error && error != -ENOTCONN)
			log_warning("%s: %s", names[i]->d_name, diag_show(&why));
		free(names[i]);
	}
	free(names);
	if (!is_shown)
		(void)printf("no trace runs in the background; optrace start begins one\n");
	return 0;
}
