// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/placement.h"

#include "daemon/session/separation.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define KERNEL_NAME	 "vmlinux"
#define IDLE_NAME	 "{idle}"
#define NS_PER_S	 UINT64_C(1000000000)
#define CGROUP_NOT_KNOWN "unknown" /* paths of cgroups begin with '/' */

bool placement_is_weighted(const struct event_choice *event)
{
	/* The kernel converts the frequency of these two clocks to a fixed period. */
	if (event->perf_type == PERF_TYPE_SOFTWARE &&
	    (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK))
		return false;
	return event->frequency || event->perf_type == EVENT_TYPE_SWITCHES;
}

uint64_t placement_plain_period(const struct event_choice *event)
{
	uint64_t hz = event->period_or_hz;

	if (!event->frequency || placement_is_weighted(event))
		return 0;
	return hz && hz < NS_PER_S ? NS_PER_S / hz : 1;
}

static int path_set(struct sample_path *path, enum sample_path_kind kind, const char *text)
{
	int nr = snprintf(path->path, sizeof(path->path), "%s", text);

	path->kind = kind;
	path->tgid = 0;
	path->start = path->end = 0;
	path->hashed = false;
	return nr < (int)sizeof(path->path) ? 0 : -ENAMETOOLONG;
}

/* Makes one path component from the name of a memory region, such as "//anon". */
static int path_set_anon(struct sample_path *path, const struct image *image)
{
	const char *name = image->path + strspn(image->path, "/");
	int error = path_set(path, SAMPLE_PATH_ANON, *name ? name : "anon");

	for (char *c = path->path; *c; c++)
		if (*c == '/')
			*c = '_';
	path->tgid = image->tgid;
	path->start = image->start;
	path->end = image->end;
	return error;
}

int placement_path(struct sample_path *path, const struct image *image)
{
	switch (image->kind) {
	case OPROF_IMAGE_FILE:
		return path_set(path, image->path[0] == '/' ? SAMPLE_PATH_ROOT : SAMPLE_PATH_KERN,
				image->path);
	case OPROF_IMAGE_ANON:
		return path_set_anon(path, image);
	case OPROF_IMAGE_IDLE:
		return path_set(path, SAMPLE_PATH_KERN, IDLE_NAME);
	case OPROF_IMAGE_KERNEL:
	case OPROF_IMAGE_MODULE:
	case OPROF_IMAGE_VDSO:
	case OPROF_IMAGE_BPF:
	case OPROF_IMAGE_CODE:
	case OPROF_IMAGE_OFF_CPU:
		break;
	}
	return path_set(path, SAMPLE_PATH_KERN, image->path);
}

static const struct image *find_image(const struct placement_config *config, uint32_t cookie)
{
	const struct image *image = NULL;

	if (config->released)
		image = config->released(config->context, cookie);
	return image ? image : config->source->ops->image(config->source, cookie);
}

static int place_app(const struct placement_config *config, const struct sample_key *key,
		     struct placement *placement)
{
	const struct image *app;

	switch ((enum sample_kind)key->kind) {
	case SAMPLE_OF_KERNEL:
		return path_set(&placement->name.app, SAMPLE_PATH_KERN, KERNEL_NAME);
	case SAMPLE_OF_APP:
		app = find_image(config, key->app);
		if (!app)
			return -ENXIO;
		return placement_path(&placement->name.app, app);
	case SAMPLE_OF_IMAGE:
	case SAMPLE_OF_IDLE:
		break;
	}
	placement->name.app = placement->name.image;
	return 0;
}

static int place_image(const struct placement_config *config, const struct sample_key *key,
		       struct placement *placement)
{
	const struct image *image = find_image(config, key->image);
	struct sdb_identity *identity = &placement->identity;

	if (key->kind == SAMPLE_OF_IDLE) {
		identity->image_kind = OPROF_IMAGE_IDLE;
		if (image) /* the kernel's image */
			identity->image = image->identity;
		return path_set(&placement->name.image, SAMPLE_PATH_KERN, IDLE_NAME);
	}
	if (!image)
		return -ENXIO;
	identity->image_kind = image->kind;
	identity->image = image->identity;
	if (image->kind == OPROF_IMAGE_ANON)
		identity->image_start = image->start;
	return placement_path(&placement->name.image, image);
}

static bool image_is_kernel(enum oprof_image_kind kind)
{
	return kind == OPROF_IMAGE_KERNEL || kind == OPROF_IMAGE_MODULE || kind == OPROF_IMAGE_BPF;
}

static void place_event(const struct placement_config *config, const struct sample_key *key,
			struct placement *placement)
{
	const struct event_choice *event = &config->session->info.events[key->event];
	struct sdb_identity *identity = &placement->identity;

	(void)snprintf(placement->name.event, sizeof(placement->name.event), "%s", event->name);
	placement->name.period_or_hz = event->period_or_hz;
	placement->name.frequency = event->frequency;
	placement->name.unit_mask = event->unit_mask;
	identity->event = event->name;
	identity->unit_mask = event->unit_mask;
	identity->period_or_hz = event->period_or_hz;
	if (event->frequency)
		identity->flags |= OPROF_SDB_FREQUENCY;
	if (placement_is_weighted(event) || (config->thinned && placement_plain_period(event)))
		identity->flags |= OPROF_SDB_WEIGHTED;
	if (key->kind == SAMPLE_OF_APP && image_is_kernel(identity->image_kind))
		identity->flags |= OPROF_SDB_KEEP_KERNEL;
}

static int place_cgroup(const struct placement_config *config, const struct sample_key *key,
			struct placement *placement)
{
	const char *path = NULL;
	int64_t number;

	if (key->cgroup)
		path = config->source->ops->cgroup_path(config->source, key->cgroup);
	if (!path)
		path = CGROUP_NOT_KNOWN;
	if (config->unnumbered) {
		placement->name.cgroup = 0;
		placement->identity.cgroup = path;
		return 0;
	}
	number = cgroup_table_number(&config->session->cgroups, path);
	if (number < 0)
		return (int)number;
	placement->name.cgroup = number;
	placement->identity.cgroup = config->session->cgroups.paths[number];
	return 0;
}

static int place_separation(const struct placement_config *config, const struct sample_key *key,
			    struct placement *placement)
{
	unsigned int separation = config->separation;
	struct sample_name *name = &placement->name;

	name->tgid = name->tid = name->cpu = name->cgroup = SAMPLE_NAME_ALL;
	if (separation & SEPARATION_CPU)
		name->cpu = key->cpu;
	if (key->kind == SAMPLE_OF_IDLE)
		return 0;
	if (separation & SEPARATION_THREAD) {
		name->tgid = key->tgid;
		name->tid = key->tid;
	}
	return separation & SEPARATION_CGROUP ? place_cgroup(config, key, placement) : 0;
}

int placement_find(const struct placement_config *config, const struct sample_key *key,
		   struct placement *placement)
{
	const struct run_info *info = &config->session->info;
	struct sdb_identity *identity = &placement->identity;
	int error;

	memset(identity, 0, sizeof(*identity));
	error = place_image(config, key, placement);
	if (!error)
		error = place_app(config, key, placement);
	if (!error)
		error = place_separation(config, key, placement);
	if (error)
		return error;
	place_event(config, key, placement);
	placement->name.identity = sample_identity(&identity->image);
	identity->epoch = config->epoch;
	if (config->epoch)
		identity->flags |= OPROF_SDB_EPOCHS;
	identity->host = info->host;
	identity->cpu_type = info->cpu_type;
	identity->cpu_khz = info->cpu_khz;
	identity->clock = info->clock;
	identity->app_path = placement->name.app.path;
	identity->image_path = placement->name.image.path;
	memcpy(identity->boot_id, info->boot_id, sizeof(identity->boot_id));
	return 0;
}
