// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/places/proc_scan.h"

#include "lib/array.h"
#include "lib/clock.h"
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAPS_BYTES_MAX (64u << 20)
#define STAT_BYTES_MAX 65536u
/*
 * Maximum number of attempts to read a process that execs during each attempt. After the last
 * attempt, the process's program stays unknown until records report the next exec.
 */
#define TRIES_MAX 5

/* Flags from the kernel's include/linux/sched.h, which /proc/PID/stat shows. */
#define FLAG_EXITING 0x00000004u
#define FLAG_KTHREAD 0x00200000u

/* ---- lists of pids ---- */

void pid_list_deinit(struct pid_list *list)
{
	free(list->pids);
	*list = (struct pid_list){.nr_pids = 0};
}

static int pid_list_add(struct pid_list *list, int32_t pid)
{
	if (array_reserve(&list->pids, &list->room_pids, list->nr_pids, 1))
		return -ENOMEM;
	list->pids[list->nr_pids++] = pid;
	return 0;
}

static int32_t pid_of_name(const char *name)
{
	long pid;
	char *end;

	if (*name < '1' || *name > '9')
		return 0;
	errno = 0;
	pid = strtol(name, &end, 10);
	return *end || errno || pid > INT32_MAX ? 0 : (int32_t)pid;
}

static int pid_compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

int proc_scan_list(const char *proc_path, struct pid_list *list)
{
	DIR *folder = opendir(proc_path);
	struct dirent *entry;
	int error = 0;

	*list = (struct pid_list){.nr_pids = 0};
	if (!folder)
		return -errno;
	while (!error && (entry = readdir(folder))) {
		int32_t pid = pid_of_name(entry->d_name);

		if (pid)
			error = pid_list_add(list, pid);
	}
	closedir(folder);
	if (error)
		pid_list_deinit(list);
	else if (list->nr_pids)
		qsort(list->pids, list->nr_pids, sizeof(*list->pids), pid_compare);
	return error;
}

/* ---- /proc/PID/stat ---- */

struct proc_stat {
	char state;
	int32_t parent;
	uint32_t flags;
	uint64_t start_ticks;
};

/*
 * Parses the fields after the last parenthesis: the name in parentheses may contain any characters.
 */
static bool stat_parse(const char *text, struct proc_stat *stat)
{
	const char *next = strrchr(text, ')');
	unsigned int field = 2;

	if (!next || next[1] != ' ' || !next[2])
		return false;
	stat->state = next[2];
	for (next += 1; *next == ' '; field++) {
		char *end;

		if (field == 3)
			stat->parent = (int32_t)strtol(next + 1, &end, 10);
		if (field == 8)
			stat->flags = (uint32_t)strtoul(next + 1, &end, 10);
		if (field == 21) {
			stat->start_ticks = strtoull(next + 1, &end, 10);
			return true;
		}
		next += 1 + strcspn(next + 1, " \n");
	}
	return false;
}

static bool stat_read(const char *folder, struct proc_stat *stat)
{
	char path[PATH_MAX];
	char *text;
	bool good;

	if (snprintf(path, sizeof(path), "%s/stat", folder) >= (int)sizeof(path) ||
	    file_read_text(path, STAT_BYTES_MAX, &text, NULL))
		return false;
	good = stat_parse(text, stat);
	free(text);
	return good;
}

int32_t proc_scan_parent(const char *proc_path, int32_t tgid)
{
	struct proc_stat stat;
	char folder[PATH_MAX];

	if (snprintf(folder, sizeof(folder), "%s/%d", proc_path, (int)tgid) >=
		    (int)sizeof(folder) ||
	    !stat_read(folder, &stat))
		return 0;
	return stat.parent;
}

/*
 * Returns whether the process is ending: its EXIT record has been or will soon be written, and it
 * will not run user code again.
 */
static bool is_over(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || (stat->flags & FLAG_EXITING);
}

/* ---- one process ---- */

/* The state of reading one process. */
struct reader {
	const struct proc_scan *config;
	int32_t tgid;
	/*
	 * The /proc folder of a living thread: if the leader has ended, its own folder shows no
	 * mappings.
	 */
	char folder[PATH_MAX];
	char exe[PATH_MAX]; /* the program; empty: not known */
	struct process_scan *scan;
};

static void exe_read(const struct reader *reader, char *exe)
{
	char path[PATH_MAX + 8];
	ssize_t nr;

	(void)snprintf(path, sizeof(path), "%s/exe", reader->folder);
	nr = readlink(path, exe, PATH_MAX - 1);
	exe[nr < 0 ? 0 : nr] = '\0';
}

/* A line of /proc/PID/maps. */
struct map_line {
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
	bool executable;
	char *path; /* points into the line */
};

/* In the paths of /proc/PID/maps, only the newline is escaped, as \012. */
static void unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

/* Parses a number that the character `end` must follow, and moves *text after that character. */
static bool take_number(char **text, int base, char end, uint64_t *value)
{
	char *next;

	errno = 0;
	*value = strtoull(*text, &next, base);
	if (errno || next == *text || *next != end)
		return false;
	*text = next + 1;
	return true;
}

/*
 * Parses a line "START-END MODES OFFSET MAJOR:MINOR INODE    PATH". All numbers are hexadecimal
 * except INODE.
 */
static bool map_line_parse(char *text, struct map_line *line)
{
	uint64_t major_number, minor_number;

	if (!take_number(&text, 16, '-', &line->start) ||
	    !take_number(&text, 16, ' ', &line->end) || line->start >= line->end ||
	    strnlen(text, 5) < 5)
		return false;
	line->executable = text[2] == 'x';
	text += 5;
	if (!take_number(&text, 16, ' ', &line->offset) ||
	    !take_number(&text, 16, ':', &major_number) ||
	    !take_number(&text, 16, ' ', &minor_number) ||
	    !take_number(&text, 10, ' ', &line->inode))
		return false;
	line->major = (unsigned int)major_number;
	line->minor = (unsigned int)minor_number;
	line->path = text + strspn(text, " ");
	unescape(line->path);
	return true;
}

static int map_line_add(struct reader *reader, const struct map_line *line)
{
	char map_path[PATH_MAX];
	struct region_told told = {
		.start = line->start,
		.end = line->end,
		.file_offset = line->offset,
		.path = line->path,
		.tgid = reader->tgid,
		.exec_image = !strcmp(line->path, reader->exe),
		.time_ns = reader->scan->begin_ns,
		.identity = {.dev = image_alias_dev(line->major, line->minor),
			     .inode = line->inode},
	};
	struct mapping mapping;
	int error;

	if (snprintf(map_path, sizeof(map_path), "%s/%d/map_files/%" PRIx64 "-%" PRIx64,
		     reader->config->proc_path, (int)reader->tgid, line->start,
		     line->end) < (int)sizeof(map_path))
		told.map_path = map_path;
	error = region_make(reader->config->regions, &told, &mapping);
	if (error)
		return error;
	error = space_map(&reader->scan->space, &mapping);
	if (!error && told.exec_image && !reader->scan->app)
		reader->scan->app = image_get(mapping.image);
	image_put(mapping.image);
	return error;
}

static int maps_parse(struct reader *reader, char *text)
{
	char *next = text;
	int error = 0;

	reader->scan->space = space_create(reader->config->nr_spaces);
	if (!reader->scan->space)
		return -ENOMEM;
	while (!error && next && *next) {
		char *end = strchr(next, '\n');
		struct map_line line;

		if (end)
			*end = '\0';
		if (map_line_parse(next, &line) && line.executable)
			error = map_line_add(reader, &line);
		next = end ? end + 1 : NULL;
	}
	reader->scan->space->nr_real = reader->scan->space->nr_mappings;
	return error;
}

/*
 * Identifies the program by /proc/PID/exe if it was not found among the mappings: for example,
 * because the file system reports two device numbers, or because the program has moved its own
 * mappings.
 */
static int app_of_exe(struct reader *reader)
{
	char path[PATH_MAX + 8];
	struct region_told told = {.path = reader->exe,
				   .tgid = reader->tgid,
				   .exec_image = true,
				   .map_path = path,
				   .start = 0,
				   .end = 1,
				   .time_ns = reader->scan->begin_ns};
	struct mapping mapping = {.image = NULL};
	int error;

	if (reader->scan->app || !reader->exe[0])
		return 0;
	(void)snprintf(path, sizeof(path), "%s/exe", reader->folder);
	error = region_name_file(path, &told.identity);
	if (!error)
		error = region_make(reader->config->regions, &told, &mapping);
	if (!error)
		reader->scan->app = mapping.image;
	return error == -ENOMEM ? error : 0;
}

/*
 * Reads the mappings and the program, which must belong together. Returns 0; -EAGAIN: the process
 * exec'd during the reading; or -ENOMEM.
 */
static int program_read(struct reader *reader)
{
	char path[PATH_MAX + 8];
	char exe[PATH_MAX];
	char *text;
	int error;

	exe_read(reader, reader->exe);
	(void)snprintf(path, sizeof(path), "%s/maps", reader->folder);
	if (file_read_text(path, MAPS_BYTES_MAX, &text, NULL))
		return 0; /* not allowed, or the process has just ended */
	error = maps_parse(reader, text);
	free(text);
	if (!error)
		error = app_of_exe(reader);
	exe_read(reader, exe);
	if (!error && strcmp(exe, reader->exe) != 0)
		error = -EAGAIN;
	return error;
}

static void program_forget(struct process_scan *scan)
{
	space_put(scan->space);
	image_put(scan->app);
	scan->space = NULL;
	scan->app = NULL;
}

/* Lists the living threads, and chooses the folder of one of them to read from. */
static int threads_read(struct reader *reader)
{
	char path[PATH_MAX];
	struct pid_list list;
	size_t nr = 0;

	if (snprintf(path, sizeof(path), "%s/%d/task", reader->config->proc_path,
		     (int)reader->tgid) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (proc_scan_list(path, &list))
		return -ESRCH;
	for (size_t i = 0; i < list.nr_pids; i++) {
		char folder[PATH_MAX + 16];
		struct proc_stat stat;

		(void)snprintf(folder, sizeof(folder), "%s/%d", path, (int)list.pids[i]);
		if (!stat_read(folder, &stat) || is_over(&stat))
			continue;
		if (!nr && strlen(folder) < sizeof(reader->folder))
			memcpy(reader->folder, folder, strlen(folder) + 1);
		list.pids[nr++] = list.pids[i];
	}
	if (!nr) {
		pid_list_deinit(&list);
		return -ESRCH;
	}
	free(reader->scan->tids);
	reader->scan->tids = list.pids;
	reader->scan->nr_tids = nr;
	return 0;
}

static int process_read(struct reader *reader)
{
	struct proc_stat stat;
	char folder[PATH_MAX];
	int error;

	reader->scan->begin_ns = clock_monotonic_ns();
	if (snprintf(folder, sizeof(folder), "%s/%d", reader->config->proc_path,
		     (int)reader->tgid) >= (int)sizeof(folder))
		return -ENAMETOOLONG;
	if (!stat_read(folder, &stat))
		return -ESRCH;
	reader->scan->start_ticks = stat.start_ticks;
	error = threads_read(reader);
	if (error)
		return error;
	if (stat.flags & FLAG_KTHREAD) {
		reader->scan->space = space_create(reader->config->nr_spaces);
		error = reader->scan->space ? 0 : -ENOMEM;
	} else {
		error = program_read(reader);
	}
	reader->scan->end_ns = clock_monotonic_ns();
	return error;
}

int proc_scan_process(const struct proc_scan *config, int32_t tgid, struct process_scan **scan)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int error = -ENOMEM;

	if (!reader)
		return -ENOMEM;
	reader->config = config;
	reader->tgid = tgid;
	reader->scan = calloc(1, sizeof(*reader->scan));
	for (int i = 0; reader->scan && i < TRIES_MAX; i++) {
		error = process_read(reader);
		if (error != -EAGAIN)
			break;
		program_forget(reader->scan);
	}
	/* The program stays unknown until records report the next exec. */
	if (error == -EAGAIN)
		error = 0;
	if (error)
		process_scan_destroy(reader->scan);
	else
		*scan = reader->scan;
	free(reader);
	return error;
}
