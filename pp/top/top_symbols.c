// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_symbols.h"

#include "libdb/sample_name.h"
#include "pp/symbols/symbol_cache.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define STALE_BEGINS  5
#define IMAGE_SECONDS 20 /* CPU time limit for one binary's symbols */

enum table_state { TABLE_WANTED, TABLE_LOADING, TABLE_LOADED };

/*
 * Only the thread that calls top_symbols_find() writes the members, except state, table and loaded,
 * which the lock protects.
 */
struct top_table {
	struct top_table *next;
	char *path;
	struct oprof_image_identity identity;
	enum oprof_image_kind kind;
	uint64_t used;	 /* number of the last refresh that requested the table */
	uint64_t loaded; /* number of the refresh in which the table was loaded */
	bool missed;	 /* the table lacked a key; if loaded again, it may have this key */
	enum table_state state;
	struct symbol_table table;
};

struct top_symbols {
	char *meta_path;
	char *cache_path; /* folder of symbol_cache.h; NULL: none */
	int event_fd;
	uint64_t nr_begins;
	struct top_table *tables;
	size_t nr_tables;
	pthread_t thread;
	/*
	 * Protects the tables' state, table and loaded. The thread that calls top_symbols_find()
	 * also holds the lock to change the list and nr_begins.
	 */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ending;
	bool abandoned; /* the loading thread is the last user and frees this struct */
};

/* ---- freeing ---- */

static void table_destroy(struct top_table *table)
{
	if (table->state == TABLE_LOADED)
		symbol_table_deinit(&table->table);
	free(table->path);
	free(table);
}

static void drop_table_locked(struct top_symbols *symbols, struct top_table *table)
{
	struct top_table **at = &symbols->tables;

	while (*at != table)
		at = &(*at)->next;
	*at = table->next;
	symbols->nr_tables--;
	table_destroy(table);
}

static void symbols_free(struct top_symbols *symbols)
{
	while (symbols->tables)
		drop_table_locked(symbols, symbols->tables);
	if (symbols->event_fd >= 0)
		(void)close(symbols->event_fd);
	free(symbols->meta_path);
	free(symbols->cache_path);
	free(symbols);
}

/* ---- the thread ---- */

static struct top_table *next_wanted(struct top_symbols *symbols)
{
	struct top_table *table = symbols->tables;

	while (table && table->state != TABLE_WANTED)
		table = table->next;
	return table;
}

/* path, identity and kind of a wanted table do not change, so they are read without the lock. */
static void load_table(struct top_symbols *symbols, struct top_table *wanted)
{
	const struct symbol_search search = {
		.meta_path = symbols->meta_path,
		.cache_path = symbols->cache_path,
		.max_seconds = IMAGE_SECONDS,
	};
	struct symbol_table table;

	/* After a failure the table has no symbols; a later attempt may succeed. */
	if (symbol_table_load(&table, wanted->path, &wanted->identity, wanted->kind, &search))
		table = (struct symbol_table){.lack = SYMBOLS_DAMAGED};
	(void)pthread_mutex_lock(&symbols->lock);
	wanted->table = table;
	wanted->loaded = symbols->nr_begins;
	wanted->state = TABLE_LOADED;
	(void)eventfd_write(symbols->event_fd, 1);
	(void)pthread_cond_broadcast(&symbols->changed);
	(void)pthread_mutex_unlock(&symbols->lock);
}

/* Returns the next wanted table; NULL: the thread must end. */
static struct top_table *take_wanted(struct top_symbols *symbols)
{
	struct top_table *wanted = NULL;

	(void)pthread_mutex_lock(&symbols->lock);
	while (!symbols->ending && !(wanted = next_wanted(symbols)))
		(void)pthread_cond_wait(&symbols->changed, &symbols->lock);
	if (symbols->ending)
		wanted = NULL;
	if (wanted)
		wanted->state = TABLE_LOADING;
	(void)pthread_mutex_unlock(&symbols->lock);
	return wanted;
}

static void *load_tables(void *context)
{
	struct top_symbols *symbols = context;
	struct top_table *wanted;

	while ((wanted = take_wanted(symbols)))
		load_table(symbols, wanted);
	/* `abandoned` was set together with `ending`, under the lock, and no longer changes. */
	if (symbols->abandoned)
		symbols_free(symbols);
	return NULL;
}

/* The new thread blocks all signals, so that the thread with the screen handles them. */
static int start_thread(struct top_symbols *symbols)
{
	sigset_t all;
	sigset_t before;
	int error;

	sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before);
	error = -pthread_create(&symbols->thread, NULL, load_tables, symbols);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---- the list ---- */

static bool is_of(const struct top_table *table, const struct slice_section *section)
{
	return table->kind == section->image_kind &&
	       sample_identity(&table->identity) == sample_identity(&section->identity) &&
	       !strcmp(table->path, section->image.path);
}

static struct top_table *find_table(struct top_symbols *symbols,
				    const struct slice_section *section)
{
	struct top_table *table = symbols->tables;

	while (table && !is_of(table, section))
		table = table->next;
	return table;
}

static struct top_table *add_table_locked(struct top_symbols *symbols,
					  const struct slice_section *section)
{
	struct top_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->path = strdup(section->image.path);
	if (!table->path) {
		free(table);
		return NULL;
	}
	table->identity = section->identity;
	table->kind = section->image_kind;
	table->next = symbols->tables;
	symbols->tables = table;
	symbols->nr_tables++;
	(void)pthread_cond_broadcast(&symbols->changed);
	return table;
}

/*
 * Returns whether to load a table again, because a key that it lacked may have a name by now. Some
 * keys never get a name, so this is done only after some refreshes.
 */
static bool is_stale(const struct top_symbols *symbols, const struct top_table *table)
{
	return table->missed && table->state == TABLE_LOADED &&
	       symbols->nr_begins - table->loaded >= STALE_BEGINS;
}

/* Returns the least recently used table that the last refresh did not use; NULL: none. */
static struct top_table *find_oldest_locked(const struct top_symbols *symbols)
{
	struct top_table *oldest = NULL;

	for (struct top_table *table = symbols->tables; table; table = table->next) {
		if (table->state != TABLE_LOADED || table->used + 1 >= symbols->nr_begins)
			continue;
		if (!oldest || table->used < oldest->used)
			oldest = table;
	}
	return oldest;
}

static bool has_too_many_locked(const struct top_symbols *symbols)
{
	size_t nr = 0;

	for (const struct top_table *table = symbols->tables; table; table = table->next)
		if (table->state == TABLE_LOADED)
			nr += table->table.nr_symbols;
	return nr > TOP_SYMBOLS_MAX || symbols->nr_tables > TOP_SYMBOLS_IMAGES_MAX;
}

static void drop_stale_locked(struct top_symbols *symbols)
{
	struct top_table *next;

	for (struct top_table *table = symbols->tables; table; table = next) {
		next = table->next;
		if (is_stale(symbols, table))
			drop_table_locked(symbols, table);
	}
}

void top_symbols_begin(struct top_symbols *symbols)
{
	struct top_table *oldest;
	eventfd_t unused;

	(void)eventfd_read(symbols->event_fd, &unused);
	(void)pthread_mutex_lock(&symbols->lock);
	symbols->nr_begins++;
	drop_stale_locked(symbols);
	while (has_too_many_locked(symbols) && (oldest = find_oldest_locked(symbols)))
		drop_table_locked(symbols, oldest);
	(void)pthread_mutex_unlock(&symbols->lock);
}

void top_symbols_missed(struct top_symbols *symbols, const struct slice_section *section)
{
	struct top_table *table;

	if (section->image_kind != OPROF_IMAGE_CODE && section->image_kind != OPROF_IMAGE_BPF)
		return;
	(void)pthread_mutex_lock(&symbols->lock);
	table = find_table(symbols, section);
	if (table)
		table->missed = true;
	(void)pthread_mutex_unlock(&symbols->lock);
}

const struct symbol_table *top_symbols_find(struct top_symbols *symbols,
					    const struct slice_section *section)
{
	const struct symbol_table *found = NULL;
	struct top_table *table;

	(void)pthread_mutex_lock(&symbols->lock);
	table = find_table(symbols, section);
	if (!table)
		table = add_table_locked(symbols, section);
	if (table) {
		table->used = symbols->nr_begins;
		if (table->state == TABLE_LOADED)
			found = &table->table;
	}
	(void)pthread_mutex_unlock(&symbols->lock);
	return found;
}

int top_symbols_poll_fd(const struct top_symbols *symbols)
{
	return symbols->event_fd;
}

static bool is_loading_locked(const struct top_symbols *symbols)
{
	const struct top_table *table = symbols->tables;

	while (table && table->state == TABLE_LOADED)
		table = table->next;
	return table != NULL;
}

void top_symbols_wait(struct top_symbols *symbols)
{
	(void)pthread_mutex_lock(&symbols->lock);
	while (is_loading_locked(symbols))
		(void)pthread_cond_wait(&symbols->changed, &symbols->lock);
	(void)pthread_mutex_unlock(&symbols->lock);
}

int top_symbols_create(struct top_symbols **symbols, const char *meta_path)
{
	struct top_symbols *made = calloc(1, sizeof(*made));
	int error = 0;

	if (!made)
		return -ENOMEM;
	(void)pthread_mutex_init(&made->lock, NULL);
	(void)pthread_cond_init(&made->changed, NULL);
	made->meta_path = strdup(meta_path);
	made->cache_path = symbol_cache_path();
	made->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!made->meta_path)
		error = -ENOMEM;
	else if (made->event_fd < 0)
		error = -errno;
	if (!error)
		error = start_thread(made);
	if (error) {
		symbols_free(made);
		return error;
	}
	*symbols = made;
	return 0;
}

void top_symbols_destroy(struct top_symbols *symbols)
{
	bool busy = false;

	if (!symbols)
		return;
	(void)pthread_mutex_lock(&symbols->lock);
	symbols->ending = true;
	for (const struct top_table *table = symbols->tables; table; table = table->next)
		busy |= table->state == TABLE_LOADING;
	/* The loading thread may run until the process ends. It now owns everything it uses. */
	symbols->abandoned = busy;
	if (busy)
		(void)pthread_detach(symbols->thread);
	(void)pthread_cond_broadcast(&symbols->changed);
	(void)pthread_mutex_unlock(&symbols->lock);
	if (busy)
		return;
	(void)pthread_join(symbols->thread, NULL);
	symbols_free(symbols);
}
