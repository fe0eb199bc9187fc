// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/sample_cache.h"

#include "daemon/filing/sample_failures.h"
#include "lib/file.h"
#include "lib/log.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RETRY_NS       UINT64_C(1000000000)
#define LINKS_PER_FILE 4  /* remembered keys per file, on average */
#define SYNC_EACH_MAX  64 /* with more files, one sync of the file system is faster */
#define DAMAGED_MAX    100
#define INLINE_PIECES  4  /* extents of a file that fit into its inode */
#define RELEASED_MAX   64 /* number of released cookies whose keys are forgotten together */

/* A remembered key and its file. */
struct sample_link {
	struct sample_key key;
	uint64_t hash;
	struct sample_file *file;
	struct sample_link *next_in_bucket;
	struct sample_link *next_of_file;
};

struct sample_file {
	struct sdb *db; /* NULL: could not be opened */
	int error;	/* if db is NULL: the reason; retry_ns is the time of the next try */
	uint64_t retry_ns;
	struct sample_key key;	    /* key of the latest sample; its images may be released */
	uint64_t first_ns, last_ns; /* times in this round; first_ns UINT64_MAX: no sample */
	uint64_t used_round;
	uint64_t epoch;	   /* epoch of the samples; samples of an earlier epoch are in a slice */
	uint64_t nr_bytes; /* on disk */
	bool weighted;
	bool unsynced;
	bool parked; /* closed, but listed for its samples of the epoch; found only by path */
	struct sample_link *links;
	struct sample_file *next_in_bucket;
	struct sample_file *newer, *older; /* of a parked file: `older` is the next parked file */
	uint64_t path_hash;
	char path[];
};

struct sample_cache {
	struct sample_cache_config config;
	size_t nr_buckets; /* number of buckets of links and of files; a power of two */
	struct sample_link **links;
	struct sample_file **files;
	size_t nr_links, nr_files;
	struct sample_file *newest, *oldest;
	uint32_t released[RELEASED_MAX];
	size_t nr_released;
	struct sample_file *parked;
	size_t nr_parked;
	struct sample_tree tree;
	struct dead_files dead;
	uint64_t nr_bytes;	  /* on disk, of all files except dead ones */
	uint64_t limit_bytes;	  /* 0: none */
	uint64_t epoch;		  /* 0: files have no epochs */
	struct sample_link *last; /* most samples have the key of the previous one */
	uint64_t round;		  /* from 1 */
	uint64_t now_ns;
	int64_t to_realtime_ns;
	struct sample_failures failures;
	/* Files were closed with data not on disk, or a sync failed: sync everything next time. */
	bool sync_all;
	struct placement placement;
	char path[2 * PATH_MAX];
};

int sample_cache_create(struct sample_cache **cache, const struct sample_cache_config *config)
{
	struct sample_cache *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->config = *config;
	sample_tree_init(&made->tree, config->folder);
	made->nr_buckets = 16;
	while (made->nr_buckets < 2 * config->nr_files_max)
		made->nr_buckets *= 2;
	made->links = calloc(made->nr_buckets, sizeof(struct sample_link *));
	made->files = calloc(made->nr_buckets, sizeof(struct sample_file *));
	if (!made->links || !made->files || dead_files_init(&made->dead, &made->tree)) {
		free(made->links);
		free(made->files);
		free(made);
		return -ENOMEM;
	}
	*cache = made;
	return 0;
}

void sample_cache_destroy(struct sample_cache *cache)
{
	if (!cache)
		return;
	sample_cache_clear(cache);
	dead_files_deinit(&cache->dead);
	free(cache->links);
	free(cache->files);
	free(cache);
}

/* ---- order of use ---- */

static void file_unlink_use(struct sample_cache *cache, struct sample_file *file)
{
	if (file->newer)
		file->newer->older = file->older;
	else
		cache->newest = file->older;
	if (file->older)
		file->older->newer = file->newer;
	else
		cache->oldest = file->newer;
}

static void file_link_use(struct sample_cache *cache, struct sample_file *file)
{
	file->newer = NULL;
	file->older = cache->newest;
	if (cache->newest)
		cache->newest->newer = file;
	else
		cache->oldest = file;
	cache->newest = file;
}

/* Moves files used in this round to the front, where end_round expects them. */
static inline void file_use(struct sample_cache *cache, struct sample_file *file)
{
	if (file->used_round == cache->round)
		return;
	file->used_round = cache->round;
	file_unlink_use(cache, file);
	file_link_use(cache, file);
}

/* ---- closing ---- */

static void file_set_times(const struct sample_cache *cache, struct sample_file *file)
{
	if (!file->db || file->first_ns == UINT64_MAX)
		return;
	sdb_set_time(file->db, (int64_t)(file->first_ns + (uint64_t)cache->to_realtime_ns));
	sdb_set_time(file->db, (int64_t)(file->last_ns + (uint64_t)cache->to_realtime_ns));
	file->first_ns = UINT64_MAX;
	file->last_ns = 0;
}

/*
 * Updates the file's size on disk, in file->nr_bytes and in the sum of all files. The size is an
 * upper limit: if the file has many extents, the file system may need one more block for the list
 * of the extents.
 */
static void file_measure(struct sample_cache *cache, struct sample_file *file)
{
	uint64_t nr_bytes = sdb_nr_bytes(file->db);

	if (nr_bytes > (uint64_t)INLINE_PIECES * OPROF_SDB_PAGE_BYTES)
		nr_bytes += OPROF_SDB_PAGE_BYTES;
	cache->nr_bytes += nr_bytes - file->nr_bytes;
	file->nr_bytes = nr_bytes;
}

static void file_close(struct sample_cache *cache, struct sample_file *file)
{
	file_set_times(cache, file);
	if (file->db)
		file_measure(cache, file);
	sdb_close(file->db);
	file->db = NULL;
	cache->sync_all |= file->unsynced;
	file->unsynced = false;
}

static void link_forget(struct sample_cache *cache, struct sample_link *link)
{
	struct sample_link **next = &cache->links[link->hash & (cache->nr_buckets - 1)];

	while (*next != link)
		next = &(*next)->next_in_bucket;
	*next = link->next_in_bucket;
	if (cache->last == link)
		cache->last = NULL;
	cache->nr_links--;
	free(link);
}

/* Removes the file from the table of paths and frees it. */
static void file_free(struct sample_cache *cache, struct sample_file *file)
{
	struct sample_file **next = &cache->files[file->path_hash & (cache->nr_buckets - 1)];

	while (*next != file)
		next = &(*next)->next_in_bucket;
	*next = file->next_in_bucket;
	cache->nr_bytes -= file->nr_bytes;
	free(file);
}

static void file_park(struct sample_cache *cache, struct sample_file *file)
{
	file->parked = true;
	file->newer = NULL;
	file->older = cache->parked;
	cache->parked = file;
	cache->nr_parked++;
}

/* Makes a closed file dead. All samples of the file are in a slice. */
static void file_doom(struct sample_cache *cache, struct sample_file *file)
{
	dead_files_add(&cache->dead, file->path, file->path_hash, file->nr_bytes);
	file_free(cache, file);
}

static void file_unpark(struct sample_cache *cache, struct sample_file *file)
{
	struct sample_file **next = &cache->parked;

	while (*next != file)
		next = &(*next)->older;
	*next = file->older;
	cache->nr_parked--;
	file->parked = false;
	file_link_use(cache, file);
	cache->nr_files++;
}

/* Closes the file, forgets its keys and takes it out of the list of open files. */
static void file_retire(struct sample_cache *cache, struct sample_file *file)
{
	file_close(cache, file);
	while (file->links) {
		struct sample_link *link = file->links;

		file->links = link->next_of_file;
		link_forget(cache, link);
	}
	file_unlink_use(cache, file);
	cache->nr_files--;
}

static void file_evict(struct sample_cache *cache, struct sample_file *file)
{
	file_retire(cache, file);
	if (cache->epoch && file->epoch == cache->epoch) {
		file_park(cache, file);
		return;
	}
	if (file->epoch)
		file_doom(cache, file);
	else
		file_free(cache, file);
}

static bool is_released(const struct sample_cache *cache, uint32_t image)
{
	for (size_t i = 0; i < cache->nr_released; i++)
		if (cache->released[i] == image)
			return true;
	return false;
}

static void file_forget_released(struct sample_cache *cache, struct sample_file *file)
{
	struct sample_link **next = &file->links;

	while (*next) {
		struct sample_link *link = *next;

		if (!is_released(cache, link->key.image) && !is_released(cache, link->key.app)) {
			next = &link->next_of_file;
			continue;
		}
		*next = link->next_of_file;
		link_forget(cache, link);
	}
}

/*
 * Forgets the keys of many released images together, since each call examines all keys. No later
 * sample has such a key. The files stay open until their places are needed for other files.
 */
static void cache_forget_released(struct sample_cache *cache)
{
	for (struct sample_file *file = cache->newest; file; file = file->older)
		file_forget_released(cache, file);
	cache->nr_released = 0;
}

void sample_cache_release(struct sample_cache *cache, uint32_t image)
{
	if (image == OPROF_IMAGE_NONE)
		return;
	cache->released[cache->nr_released++] = image;
	if (cache->nr_released == RELEASED_MAX)
		cache_forget_released(cache);
}

void sample_cache_clear(struct sample_cache *cache)
{
	dead_files_clear(&cache->dead);
	while (cache->oldest) {
		struct sample_file *file = cache->oldest;

		file_retire(cache, file);
		file_free(cache, file);
	}
	while (cache->parked) {
		struct sample_file *file = cache->parked;

		cache->parked = file->older;
		file_free(cache, file);
	}
	cache->nr_parked = 0;
	sample_tree_init(&cache->tree, cache->config.folder);
}

/* Makes room for one more file and key. Does not close the file `keep`. */
static void cache_make_room(struct sample_cache *cache, const struct sample_file *keep)
{
	while (cache->oldest && cache->oldest != keep &&
	       (cache->nr_files >= cache->config.nr_files_max ||
		cache->nr_links >= LINKS_PER_FILE * cache->config.nr_files_max))
		file_evict(cache, cache->oldest);
}

/* Call when descriptors or memory run out: closes about an eighth of the files, but not `keep`. */
static void cache_shrink(struct sample_cache *cache, const struct sample_file *keep)
{
	size_t nr = cache->nr_files / 8 + 1;

	while (nr-- && cache->oldest && cache->oldest != keep)
		file_evict(cache, cache->oldest);
}

/* ---- opening ---- */

static bool error_is_damage(int error)
{
	return error == -EINVAL || error == -EILSEQ || error == -EIO || error == -EPROTONOSUPPORT;
}

/* Renames the file to make room for a new one. Returns 0 or -errno. */
static int file_set_aside(struct sample_cache *cache, struct sample_file *file, const char *why)
{
	char damaged[sizeof(cache->path) + 16];
	unsigned int nr = 1;

	file_close(cache, file);
	file->epoch = 0;
	(void)snprintf(damaged, sizeof(damaged), "%s.damaged", file->path);
	while (!access(damaged, F_OK) && nr < DAMAGED_MAX)
		(void)snprintf(damaged, sizeof(damaged), "%s.damaged.%u", file->path, ++nr);
	log_error("sample file %s is damaged (%s): renaming it to %s", file->path, why, damaged);
	cache->config.set_aside(cache->config.context);
	return rename(file->path, damaged) && errno != ENOENT ? -errno : 0;
}

/* Creates missing folders. On failure returns false, sets *error to the reason, and clears diag. */
static bool file_make_parents(struct sample_cache *cache, const struct sample_file *file,
			      int *error, struct diag *diag)
{
	int made = sample_tree_make_parents(&cache->tree, file->path);

	if (!made || dead_files_reclaim(&cache->dead, made))
		return true;
	*error = made;
	diag_clear(diag);
	return false;
}

/* Handles an error of opening the file. Returns whether to try to open it again. */
static bool file_open_again(struct sample_cache *cache, struct sample_file *file, int error,
			    const struct diag *diag)
{
	if (error == -EMFILE || error == -ENFILE || error == -ENOMEM) {
		cache_shrink(cache, file);
		return true;
	}
	if (dead_files_reclaim(&cache->dead, error))
		return true;
	if (error_is_damage(error))
		return !file_set_aside(cache, file, diag->text[0] ? diag->text : strerror(-error));
	return false;
}

static bool is_over_limit(const struct sample_cache *cache)
{
	return cache->limit_bytes && sample_cache_live_bytes(cache) >= cache->limit_bytes;
}

/* Returns whether a new file may be made. If necessary, first removes a dead file. */
static bool has_room(struct sample_cache *cache)
{
	if (is_over_limit(cache) || dead_files_are_many(&cache->dead))
		(void)dead_files_remove(&cache->dead);
	return !is_over_limit(cache);
}

static int file_try_open(struct sample_cache *cache, struct sample_file *file, struct diag *diag)
{
	const struct sdb_identity *identity = &cache->placement.identity;
	uint64_t tree_bytes;
	int error = 0;

	if (!file->nr_bytes && !has_room(cache))
		return diag_set(diag, -EDQUOT,
				"this minute's files have used their whole budget of %" PRIu64
				" MB; raise --history-bytes",
				cache->limit_bytes >> 20);
	for (unsigned int i = 0; i < 3; i++) {
		diag_clear(diag);
		tree_bytes = sample_tree_measure(file->path);
		error = sdb_open(&file->db, file->path, identity, diag);
		sample_tree_grown(&cache->tree, file->path, tree_bytes);
		if (!error || !(error == -ENOENT ? file_make_parents(cache, file, &error, diag)
						 : file_open_again(cache, file, error, diag)))
			break;
	}
	return error;
}

/* Opens the file, whose placement must be in cache->placement. */
static int file_open(struct sample_cache *cache, struct sample_file *file)
{
	const struct sdb_identity *identity = &cache->placement.identity;
	struct diag diag;
	int error;

	diag_clear(&diag);
	error = file_try_open(cache, file, &diag);
	file->error = error;
	file->weighted = identity->flags & OPROF_SDB_WEIGHTED;
	if (!error) {
		dead_files_forget(&cache->dead, file->path, file->path_hash);
		file->epoch = identity->epoch;
		file_measure(cache, file);
	} else {
		file->db = NULL;
		file->retry_ns = cache->now_ns + RETRY_NS;
		sample_failures_report(&cache->failures, file->path, error, diag.text,
				       cache->now_ns);
	}
	return error;
}

/*
 * Opens the file again. key: the key of the sample that is being filed. Older keys of the file
 * cannot be used, since they may name released images.
 */
static int file_reopen(struct sample_cache *cache, struct sample_file *file,
		       const struct sample_key *key)
{
	int error;

	if (cache->now_ns < file->retry_ns)
		return file->error;
	error = cache->config.place(cache->config.context, key, &cache->placement);
	return error ? error : file_open(cache, file);
}

/*
 * Prepares the file for the first sample of an epoch, or opens it. key: the key of the sample that
 * is being filed.
 */
static int file_renew(struct sample_cache *cache, struct sample_file *file,
		      const struct sample_key *key)
{
	int error;

	if (!file->db)
		return file_reopen(cache, file, key);
	error = cache->config.place(cache->config.context, key, &cache->placement);
	if (error)
		return error;
	if (!sdb_is_at(file->db, file->path)) {
		file_close(cache, file);
		return file_open(cache, file);
	}
	if (!sdb_restart(file->db, &cache->placement.identity)) {
		file->epoch = cache->placement.identity.epoch;
		file->weighted = cache->placement.identity.flags & OPROF_SDB_WEIGHTED;
		file_measure(cache, file);
		return 0;
	}
	/* The file cannot be emptied, but it can be removed: all its samples are in a slice. */
	file_close(cache, file);
	(void)unlink(file->path);
	return file_open(cache, file);
}

static struct sample_file *file_find(const struct sample_cache *cache, uint64_t hash)
{
	struct sample_file *file = cache->files[hash & (cache->nr_buckets - 1)];

	while (file && (file->path_hash != hash || strcmp(file->path, cache->path) != 0))
		file = file->next_in_bucket;
	return file;
}

/* Adds the file at cache->path to the tables, without opening it. Returns NULL if out of memory. */
static struct sample_file *file_add(struct sample_cache *cache, uint64_t hash,
				    const struct sample_key *key)
{
	size_t nr_bytes = strlen(cache->path) + 1;
	struct sample_file *file = calloc(1, sizeof(*file) + nr_bytes);
	struct sample_file **bucket = &cache->files[hash & (cache->nr_buckets - 1)];

	if (!file)
		return NULL;
	memcpy(file->path, cache->path, nr_bytes);
	file->path_hash = hash;
	file->key = *key;
	file->first_ns = UINT64_MAX;
	file->used_round = cache->round;
	file->next_in_bucket = *bucket;
	*bucket = file;
	file_link_use(cache, file);
	cache->nr_files++;
	return file;
}

static int cache_place(struct sample_cache *cache, const struct sample_key *key)
{
	size_t used;
	int error = cache->config.place(cache->config.context, key, &cache->placement);

	if (error)
		return error;
	used = (size_t)snprintf(cache->path, sizeof(cache->path), "%s/", cache->config.folder);
	if (used >= sizeof(cache->path))
		return -ENAMETOOLONG;
	return sample_name_format(&cache->placement.name, cache->path + used,
				  sizeof(cache->path) - used);
}

static int cache_link(struct sample_cache *cache, const struct sample_key *key, uint64_t hash,
		      struct sample_file *file)
{
	struct sample_link *link = calloc(1, sizeof(*link));
	struct sample_link **bucket = &cache->links[hash & (cache->nr_buckets - 1)];

	if (!link)
		return -ENOMEM;
	link->key = *key;
	link->hash = hash;
	link->file = file;
	file->key = *key;
	link->next_of_file = file->links;
	file->links = link;
	link->next_in_bucket = *bucket;
	*bucket = link;
	cache->nr_links++;
	cache->last = link;
	return 0;
}

/* Finds or opens the file of a key that is not remembered. */
static int cache_miss(struct sample_cache *cache, const struct sample_key *key, uint64_t hash,
		      struct sample_file **found)
{
	struct sample_file *file;
	uint64_t hash_of_path;
	int error = cache_place(cache, key);

	if (error)
		return error;
	hash_of_path = hash_bytes(0, cache->path, strlen(cache->path));
	file = file_find(cache, hash_of_path);
	if (file && !file->parked)
		file_use(cache, file);
	cache_make_room(cache, file);
	if (file && file->parked) {
		file_unpark(cache, file);
		(void)file_open(cache, file);
	} else if (!file) {
		file = file_add(cache, hash_of_path, key);
		if (!file)
			return -ENOMEM;
		(void)file_open(cache, file); /* file->error keeps the error */
	}
	*found = file;
	return cache_link(cache, key, hash, file);
}

static inline int cache_get(struct sample_cache *cache, const struct sample_key *key,
			    struct sample_file **file)
{
	struct sample_link *link = cache->last;
	uint64_t hash;
	int error = 0;

	if (!link || !sample_key_equal(&link->key, key)) {
		hash = sample_key_hash(key);
		link = cache->links[hash & (cache->nr_buckets - 1)];
		while (link && (link->hash != hash || !sample_key_equal(&link->key, key)))
			link = link->next_in_bucket;
		if (link) {
			cache->last = link;
		} else {
			error = cache_miss(cache, key, hash, file);
			if (error)
				return error;
			link = cache->last;
		}
	}
	*file = link->file;
	file_use(cache, *file);
	return (*file)->db && (*file)->epoch == cache->epoch ? 0 : file_renew(cache, *file, key);
}

/* ---- adding ---- */

static inline int file_add_sample(struct sample_file *file, uint64_t offset, uint64_t weight,
				  uint64_t time_ns)
{
	int error = file->weighted ? sdb_add_weighted(file->db, offset, 1, weight)
				   : sdb_add(file->db, offset, 1);

	if (error)
		return error;
	file->unsynced = true;
	if (time_ns < file->first_ns)
		file->first_ns = time_ns;
	if (time_ns > file->last_ns)
		file->last_ns = time_ns;
	return 0;
}

/* Returns 0 if the file was replaced, or room was made: the sample can now be added. */
static int file_add_failed(struct sample_cache *cache, struct sample_file *file,
			   const struct sample_key *key, int error)
{
	if (dead_files_reclaim(&cache->dead, error))
		return 0;
	if (!error_is_damage(error)) {
		sample_failures_report(&cache->failures, file->path, error, NULL, cache->now_ns);
		return error;
	}
	file->error = file_set_aside(cache, file, strerror(-error));
	if (file->error) {
		file->retry_ns = cache->now_ns + RETRY_NS;
		return file->error;
	}
	file->retry_ns = 0;
	return file_reopen(cache, file, key);
}

int sample_cache_add(struct sample_cache *cache, const struct sample_key *key, uint64_t offset,
		     uint64_t weight, uint64_t time_ns)
{
	struct sample_file *file;
	int error = cache_get(cache, key, &file);

	if (error)
		return error;
	error = file_add_sample(file, offset, weight, time_ns);
	if (!error)
		return 0;
	error = file_add_failed(cache, file, key, error);
	if (error)
		return error;
	error = file_add_sample(file, offset, weight, time_ns);
	if (error)
		sample_failures_report(&cache->failures, file->path, error, NULL, cache->now_ns);
	return error;
}

void sample_cache_begin_round(struct sample_cache *cache, uint64_t now_ns, int64_t to_realtime_ns)
{
	cache->round++;
	cache->now_ns = now_ns;
	cache->to_realtime_ns = to_realtime_ns;
	sample_failures_report_end(&cache->failures, now_ns);
}

void sample_cache_end_round(struct sample_cache *cache)
{
	struct sample_file *file = cache->newest;

	for (; file && file->used_round == cache->round; file = file->older) {
		file_set_times(cache, file);
		if (file->db)
			file_measure(cache, file);
	}
}

/* ---- epochs ---- */

int sample_cache_visit_epoch(const struct sample_cache *cache,
			     int (*visit)(const char *path, void *context), void *context)
{
	const struct sample_file *file;
	int error = 0;

	for (file = cache->newest; file && !error; file = file->older)
		if (file->epoch == cache->epoch)
			error = visit(file->path, context);
	for (file = cache->parked; file && !error; file = file->older)
		error = visit(file->path, context);
	return error;
}

void sample_cache_begin_epoch(struct sample_cache *cache, uint64_t epoch, uint64_t nr_keep)
{
	cache->epoch = epoch;
	cache->sync_all = false;
	for (struct sample_file *file = cache->newest; file; file = file->older)
		file->unsynced = false;
	while (cache->parked) {
		struct sample_file *file = cache->parked;

		cache->parked = file->older;
		file_doom(cache, file);
	}
	cache->nr_parked = 0;
	while (cache->oldest && cache->oldest->epoch + nr_keep < epoch) {
		const struct sample_file *evicted = cache->oldest;

		file_evict(cache, cache->oldest);
		assert(cache->oldest != evicted); /* a hint for static analysers */
	}
}

void sample_cache_set_limit(struct sample_cache *cache, uint64_t nr_bytes)
{
	cache->limit_bytes = nr_bytes;
}

uint64_t sample_cache_file_bytes(const struct sample_cache *cache)
{
	return cache->nr_bytes;
}

uint64_t sample_cache_live_bytes(const struct sample_cache *cache)
{
	return cache->nr_bytes + sample_tree_nr_bytes(&cache->tree);
}

struct dead_files *sample_cache_dead(struct sample_cache *cache)
{
	return &cache->dead;
}

size_t sample_cache_nr_parked(const struct sample_cache *cache)
{
	return cache->nr_parked;
}

static size_t cache_nr_unsynced(const struct sample_cache *cache)
{
	size_t nr = 0;

	for (const struct sample_file *file = cache->newest; file; file = file->older)
		nr += file->unsynced;
	return nr;
}

int sample_cache_sync(const struct sample_cache *cache, int folder_fd)
{
	int first = 0;

	if (cache->sync_all || cache_nr_unsynced(cache) > SYNC_EACH_MAX)
		return syncfs(folder_fd) ? -errno : 0;
	for (const struct sample_file *file = cache->newest; file; file = file->older) {
		int error = file->unsynced && file->db ? sdb_sync(file->db) : 0;

		if (error && !first)
			first = error;
	}
	return first;
}

void sample_cache_synced(struct sample_cache *cache, int error)
{
	cache->sync_all = error != 0;
	for (struct sample_file *file = cache->newest; file; file = file->older)
		file->unsynced = false;
}

size_t sample_cache_nr_files(const struct sample_cache *cache)
{
	return cache->nr_files;
}
