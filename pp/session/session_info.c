// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/session_info.h"

#include "lib/file.h"
#include "lib/number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define META_BYTES_MAX ((size_t)16 << 20)
/* Half a second in all: a daemon comes to its samples that often at least, where there are any. */
#define CHANGE_LOOKS   10
#define CHANGE_WAIT_NS 50000000

void session_info_deinit(struct session_info *info)
{
	free(info->host);
	free(info->source);
	free(info->source_reason);
	free(info->cpu_type);
	free(info->separation);
	for (size_t i = 0; i < info->nr_events; i++) {
		free(info->events[i].name);
		free(info->events[i].description);
	}
	free(info->events);
	for (size_t i = 0; i < info->nr_notes; i++) {
		free(info->notes[i].name);
		free(info->notes[i].text);
	}
	free(info->notes);
	for (size_t i = 0; i < info->nr_cgroups; i++)
		free(info->cgroups[i].path);
	free(info->cgroups);
	free(info->stats);
	*info = (struct session_info){0};
}

/* The word at *text (in place), *text moved behind it; NULL at the end. */
static char *take_word(char **text)
{
	char *word = *text + strspn(*text, " ");
	size_t length = strcspn(word, " ");

	if (!length)
		return NULL;
	*text = word + length;
	if (**text)
		*(*text)++ = '\0';
	return word;
}

/* What is empty stays unknown. */
static int keep_text(char **field, const char *text)
{
	char *copy;

	if (!*text)
		return 0;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

static void event_deinit(struct session_event *event)
{
	free(event->name);
	free(event->description);
}

/* Appended runs repeat their events: an event of the same kind is replaced. */
static int keep_event(struct session_info *info, struct session_event *event)
{
	struct session_event *bigger;

	for (size_t i = 0; i < info->nr_events; i++) {
		struct session_event *old = &info->events[i];

		if (!strcmp(old->name, event->name) && old->period_or_hz == event->period_or_hz &&
		    old->frequency == event->frequency && old->unit_mask == event->unit_mask) {
			event_deinit(old);
			*old = *event;
			return 0;
		}
	}
	bigger = realloc(info->events, (info->nr_events + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	info->events = bigger;
	info->events[info->nr_events++] = *event;
	return 0;
}

/* INDEX NAME period|hz N UNITMASK KERNEL USER DESCRIPTION */
static int parse_event(struct session_info *info, char *text)
{
	struct session_event event = {0};
	const char *index = take_word(&text);
	const char *name = take_word(&text);
	const char *kind = take_word(&text);
	const char *words[4] = {take_word(&text), take_word(&text), take_word(&text),
				take_word(&text)};
	uint64_t numbers[4];
	uint64_t unused;
	int error;

	if (!index || number_parse(index, UINT32_MAX, &unused) || !name || !kind)
		return -EINVAL;
	for (size_t i = 0; i < 4; i++)
		if (!words[i] || number_parse(words[i], UINT64_MAX, &numbers[i]))
			return -EINVAL;
	event.frequency = !strcmp(kind, "hz");
	if ((!event.frequency && strcmp(kind, "period") != 0) || numbers[1] > UINT32_MAX)
		return -EINVAL;
	event.period_or_hz = numbers[0];
	event.unit_mask = (uint32_t)numbers[1];
	event.kernel = numbers[2] != 0;
	event.user = numbers[3] != 0;
	event.name = strdup(name);
	event.description = strdup(text);
	error = event.name && event.description ? keep_event(info, &event) : -ENOMEM;
	if (error)
		event_deinit(&event);
	return error;
}

/* NAME TEXT */
static int parse_note(struct session_info *info, char *text)
{
	const char *name = take_word(&text);
	struct session_note *note;

	if (!name || !*text)
		return -EINVAL;
	note = realloc(info->notes, (info->nr_notes + 1) * sizeof(*note));
	if (!note)
		return -ENOMEM;
	info->notes = note;
	note += info->nr_notes;
	note->name = strdup(name);
	note->text = strdup(text);
	if (!note->name || !note->text) {
		free(note->name);
		free(note->text);
		return -ENOMEM;
	}
	info->nr_notes++;
	return 0;
}

static int parse_info_line(struct session_info *info, char *line)
{
	const char *key = take_word(&line);
	uint64_t number;

	if (!key)
		return 0;
	if (!strcmp(key, "host"))
		return keep_text(&info->host, line);
	if (!strcmp(key, "source"))
		return keep_text(&info->source, line);
	if (!strcmp(key, "source_reason"))
		return keep_text(&info->source_reason, line);
	if (!strcmp(key, "cpu_type"))
		return keep_text(&info->cpu_type, line);
	if (!strcmp(key, "separation"))
		return keep_text(&info->separation, line);
	if (!strcmp(key, "event"))
		return parse_event(info, line);
	if (!strcmp(key, "note"))
		return parse_note(info, line);
	if (!strcmp(key, "cpu_khz")) {
		if (number_parse(line, UINT32_MAX, &number))
			return -EINVAL;
		info->cpu_khz = (uint32_t)number;
	} else if (!strcmp(key, "started")) {
		if (number_parse(line, INT64_MAX, &number))
			return -EINVAL;
		info->started_ns = (int64_t)number;
	}
	return 0;
}

static int keep_cgroup(struct session_info *info, int64_t number, const char *path)
{
	struct session_cgroup *bigger;

	bigger = realloc(info->cgroups, (info->nr_cgroups + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	info->cgroups = bigger;
	bigger[info->nr_cgroups].number = number;
	bigger[info->nr_cgroups].path = strdup(path);
	if (!bigger[info->nr_cgroups].path)
		return -ENOMEM;
	info->nr_cgroups++;
	return 0;
}

static int parse_cgroup_line(struct session_info *info, char *line)
{
	const char *word = take_word(&line);
	uint64_t number;

	if (!word)
		return 0;
	if (number_parse(word, INT64_MAX, &number) || !*line)
		return -EINVAL;
	return keep_cgroup(info, (int64_t)number, line);
}

/* A missing file is no error. */
static int read_meta(const char *session_path, const char *name, char **text, size_t *nr_bytes,
		     struct diag *diag)
{
	char path[PATH_MAX];
	int error;

	*text = NULL;
	*nr_bytes = 0;
	if (snprintf(path, sizeof(path), "%s/meta/%s", session_path, name) >= (int)sizeof(path))
		return diag_set(diag, -ENAMETOOLONG, "the session's path is too long");
	error = file_read_text(path, META_BYTES_MAX, text, nr_bytes);
	if (!error || error == -ENOENT || error == -ENOTDIR)
		return 0;
	return diag_set_at(diag, error, path, 0, "can't be read: %s", strerror(-error));
}

/* A last line without its end may be one that is being written, or that was torn. */
static void cut_last_line(char *text)
{
	char *end = strrchr(text, '\n');

	if (end)
		end[1] = '\0';
	else
		text[0] = '\0';
}

enum last_line {
	LAST_LINE_WHOLE,  /* the file is replaced as one */
	LAST_LINE_GROWING /* lines are appended */
};

static int load_lines(struct session_info *info, const char *session_path, const char *name,
		      enum last_line last, int (*parse)(struct session_info *info, char *line),
		      struct diag *diag)
{
	size_t nr_bytes;
	char *text;
	char *next;
	int error = read_meta(session_path, name, &text, &nr_bytes, diag);

	if (text && last == LAST_LINE_GROWING)
		cut_last_line(text);
	for (char *line = text; line && !error; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		error = parse(info, line);
		if (error == -EINVAL) {
			info->nr_bad_lines++;
			error = 0;
		}
	}
	free(text);
	return error;
}

/* Its magic comes last: without, a daemon is about to begin it, or was killed there. */
static bool stats_are_begun(const char *text, size_t nr_bytes)
{
	static const char zeros[sizeof(((struct oprof_stats_file *)NULL)->magic)];

	return nr_bytes && (nr_bytes < sizeof(zeros) || memcmp(text, zeros, sizeof(zeros)) != 0);
}

/* text holds nr_bytes of a stats file: take the entries that are whole. */
static int parse_stats(struct session_info *info, const char *text, size_t nr_bytes)
{
	struct oprof_stats_file head;
	size_t nr;

	if (nr_bytes < sizeof(head))
		return -EILSEQ;
	memcpy(&head, text, sizeof(head));
	if (memcmp(head.magic, OPROF_STATS_MAGIC, sizeof(head.magic)) != 0 ||
	    head.version != OPROF_STATS_VERSION)
		return -EILSEQ;
	nr = (nr_bytes - sizeof(head)) / sizeof(*info->stats);
	if (head.nr_entries < nr)
		nr = head.nr_entries;
	info->stats = calloc(nr ? nr : 1, sizeof(*info->stats));
	if (!info->stats)
		return -ENOMEM;
	memcpy(info->stats, text + sizeof(head), nr * sizeof(*info->stats));
	for (size_t i = 0; i < nr; i++)
		info->stats[i].name[OPROF_STATS_NAME_BYTES - 1] = '\0';
	info->nr_stats = nr;
	return 0;
}

static int load_stats(struct session_info *info, const char *session_path, struct diag *diag)
{
	size_t nr_bytes;
	char *text;
	int error = read_meta(session_path, "stats", &text, &nr_bytes, diag);

	if (!error && text && stats_are_begun(text, nr_bytes))
		error = parse_stats(info, text, nr_bytes);
	if (error == -EILSEQ)
		diag_set(diag, error,
			 "%s/meta/stats is not a file of counters that this program "
			 "knows",
			 session_path);
	free(text);
	return error;
}

int session_info_load(struct session_info *info, const char *session_path, struct diag *diag)
{
	int error;
	int later;

	*info = (struct session_info){0};
	diag_clear(diag);
	error = load_lines(info, session_path, "info", LAST_LINE_WHOLE, parse_info_line, diag);
	later = load_lines(info, session_path, "cgroups", LAST_LINE_GROWING, parse_cgroup_line,
			   error ? NULL : diag);
	if (!error)
		error = later;
	later = load_stats(info, session_path, error ? NULL : diag);
	return error ? error : later;
}

int session_info_renew_cgroups(struct session_info *info, const char *session_path)
{
	struct session_info now = {0};
	const struct session_info before = *info;
	int error = load_lines(&now, session_path, "cgroups", LAST_LINE_GROWING, parse_cgroup_line,
			       NULL);

	if (!error) {
		info->cgroups = now.cgroups;
		info->nr_cgroups = now.nr_cgroups;
		now.cgroups = before.cgroups;
		now.nr_cgroups = before.nr_cgroups;
	}
	session_info_deinit(&now);
	return error;
}

static bool same_stats(const struct session_info *a, const struct session_info *b)
{
	return a->nr_stats == b->nr_stats &&
	       !memcmp(a->stats, b->stats, a->nr_stats * sizeof(*a->stats));
}

bool session_info_changes(const struct session_info *info, const char *session_path,
			  struct session_info *now)
{
	const struct timespec wait = {.tv_nsec = CHANGE_WAIT_NS};
	struct diag why;

	for (int i = 0; i < CHANGE_LOOKS; i++) {
		struct session_info look = {0};

		if (!load_stats(&look, session_path, &why) && look.nr_stats && info->nr_stats &&
		    !same_stats(info, &look)) {
			*now = look;
			return true;
		}
		session_info_deinit(&look);
		(void)nanosleep(&wait, NULL);
	}
	return false;
}

const char *session_info_cgroup(const struct session_info *info, int64_t number)
{
	/* Lines are in the order of their numbers, unless the file is damaged. */
	if (number >= 0 && (size_t)number < info->nr_cgroups &&
	    info->cgroups[number].number == number)
		return info->cgroups[number].path;
	for (size_t i = 0; i < info->nr_cgroups; i++)
		if (info->cgroups[i].number == number)
			return info->cgroups[i].path;
	return NULL;
}

const struct session_event *session_info_event(const struct session_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_events; i++)
		if (!strcmp(info->events[i].name, name))
			return &info->events[i];
	return NULL;
}

uint64_t session_info_stat(const struct session_info *info, const char *name)
{
	for (size_t i = 0; i < info->nr_stats; i++)
		if (!strcmp(info->stats[i].name, name))
			return info->stats[i].value;
	return 0;
}

uint64_t session_info_sum(const struct session_info *info, const char *prefix)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < info->nr_stats; i++)
		if (!strncmp(info->stats[i].name, prefix, strlen(prefix)) &&
		    __builtin_add_overflow(sum, info->stats[i].value, &sum))
			return UINT64_MAX;
	return sum;
}
