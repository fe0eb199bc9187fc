// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcheck: verifies sample files, stack files and slices. Writes one line to stdout for each
 * damaged file, with the reason. With --verbose, also writes one line for each good file, with its
 * contents. Exit status: 0 all files are good, 1 some are damaged, 2 some could not be checked.
 */
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/utf8.h"
#include "libdb/slice/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "libdb/slice/slice.h"
#include "libdb/stacks/stack_file.h"
#include "oprof/session.h"
#include "pp/base/read_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_TROUBLE = 2 };

struct totals {
	uint64_t nr_files;
	uint64_t nr_slices;
	uint64_t nr_stack_files;
	uint64_t nr_wrong;
	uint64_t nr_trouble; /* files and folders that could not be checked */
	/* The session whose history was read last, and the last epoch in its slices. */
	char *session;
	uint64_t epoch_closed;
};

static int verbose;

/* Begins a line about a file. */
static void print_path(const char *path)
{
	utf8_write_masked(stdout, path);
	(void)fputs(": ", stdout);
}

static void wrong(struct totals *totals, const char *path, const char *what)
{
	print_path(path);
	utf8_write_masked(stdout, what);
	(void)putchar('\n');
	totals->nr_wrong++;
}

/* Returns whether `component` can be the first component of a sample file's name. */
static bool begins_name(const char *component)
{
	static const char *const beginnings[] = {"{root}/", "{kern}/", "{anon:"};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strncmp(component, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/*
 * Returns the sample file's name in path, or NULL. path must be absolute, because a relative
 * path may begin inside the name.
 */
static const char *name_in(const char *path)
{
	for (const char *at = strstr(path, "/{"); at; at = strstr(at + 1, "/{"))
		if (begins_name(at + 1))
			return at + 1;
	return NULL;
}

static bool has_name(const char *path)
{
	char *whole = realpath(path, NULL);
	bool found = whole && name_in(whole);

	free(whole);
	return found;
}

static void trouble(struct totals *totals, const struct diag *diag)
{
	log_error("%s", diag_show(diag));
	totals->nr_trouble++;
}

static bool error_is_damage(int error)
{
	return error == -EILSEQ || error == -EINVAL || error == -EPROTONOSUPPORT;
}

/* ---- live files ---- */

/* Compares the header of the file with its name. Returns a text about a difference, or NULL. */
static const char *name_differs(const struct sample_name *name, const struct sdb_image *image)
{
	const struct oprof_sdb_header *header = &image->header;

	if (strcmp(name->event, image->event) != 0)
		return "its name and its header state different events";
	if (name->period_or_hz != header->period_or_hz ||
	    name->frequency != !!(header->flags & OPROF_SDB_FREQUENCY))
		return "its name and its header state different counts";
	if (name->unit_mask != header->unit_mask)
		return "its name and its header state different unit masks";
	if (name->identity != sample_identity(&header->image))
		return "its name and its header state different images";
	return NULL;
}

/*
 * Compares the header with the file's name, and looks for lost pages. If there is a defect, reports
 * the defect and returns false; otherwise returns true.
 */
static bool check_header(struct totals *totals, const char *path)
{
	struct sample_name name;
	struct sdb_image image;
	struct diag diag;
	const char *what = NULL;
	const char *text;
	char *whole;
	int error = sdb_image_load_header(path, &image, &diag);

	if (error == -ENODATA)
		return true; /* the file is empty */
	if (error) {
		wrong(totals, path, diag.text);
		return false;
	}
	whole = realpath(path, NULL);
	text = whole ? name_in(whole) : NULL;
	if (image.header.flags & OPROF_SDB_HOLED)
		what = "a page was lost while the file was written: the file's counts are too low";
	else if (text && sample_name_parse(text, &name, &diag))
		what = diag.text;
	else if (text)
		what = name_differs(&name, &image);
	if (what)
		wrong(totals, path, what);
	free(whole);
	sdb_image_deinit(&image);
	return !what;
}

/* Reads the history of the session at path, once for all files of the session. */
static void find_session(struct totals *totals, const char *path)
{
	struct history_files history = {0};

	if (totals->session && !strcmp(totals->session, path))
		return;
	free(totals->session);
	totals->session = strdup(path);
	totals->epoch_closed = 0;
	/* Errors in the history are reported by check_history(). */
	if (history_files_list(&history, path, NULL, NULL))
		return;
	totals->epoch_closed = history.epoch_closed;
	history_files_deinit(&history);
}

/* True if the samples of this live file are in a slice of its session. */
static bool is_superseded(struct totals *totals, const char *path)
{
	char *whole = realpath(path, NULL);
	const char *name = whole ? name_in(whole) : NULL;
	struct sdb_image image;
	bool superseded = false;

	if (name && !sdb_image_load_header(path, &image, NULL)) {
		whole[name - whole - 1] = '\0';
		if (image.header.epoch)
			find_session(totals, whole);
		superseded = image.header.epoch && image.header.epoch <= totals->epoch_closed;
		sdb_image_deinit(&image);
	}
	free(whole);
	return superseded;
}

static void print_result(struct totals *totals, const char *path,
			 const struct sdb_check_result *result)
{
	print_path(path);
	printf("%" PRIu64 " keys, %" PRIu64 " samples, %" PRIu64 " pages used, %" PRIu64
	       " free, %" PRIu64 " stale slots, longest probe %" PRIu64 " lines%s\n",
	       result->nr_keys, result->nr_samples, result->nr_pages_used, result->nr_pages_free,
	       result->nr_stale, result->longest_probe,
	       is_superseded(totals, path) ? "; superseded by a slice" : "");
}

static void check_file(struct totals *totals, const char *path)
{
	struct sdb_check_result result;
	struct diag diag;
	int error = sdb_check(path, &result, &diag);

	totals->nr_files++;
	if (error_is_damage(error))
		wrong(totals, path, diag.text);
	else if (error)
		trouble(totals, &diag);
	else if (check_header(totals, path) && verbose)
		print_result(totals, path, &result);
}

/* ---- stack files ---- */

/*
 * True if the stack file's samples are in a slice of its session. The session is the file's folder.
 */
static bool stacks_are_superseded(struct totals *totals, const char *path, uint64_t epoch)
{
	char *whole = realpath(path, NULL);
	char *slash = whole ? strrchr(whole, '/') : NULL;
	bool superseded = false;

	if (slash && epoch) {
		*slash = '\0';
		find_session(totals, whole);
		superseded = epoch <= totals->epoch_closed;
	}
	free(whole);
	return superseded;
}

static void print_stacks(struct totals *totals, const char *path, const struct stack_tree *tree,
			 uint64_t epoch)
{
	uint64_t nr_samples = 0, nr_folded = 0;

	for (uint32_t i = 0; i < tree->nr_nodes; i++) {
		const struct stack_node *node = &tree->nodes[i];

		nr_samples += node->nr_samples;
		if (node->parent != STACK_NODE_ROOT && node->image == STACK_MARK(OPROF_STACK_OTHER))
			nr_folded += node->nr_samples;
	}
	print_path(path);
	printf("%" PRIu32 " roots, %" PRIu32 " images, %" PRIu32 " nodes, %" PRIu64
	       " samples, %" PRIu64 " of them folded%s\n",
	       tree->nr_roots, tree->nr_images, tree->nr_nodes, nr_samples, nr_folded,
	       stacks_are_superseded(totals, path, epoch) ? "; superseded by a slice" : "");
}

static void check_stacks(struct totals *totals, const char *path)
{
	struct stack_tree tree;
	struct diag diag;
	uint64_t epoch;
	int error = stack_file_load(path, &tree, &epoch, &diag);

	totals->nr_stack_files++;
	if (error_is_damage(error))
		wrong(totals, path, diag.text);
	else if (error && error != -ENODATA) /* -ENODATA: no epoch has begun, the file is empty */
		trouble(totals, &diag);
	if (error)
		return;
	if (verbose)
		print_stacks(totals, path, &tree, epoch);
	stack_tree_deinit(&tree);
}

/* ---- slices ---- */

static bool is_holed(const char *path)
{
	struct slice *slice;
	bool holed = false;

	if (!slice_open(&slice, path, NULL)) {
		holed = slice_header(slice)->flags & OPROF_SLICE_HOLED;
		slice_close(slice);
	}
	return holed;
}

static void print_slice(const char *path, const struct slice_check_result *result, bool superseded)
{
	print_path(path);
	printf("%" PRIu64 " sections, %" PRIu64 " keys, %" PRIu64 " samples, %" PRIu64
	       " idle, %" PRIu64 " bytes",
	       result->nr_sections, result->nr_keys, result->nr_samples, result->nr_idle,
	       result->nr_bytes);
	if (result->nr_stack_nodes)
		printf(", stacks of %" PRIu64 " nodes and %" PRIu64 " samples",
		       result->nr_stack_nodes, result->nr_stack_samples);
	printf("%s\n", superseded ? "; superseded by a wider slice" : "");
}

static void check_slice(struct totals *totals, const char *path, bool superseded)
{
	struct slice_check_result result;
	struct diag diag;
	int error = slice_check(path, &result, &diag);

	totals->nr_slices++;
	if (error_is_damage(error))
		wrong(totals, path, diag.text);
	else if (error)
		trouble(totals, &diag);
	else if (is_holed(path))
		wrong(totals, path,
		      "a page of a sample file was lost before the file was closed: "
		      "counts are too low");
	else if (verbose)
		print_slice(path, &result, superseded);
}

static void slice_damaged(const char *path, const struct diag *diag, void *context)
{
	struct totals *totals = context;

	totals->nr_slices++;
	wrong(totals, path, diag->text);
}

/*
 * Checks each slice of a session. Also reports a slice that shares only some of its epochs with
 * another slice.
 */
static void check_history(struct totals *totals, const char *folder)
{
	struct history_files history;
	char *session = strdup(folder);
	char *slash = session ? strrchr(session, '/') : NULL;
	int error = session ? 0 : -ENOMEM;

	if (slash)
		*slash = '\0';
	if (!error)
		error = history_files_list(&history, slash ? session : ".", slice_damaged, totals);
	free(session);
	if (error) {
		log_error("%s: %s", folder, strerror(-error));
		totals->nr_trouble++;
		return;
	}
	for (size_t i = 0; i < history.nr_files; i++) {
		/* A slice that was merged since the listing is skipped. */
		if (!access(history.files[i].path, F_OK))
			check_slice(totals, history.files[i].path, history.files[i].superseded);
	}
	history_files_deinit(&history);
}

/* True for the history folder of a session, not for a folder inside a sample file's name. */
static bool is_history(const FTSENT *entry)
{
	return !strcmp(entry->fts_name, OPROF_SLICE_FOLDER) && !has_name(entry->fts_path);
}

/* True if the file begins with the 8 bytes of magic. */
static bool is_of_kind(const char *path, const char *magic)
{
	char begins[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = fd >= 0 && read(fd, begins, sizeof(begins)) == (ssize_t)sizeof(begins) &&
		     !memcmp(begins, magic, sizeof(begins));

	if (fd >= 0)
		(void)close(fd);
	return found;
}

/* Checks a slice that was set aside as damaged; check_history checks the others. */
static void check_history_entry(struct totals *totals, const FTSENT *entry)
{
	if (strstr(entry->fts_name, OPROF_SLICE_SUFFIX ".damaged"))
		check_slice(totals, entry->fts_path, false);
}

static void check_named(struct totals *totals, const FTSENT *entry)
{
	if (is_of_kind(entry->fts_path, OPROF_SLICE_MAGIC))
		check_slice(totals, entry->fts_path, false);
	else if (is_of_kind(entry->fts_path, OPROF_STACK_MAGIC))
		check_stacks(totals, entry->fts_path);
	else
		check_file(totals, entry->fts_path);
}

/* ---- walking the paths ---- */

static void check_entry(struct totals *totals, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		/* In a folder, check only the places where files of a session belong. */
		if (!entry->fts_level)
			check_named(totals, entry);
		else if (has_name(entry->fts_path))
			check_file(totals, entry->fts_path);
		else if (!strcmp(entry->fts_name, OPROF_STACK_FILE))
			check_stacks(totals, entry->fts_path);
		else if (!strcmp(entry->fts_parent->fts_name, OPROF_SLICE_FOLDER))
			check_history_entry(totals, entry);
		break;
	case FTS_D:
		if (is_history(entry))
			check_history(totals, entry->fts_path);
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (entry->fts_errno == ENOENT && entry->fts_level)
			break; /* was removed since the listing */
		log_error("%s: %s", entry->fts_path, strerror(entry->fts_errno));
		totals->nr_trouble++;
		break;
	default:
		break;
	}
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Returns path without trailing slashes, because fts gives "FOLDER/" an empty name. */
static char *copy_path(const char *path)
{
	size_t nr_bytes = strlen(path);

	while (nr_bytes > 1 && path[nr_bytes - 1] == '/')
		nr_bytes--;
	return strndup(path, nr_bytes);
}

/*
 * Returns whether this user may read the path. If the user is root and does not trust the owner of
 * the path, the process becomes the owner (read_folder.h).
 */
static bool may_read(const char *path)
{
	struct diag diag;
	struct stat st;
	int fd = -1;

	if (stat(path, &st))
		return true; /* the walk will report the error */
	if (S_ISDIR(st.st_mode))
		fd = read_folder_open(path, NULL, &diag);
	else if (S_ISREG(st.st_mode))
		fd = read_folder_open_file(path, &diag);
	else
		return true;
	if (fd < 0)
		log_error("%s", diag_show(&diag));
	else
		(void)close(fd);
	return fd >= 0;
}

/* True for files that the daemon has discarded. A detached process may still be removing them. */
static bool is_trash(const FTSENT *entry)
{
	return entry->fts_level && entry->fts_info == FTS_D &&
	       !strncmp(entry->fts_name, OPROF_SESSION_TRASH, strlen(OPROF_SESSION_TRASH));
}

static void check_path(struct totals *totals, const char *path)
{
	char *const paths[] = {copy_path(path), NULL};
	FTS *tree = paths[0] ? fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
					compare_names)
			     : NULL;
	FTSENT *entry;

	if (!tree) {
		log_error("%s: %s", path, strerror(errno));
		totals->nr_trouble++;
		free(paths[0]);
		return;
	}
	for (;;) {
		errno = 0;
		entry = fts_read(tree);
		if (!entry)
			break;
		if (is_trash(entry))
			(void)fts_set(tree, entry, FTS_SKIP);
		else
			check_entry(totals, entry);
	}
	if (errno) {
		log_error("%s: %s", path, strerror(errno));
		totals->nr_trouble++;
	}
	(void)fts_close(tree);
	free(paths[0]);
}

static int finish(const struct totals *totals)
{
	int error;

	if (verbose) {
		printf("%" PRIu64 " sample files, %" PRIu64 " slices, ", totals->nr_files,
		       totals->nr_slices);
		if (totals->nr_stack_files)
			printf("%" PRIu64 " stack files, ", totals->nr_stack_files);
		printf("%" PRIu64 " wrong\n", totals->nr_wrong);
	}
	if (!totals->nr_files && !totals->nr_slices && !totals->nr_stack_files &&
	    !totals->nr_trouble)
		log_warning("no sample files found");
	error = file_flush(stdout);
	if (error) {
		log_error("cannot write to standard output: %s", strerror(-error));
		return EXIT_TROUBLE;
	}
	if (totals->nr_trouble)
		return EXIT_TROUBLE;
	return totals->nr_wrong ? EXIT_WRONG : EXIT_RIGHT;
}

int main(int argc, const char **argv)
{
	int show_version = 0;
	const struct poptOption options[] = {
		{"verbose", 'v', POPT_ARG_NONE, &verbose, 0,
		 "also print one line for each correct file", NULL},
		{"version", 'V', POPT_ARG_NONE, &show_version, 0, "show the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	poptContext context = poptGetContext("opcheck", argc, argv, options, 0);
	struct totals totals = {0};
	const char *path;
	int option;

	log_init("opcheck", LOG_LEVEL_INFO);
	poptSetOtherOptionHelp(context, "[OPTION...] FILE|FOLDER...");
	option = poptGetNextOpt(context);
	if (option < -1) {
		log_error("%s: %s", poptBadOption(context, 0), poptStrerror(option));
		poptFreeContext(context);
		return EXIT_TROUBLE;
	}
	if (show_version) {
		puts("opcheck " OPROF_VERSION);
		poptFreeContext(context);
		return EXIT_RIGHT;
	}
	if (!poptPeekArg(context)) {
		log_error("no FILE or FOLDER is given; see opcheck --help");
		poptFreeContext(context);
		return EXIT_TROUBLE;
	}
	while ((path = poptGetArg(context)))
		if (may_read(path))
			check_path(&totals, path);
		else
			totals.nr_trouble++;
	poptFreeContext(context);
	free(totals.session);
	return finish(&totals);
}
