// SPDX-License-Identifier: GPL-2.0-or-later
#include "libdb/slice/history_files.h"

#include "lib/array.h"
#include "lib/number.h"
#include "libdb/slice/slice_format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BYTES_MAX 128u /* maximum length of a slice's name; longer names are invalid */
#define TMP_SUFFIX     ".tmp"
#define DAMAGED_SUFFIX ".damaged" /* suffix of damaged slices that were renamed */

static const char *const level_names[OPROF_SLICE_NR_LEVELS] = {"minute", "hour", "day", "week"};

/* ---- names ---- */

void history_file_name(char *text, size_t nr_bytes, enum oprof_slice_level level,
		       uint64_t epoch_first, uint64_t epoch_last)
{
	(void)snprintf(text, nr_bytes, "%s.%" PRIu64 ".%" PRIu64 OPROF_SLICE_SUFFIX,
		       level_names[level], epoch_first, epoch_last);
}

/* Parses the number between text and end: decimal, without leading zeros. */
static int parse_epoch(const char *text, const char *end, uint64_t *epoch)
{
	char copy[24];
	const size_t nr_bytes = (size_t)(end - text);

	if (nr_bytes >= sizeof(copy) || text[0] == '0')
		return -EINVAL;
	memcpy(copy, text, nr_bytes);
	copy[nr_bytes] = '\0';
	return number_parse(copy, UINT64_MAX, epoch) ? -EINVAL : 0;
}

static int parse_level(const char *text, size_t nr_bytes, enum oprof_slice_level *level)
{
	for (int i = 0; i < OPROF_SLICE_NR_LEVELS; i++) {
		if (strlen(level_names[i]) == nr_bytes && !memcmp(text, level_names[i], nr_bytes)) {
			*level = (enum oprof_slice_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

int history_file_parse(const char *name, enum oprof_slice_level *level, uint64_t *epoch_first,
		       uint64_t *epoch_last)
{
	const char *first = strchr(name, '.');
	const char *last = first ? strchr(first + 1, '.') : NULL;
	const char *suffix = last ? strchr(last + 1, '.') : NULL;
	enum oprof_slice_level found;
	uint64_t from, to;

	if (!suffix || strcmp(suffix, OPROF_SLICE_SUFFIX) != 0 ||
	    parse_level(name, (size_t)(first - name), &found) ||
	    parse_epoch(first + 1, last, &from) || parse_epoch(last + 1, suffix, &to) || from > to)
		return -EINVAL;
	*level = found;
	*epoch_first = from;
	*epoch_last = to;
	return 0;
}

/* ---- listing ---- */

struct lister {
	struct history_files history;
	const char *folder;
	void (*damaged)(const char *path, const struct diag *diag, void *context);
	void *context;
};

static void tell_damaged(struct lister *lister, const char *path, const struct diag *diag)
{
	lister->history.nr_damaged++;
	if (lister->damaged)
		lister->damaged(path, diag, lister->context);
}

static void named(struct lister *lister, uint64_t epoch)
{
	if (epoch > lister->history.epoch_named)
		lister->history.epoch_named = epoch;
}

/* Loads the header and checks that it agrees with the file's name. Errors as slice_open. */
static int load_header(struct history_file *file, struct diag *diag)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct oprof_slice_header header;
	struct stat status;
	int error;

	if (fd < 0)
		return diag_set_at(diag, -errno, file->path, 0, "%s", strerror(errno));
	error = slice_header_load(fd, file->path, &header, diag);
	if (!error && fstat(fd, &status) < 0)
		error = diag_set_at(diag, -errno, file->path, 0, "%s", strerror(errno));
	(void)close(fd);
	if (error)
		return error;
	if (header.level != (uint32_t)file->level || header.epoch_first != file->epoch_first ||
	    header.epoch_last != file->epoch_last)
		return diag_set_at(diag, -EILSEQ, file->path, 0,
				   "its file name does not match its header");
	file->begin_ns = header.begin_ns;
	file->end_ns = header.end_ns;
	file->nr_samples = header.nr_samples;
	file->nr_idle = header.nr_idle;
	file->nr_bytes = (uint64_t)status.st_blocks * 512;
	return 0;
}

static bool error_is_damage(int error)
{
	return error == -EILSEQ || error == -EINVAL || error == -EPROTONOSUPPORT ||
	       error == -ELOOP || error == -EIO;
}

/* Adds a slice with a valid name to the list. Takes over or frees file->path. */
static int list_slice(struct lister *lister, struct history_file *file)
{
	struct diag diag;
	int error = load_header(file, &diag);

	if (!error)
		error = array_reserve(&lister->history.files, &lister->history.room_files,
				      lister->history.nr_files, 1);
	if (!error) {
		lister->history.files[lister->history.nr_files++] = *file;
		return 0;
	}
	if (error_is_damage(error)) {
		tell_damaged(lister, file->path, &diag);
		error = 0;
	}
	free(file->path);
	return error == -ENOENT ? 0 : error; /* removed during the listing */
}

static bool ends_in(const char *name, const char *suffix)
{
	const size_t nr_bytes = strlen(name), nr_suffix = strlen(suffix);

	return nr_bytes >= nr_suffix && !strcmp(name + nr_bytes - nr_suffix, suffix);
}

/*
 * Returns whether name is the name of a damaged slice that was renamed. Its epochs must not be
 * used again.
 */
static bool is_set_aside(struct lister *lister, const char *name)
{
	const char *suffix = strstr(name, DAMAGED_SUFFIX);
	char text[NAME_BYTES_MAX];
	enum oprof_slice_level level;
	uint64_t first, last;

	if (!suffix)
		return false;
	(void)snprintf(text, sizeof(text), "%.*s", (int)(suffix - name), name);
	if (!history_file_parse(text, &level, &first, &last))
		named(lister, last);
	return true;
}

static int list_entry(struct lister *lister, const char *name)
{
	struct history_file file = {0};
	struct diag diag;

	if (name[0] == '.' || ends_in(name, TMP_SUFFIX) || is_set_aside(lister, name))
		return 0;
	if (asprintf(&file.path, "%s/%s", lister->folder, name) < 0)
		return -ENOMEM;
	if (!history_file_parse(name, &file.level, &file.epoch_first, &file.epoch_last)) {
		named(lister, file.epoch_last);
		return list_slice(lister, &file);
	}
	(void)diag_set_at(&diag, -EILSEQ, file.path, 0, "not the name of a slice");
	tell_damaged(lister, file.path, &diag);
	free(file.path);
	return 0;
}

static int list_folder(struct lister *lister)
{
	DIR *dir = opendir(lister->folder);
	struct dirent *entry;
	int error = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	do {
		errno = 0;
		entry = readdir(dir);
		if (entry)
			error = list_entry(lister, entry->d_name);
		else
			error = -errno;
	} while (entry && !error);
	(void)closedir(dir);
	return error;
}

/* ---- the rule of epochs ---- */

/* Orders slices by first epoch; then slices with more epochs first; then coarser levels first. */
static int compare_files(const void *a, const void *b)
{
	const struct history_file *left = a, *right = b;

	if (left->epoch_first != right->epoch_first)
		return left->epoch_first < right->epoch_first ? -1 : 1;
	if (left->epoch_last != right->epoch_last)
		return left->epoch_last > right->epoch_last ? -1 : 1;
	return (left->level < right->level) - (left->level > right->level);
}

/*
 * Reports a slice that shares only some of its epochs with another slice, and frees it. One of the
 * two slices is invalid, but it is unknown which one; the first one in the order stays in the
 * list.
 */
static void tell_overlap(struct lister *lister, struct history_file *file)
{
	struct diag diag;

	(void)diag_set_at(&diag, -EILSEQ, file->path, 0,
			  "shares some of its epochs with another slice");
	tell_damaged(lister, file->path, &diag);
	free(file->path);
}

static void apply_rule(struct lister *lister)
{
	struct history_files *history = &lister->history;
	uint64_t held = 0; /* highest epoch of the valid slices so far */
	size_t nr = 0;

	if (history->nr_files)
		qsort(history->files, history->nr_files, sizeof(*history->files), compare_files);
	for (size_t i = 0; i < history->nr_files; i++) {
		struct history_file file = history->files[i];

		if (file.epoch_first <= held && file.epoch_last > held) {
			tell_overlap(lister, &file);
			continue;
		}
		file.superseded = file.epoch_last <= held;
		if (!file.superseded)
			held = file.epoch_last;
		history->files[nr++] = file;
	}
	history->nr_files = nr;
	history->epoch_closed = held;
}

int history_files_list(struct history_files *history, const char *session_path,
		       void (*damaged)(const char *path, const struct diag *diag, void *context),
		       void *context)
{
	struct lister lister = {.damaged = damaged, .context = context};
	char *folder;
	int error;

	if (asprintf(&folder, "%s/%s", session_path, OPROF_SLICE_FOLDER) < 0)
		return -ENOMEM;
	lister.folder = folder;
	error = list_folder(&lister);
	if (error) {
		history_files_deinit(&lister.history);
	} else {
		apply_rule(&lister);
		*history = lister.history;
	}
	free(folder);
	return error;
}

void history_files_deinit(struct history_files *history)
{
	for (size_t i = 0; i < history->nr_files; i++)
		free(history->files[i].path);
	free(history->files);
	memset(history, 0, sizeof(*history));
}

/*
 * Returns the first slice from index *i on that is not superseded, and sets *i to the index after
 * this slice. Returns NULL if there are no more.
 */
static const struct history_file *next_counted(const struct history_files *history, size_t *i)
{
	while (*i < history->nr_files && history->files[*i].superseded)
		++*i;
	return *i < history->nr_files ? &history->files[(*i)++] : NULL;
}

bool history_files_same(const struct history_files *a, const struct history_files *b)
{
	const struct history_file *left, *right;
	size_t i = 0, j = 0;

	do {
		left = next_counted(a, &i);
		right = next_counted(b, &j);
		if (!left != !right || (left && (left->level != right->level ||
						 left->epoch_first != right->epoch_first ||
						 left->epoch_last != right->epoch_last)))
			return false;
	} while (left);
	return true;
}
