// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcheck: verify sample files. Says of each that is wrong what is wrong,
 * each on a line of its own on stdout; with --verbose also what the good ones
 * hold. Exit status: 0 all are right, 1 something is wrong, 2 not all could
 * be looked at.
 */
#include "lib/diag.h"
#include "lib/log.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <popt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_TROUBLE = 2 };

struct totals {
	uint64_t nr_files;
	uint64_t nr_wrong;
	uint64_t nr_trouble; /* what could not be looked at */
};

static int verbose;

static void wrong(struct totals *totals, const char *path, const char *what)
{
	printf("%s: %s\n", path, what);
	totals->nr_wrong++;
}

/* What the first component of a sample file's name may begin with. */
static bool begins_name(const char *component)
{
	static const char *const beginnings[] = {"{root}/", "{kern}/", "{anon:"};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strncmp(component, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/*
 * The sample file's name in path, which is its whole one: wherever below the
 * session one begins, the name does not begin there. NULL: none.
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

/* Does what the name says hold for the file? NULL: it does. */
static const char *name_differs(const struct sample_name *name, const struct sdb_image *image)
{
	const struct oprof_sdb_header *header = &image->header;

	if (strcmp(name->event, image->event) != 0)
		return "its name and its header tell different events";
	if (name->period_or_hz != header->period_or_hz ||
	    name->frequency != !!(header->flags & OPROF_SDB_FREQUENCY))
		return "its name and its header tell different counts";
	if (name->unit_mask != header->unit_mask)
		return "its name and its header tell different unit masks";
	if (name->identity != sample_identity(&header->image))
		return "its name and its header tell different images";
	return NULL;
}

/* The file is sound: is it what it is called, and whole? false: no. */
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
		return true; /* and so nothing is in it */
	if (error) {
		wrong(totals, path, diag.text);
		return false;
	}
	whole = realpath(path, NULL);
	text = whole ? name_in(whole) : NULL;
	if (image.header.flags & OPROF_SDB_HOLED)
		what = "a page of it was lost while it was written: counts are too low";
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

static void print_result(const char *path, const struct sdb_check_result *result)
{
	printf("%s: %" PRIu64 " keys, %" PRIu64 " samples, %" PRIu64 " pages used, %" PRIu64
	       " free, %" PRIu64 " stale slots, longest probe %" PRIu64 " lines\n",
	       path, result->nr_keys, result->nr_samples, result->nr_pages_used,
	       result->nr_pages_free, result->nr_stale, result->longest_probe);
}

static void check_file(struct totals *totals, const char *path)
{
	struct sdb_check_result result;
	struct diag diag;
	int error = sdb_check(path, &result, &diag);

	totals->nr_files++;
	if (error == -EILSEQ || error == -EINVAL || error == -EPROTONOSUPPORT) {
		wrong(totals, path, diag.text);
	} else if (error) {
		log_error("%s", diag_show(&diag));
		totals->nr_trouble++;
	} else if (check_header(totals, path) && verbose) {
		print_result(path, &result);
	}
}

static void check_entry(struct totals *totals, const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_F:
		/* In a folder, only what lies where sample files do. */
		if (!entry->fts_level || has_name(entry->fts_path))
			check_file(totals, entry->fts_path);
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (entry->fts_errno == ENOENT && entry->fts_level)
			break; /* went away meanwhile */
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

static void check_path(struct totals *totals, const char *path)
{
	char *const paths[] = {strdup(path), NULL};
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
	if (verbose)
		printf("%" PRIu64 " sample files, %" PRIu64 " wrong\n", totals->nr_files,
		       totals->nr_wrong);
	if (!totals->nr_files && !totals->nr_trouble)
		log_warning("no sample files there");
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
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
		{"verbose", 'v', POPT_ARG_NONE, &verbose, 0, "tell what sound files hold", NULL},
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
		log_error("which FILE or FOLDER? See opcheck --help");
		poptFreeContext(context);
		return EXIT_TROUBLE;
	}
	while ((path = poptGetArg(context)))
		check_path(&totals, path);
	poptFreeContext(context);
	return finish(&totals);
}
