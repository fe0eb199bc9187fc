// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/session_info.h"

#include "lib/array.h"
#include "lib/file.h"
#include "lib/number.h"
#include "lib/saturate.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define META_BYTES_MAX ((size_t)16 << 20)
/* session_info_changes() waits at most half a second. A busy daemon changes a counter sooner. */
#define CHANGE_LOOKS   10
#define CHANGE_WAIT_NS 50000000

enum field_kind { FIELD_TEXT, FIELD_U32, FIELD_I64 };

/* The lines with a single value, in the order of the file; events and notes follow them. */
static const struct info_field {
	const char *key;
	enum field_kind kind;
	size_t offset;
} fields[] = {
	{"version", FIELD_TEXT, offsetof(struct session_info, version)},
	{"host", FIELD_TEXT, offsetof(struct session_info, host)},
	{"boot_id", FIELD_TEXT, offsetof(struct session_info, boot_id)},
	{"source", FIELD_TEXT, offsetof(struct session_info, source)},
	{"source_reason", FIELD_TEXT, offsetof(struct session_info, source_reason)},
	{"target", FIELD_TEXT, offsetof(struct session_info, target)},
	{"cpu_type", FIELD_TEXT, offsetof(struct session_info, cpu_type)},
	{"cpu_khz", FIELD_U32, offsetof(struct session_info, cpu_khz)},
	{"separation", FIELD_TEXT, offsetof(struct session_info, separation)},
	{"started", FIELD_I64, offsetof(struct session_info, started_ns)},
	{"clock", FIELD_U32, offsetof(struct session_info, clock)},
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))
#define KEY_EVENT "event"
#define KEY_NOTE  "note"

void session_info_deinit(struct session_info *info)
{
	free(info->events);
	free(info->notes);
	free(info->cgroups);
	free(info->stats);
	free(info->info_text);
	free(info->cgroups_text);
	*info = (struct session_info){0};
}

/* ---- reading ---- */

/*
 * Returns the word at *text, which it NUL-terminates in place. Moves *text after the word. Returns
 * NULL at the end of the text.
 */
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

/* Parses `text` into a field of info; an empty text leaves the field unknown. */
static int parse_field(struct session_info *info, const struct info_field *field, const char *text)
{
	void *value = (char *)info + field->offset;
	uint64_t number;

	if (field->kind == FIELD_TEXT) {
		if (*text)
			*(const char **)value = text;
		return 0;
	}
	if (number_parse(text, field->kind == FIELD_U32 ? UINT32_MAX : INT64_MAX, &number))
		return -EINVAL;
	if (field->kind == FIELD_U32)
		*(uint32_t *)value = (uint32_t)number;
	else
		*(int64_t *)value = (int64_t)number;
	return 0;
}

/* Parses "INDEX NAME period|hz N UNITMASK KERNEL USER DESCRIPTION". */
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
	event.name = name;
	event.description = text;
	if (array_reserve(&info->events, &info->room_events, info->nr_events, 1))
		return -ENOMEM;
	info->events[info->nr_events++] = event;
	return 0;
}

static bool same_event(const struct session_event *a, const struct session_event *b)
{
	return !strcmp(a->name, b->name) && a->period_or_hz == b->period_or_hz &&
	       a->frequency == b->frequency && a->unit_mask == b->unit_mask;
}

/* Keeps only the last copy of each event. Each run of a session writes all its events again. */
static void drop_repeated_events(struct session_info *info)
{
	size_t nr = 0;

	for (size_t i = 0; i < info->nr_events; i++) {
		size_t place = 0;

		while (place < nr && !same_event(&info->events[place], &info->events[i]))
			place++;
		info->events[place] = info->events[i];
		nr += place == nr;
	}
	info->nr_events = nr;
}

/* Parses "NAME TEXT". */
static int parse_note(struct session_info *info, char *text)
{
	const char *name = take_word(&text);

	if (!name || !*text)
		return -EINVAL;
	if (array_reserve(&info->notes, &info->room_notes, info->nr_notes, 1))
		return -ENOMEM;
	info->notes[info->nr_notes++] = (struct session_note){name, text};
	return 0;
}

static int parse_info_line(struct session_info *info, char *line)
{
	const char *key = take_word(&line);

	if (!key)
		return 0;
	if (!strcmp(key, KEY_EVENT))
		return parse_event(info, line);
	if (!strcmp(key, KEY_NOTE))
		return parse_note(info, line);
	for (size_t i = 0; i < NR_FIELDS; i++)
		if (!strcmp(key, fields[i].key))
			return parse_field(info, &fields[i], line);
	return 0;
}

static int keep_cgroup(struct session_info *info, int64_t number, const char *path)
{
	if (array_reserve(&info->cgroups, &info->room_cgroups, info->nr_cgroups, 1))
		return -ENOMEM;
	info->cgroups[info->nr_cgroups++] = (struct session_cgroup){number, path};
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

static int meta_path(const char *session_path, const char *name, char *path, struct diag *diag)
{
	if (snprintf(path, PATH_MAX, "%s/" OPROF_META_NAME "/%s", session_path, name) >= PATH_MAX)
		return diag_set(diag, -ENAMETOOLONG, "the session's path is too long");
	return 0;
}

/* Reads a whole file. If the file is missing, returns 0 with *text NULL. */
static int read_file(const char *path, char **text, size_t *nr_bytes, struct diag *diag)
{
	int error;

	*text = NULL;
	*nr_bytes = 0;
	error = file_read_text(path, META_BYTES_MAX, text, nr_bytes);
	if (!error || error == -ENOENT || error == -ENOTDIR)
		return 0;
	return diag_set_at(diag, error, path, 0, "cannot be read: %s", strerror(-error));
}

/* Drops a last line without newline, since it may be incomplete. */
static void cut_last_line(char *text)
{
	char *end = strrchr(text, '\n');

	if (end)
		end[1] = '\0';
	else
		text[0] = '\0';
}

enum last_line {
	LAST_LINE_WHOLE,  /* the file is replaced as a whole */
	LAST_LINE_GROWING /* lines are appended to the file: the last one may be incomplete */
};

/* Parses each line of the file. The lines stay in *text, which the caller frees. */
static int load_lines(struct session_info *info, const char *path, char **text, enum last_line last,
		      int (*parse)(struct session_info *info, char *line), struct diag *diag)
{
	size_t nr_bytes;
	char *next;
	int error = read_file(path, text, &nr_bytes, diag);

	if (*text && last == LAST_LINE_GROWING)
		cut_last_line(*text);
	for (char *line = *text; line && !error; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		error = parse(info, line);
		if (error == -EINVAL) {
			info->nr_bad_lines++;
			error = 0;
		}
	}
	return error;
}

static int load_info(struct session_info *info, const char *path, struct diag *diag)
{
	return load_lines(info, path, &info->info_text, LAST_LINE_WHOLE, parse_info_line, diag);
}

static int load_cgroups(struct session_info *info, const char *session_path, struct diag *diag)
{
	char path[PATH_MAX];
	int error = meta_path(session_path, OPROF_CGROUPS_NAME, path, diag);

	return error ? error
		     : load_lines(info, path, &info->cgroups_text, LAST_LINE_GROWING,
				  parse_cgroup_line, diag);
}

/*
 * Returns whether the daemon has initialised the file. The magic is zero until the daemon writes
 * it, as the last step.
 */
static bool stats_are_begun(const char *text, size_t nr_bytes)
{
	static const char zeros[sizeof(((struct oprof_stats_file *)NULL)->magic)];

	return nr_bytes && (nr_bytes < sizeof(zeros) || memcmp(text, zeros, sizeof(zeros)) != 0);
}

/* Parses nr_bytes of a stats file; takes only complete entries. */
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
	char path[PATH_MAX];
	size_t nr_bytes;
	char *text = NULL;
	int error = meta_path(session_path, OPROF_STATS_NAME, path, diag);

	if (!error)
		error = read_file(path, &text, &nr_bytes, diag);
	if (!error && text && stats_are_begun(text, nr_bytes))
		error = parse_stats(info, text, nr_bytes);
	if (error == -EILSEQ)
		diag_set(diag, error, "%s is not a file of counters that this program supports",
			 path);
	free(text);
	return error;
}

int session_info_read(struct session_info *info, const char *path)
{
	*info = (struct session_info){0};
	return load_info(info, path, NULL);
}

int session_info_load(struct session_info *info, const char *session_path, struct diag *diag)
{
	char path[PATH_MAX];
	int error;
	int later;

	*info = (struct session_info){0};
	diag_clear(diag);
	error = meta_path(session_path, OPROF_INFO_NAME, path, diag);
	if (!error)
		error = load_info(info, path, diag);
	drop_repeated_events(info);
	later = load_cgroups(info, session_path, error ? NULL : diag);
	if (!error)
		error = later;
	later = load_stats(info, session_path, error ? NULL : diag);
	return error ? error : later;
}

int session_info_renew_cgroups(struct session_info *info, const char *session_path)
{
	struct session_info now = {0};
	const struct session_info before = *info;
	int error = load_cgroups(&now, session_path, NULL);

	if (!error) {
		info->cgroups = now.cgroups;
		info->nr_cgroups = now.nr_cgroups;
		info->room_cgroups = now.room_cgroups;
		info->cgroups_text = now.cgroups_text;
		now.cgroups = before.cgroups;
		now.cgroups_text = before.cgroups_text;
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
	/* Lines are sorted by number, unless the file is damaged. */
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
		if (!strncmp(info->stats[i].name, prefix, strlen(prefix)))
			saturate_add(&sum, info->stats[i].value);
	return sum;
}

/* ---- writing ---- */

void session_event_format(const struct session_event *event, char *line)
{
	(void)snprintf(line, SESSION_EVENT_BYTES, "%s %s %" PRIu64 " 0x%" PRIx32 " %d %d %s",
		       event->name, event->frequency ? "hz" : "period", event->period_or_hz,
		       event->unit_mask, event->kernel, event->user, event->description);
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
}

/* Prints the line of a field. An unknown text is omitted. */
static void print_field(FILE *stream, const struct session_info *info,
			const struct info_field *field)
{
	const void *value = (const char *)info + field->offset;
	const char *text;

	switch (field->kind) {
	case FIELD_TEXT:
		text = *(const char *const *)value;
		if (text)
			(void)fprintf(stream, "%s %s\n", field->key, text);
		break;
	case FIELD_U32:
		(void)fprintf(stream, "%s %" PRIu32 "\n", field->key, *(const uint32_t *)value);
		break;
	case FIELD_I64:
		(void)fprintf(stream, "%s %" PRId64 "\n", field->key, *(const int64_t *)value);
		break;
	}
}

static void print_info(FILE *stream, const struct session_info *info)
{
	char line[SESSION_EVENT_BYTES];

	for (size_t i = 0; i < NR_FIELDS; i++)
		print_field(stream, info, &fields[i]);
	for (size_t i = 0; i < info->nr_events; i++) {
		session_event_format(&info->events[i], line);
		(void)fprintf(stream, KEY_EVENT " %zu %s\n", i, line);
	}
	for (size_t i = 0; i < info->nr_notes; i++)
		(void)fprintf(stream, KEY_NOTE " %s %s\n", info->notes[i].name,
			      info->notes[i].text);
}

int session_info_write(const struct session_info *info, const char *path)
{
	char *text = NULL;
	size_t nr_bytes = 0;
	FILE *stream = open_memstream(&text, &nr_bytes);
	int error = 0;

	if (!stream)
		return -ENOMEM;
	print_info(stream, info);
	if (ferror(stream))
		error = -ENOMEM;
	if (fclose(stream))
		error = -ENOMEM;
	if (!error)
		error = file_replace(path, text, nr_bytes, 0600);
	free(text);
	return error;
}
