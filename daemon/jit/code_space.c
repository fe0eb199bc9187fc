// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_name() first reads the jitdump, if there is one, up to the sample's time. It then looks up a
 * name in all data read so far. If the process's files were last searched too long ago (is_due),
 * look_again() opens these files and reads the data that was added, and the look-up is repeated.
 * The CPU time of reading is charged to two credits: one of the process, and one of all processes
 * together. Without credit nothing is read, and samples may get no name.
 */
#include "daemon/jit/code_space.h"

#include "lib/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES 65536u
/* Size of one read to catch up to a sample's time. Usually only one or two records must be read. */
#define CATCH_UP_BYTES ((size_t)2 * JITDUMP_NAME_MAX)

/*
 * If code has a name, the files are read again after this time, because other code may have
 * replaced the code with this name.
 */
#define NAMED_NS UINT64_C(1000000000)
/*
 * Time until the files are read again when code has no name. UNNAMED_NS if the process publishes
 * files; otherwise NOTHING_NS, which grows up to NOTHING_MAX_NS.
 */
#define UNNAMED_NS     UINT64_C(100000000)
#define NOTHING_NS     UINT64_C(1000000000)
#define NOTHING_MAX_NS UINT64_C(8000000000)

/*
 * CPU time for reading files, of one process and of all processes together. Reading the functions
 * that a JVM makes at its start takes half a second.
 */
#define SPACE_CREDIT_NS	      INT64_C(500000000)
#define SPACE_CREDIT_PER_MILL 10u
#define ALL_CREDIT_NS	      INT64_C(1000000000)
#define ALL_CREDIT_PER_MILL   30u
/* Maximum CPU time of one reading, since the kernel's rings fill up concurrently. */
#define LOOK_NS UINT64_C(50000000)

static uint64_t own_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int code_spaces_init(struct code_spaces *all, const char *proc_path, const char *host_root)
{
	int error;

	*all = (struct code_spaces){
		.proc_path = proc_path, .host_root = host_root, .cpu_ns = own_cpu_ns};
	error = code_pool_init(&all->pool);
	if (error)
		return error;
	all->buffer = malloc(BUFFER_BYTES);
	return all->buffer ? 0 : -ENOMEM;
}

void code_spaces_deinit(struct code_spaces *all)
{
	code_pool_deinit(&all->pool);
	free(all->buffer);
	all->buffer = NULL;
}

/* ---- CPU time for reading ---- */

static void credit_refill(struct code_credit *credit, uint64_t now_ns, int64_t max_ns,
			  unsigned int per_mill)
{
	if (!credit->since_ns)
		credit->ns = max_ns;
	else if (now_ns > credit->since_ns)
		credit->ns += (int64_t)((now_ns - credit->since_ns) / 1000 * per_mill);
	if (credit->ns > max_ns)
		credit->ns = max_ns;
	if (now_ns > credit->since_ns)
		credit->since_ns = now_ns;
}

static bool may_read(struct code_space *space, uint64_t now_ns)
{
	struct code_spaces *all = space->all;

	credit_refill(&space->credit, now_ns, SPACE_CREDIT_NS, SPACE_CREDIT_PER_MILL);
	credit_refill(&all->credit, now_ns, ALL_CREDIT_NS, ALL_CREDIT_PER_MILL);
	if (space->credit.ns > 0 && all->credit.ns > 0)
		return true;
	all->nr_late++;
	return false;
}

static void charge(struct code_space *space, uint64_t used_ns)
{
	space->credit.ns -= (int64_t)used_ns;
	space->all->credit.ns -= (int64_t)used_ns;
}

/* ---- descriptors ---- */

static void file_unlink(struct code_spaces *all, struct code_file *file)
{
	*(file->newer ? &file->newer->older : &all->newest) = file->older;
	*(file->older ? &file->older->newer : &all->oldest) = file->newer;
	file->newer = NULL;
	file->older = NULL;
}

static void file_link(struct code_spaces *all, struct code_file *file)
{
	file->newer = NULL;
	file->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = file;
	all->newest = file;
}

static void file_close(struct code_spaces *all, struct code_file *file)
{
	if (file->fd < 0)
		return;
	(void)close(file->fd);
	file->fd = -1;
	file_unlink(all, file);
	all->nr_open--;
}

static void file_use(struct code_spaces *all, struct code_file *file)
{
	file_unlink(all, file);
	file_link(all, file);
}

/* Stores fd as the open file. Returns whether it is another file than before. */
static bool file_set(struct code_spaces *all, struct code_file *file, int fd, const struct stat *st)
{
	bool is_new = file->inode != st->st_ino || file->dev != st->st_dev;

	file_close(all, file);
	file->fd = fd;
	file->dev = st->st_dev;
	file->inode = st->st_ino;
	file_link(all, file);
	all->nr_files++;
	if (++all->nr_open > CODE_FILES_MAX)
		file_close(all, all->oldest);
	return is_new;
}

/* ---- spaces ---- */

static struct code_space *space_make(struct code_spaces *all)
{
	struct code_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->all = all;
	space->map_file.fd = -1;
	space->dump_file.fd = -1;
	space->wait_ns = NOTHING_NS;
	return space;
}

void code_space_destroy(struct code_space *space)
{
	if (!space)
		return;
	file_close(space->all, &space->map_file);
	file_close(space->all, &space->dump_file);
	code_map_put(space->listed);
	code_map_put(space->dumped);
	free(space);
}

struct code_space *code_space_fork(const struct code_space *parent)
{
	struct code_space *child;

	if (!parent || (!parent->listed && !parent->dumped))
		return NULL;
	child = space_make(parent->all);
	if (!child)
		return NULL;
	child->listed = parent->listed ? code_map_get(parent->listed) : NULL;
	child->dumped = parent->dumped ? code_map_get(parent->dumped) : NULL;
	return child;
}

bool code_space_has_files(const struct code_space *space)
{
	return space && (space->map_file.inode || space->dump_file.inode);
}

static bool map_begin(struct code_spaces *all, struct code_map **map)
{
	if (!*map)
		*map = code_map_create(&all->pool);
	return *map;
}

/* ---- the perf map ---- */

/* Forgets the lines of a file that was removed or replaced. */
static void map_forget(struct code_space *space)
{
	code_map_put(space->listed);
	space->listed = NULL;
	space->perf_map = (struct perf_map){.position = 0};
}

static int open_below(const struct code_space *space, const struct code_root *root,
		      const char *path, struct stat *st)
{
	int fd = code_file_open(root, path, &space->owner, st);

	if (fd == -EREMOTE)
		space->all->nr_remote++;
	return fd;
}

static int open_in_root_of(const struct code_space *space, int32_t pid, const char *path,
			   struct stat *st)
{
	const struct code_root root = {space->all->proc_path, pid, NULL};

	return open_below(space, &root, path, st);
}

/*
 * Opens path in the machine's root, for a process that has ended. The root of process 1 is tried
 * first, because the daemon may have a private /tmp if it runs as a service.
 */
static int open_of_host(const struct code_space *space, const char *path, struct stat *st)
{
	const struct code_root root = {space->all->proc_path, getpid(), space->all->host_root};
	int fd = open_in_root_of(space, 1, path, st);

	if (fd < 0 && root.path)
		fd = open_below(space, &root, path, st);
	return fd;
}

/*
 * Opens the perf map that the process itself sees. If there is none, opens the perf map that is
 * named after the process's pid on the machine.
 */
static int map_open(const struct code_space *space, const struct code_lookup *place,
		    struct stat *st)
{
	char path[64];
	int fd = -ENOENT;

	(void)snprintf(path, sizeof(path), "tmp/perf-%d.map", (int)space->owner.inner_pid);
	if (!place->exited)
		fd = open_in_root_of(space, place->tgid, path, st);
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(path), "tmp/perf-%d.map", (int)place->tgid);
	return open_of_host(space, path, st);
}

/* Opens the current perf map, unless it is open already. */
static void map_find(struct code_space *space, const struct code_lookup *place)
{
	struct code_file *file = &space->map_file;
	bool had_one = file->inode != 0;
	struct stat st;
	int fd;

	if (file->fd >= 0 && !fstat(file->fd, &st) && st.st_nlink)
		return;
	fd = map_open(space, place, &st);
	if (fd < 0)
		return;
	/* A forked process keeps its parent's functions until it has a file of its own. */
	if (file_set(space->all, file, fd, &st) && had_one)
		map_forget(space);
}

/* Reads the perf map. Returns whether there is more to read. */
static bool map_read(struct code_space *space)
{
	struct code_spaces *all = space->all;
	int more = -ESTALE;

	if (space->map_file.fd < 0)
		return false;
	file_use(all, &space->map_file);
	for (int i = 0; more == -ESTALE && i < 2; i++) {
		if (!map_begin(all, &space->listed))
			return false;
		more = perf_map_read(&space->perf_map, space->map_file.fd, &space->listed,
				     all->buffer, BUFFER_BYTES, &all->map_counts);
		if (more == -ESTALE)
			map_forget(space);
	}
	return more > 0;
}

/* ---- the jitdump ---- */

/* Returns whether the last part of path is `name`. */
static bool is_named(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return slash && !strcmp(slash + 1, name);
}

/* Opens the jitdump that the process mapped. Refuses another file that is now at the same path. */
static int dump_open(const struct code_space *space, const struct code_lookup *place,
		     const struct image *image, struct stat *st)
{
	int fd = -ENOENT;

	if (!place->exited)
		fd = open_in_root_of(space, place->tgid, image->path, st);
	if (fd < 0)
		fd = open_of_host(space, image->path, st);
	if (fd >= 0 && !image->identity.nr_build_id && image->identity.inode != st->st_ino) {
		(void)close(fd);
		return -EPERM;
	}
	return fd;
}

static void dump_forget(struct code_space *space)
{
	code_map_put(space->dumped);
	space->dumped = NULL;
	space->jitdump = (struct jitdump){.position = 0};
}

static void dump_find(struct code_space *space, const struct code_lookup *place)
{
	bool had_one = space->dump_file.inode != 0;
	struct stat st;
	char name[64];
	int fd = -ENOENT;

	if (space->dump_file.fd >= 0 || !place->space)
		return;
	/* The name contains the pid in the process's own pid namespace. */
	(void)snprintf(name, sizeof(name), "jit-%d.dump", (int)space->owner.inner_pid);
	for (uint32_t i = 0; fd < 0 && i < place->space->nr_mappings; i++) {
		const struct image_entry *entry = place->space->mappings[i].image;

		if (entry && entry->image.kind == OPROF_IMAGE_FILE &&
		    is_named(entry->image.path, name))
			fd = dump_open(space, place, &entry->image, &st);
	}
	if (fd < 0)
		return;
	if (file_set(space->all, &space->dump_file, fd, &st) && had_one)
		dump_forget(space);
}

/* Reads the jitdump. Returns whether records up to time_ns are left. */
static bool dump_read(struct code_space *space, uint64_t time_ns, size_t nr_buffer)
{
	struct code_spaces *all = space->all;
	int more = -ESTALE;

	if (space->dump_file.fd < 0)
		return false;
	file_use(all, &space->dump_file);
	space->dump_read_ns = clock_monotonic_ns();
	for (int i = 0; more == -ESTALE && i < 2; i++) {
		if (!map_begin(all, &space->dumped))
			return false;
		more = jitdump_read(&space->jitdump, space->dump_file.fd, time_ns,
				    space->dump_read_ns, &space->dumped, all->buffer, nr_buffer,
				    &all->dump_counts);
		if (more == -ESTALE)
			dump_forget(space);
	}
	return more > 0 && !space->jitdump.next_ns;
}

/* ---- looking up ---- */

/*
 * Returns whether the jitdump must be read before a sample taken at time_ns can get a name. All
 * samples of one round are older than the first reading in that round, so the jitdump is read once
 * per round.
 */
static bool dump_is_behind(const struct code_space *space, uint64_t time_ns)
{
	return space->dump_file.fd >= 0 &&
	       (space->jitdump.next_ns ? space->jitdump.next_ns <= time_ns
				       : space->dump_read_ns < time_ns);
}

static void dump_catch_up(struct code_space *space, uint64_t time_ns)
{
	uint64_t begin_ns = space->all->cpu_ns();

	space->unread = dump_read(space, time_ns, CATCH_UP_BYTES) || space->unread;
	charge(space, space->all->cpu_ns() - begin_ns);
}

static struct code_name *find_name(struct code_space *space, const struct code_lookup *place)
{
	const struct named_range *range = NULL;

	if (dump_is_behind(space, place->time_ns)) {
		/*
		 * Return no name, since the known name may be the name of earlier code at this
		 * address.
		 */
		if (!may_read(space, place->time_ns))
			return NULL;
		dump_catch_up(space, place->time_ns);
	}
	if (space->dumped)
		range = code_map_find(space->dumped, place->address);
	if (!range && space->listed)
		range = code_map_find(space->listed, place->address);
	return range ? range->name : NULL;
}

static bool is_due(const struct code_space *space, const struct code_lookup *place, bool named)
{
	uint64_t wait_ns = named ? NAMED_NS : space->wait_ns;

	if (!space->checked_ns || space->unread)
		return true;
	return place->time_ns >= space->checked_ns && place->time_ns - space->checked_ns >= wait_ns;
}

static void find_owner(struct code_space *space, const struct code_lookup *place)
{
	if (!space->owner.tgid)
		code_owner_init(&space->owner, place->tgid);
	if (place->exited || code_owner_read(&space->owner, space->all->proc_path, place->since_ns))
		code_owner_set_since(&space->owner, place->since_ns);
}

static void look_again(struct code_space *space, const struct code_lookup *place)
{
	uint64_t begin_ns = space->all->cpu_ns();
	uint64_t used_ns;
	bool more;

	space->checked_ns = place->time_ns ? place->time_ns : 1;
	if (space->map_file.fd < 0 && space->dump_file.fd < 0)
		find_owner(space, place);
	map_find(space, place);
	dump_find(space, place);
	do {
		more = map_read(space);
		more = dump_read(space, place->time_ns, BUFFER_BYTES) || more;
		used_ns = space->all->cpu_ns() - begin_ns;
	} while (more && used_ns < LOOK_NS && (int64_t)used_ns < space->credit.ns);
	space->unread = more;
	charge(space, used_ns);
	if (space->map_file.fd >= 0 || space->dump_file.fd >= 0)
		space->wait_ns = UNNAMED_NS;
	else if (space->wait_ns < NOTHING_MAX_NS)
		space->wait_ns += NOTHING_NS;
}

bool code_space_find(struct code_space **space, struct code_spaces *all,
		     const struct code_lookup *place, uint32_t *number)
{
	struct code_name *name;

	if (!*space)
		*space = space_make(all);
	if (!*space)
		return false;
	name = find_name(*space, place);
	if (is_due(*space, place, name) && may_read(*space, place->time_ns)) {
		look_again(*space, place);
		name = find_name(*space, place);
	}
	if (!name)
		return false;
	*number = code_pool_tell(&all->pool, name);
	return true;
}
