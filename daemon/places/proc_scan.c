// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/places/proc_scan.h"

#include "lib/array.h"
#include "lib/clock.h"
#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
	 * The /proc folder of a living thread: if the leader has ended, the leader's folder shows
	 * no mappings.
	 */
	char folder[PATH_MAX];
	char exe[PATH_MAX]; /* the program; empty: not known */
	struct process_scan *scan;
};

/* Reads the link exe, which never blocks. An empty string means that the link cannot be read. */
static void exe_read(const char *folder, char *exe)
{
	char path[PATH_MAX + 8];
	ssize_t nr;

	(void)snprintf(path, sizeof(path), "%s/exe", folder);
	nr = readlink(path, exe, PATH_MAX - 1);
	exe[nr < 0 ? 0 : nr] = '\0';
}

/* ---- in the reader ---- */

static int maps_put(const char *folder, struct slow_answer *answer)
{
	char path[PATH_MAX + 8], bytes[4096];
	size_t nr_all = 0;
	int error = 0, fd;
	ssize_t nr = 0;

	(void)snprintf(path, sizeof(path), "%s/maps", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (!error && (nr = read(fd, bytes, sizeof(bytes))) > 0) {
		nr_all += (size_t)nr;
		error = nr_all > MAPS_BYTES_MAX ? -EFBIG
						: slow_answer_put(answer, bytes, (size_t)nr);
	}
	if (!error && nr < 0)
		error = -errno;
	(void)close(fd);
	return error;
}

/*
 * The request is a thread's /proc folder with a NUL. The answer is the program, the text of maps,
 * and again the program, each with a NUL. If the two programs differ, the maps may belong to either
 * of them.
 */
int proc_scan_look(const void *request, size_t nr_bytes, struct slow_answer *answer)
{
	const char *folder = request;
	char exe[PATH_MAX];
	int error;

	(void)nr_bytes;
	exe_read(folder, exe);
	error = slow_answer_put(answer, exe, strlen(exe) + 1);
	if (!error)
		error = maps_put(folder, answer);
	if (error)
		return error;
	exe_read(folder, exe);
	error = slow_answer_put(answer, "", 1);
	return error ? error : slow_answer_put(answer, exe, strlen(exe) + 1);
}

/* ---- mappings ---- */

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

/* The executable mappings of a process. */
struct mappings {
	struct region_told *told;
	struct mapped_file *files; /* the mapped files, at which region_make() looks */
	size_t nr_told, room_told, nr_files, room_files;
};

static void mappings_deinit(struct mappings *mappings)
{
	for (size_t i = 0; i < mappings->nr_told; i++)
		free((char *)(uintptr_t)mappings->told[i].map_path);
	free(mappings->told);
	free(mappings->files);
}

static int mapping_add(struct mappings *mappings, const struct reader *reader,
		       const struct map_line *line)
{
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
	struct mapped_file file;
	char *map_path = NULL;

	if (array_reserve(&mappings->told, &mappings->room_told, mappings->nr_told, 1) ||
	    array_reserve(&mappings->files, &mappings->room_files, mappings->nr_files, 1))
		return -ENOMEM;
	if (region_file(&told, &file) &&
	    asprintf(&map_path, "%s/%d/map_files/%" PRIx64 "-%" PRIx64, reader->config->proc_path,
		     (int)reader->tgid, line->start, line->end) < 0)
		return -ENOMEM;
	told.map_path = map_path;
	mappings->told[mappings->nr_told++] = told;
	if (region_file(&told, &file))
		mappings->files[mappings->nr_files++] = file;
	return 0;
}

static int mappings_parse(struct mappings *mappings, const struct reader *reader, char *text)
{
	char *next = text;
	int error = 0;

	while (!error && next && *next) {
		char *end = strchr(next, '\n');
		struct map_line line;

		if (end)
			*end = '\0';
		if (map_line_parse(next, &line) && line.executable)
			error = mapping_add(mappings, reader, &line);
		next = end ? end + 1 : NULL;
	}
	return error;
}

static int mapping_apply(struct reader *reader, const struct region_told *told)
{
	struct mapping mapping;
	int error = region_make(reader->config->regions, told, &mapping);

	if (error)
		return error;
	error = space_map(&reader->scan->space, &mapping);
	if (!error && told->exec_image && !reader->scan->app)
		reader->scan->app = image_get(mapping.image);
	image_put(mapping.image);
	return error;
}

/* Changes text. After the return, nothing refers to text. */
static int maps_apply(struct reader *reader, char *text)
{
	struct mappings mappings = {.nr_told = 0};
	int error = mappings_parse(&mappings, reader, text);

	reader->scan->space = space_create(reader->config->nr_spaces);
	if (!reader->scan->space)
		error = -ENOMEM;
	if (!error)
		image_alias_prepare(reader->config->regions->aliases, mappings.files,
				    mappings.nr_files, reader->tgid, reader->scan->begin_ns);
	for (size_t i = 0; !error && i < mappings.nr_told; i++)
		error = mapping_apply(reader, &mappings.told[i]);
	if (!error)
		reader->scan->space->nr_real = reader->scan->space->nr_mappings;
	mappings_deinit(&mappings);
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
	error = region_name_file(reader->config->regions, reader->tgid, path, &told.identity);
	if (!error)
		error = region_make(reader->config->regions, &told, &mapping);
	if (!error)
		reader->scan->app = mapping.image;
	return error == -ENOMEM ? error : 0;
}

/* The answer of proc_scan_look(). */
struct program_text {
	const char *exe;
	char *maps;
	const char *exe_after;
};

/*
 * Splits the answer into its texts. Returns false if a text is missing, because the answer ended
 * early.
 */
static bool program_text_split(const struct slow_reply *reply, struct program_text *program)
{
	char *end = reply->bytes + reply->nr_bytes;

	program->exe = reply->bytes;
	program->maps = reply->bytes + strlen(reply->bytes) + 1;
	if (program->maps >= end)
		return false;
	program->exe_after = program->maps + strlen(program->maps) + 1;
	return program->exe_after < end && strlen(program->exe) < PATH_MAX;
}

static int program_apply(struct reader *reader, const struct program_text *program)
{
	char exe[PATH_MAX];
	int error;

	memcpy(reader->exe, program->exe, strlen(program->exe) + 1);
	error = maps_apply(reader, program->maps);
	if (!error)
		error = app_of_exe(reader);
	exe_read(reader->folder, exe);
	if (!error &&
	    (strcmp(program->exe_after, reader->exe) != 0 || strcmp(exe, reader->exe) != 0))
		error = -EAGAIN;
	return error;
}

/*
 * Reads the mappings and the program, which must belong together. Returns 0; -EAGAIN: the process
 * exec'd during the reading; or -ENOMEM.
 */
static int program_read(struct reader *reader)
{
	struct program_text program;
	struct slow_reply reply;
	int error =
		slow_reader_call(reader->config->regions->aliases->reader, proc_scan_look,
				 reader->tgid, reader->folder, strlen(reader->folder) + 1, &reply);

	/*
	 * After any other error except -ENOMEM, the daemon has no right to read the process, or the
	 * process has just ended. Such an error is ignored.
	 */
	reader->scan->unread = slow_reader_is_late(error);
	if (!error && program_text_split(&reply, &program))
		error = program_apply(reader, &program);
	else if (error != -ENOMEM)
		error = 0;
	slow_reply_deinit(&reply);
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
