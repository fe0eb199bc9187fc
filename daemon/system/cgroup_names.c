// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/system/cgroup_names.h"

#include "lib/file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOUNTS_BYTES_MAX (4u << 20)
#define CGROUP_BYTES_MAX (64u << 10)
/*
 * The kernel does not limit the depth of cgroups by default; cgroups deeper than this have no name.
 */
#define DEPTH_MAX 64
/* A renewal is due when nr_new exceeds nr_real by more than this. */
#define GONE_MAX 4096u

struct named_cgroup {
	struct node node;
	uint64_t id;
	uint64_t renewal; /* value of nr_renewals when the name was last added */
	char *path;
};

int cgroup_names_init(struct cgroup_names *table)
{
	*table = (struct cgroup_names){.nr_new = 0};
	return node_hash_init(&table->names);
}

static void forget(struct cgroup_names *table, struct named_cgroup *name)
{
	node_hash_remove(&table->names, &name->node);
	free(name->path);
	free(name);
}

void cgroup_names_deinit(struct cgroup_names *table)
{
	struct node *node;

	while ((node = node_hash_any(&table->names)))
		forget(table, node_owner(node, struct named_cgroup, node));
	node_hash_deinit(&table->names);
	free(table->root);
	table->root = NULL;
}

static struct named_cgroup *find(const struct cgroup_names *table, uint64_t id)
{
	struct node *node = node_hash_first(&table->names, hash_number(id));

	for (; node; node = node_hash_next(node)) {
		struct named_cgroup *name = node_owner(node, struct named_cgroup, node);

		if (name->id == id)
			return name;
	}
	return NULL;
}

const char *cgroup_names_find(const struct cgroup_names *table, uint64_t id)
{
	const struct named_cgroup *name = find(table, id);

	return name ? name->path : NULL;
}

int cgroup_names_add(struct cgroup_names *table, uint64_t id, const char *path)
{
	struct named_cgroup *name = find(table, id);
	char *copy;

	if (name)
		name->renewal = table->nr_renewals;
	if (name && !strcmp(name->path, path))
		return 0;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	if (name) {
		free(name->path);
		name->path = copy;
		return 0;
	}
	name = calloc(1, sizeof(*name));
	if (!name) {
		free(copy);
		return -ENOMEM;
	}
	name->id = id;
	name->renewal = table->nr_renewals;
	name->path = copy;
	table->nr_new++;
	node_hash_add(&table->names, &name->node, hash_number(id));
	return 0;
}

/* If several hierarchies are mounted, the one with the highest value is used. */
enum hierarchy {
	HIERARCHY_OTHER,
	HIERARCHY_2,
	HIERARCHY_1_EVENTS, /* version 1, with perf_event */
};

/*
 * A folder during the walk over all cgroups. path: the mount point, followed by the cgroup's path.
 */
struct folder_walk {
	struct cgroup_names *table;
	char path[PATH_MAX];
	size_t nr_root; /* size of the mount point in path */
};

static int walk_folder(struct folder_walk *walk, int depth);

static int walk_entry(struct folder_walk *walk, const struct dirent *entry, int depth)
{
	size_t nr = strlen(walk->path);
	size_t nr_name = strlen(entry->d_name);
	int error = 0;

	if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
	    nr + 1 + nr_name >= sizeof(walk->path))
		return 0;
	walk->path[nr] = '/';
	memcpy(walk->path + nr + 1, entry->d_name, nr_name + 1);
	error = walk_folder(walk, depth + 1);
	walk->path[nr] = '\0';
	return error;
}

static int walk_folder(struct folder_walk *walk, int depth)
{
	const char *below = walk->path + walk->nr_root;
	struct dirent *entry;
	struct stat st;
	DIR *folder;
	int error;

	/* A cgroup that is removed during the scan is ignored. */
	if (depth > DEPTH_MAX || stat(walk->path, &st))
		return 0;
	walk->table->nr_real++;
	error = cgroup_names_add(walk->table, st.st_ino, *below ? below : "/");
	folder = error ? NULL : opendir(walk->path);
	if (!folder)
		return error;
	while (!error && (entry = readdir(folder)))
		error = walk_entry(walk, entry, depth);
	closedir(folder);
	return error;
}

/* mountinfo writes blanks and backslashes as a backslash with three octal digits. */
static void unescape(char *to, const char *from, size_t nr)
{
	while (nr) {
		if (*from == '\\' && nr >= 4) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 4;
			nr -= 4;
		} else {
			*to++ = *from++;
			nr--;
		}
	}
	*to = '\0';
}

/* Returns whether a comma-separated list contains word. */
static bool has_word(const char *list, size_t nr_bytes, const char *word)
{
	size_t nr_word = strlen(word);

	for (size_t i = 0; i + nr_word <= nr_bytes; i++)
		if (!strncmp(list + i, word, nr_word) && (!i || list[i - 1] == ',') &&
		    (i + nr_word == nr_bytes || list[i + nr_word] == ','))
			return true;
	return false;
}

/*
 * Returns the kind of hierarchy of the mount that a line of mountinfo describes; the line ends with
 * " - KIND SOURCE OPTIONS". Perf events use the hierarchy that has the controller perf_event. This
 * is cgroup2, unless a hierarchy of version 1 has the controller.
 */
static enum hierarchy hierarchy_of_line(const char *line)
{
	size_t nr = strcspn(line, "\n");
	const char *kind = memmem(line, nr, " - ", 3);
	const char *options;

	if (!kind)
		return HIERARCHY_OTHER;
	kind += 3;
	nr -= (size_t)(kind - line);
	if (nr > 8 && !strncmp(kind, "cgroup2 ", 8))
		return HIERARCHY_2;
	if (nr <= 7 || strncmp(kind, "cgroup ", 7) != 0)
		return HIERARCHY_OTHER;
	/* The line has at least one blank before OPTIONS: the blank after "cgroup". */
	options = memrchr(kind, ' ', nr);
	options++;
	return has_word(options, nr - (size_t)(options - kind), "perf_event") ? HIERARCHY_1_EVENTS
									      : HIERARCHY_OTHER;
}

/* Writes the mount point, which is the fifth field of the line, unescaped to path[PATH_MAX]. */
static bool mount_of_line(const char *line, char *path)
{
	size_t nr;

	for (int i = 0; line && i < 4; i++) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	nr = line ? strcspn(line, " \n") : 0;
	if (!nr || nr >= PATH_MAX)
		return false;
	unescape(path, line, nr);
	return true;
}

/*
 * Writes to path the mount point of the hierarchy that perf events use. Returns false if no such
 * hierarchy is mounted.
 */
static bool find_mount(const char *mounts, char *path)
{
	enum hierarchy found = HIERARCHY_OTHER;

	for (const char *line = mounts; line && *line; line = line ? line + 1 : NULL) {
		enum hierarchy hierarchy = hierarchy_of_line(line);

		if (hierarchy > found && mount_of_line(line, path))
			found = hierarchy;
		line = strchr(line, '\n');
	}
	return found != HIERARCHY_OTHER;
}

int cgroup_names_scan(struct cgroup_names *table, const char *proc_path)
{
	struct folder_walk walk = {.table = table};
	char path[PATH_MAX];
	bool found;
	char *text;

	table->nr_real = 0;
	if (snprintf(path, sizeof(path), "%s/self/mountinfo", proc_path) >= (int)sizeof(path) ||
	    file_read_text(path, MOUNTS_BYTES_MAX, &text, NULL))
		return 0;
	found = find_mount(text, walk.path);
	free(text);
	if (!found)
		return 0;
	if (!table->root || strcmp(table->root, walk.path) != 0) {
		free(table->root);
		table->root = strdup(walk.path);
	}
	walk.nr_root = strlen(walk.path);
	return walk_folder(&walk, 0);
}

/*
 * Returns the path in the line "0::PATH", which is the path in cgroup2; NULL if there is no such
 * line.
 */
static char *path_of_cgroup_text(char *text)
{
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "0::/", 4)) {
			line[strcspn(line, "\n")] = '\0';
			return line + 3;
		}
	}
	return NULL;
}

uint64_t cgroup_names_of_process(struct cgroup_names *table, const char *proc_path, int32_t pid)
{
	char path[PATH_MAX];
	char *text, *name;
	struct stat st;
	uint64_t id = 0;

	if (!table->root ||
	    snprintf(path, sizeof(path), "%s/%d/cgroup", proc_path, (int)pid) >=
		    (int)sizeof(path) ||
	    file_read_text(path, CGROUP_BYTES_MAX, &text, NULL))
		return 0;
	name = path_of_cgroup_text(text);
	if (name && snprintf(path, sizeof(path), "%s%s", table->root, name) < (int)sizeof(path) &&
	    !stat(path, &st) && !cgroup_names_add(table, st.st_ino, name))
		id = st.st_ino;
	free(text);
	return id;
}

bool cgroup_names_are_old(const struct cgroup_names *table)
{
	return table->nr_new > GONE_MAX + table->nr_real;
}

static void forget_if_old(struct node *node, void *context)
{
	struct named_cgroup *name = node_owner(node, struct named_cgroup, node);
	struct cgroup_names *table = context;

	if (name->renewal + 1 < table->nr_renewals)
		forget(table, name);
}

int cgroup_names_renew(struct cgroup_names *table, const char *proc_path)
{
	int error;

	table->nr_renewals++;
	error = cgroup_names_scan(table, proc_path);
	table->nr_new = 0;
	node_hash_walk(&table->names, forget_if_old, table);
	return error;
}
