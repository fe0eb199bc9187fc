// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/symbols/symbol_cache.h"

#include "lib/file.h"
#include "pp/symbols/symbol_wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magics[][9] = {
	[SYMBOL_CACHE_SYMBOLS] = "OPSYMS1\n",
	[SYMBOL_CACHE_LINES] = "OPLINE1\n",
};
static const char *const suffixes[] = {
	[SYMBOL_CACHE_SYMBOLS] = "", [SYMBOL_CACHE_LINES] = "-lines"};

#define DEBUG_PATH "/usr/lib/debug"

/*
 * Start of a cache file. The header is followed by the path, padded to a multiple of 8 bytes, and
 * by the content: a symbol table in the format of symbol_wire.h, or a line table.
 */
struct cache_header {
	char magic[8];
	char version[24]; /* of the program; another version may read a binary differently */
	uint8_t build_id[OPROF_BUILD_ID_BYTES_MAX];
	uint32_t nr_build_id;
	uint32_t kind;
	uint32_t reserved;   /* always 0; replaces padding, as headers are compared as bytes */
	int64_t debug_ns[2]; /* change times of the system's debug folders; 0: missing */
	uint64_t path_bytes; /* padded length of the path */
};

_Static_assert(sizeof(struct cache_header) % 8 == 0, "what follows is aligned");

/* ---- keys ---- */

static bool is_cacheable(const struct symbol_request *request)
{
	const struct symbol_search *search = request->search;

	return search->cache_path && !search->root && !search->image_path && !search->debug_path &&
	       request->kind == OPROF_IMAGE_FILE && request->identity->nr_build_id &&
	       request->identity->nr_build_id <= OPROF_BUILD_ID_BYTES_MAX &&
	       strlen(request->path) < PATH_MAX;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static void file_name(const struct symbol_request *request, enum symbol_cache_content content,
		      char name[PATH_MAX])
{
	const struct oprof_image_identity *identity = request->identity;
	char hex[2 * OPROF_BUILD_ID_BYTES_MAX + 1];

	for (uint32_t i = 0; i < identity->nr_build_id; i++)
		(void)snprintf(hex + 2 * (size_t)i, 3, "%02x", identity->build_id[i]);
	(void)snprintf(name, PATH_MAX, "%s/%s-%016" PRIx64 "%s", request->search->cache_path, hex,
		       hash_text(request->path), suffixes[content]);
}

static int64_t changed_ns(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return 0;
	return status.st_ctim.tv_sec * INT64_C(1000000000) + status.st_ctim.tv_nsec;
}

/*
 * Gets the change times of the system's debug folders. The binary's own folder is not checked,
 * because it may be on a file system that hangs.
 */
static void stamp_debug(const struct symbol_request *request, int64_t debug_ns[2])
{
	const char *slash = strrchr(request->path, '/');
	char path[PATH_MAX + sizeof(DEBUG_PATH)];

	(void)snprintf(path, sizeof(path), DEBUG_PATH "/.build-id/%02x",
		       request->identity->build_id[0]);
	debug_ns[0] = changed_ns(path);
	(void)snprintf(path, sizeof(path), DEBUG_PATH "%.*s",
		       slash ? (int)(slash - request->path) : 0, request->path);
	debug_ns[1] = changed_ns(path);
}

static void make_header(const struct symbol_request *request, enum symbol_cache_content content,
			struct cache_header *header)
{
	const struct oprof_image_identity *identity = request->identity;

	memset(header, 0, sizeof(*header));
	memcpy(header->magic, magics[content], sizeof(header->magic));
	(void)snprintf(header->version, sizeof(header->version), "%s", OPROF_VERSION);
	memcpy(header->build_id, identity->build_id, identity->nr_build_id);
	header->nr_build_id = identity->nr_build_id;
	header->kind = request->kind;
	header->path_bytes = (strlen(request->path) + 8) & ~UINT64_C(7);
	stamp_debug(request, header->debug_ns);
}

size_t symbol_cache_front_bytes(const struct symbol_request *request)
{
	return sizeof(struct cache_header) + ((strlen(request->path) + 8) & ~(size_t)7);
}

/* ---- reading ---- */

static bool is_wanted(const struct symbol_request *request, enum symbol_cache_content content,
		      const char *bytes, size_t nr_bytes)
{
	struct cache_header header;

	make_header(request, content, &header);
	return nr_bytes > sizeof(header) + header.path_bytes &&
	       !memcmp(bytes, &header, sizeof(header)) &&
	       !strncmp(bytes + sizeof(header), request->path, header.path_bytes);
}

static bool is_old(const struct stat *status)
{
	time_t now = time(NULL);

	return status->st_mtime > now || now - status->st_mtime > SYMBOL_CACHE_LACK_SECONDS;
}

/*
 * Returns whether only this user can write to the file. Then the file does not change while it is
 * mapped.
 */
static bool is_ours(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH)) && status->st_size > 0 &&
	       status->st_size <= SYMBOL_WIRE_MAX_BYTES;
}

static int map_file(int fd, struct symbol_cache_map *map)
{
	struct stat status;

	if (fstat(fd, &status) || !is_ours(&status))
		return -ENOENT;
	map->base_bytes = (size_t)status.st_size;
	map->base = mmap(NULL, map->base_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE,
			 fd, 0);
	map->old = is_old(&status);
	return map->base == MAP_FAILED ? -ENOENT : 0;
}

int symbol_cache_map(const struct symbol_request *request, enum symbol_cache_content content,
		     struct symbol_cache_map *map)
{
	char name[PATH_MAX];
	size_t nr_front;
	int error;
	int fd;

	if (!is_cacheable(request))
		return -ENOENT;
	file_name(request, content, name);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -ENOENT;
	error = map_file(fd, map);
	(void)close(fd);
	if (error)
		return error;
	if (!is_wanted(request, content, map->base, map->base_bytes)) {
		symbol_cache_unmap(map);
		return -ENOENT;
	}
	nr_front = symbol_cache_front_bytes(request);
	map->bytes = (char *)map->base + nr_front;
	map->nr_bytes = map->base_bytes - nr_front;
	return 0;
}

void symbol_cache_unmap(struct symbol_cache_map *map)
{
	(void)munmap(map->base, map->base_bytes);
}

int symbol_cache_read(const struct symbol_request *request, struct symbol_table *table)
{
	struct symbol_cache_map map;
	int error = symbol_cache_map(request, SYMBOL_CACHE_SYMBOLS, &map);

	if (error)
		return error;
	error = symbol_wire_parse(map.bytes, map.nr_bytes, table);
	symbol_cache_unmap(&map);
	if (error)
		return error == -ENOMEM ? error : -ENOENT;
	if (table->lack == SYMBOLS_FULL || !map.old)
		return 0;
	symbol_table_deinit(table);
	return -ENOENT;
}

/* ---- writing ---- */

struct cached_file {
	char name[NAME_MAX + 1];
	struct timespec mtime;
	off_t nr_bytes;
};

static int compare_age(const void *a, const void *b)
{
	const struct cached_file *left = a;
	const struct cached_file *right = b;

	if (left->mtime.tv_sec != right->mtime.tv_sec)
		return left->mtime.tv_sec < right->mtime.tv_sec ? -1 : 1;
	return left->mtime.tv_nsec < right->mtime.tv_nsec
		       ? -1
		       : left->mtime.tv_nsec > right->mtime.tv_nsec;
}

/* Lists at most nr_max files of the folder. Returns their number. */
static size_t list_files(DIR *dir, struct cached_file *files, size_t nr_max)
{
	const struct dirent *entry;
	struct stat status;
	size_t nr = 0;

	while (nr < nr_max && (entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode))
			continue;
		(void)snprintf(files[nr].name, sizeof(files[nr].name), "%s", entry->d_name);
		files[nr].mtime = status.st_mtim;
		files[nr++].nr_bytes = status.st_size;
	}
	return nr;
}

/*
 * Deletes the oldest files until the cache is within its limits. Called once, before the first
 * write of this process, so the cache can exceed its limits only by the files that one process
 * adds.
 */
static void trim(const char *path)
{
	size_t nr_max = SYMBOL_CACHE_FILES_MAX * 4;
	struct cached_file *files = calloc(nr_max, sizeof(*files));
	DIR *dir = files ? opendir(path) : NULL;
	off_t nr_bytes = 0;
	size_t nr = 0;

	if (dir)
		nr = list_files(dir, files, nr_max);
	if (nr)
		qsort(files, nr, sizeof(*files), compare_age);
	for (size_t i = 0; i < nr; i++)
		nr_bytes += files[i].nr_bytes;
	for (size_t i = 0; i < nr; i++) {
		if (nr - i <= SYMBOL_CACHE_FILES_MAX && nr_bytes <= SYMBOL_CACHE_BYTES_MAX)
			break;
		(void)unlinkat(dirfd(dir), files[i].name, 0);
		nr_bytes -= files[i].nr_bytes;
	}
	if (dir)
		(void)closedir(dir);
	free(files);
}

static bool is_worth_it(const struct symbol_table *table)
{
	return !table->kept &&
	       (table->lack == SYMBOLS_FULL || table->lack == SYMBOLS_DYNAMIC_ONLY ||
		table->lack == SYMBOLS_STRIPPED);
}

void symbol_cache_store(const struct symbol_request *request, enum symbol_cache_content content,
			char *bytes, size_t nr_bytes)
{
	static bool trimmed;
	struct cache_header header;
	char name[PATH_MAX];

	if (!is_cacheable(request))
		return;
	if (!trimmed && !file_make_dirs(request->search->cache_path, 0700))
		trim(request->search->cache_path);
	trimmed = true;
	make_header(request, content, &header);
	memset(bytes, 0, sizeof(header) + header.path_bytes);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), request->path, strlen(request->path));
	file_name(request, content, name);
	(void)file_replace(name, bytes, nr_bytes, 0600);
}

void symbol_cache_write(const struct symbol_request *request, const struct symbol_table *table)
{
	size_t nr_bytes;
	char *bytes;

	if (!is_cacheable(request) || !is_worth_it(table))
		return;
	bytes = symbol_wire_pack(table, symbol_cache_front_bytes(request), &nr_bytes);
	if (bytes)
		symbol_cache_store(request, SYMBOL_CACHE_SYMBOLS, bytes, nr_bytes);
	free(bytes);
}

/* ---- the cache's folder ---- */

/*
 * Returns whether only this user can write to the folder. sudo may keep another user's HOME, and
 * root must not create files there.
 */
static bool is_own_folder(const char *path)
{
	struct stat status;

	return *path == '/' && !stat(path, &status) && S_ISDIR(status.st_mode) &&
	       status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

char *symbol_cache_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *path = NULL;
	int nr = -1;

	if (cache && *cache && is_own_folder(cache))
		nr = asprintf(&path, "%s/oprof/symbols", cache);
	else if ((!cache || !*cache) && home && is_own_folder(home))
		nr = asprintf(&path, "%s/.cache/oprof/symbols", home);
	return nr < 0 ? NULL : path;
}
