// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection.h"

#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "pp/session_dir.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_SHOWN 8 /* of each tag, when nothing matches */
#define SHOWN_BYTES  (PATH_MAX + 128)
#define IDLE_NAME    "{idle}"

/* A file that was selected, before it has numbers for names. */
struct found {
	char *path;
	const char *app, *image; /* in the pool */
	uint64_t identity;
	uint32_t session;
	struct class_key key;
};

/* What a tag kept out: all there is to tell when nothing is left. */
struct refusal {
	size_t nr_files;
	const char *values[VALUES_SHOWN];
	size_t nr_values;
};

struct walk {
	struct selection *selection;
	const struct spec *spec;
	const struct selection_options *options;
	void (*skip)(const char *path, const struct diag *diag);
	uint32_t session;
	struct found *found;
	size_t nr_found, room;
	size_t nr_seen;	     /* files with good names */
	size_t nr_dependent; /* kept out by exclude_dependent */
	struct refusal refusals[SPEC_NR_TAGS];
};

/* A file's name as reports show and match it. */
struct shown {
	char app[SHOWN_BYTES];
	char image[SHOWN_BYTES];
	char count[32];
	char cgroup[PATH_MAX + 1]; /* "" for all */
};

static void show_path(const struct sample_path *path, char *text)
{
	if (path->kind == SAMPLE_PATH_ANON)
		(void)snprintf(text, SHOWN_BYTES,
			       "%s (tgid:%" PRId64 " range:0x%" PRIx64 "-0x%" PRIx64 ")",
			       path->path, path->tgid, path->start, path->end);
	else
		(void)snprintf(text, SHOWN_BYTES, "%s", path->path);
}

/* Names that were too long for a folder are in the header. */
static int show_hashed(const char *path, const struct sample_name *name, struct shown *shown,
		       struct diag *diag)
{
	struct sdb_image image;
	int error;

	if (!name->app.hashed && !name->image.hashed)
		return 0;
	error = sdb_image_load_header(path, &image, diag);
	if (error)
		return error;
	if (name->app.hashed)
		(void)snprintf(shown->app, sizeof(shown->app), "%s", image.app_path);
	if (name->image.hashed)
		(void)snprintf(shown->image, sizeof(shown->image), "%s", image.image_path);
	sdb_image_deinit(&image);
	return 0;
}

static void show_cgroup(const struct session_info *info, int64_t number, char *text)
{
	const char *path = session_info_cgroup(info, number);

	if (number < 0)
		text[0] = '\0';
	else if (path)
		(void)snprintf(text, PATH_MAX + 1, "%s%s", *path == '/' ? "" : "/", path);
	else
		(void)snprintf(text, PATH_MAX + 1, "%" PRId64, number);
}

static int show_name(const struct walk *walk, const char *path, const struct sample_name *name,
		     struct shown *shown, struct diag *diag)
{
	show_path(&name->app, shown->app);
	show_path(&name->image, shown->image);
	(void)snprintf(shown->count, sizeof(shown->count), "%" PRIu64 "%s", name->period_or_hz,
		       name->frequency ? "Hz" : "");
	show_cgroup(&walk->selection->sessions[walk->session].info, name->cgroup, shown->cgroup);
	return show_hashed(path, name, shown, diag);
}

/* Whether tag, if given, lets the file through. */
static bool tag_match(const struct walk *walk, enum spec_tag tag, const struct sample_name *name,
		      const struct shown *shown)
{
	const struct spec_list *list = &walk->spec->lists[tag];

	switch (tag) {
	case SPEC_IMAGE:
		return spec_list_match_image(list, shown->app);
	case SPEC_IMAGE_EXCLUDE:
		return !spec_list_match_image(list, shown->app) &&
		       !spec_list_match_image(list, shown->image);
	case SPEC_LIB_IMAGE:
		return spec_list_match_image(list, shown->image);
	case SPEC_LIB_IMAGE_EXCLUDE:
		return !spec_list_match_image(list, shown->image);
	case SPEC_EVENT:
		return spec_list_match(list, name->event);
	case SPEC_COUNT:
		return spec_list_match(list, shown->count);
	case SPEC_UNIT_MASK:
		return spec_list_match_number(list, name->unit_mask);
	case SPEC_CPU:
		return spec_list_match_number(list, name->cpu);
	case SPEC_TID:
		return spec_list_match_number(list, name->tid);
	case SPEC_TGID:
		return spec_list_match_number(list, name->tgid);
	case SPEC_CGROUP:
		return spec_list_match(list, *shown->cgroup ? shown->cgroup : "all") ||
		       (*shown->cgroup == '/' && spec_list_match(list, shown->cgroup + 1));
	case SPEC_WORD:
		return spec_list_match_image(list, shown->app) ||
		       spec_list_match_image(list, shown->image);
	default:
		return true; /* sessions were chosen before */
	}
}

/* The file's value of tag, for the list of what there is. */
static void tag_value(enum spec_tag tag, const struct sample_name *name, const struct shown *shown,
		      char *text, size_t nr_bytes)
{
	int64_t number = tag == SPEC_CPU ? name->cpu : tag == SPEC_TID ? name->tid : name->tgid;

	if (tag == SPEC_EVENT)
		(void)snprintf(text, nr_bytes, "%s", name->event);
	else if (tag == SPEC_COUNT)
		(void)snprintf(text, nr_bytes, "%s", shown->count);
	else if (tag == SPEC_UNIT_MASK)
		(void)snprintf(text, nr_bytes, "0x%02x", name->unit_mask);
	else if (tag == SPEC_CGROUP)
		(void)snprintf(text, nr_bytes, "%s", *shown->cgroup ? shown->cgroup : "all");
	else if (tag == SPEC_LIB_IMAGE || tag == SPEC_LIB_IMAGE_EXCLUDE)
		(void)snprintf(text, nr_bytes, "%s", shown->image);
	else if (tag != SPEC_CPU && tag != SPEC_TID && tag != SPEC_TGID)
		(void)snprintf(text, nr_bytes, "%s", shown->app);
	else if (number < 0)
		(void)snprintf(text, nr_bytes, "all");
	else
		(void)snprintf(text, nr_bytes, "%" PRId64, number);
}

static int note_refusal(struct walk *walk, enum spec_tag tag, const struct sample_name *name,
			const struct shown *shown)
{
	struct refusal *refusal = &walk->refusals[tag];
	char value[SHOWN_BYTES];
	const char *kept;

	refusal->nr_files++;
	if (refusal->nr_values == VALUES_SHOWN)
		return 0;
	tag_value(tag, name, shown, value, sizeof(value));
	kept = strings_keep(&walk->selection->strings, value);
	if (!kept)
		return -ENOMEM;
	for (size_t i = 0; i < refusal->nr_values; i++)
		if (refusal->values[i] == kept)
			return 0;
	refusal->values[refusal->nr_values++] = kept;
	return 0;
}

/* 1 selected, 0 not, -ENOMEM. */
static int is_chosen(struct walk *walk, const struct sample_name *name, const struct shown *shown)
{
	for (int tag = 0; tag < SPEC_NR_TAGS; tag++) {
		int error;

		if (!walk->spec->lists[tag].nr_patterns ||
		    tag_match(walk, (enum spec_tag)tag, name, shown))
			continue;
		error = note_refusal(walk, (enum spec_tag)tag, name, shown);
		return error;
	}
	if (walk->options->exclude_dependent && strcmp(shown->app, shown->image) != 0) {
		walk->nr_dependent++;
		return 0;
	}
	return 1;
}

static unsigned int event_order(const struct session_info *info, const char *name)
{
	const struct session_event *event = session_info_event(info, name);

	return event ? (unsigned int)(event - info->events) : UINT32_MAX;
}

/* The key of name's class; -m takes fields away. */
static int make_key(struct walk *walk, const struct sample_name *name, const struct shown *shown,
		    struct class_key *key)
{
	struct strings *strings = &walk->selection->strings;
	unsigned int merge = walk->options->merge;
	const struct session_info *info = &walk->selection->sessions[walk->session].info;

	key->event = strings_keep(strings, name->event);
	key->event_order = event_order(info, name->event);
	key->period_or_hz = name->period_or_hz;
	key->frequency = name->frequency;
	key->unit_mask = merge & MERGE_UNIT_MASK ? 0 : name->unit_mask;
	key->tgid = merge & MERGE_TGID ? -1 : name->tgid;
	key->tid = merge & MERGE_TID ? -1 : name->tid;
	key->cpu = merge & MERGE_CPU ? -1 : name->cpu;
	key->cgroup = strings_keep(strings, merge & MERGE_CGROUP ? "" : shown->cgroup);
	return key->event && key->cgroup ? 0 : -ENOMEM;
}

static int add_found(struct walk *walk, const char *path, const struct sample_name *name,
		     const struct shown *shown)
{
	struct strings *strings = &walk->selection->strings;
	struct found *found;

	if (walk->nr_found == walk->room) {
		size_t room = walk->room ? walk->room * 2 : 64;
		struct found *bigger = realloc(walk->found, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		walk->found = bigger;
		walk->room = room;
	}
	found = &walk->found[walk->nr_found];
	*found = (struct found){.identity = name->identity, .session = walk->session};
	found->image = strings_keep(strings, shown->image);
	found->app =
		walk->options->merge & MERGE_LIB ? found->image : strings_keep(strings, shown->app);
	if (!found->image || !found->app || make_key(walk, name, shown, &found->key))
		return -ENOMEM;
	found->path = strdup(path);
	if (!found->path)
		return -ENOMEM;
	walk->nr_found++;
	return 0;
}

static int add_idle(struct selection *selection, const char *path)
{
	char **bigger =
		realloc(selection->idle_paths, (selection->nr_idle_paths + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	selection->idle_paths = bigger;
	bigger[selection->nr_idle_paths] = strdup(path);
	if (!bigger[selection->nr_idle_paths])
		return -ENOMEM;
	selection->nr_idle_paths++;
	return 0;
}

static void skip_file(struct walk *walk, const char *path, const struct diag *diag)
{
	walk->selection->nr_skipped++;
	walk->skip(path, diag);
}

static int visit_file(const char *path, const struct sample_name *name, const struct diag *diag,
		      void *context)
{
	struct walk *walk = context;
	struct shown shown;
	struct diag why;
	int chosen;

	if (!name) {
		skip_file(walk, path, diag);
		return 0;
	}
	if (show_name(walk, path, name, &shown, &why)) {
		skip_file(walk, path, &why);
		return 0;
	}
	walk->nr_seen++;
	chosen = is_chosen(walk, name, &shown);
	if (chosen <= 0)
		return chosen;
	if (name->image.kind == SAMPLE_PATH_KERN && !strcmp(name->image.path, IDLE_NAME))
		return add_idle(walk->selection, path);
	return add_found(walk, path, name, &shown);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Pool texts are equal when their pointers are. */
static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_found(const void *a, const void *b)
{
	const struct found *left = a;
	const struct found *right = b;
	int order = compare_texts(left->image, right->image);

	if (!order)
		order = compare_u64(left->identity, right->identity);
	if (!order)
		order = compare_texts(left->app, right->app);
	return order ? order : strcmp(left->path, right->path);
}

static int compare_apps(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int number_apps(struct selection *selection, const struct walk *walk)
{
	const char **apps = calloc(walk->nr_found, sizeof(*apps));
	size_t nr = 0;

	if (!apps)
		return -ENOMEM;
	for (size_t i = 0; i < walk->nr_found; i++)
		apps[i] = walk->found[i].app;
	qsort(apps, walk->nr_found, sizeof(*apps), compare_apps);
	for (size_t i = 0; i < walk->nr_found; i++)
		if (!nr || apps[nr - 1] != apps[i])
			apps[nr++] = apps[i];
	selection->apps = apps;
	selection->nr_apps = nr;
	return 0;
}

static uint32_t app_number(const struct selection *selection, const char *app)
{
	const char **found = bsearch(&app, selection->apps, selection->nr_apps,
				     sizeof(*selection->apps), compare_apps);

	return (uint32_t)(found - selection->apps);
}

/* found is sorted by image: a new image begins where it differs from the last. */
static int number_files(struct selection *selection, struct walk *walk)
{
	selection->images = calloc(walk->nr_found, sizeof(*selection->images));
	selection->files = calloc(walk->nr_found, sizeof(*selection->files));
	if (!selection->images || !selection->files)
		return -ENOMEM;
	for (size_t i = 0; i < walk->nr_found; i++) {
		struct found *found = &walk->found[i];
		struct selection_image *image = &selection->images[selection->nr_images];

		if (!i || image[-1].path != found->image || image[-1].identity != found->identity) {
			*image = (struct selection_image){found->image, found->identity,
							  found->session};
			selection->nr_images++;
		}
		selection->files[i] = (struct selected_file){
			.path = found->path,
			.image = (uint32_t)selection->nr_images - 1,
			.app = app_number(selection, found->app),
			.class = (uint32_t)classes_find(&selection->classes, &found->key),
			.session = found->session,
		};
		found->path = NULL;
		selection->nr_files++;
	}
	return 0;
}

static int arrange_classes(struct selection *selection, const struct walk *walk, struct diag *diag)
{
	struct class_key *keys = calloc(walk->nr_found, sizeof(*keys));
	int error;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < walk->nr_found; i++)
		keys[i] = walk->found[i].key;
	error = classes_arrange(&selection->classes, keys, walk->nr_found, diag);
	free(keys);
	return error;
}

static void show_refusals(FILE *out, const struct walk *walk)
{
	for (size_t tag = 0; tag < SPEC_NR_TAGS; tag++) {
		const struct refusal *refusal = &walk->refusals[tag];

		if (!refusal->nr_files)
			continue;
		(void)fprintf(out, "; %s kept out %zu (theirs:",
			      *spec_tag_name((enum spec_tag)tag) ? spec_tag_name((enum spec_tag)tag)
								 : "the image",
			      refusal->nr_files);
		for (size_t i = 0; i < refusal->nr_values; i++)
			(void)fprintf(out, "%s %s", i ? "," : "", refusal->values[i]);
		if (refusal->nr_values == VALUES_SHOWN)
			(void)fputs(", ...", out);
		(void)fputc(')', out);
	}
	if (walk->nr_dependent)
		(void)fprintf(out, "; --exclude-dependent kept out %zu", walk->nr_dependent);
}

/* Nothing is left: say what there was, and what kept it out. */
static int nothing_found(const struct walk *walk, struct diag *diag)
{
	const struct selection *selection = walk->selection;
	char spec[256];
	char *text = NULL;
	size_t nr_bytes;
	FILE *out = open_memstream(&text, &nr_bytes);

	if (!out)
		return -ENOMEM;
	spec_show(walk->spec, spec, sizeof(spec));
	if (selection->nr_idle_paths)
		(void)fprintf(out, "only samples of idle CPUs match \"%s\"", spec);
	else if (walk->nr_seen)
		(void)fprintf(out, "no sample file matches \"%s\"", spec);
	else
		(void)fputs("there are no samples yet: is something running and being sampled? "
			    "(opcontrol --dump writes the newest)",
			    out);
	(void)fprintf(out, "; %s has %zu sample files", selection->sessions[0].path, walk->nr_seen);
	if (selection->nr_sessions > 1)
		(void)fprintf(out, " with %zu more sessions", selection->nr_sessions - 1);
	if (selection->nr_skipped)
		(void)fprintf(out, ", %zu more are not understood", selection->nr_skipped);
	show_refusals(out, walk);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	diag_set(diag, -ENOENT, "%s", text);
	free(text);
	return -ENOENT;
}

static bool is_whole(const struct walk *walk)
{
	for (int tag = SPEC_SESSION_EXCLUDE + 1; tag < SPEC_NR_TAGS; tag++)
		if (walk->spec->lists[tag].nr_patterns)
			return false;
	return !walk->nr_dependent;
}

/* Turn what the walk found into the selection. */
static int arrange(struct walk *walk, struct diag *diag)
{
	struct selection *selection = walk->selection;
	int error;

	if (!walk->nr_found)
		return nothing_found(walk, diag);
	selection->whole = is_whole(walk);
	qsort(walk->found, walk->nr_found, sizeof(*walk->found), compare_found);
	error = arrange_classes(selection, walk, diag);
	if (!error)
		error = number_apps(selection, walk);
	if (!error)
		error = number_files(selection, walk);
	return error;
}

static int open_sessions(struct selection *selection, const struct spec *spec,
			 const struct selection_options *options,
			 void (*skip)(const char *path, const struct diag *diag), struct diag *diag)
{
	char **names;
	size_t nr_names;
	int error = session_dir_list(options->session_dir, spec, &names, &nr_names, diag);

	if (error)
		return error;
	selection->sessions = calloc(nr_names, sizeof(*selection->sessions));
	for (size_t i = 0; i < nr_names && selection->sessions; i++) {
		struct selection_session *session = &selection->sessions[i];
		struct diag why;

		session->name = strdup(names[i]);
		if (asprintf(&session->path, "%s/samples/%s", options->session_dir, names[i]) < 0)
			session->path = NULL;
		selection->nr_sessions++;
		if (!session->name || !session->path)
			error = -ENOMEM;
		else if (session_info_load(&session->info, session->path, &why))
			skip(session->path, &why);
	}
	session_dir_free_names(names, nr_names);
	return selection->sessions ? error : -ENOMEM;
}

static int walk_sessions(struct walk *walk, struct diag *diag)
{
	struct selection *selection = walk->selection;
	int error = 0;

	for (; walk->session < selection->nr_sessions && !error; walk->session++) {
		const char *path = selection->sessions[walk->session].path;

		error = sample_name_walk(path, visit_file, walk);
		if (error && error != -ENOMEM)
			diag_set_at(diag, error, path, 0, "can't be read: %s", strerror(-error));
	}
	return error;
}

int selection_make(struct selection *selection, const struct spec *spec,
		   const struct selection_options *options,
		   void (*skip)(const char *path, const struct diag *diag), struct diag *diag)
{
	struct walk walk = {.selection = selection, .spec = spec, .options = options, .skip = skip};
	int error;

	*selection = (struct selection){0};
	error = open_sessions(selection, spec, options, skip, diag);
	if (!error)
		error = walk_sessions(&walk, diag);
	if (!error)
		error = arrange(&walk, diag);
	for (size_t i = 0; i < walk.nr_found; i++)
		free(walk.found[i].path);
	free(walk.found);
	if (error)
		selection_deinit(selection);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	return error;
}

void selection_deinit(struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		free(selection->sessions[i].name);
		free(selection->sessions[i].path);
		session_info_deinit(&selection->sessions[i].info);
	}
	free(selection->sessions);
	free(selection->apps);
	free(selection->images);
	for (size_t i = 0; i < selection->nr_files; i++)
		free(selection->files[i].path);
	free(selection->files);
	for (size_t i = 0; i < selection->nr_idle_paths; i++)
		free(selection->idle_paths[i]);
	free(selection->idle_paths);
	classes_deinit(&selection->classes);
	strings_deinit(&selection->strings);
	*selection = (struct selection){0};
}
