// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/selection.h"

#include "pp/selection/selection_error.h"
#include "pp/selection/selection_internal.h"
#include "pp/selection/session_dir.h"
#include "pp/session/session_recent.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of attempts to read both sides. An attempt fails if the daemon closes a slice
 * during the attempt. The daemon closes a slice about once a minute.
 */
#define TRIES_MAX 5

/* ---- sessions ---- */

/*
 * Returns whether the specification selects a section. This function must not change the walk,
 * because a session may be read several times.
 */
static bool is_wanted(const struct slice_section *section, void *context)
{
	struct selection_walk *walk = context;
	struct part_shown shown;

	/* If out of memory, accepts the section: visiting it later will report the error. */
	if (part_show(section, &walk->selection->strings, &shown))
		return true;
	return part_match(walk->spec, section, &shown) == SPEC_NR_TAGS;
}

static int visit_slice(struct selection_walk *walk, const struct part_slice *slice, uint32_t index)
{
	size_t nr_sections;
	const struct slice_section *sections = slice_sections(slice->slice, &nr_sections);
	int error = 0;

	for (size_t i = 0; i < nr_sections && !error; i++)
		error = selection_walk_visit(walk, &sections[i], index, (uint32_t)i);
	return error;
}

static int visit_session(struct selection_walk *walk)
{
	const struct session_parts *parts = &walk->selection->sessions[walk->session].parts;
	int error = 0;

	/*
	 * The cache refers to texts of one session by their addresses. Clear it for each session.
	 */
	memset(walk->before, 0, sizeof(walk->before));
	for (size_t i = 0; i < parts->nr_slices && !error; i++)
		error = visit_slice(walk, &parts->slices[i], (uint32_t)i);
	for (size_t i = 0; i < parts->nr_live && !error; i++)
		error = selection_walk_visit(walk, &parts->live[i].section, SELECTED_LIVE,
					     (uint32_t)i);
	return error;
}

/* Returns whether a daemon may be writing the session. */
static bool is_current(const struct selection_session *session)
{
	return !session->archive && !strcmp(session->name, OPROF_SESSION_CURRENT);
}

/*
 * Returns the range to request from the daemon. For the first side, this is `range`. For the second
 * side, the beginning or the end of `range` may be moved so that no sample is on both sides.
 */
static struct time_range range_to_ask(const struct selection *selection,
				      const struct time_range *range)
{
	const struct selection_side *first = &selection->sides[0];
	struct time_range asked = *range;

	for (size_t i = 0; i < first->nr_sessions && range != &first->range; i++)
		if (selection->sessions[i].from_memory)
			session_recent_adjoin(&asked, &first->range, &selection->sessions[i].parts);
	return asked;
}

static bool may_ask(const struct selection_walk *walk, const struct selection_session *session,
		    const struct session_parts_options *options)
{
	return is_current(session) && walk->daemon_answers && walk->options->ask_daemon &&
	       !options->stacks && options->range;
}

static const char *session_at(const struct selection_walk *walk)
{
	return walk->options->session_at ? walk->options->session_at : walk->options->session_dir;
}

/* Returns 1 if the session cannot be read from the daemon's memory. */
static int read_memory(struct selection_walk *walk, struct selection_session *session,
		       const struct session_parts_options *options)
{
	struct time_range asked;
	int result;

	if (!may_ask(walk, session, options))
		return 1;
	asked = range_to_ask(walk->selection, options->range);
	result = session_recent_read(&session->parts, &session->info, session_at(walk),
				     session->path, &asked);
	session->from_memory = !result;
	return result;
}

/* Reads the last minutes from the daemon's memory if possible, otherwise from disk. */
static int read_session(struct selection_walk *walk, struct selection_session *session,
			const struct session_parts_options *options, struct diag *diag)
{
	int result = read_memory(walk, session, options);

	if (is_current(session) && result >= 0)
		*(result ? &walk->nr_from_files : &walk->nr_from_memory) += 1;
	if (result <= 0)
		return result;
	result = session_parts_read(&session->parts, &session->info, session->path, options, diag);
	/* With two sides, leave the live files whole, so that both sides treat them alike. */
	if (!result && walk->selection->nr_sides == 1 && may_ask(walk, session, options))
		result = session_recent_cut(&session->parts, &session->info, session_at(walk),
					    options->range);
	return result < 0 ? result : 0;
}

static int read_sessions(struct selection_walk *walk, struct selection_side *side,
			 struct diag *diag)
{
	struct selection *selection = walk->selection;
	const struct session_parts_options options = {
		.range = side->timed ? &side->range : NULL,
		.wanted = is_wanted,
		.context = walk,
		.skip = walk->skip,
		.stacks = walk->options->stacks,
	};
	int error = 0;

	for (size_t i = 0; i < side->nr_sessions && !error; i++) {
		struct selection_session *session = &selection->sessions[side->first_session + i];

		error = read_session(walk, session, &options, diag);
		side->nr_skipped += session->parts.nr_skipped + session->parts.nr_damaged;
	}
	selection->nr_skipped += side->nr_skipped;
	return error;
}

static int name_session(struct selection_session *session, const char *session_dir,
			const char *name)
{
	session->name = strdup(name);
	if (asprintf(&session->path, "%s/" OPROF_SAMPLES_NAME "/%s", session_dir, name) < 0)
		session->path = NULL;
	return session->name && session->path ? 0 : -ENOMEM;
}

static int check_session(const struct selection_walk *walk, const char *name, struct diag *diag)
{
	char path[sizeof(OPROF_SAMPLES_NAME) + NAME_MAX + 1];

	if (snprintf(path, sizeof(path), OPROF_SAMPLES_NAME "/%s", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return read_folder_check(session_at(walk), path, walk->options->session_dir, diag);
}

static int open_sessions(struct selection_walk *walk, struct selection_side *side,
			 struct diag *diag)
{
	struct selection *selection = walk->selection;
	struct selection_session *bigger;
	const struct archive_place *archive = walk->options->archives[side - selection->sides];
	const char *dir = archive ? archive->session_dir : session_at(walk);
	char **names;
	size_t nr_names;
	int error = session_dir_list(dir, walk->spec, &names, &nr_names, diag);

	if (error)
		return error;
	bigger = reallocarray(selection->sessions, selection->nr_sessions + nr_names,
			      sizeof(*bigger));
	if (!bigger)
		error = -ENOMEM;
	else
		selection->sessions = bigger;
	side->first_session = selection->nr_sessions;
	for (size_t i = 0; i < nr_names && !error; i++) {
		bigger[selection->nr_sessions] = (struct selection_session){.archive = archive};
		if (!archive)
			error = check_session(walk, names[i], diag);
		if (error)
			break;
		error = name_session(&bigger[selection->nr_sessions++], dir, names[i]);
		side->nr_sessions++;
	}
	session_dir_free_names(names, nr_names);
	return error;
}

/* ---- sides ---- */

static bool is_whole(const struct selection_walk *walk, const struct selection_side *side)
{
	const struct archive_place *archive =
		walk->options->archives[side - walk->selection->sides];

	if (archive && archive->partial)
		return false;
	for (int tag = SPEC_SESSION_EXCLUDE + 1; tag < SPEC_NR_TAGS; tag++)
		if (tag != SPEC_TIME && tag != SPEC_ARCHIVE && walk->spec->lists[tag].nr_patterns)
			return false;
	return !walk->nr_dependent;
}

static int count_side(struct selection *selection, struct selection_side *side)
{
	int error = 0;

	for (size_t i = 0; i < side->nr_sessions && !error; i++)
		error = session_parts_count(&selection->sessions[side->first_session + i].parts,
					    &side->counters);
	return error;
}

static int visit_side(struct selection_walk *walk, struct selection_side *side, struct diag *diag)
{
	const struct selection *selection = walk->selection;
	struct selection_error what = {.selection = selection, .side = side, .spec = walk->spec};
	size_t nr_found = walk->nr_found;
	size_t nr_idle = selection->nr_idle;
	int error = 0;

	walk->nr_seen = walk->nr_dependent = 0;
	walk->refusals = (struct part_refusals){0};
	walk->session = (uint32_t)side->first_session;
	for (size_t i = 0; i < side->nr_sessions && !error; i++, walk->session++)
		error = visit_session(walk);
	if (error)
		return error;
	side->whole = is_whole(walk, side);
	if (walk->nr_found > nr_found)
		return count_side(walk->selection, side);
	what.nr_seen = walk->nr_seen;
	what.nr_idle = selection->nr_idle - nr_idle;
	what.nr_dependent = walk->nr_dependent;
	what.refusals = &walk->refusals;
	return selection_refuse_nothing(&what, diag);
}

static int open_side(struct selection_walk *walk, const struct spec *spec, struct diag *diag)
{
	struct selection *selection = walk->selection;
	struct selection_side *side = &selection->sides[selection->nr_sides++];

	side->timed = spec->timed;
	side->range = spec->range;
	walk->spec = spec;
	return open_sessions(walk, side, diag);
}

/*
 * Calls session_recent_settle() for a side. Returns 1 if the side has no session that a daemon may
 * be writing.
 */
static int settle_side(const struct selection_walk *walk, const struct selection_side *side,
		       struct diag *why)
{
	const struct selection_session *sessions = walk->selection->sessions;

	for (size_t i = 0; i < side->nr_sessions; i++)
		if (is_current(&sessions[side->first_session + i]))
			return session_recent_settle(session_at(walk),
						     side->timed ? &side->range : NULL, why);
	return 1;
}

/*
 * Makes the daemon store its samples. Called once, before any side is read. So both sides have the
 * samples up to the same time, and a report waits only once for a daemon that hangs.
 */
static void settle(struct selection_walk *walk)
{
	const struct selection *selection = walk->selection;
	struct diag why;
	int result = 1;

	for (size_t i = 0; i < selection->nr_sides && result == 1; i++)
		result = settle_side(walk, &selection->sides[i], &why);
	walk->daemon_answers = !result;
	/* Other errors are not reported. They are normal, for example if no daemon runs. */
	if (result == -ETIMEDOUT)
		walk->skip(walk->options->session_dir, &why);
}

static void forget_sessions(struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sessions; i++) {
		free(selection->sessions[i].name);
		free(selection->sessions[i].path);
		session_info_deinit(&selection->sessions[i].info);
		session_parts_deinit(&selection->sessions[i].parts);
	}
	free(selection->sessions);
	selection->sessions = NULL;
	selection->nr_sessions = 0;
	selection->nr_sides = 0;
	selection->nr_skipped = 0;
	memset(selection->sides, 0, sizeof(selection->sides));
}

/*
 * Returns false if both sides include the same session, and the daemon closed an epoch of this
 * session after the first side was read and before the second side was read.
 */
static bool sides_agree(const struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sessions; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(selection->sessions[i].path, selection->sessions[j].path) &&
			    selection->sessions[i].parts.epoch_closed !=
				    selection->sessions[j].parts.epoch_closed)
				return false;
	return true;
}

static int read_sides(struct selection_walk *walk, const struct spec *specs, size_t nr_sides,
		      struct diag *diag)
{
	struct selection *selection = walk->selection;
	int error = 0;

	for (int tries = 0; tries < TRIES_MAX; tries++) {
		forget_sessions(selection);
		walk->nr_from_memory = walk->nr_from_files = 0;
		for (size_t i = 0; i < nr_sides && !error; i++)
			error = open_side(walk, &specs[i], diag);
		if (!error && !tries)
			settle(walk);
		for (size_t i = 0; i < nr_sides && !error; i++) {
			walk->spec = &specs[i];
			error = read_sessions(walk, &selection->sides[i], diag);
		}
		/*
		 * Two sides must be read from the same source, because ranges are cut differently
		 * in the daemon's memory and in files. If only one side was read from memory, read
		 * both again from files.
		 */
		if (!error && walk->nr_from_memory && walk->nr_from_files)
			walk->daemon_answers = false;
		else if (error || sides_agree(selection))
			return error;
	}
	return diag_set(diag, -EAGAIN,
			"cannot read two sides: the slices change too fast; try again");
}

/* Called after all sessions have been read, because the sides may share slices. */
static int visit_sides(struct selection_walk *walk, const struct spec *specs, struct diag *diag)
{
	struct selection *selection = walk->selection;
	int error = 0;

	if (selection->nr_sides > 1)
		selection_share(selection);
	selection->whole = true;
	for (size_t i = 0; i < selection->nr_sides && !error; i++) {
		walk->side = (uint32_t)i;
		walk->spec = &specs[i];
		error = visit_side(walk, &selection->sides[i], diag);
		selection->whole &= selection->sides[i].whole;
	}
	return error;
}

int selection_make(struct selection *selection, const struct spec *specs, size_t nr_sides,
		   const struct selection_options *options,
		   void (*skip)(const char *path, const struct diag *diag), struct diag *diag)
{
	struct selection_walk walk = {.selection = selection, .options = options, .skip = skip};
	int error;

	*selection = (struct selection){.specs = specs, .options = *options};
	error = read_sides(&walk, specs, nr_sides, diag);
	if (!error)
		error = visit_sides(&walk, specs, diag);
	if (!error)
		error = selection_order(selection, &walk, diag);
	selection_walk_deinit(&walk);
	if (error)
		selection_deinit(selection);
	if (error == -ENOMEM)
		diag_set(diag, error, "out of memory");
	return error;
}

void selection_deinit(struct selection *selection)
{
	for (size_t i = 0; i < selection->nr_sides; i++)
		counters_deinit(&selection->sides[i].counters);
	forget_sessions(selection);
	free(selection->apps);
	free(selection->images);
	free(selection->parts);
	free(selection->idle);
	classes_deinit(&selection->classes);
	strings_deinit(&selection->strings);
	*selection = (struct selection){0};
}

/* ---- access ---- */

const struct part_live *selection_live(const struct selection *selection,
				       const struct selected_part *part)
{
	return part->slice == SELECTED_LIVE
		       ? &selection->sessions[part->session].parts.live[part->number]
		       : NULL;
}

const struct part_slice *selection_slice(const struct selection *selection,
					 const struct selected_part *part)
{
	return &selection->sessions[part->session].parts.slices[part->slice];
}

const struct slice_section *selection_section(const struct selection *selection,
					      const struct selected_part *part)
{
	const struct part_live *live = selection_live(selection, part);
	size_t nr_sections;

	if (live)
		return &live->section;
	return &slice_sections(selection_slice(selection, part)->slice, &nr_sections)[part->number];
}

static unsigned int event_order(const struct session_info *info, const char *name)
{
	const struct session_event *event = session_info_event(info, name);

	return event ? (unsigned int)(event - info->events) : UINT32_MAX;
}

int selection_class_key(const struct selection *selection, size_t session,
			const struct slice_section *section, const char *cgroup,
			struct strings *strings, struct class_key *key, const char **row)
{
	unsigned int merge = selection->options.merge;
	enum rows_by by = selection->options.by;

	key->event = strings_keep(strings, section->event);
	key->cgroup = strings_keep(strings, merge & MERGE_CGROUP ? "" : cgroup);
	if (!key->event || !key->cgroup)
		return -ENOMEM;
	key->event_order = event_order(&selection->sessions[session].info, section->event);
	key->period_or_hz = section->period_or_hz;
	key->frequency = section->flags & OPROF_SDB_FREQUENCY;
	key->unit_mask = merge & MERGE_UNIT_MASK ? 0 : section->unit_mask;
	key->tgid = merge & MERGE_TGID ? -1 : section->tgid;
	key->tid = merge & MERGE_TID ? -1 : section->tid;
	key->cpu = merge & MERGE_CPU ? -1 : section->cpu;
	*row = NULL;
	if (by == ROWS_BY_APP)
		return 0;
	*row = rows_by_take(by, key, strings);
	return *row ? 0 : -ENOMEM;
}

const char *selection_part_path(const struct selection *selection, const struct selected_part *part)
{
	const struct part_live *live = selection_live(selection, part);

	return live ? live->path : selection_slice(selection, part)->path;
}
