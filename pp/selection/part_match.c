// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/selection/part_match.h"

#include "pp/selection/cgroup_shown.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES (PATH_MAX + 128)
#define COUNT_BYTES 32

const char *part_show_path(const struct slice_path *path, struct strings *strings)
{
	char text[SHOWN_BYTES];

	if (path->kind != SAMPLE_PATH_ANON)
		return strings_keep(strings, path->path);
	(void)snprintf(text, sizeof(text),
		       "%s (tgid:%" PRId64 " range:0x%" PRIx64 "-0x%" PRIx64 ")", path->path,
		       path->tgid, path->start, path->end);
	return strings_keep(strings, text);
}

const char *part_show_cgroup(const char *cgroup, struct strings *strings)
{
	char text[SHOWN_BYTES];

	/* A number stands for a cgroup with an unknown path. */
	if (!cgroup || *cgroup == '/' || !cgroup[strspn(cgroup, "0123456789")])
		return strings_keep(strings, cgroup ? cgroup : "");
	(void)snprintf(text, sizeof(text), "/%s", cgroup);
	return strings_keep(strings, text);
}

int part_show(const struct slice_section *section, struct strings *strings,
	      struct part_shown *shown)
{
	shown->app = part_show_path(&section->app, strings);
	shown->image = part_show_path(&section->image, strings);
	shown->cgroup = part_show_cgroup(section->cgroup, strings);
	return shown->app && shown->image && shown->cgroup ? 0 : -ENOMEM;
}

static void show_count(const struct slice_section *section, char text[COUNT_BYTES])
{
	(void)snprintf(text, COUNT_BYTES, "%" PRIu64 "%s", section->period_or_hz,
		       section->flags & OPROF_SDB_FREQUENCY ? "Hz" : "");
}

static bool match_count(const struct spec_list *list, const struct slice_section *section)
{
	char text[COUNT_BYTES];

	show_count(section, text);
	return spec_list_match(list, text);
}

/* Returns whether `list`, which must not be empty, accepts the part. */
static bool tag_match(const struct spec_list *list, enum spec_tag tag,
		      const struct slice_section *section, const struct part_shown *shown)
{
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
		return spec_list_match(list, section->event);
	case SPEC_COUNT:
		return match_count(list, section);
	case SPEC_UNIT_MASK:
		return spec_list_match_number(list, section->unit_mask);
	case SPEC_CPU:
		return spec_list_match_number(list, section->cpu);
	case SPEC_TID:
		return spec_list_match_number(list, section->tid);
	case SPEC_TGID:
		return spec_list_match_number(list, section->tgid);
	case SPEC_CGROUP:
		return cgroup_list_match(list, shown->cgroup);
	case SPEC_WORD:
		return spec_list_match_image(list, shown->app) ||
		       spec_list_match_image(list, shown->image);
	default:
		return true; /* the tags "session:", "time:" and "archive:" were already applied */
	}
}

enum spec_tag part_match(const struct spec *spec, const struct slice_section *section,
			 const struct part_shown *shown)
{
	int tag = 0;

	for (; tag < SPEC_NR_TAGS; tag++) {
		const struct spec_list *list = &spec->lists[tag];

		if (list->nr_patterns && !tag_match(list, (enum spec_tag)tag, section, shown))
			break;
	}
	return (enum spec_tag)tag;
}

/* ---- refused parts ---- */

static const char *number_value(int64_t number, char text[COUNT_BYTES])
{
	if (number < 0)
		return "all";
	(void)snprintf(text, COUNT_BYTES, "%" PRId64, number);
	return text;
}

/* Returns the part's value for tag, for the error message. */
static const char *tag_value(enum spec_tag tag, const struct slice_section *section,
			     const struct part_shown *shown, char text[COUNT_BYTES])
{
	switch (tag) {
	case SPEC_EVENT:
		return section->event;
	case SPEC_COUNT:
		show_count(section, text);
		return text;
	case SPEC_UNIT_MASK:
		(void)snprintf(text, COUNT_BYTES, "0x%02x", section->unit_mask);
		return text;
	case SPEC_CGROUP:
		return *shown->cgroup ? shown->cgroup : "all";
	case SPEC_LIB_IMAGE:
	case SPEC_LIB_IMAGE_EXCLUDE:
		return shown->image;
	case SPEC_CPU:
		return number_value(section->cpu, text);
	case SPEC_TID:
		return number_value(section->tid, text);
	case SPEC_TGID:
		return number_value(section->tgid, text);
	default:
		return shown->app;
	}
}

int part_refusals_note(struct part_refusals *refusals, enum spec_tag tag,
		       const struct slice_section *section, const struct part_shown *shown,
		       struct strings *strings)
{
	struct part_refusal *refusal = &refusals->tags[tag];
	char text[COUNT_BYTES];
	const char *kept;

	refusal->nr_parts++;
	if (refusal->nr_values == PART_VALUES_SHOWN)
		return 0;
	kept = strings_keep(strings, tag_value(tag, section, shown, text));
	if (!kept)
		return -ENOMEM;
	for (size_t i = 0; i < refusal->nr_values; i++)
		if (refusal->values[i] == kept)
			return 0;
	refusal->values[refusal->nr_values++] = kept;
	return 0;
}

void part_refusals_write(FILE *out, const struct part_refusals *refusals)
{
	for (size_t tag = 0; tag < SPEC_NR_TAGS; tag++) {
		const struct part_refusal *refusal = &refusals->tags[tag];
		const char *name = spec_tag_name((enum spec_tag)tag);

		if (!refusal->nr_parts)
			continue;
		(void)fprintf(out, "; %s excluded %zu (values:", *name ? name : "the image",
			      refusal->nr_parts);
		for (size_t i = 0; i < refusal->nr_values; i++)
			(void)fprintf(out, "%s %s", i ? "," : "", refusal->values[i]);
		if (refusal->nr_values == PART_VALUES_SHOWN)
			(void)fputs(", ...", out);
		(void)fputc(')', out);
	}
}
