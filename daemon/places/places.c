// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/places/places.h"

#include "daemon/kernel/kernel_symbols.h"
#include "daemon/places/proc_scan.h"
#include "daemon/system/daemon_child.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The last NR_CODE_COUNTERS counters describe code tables. */
#define NR_CODE_COUNTERS 6

/* The functions that the reader can run. */
static slow_work *const reader_works[] = {proc_scan_look, image_alias_look, region_name_look};

#define VSYSCALL_START UINT64_C(0xffffffffff600000)
#define VSYSCALL_END   UINT64_C(0xffffffffff601000)

static int init_tables(struct places *places, struct record_sink *sink, const char *host_root)
{
	static const struct image_key vsyscall = {.kind = OPROF_IMAGE_VDSO, .path = "[vsyscall]"};
	static const struct image_key jit = {.kind = OPROF_IMAGE_CODE, .path = "[jit]"};
	int error = record_writer_init(&places->writer, sink);

	if (!error)
		error = image_table_init(&places->images);
	if (!error)
		error = image_alias_init(&places->aliases, places->proc_path);
	if (!error)
		error = code_spaces_init(&places->code, places->proc_path, host_root);
	if (!error)
		error = cgroup_names_init(&places->cgroups);
	if (!error)
		error = vdso_init(&places->vdso);
	if (error)
		return error;
	places->vsyscall = image_table_get(&places->images, &vsyscall);
	places->jit = image_table_get(&places->images, &jit);
	return places->vsyscall && places->jit ? 0 : -ENOMEM;
}

int places_init(struct places *places, const struct places_config *config, struct diag *diag)
{
	int error;

	memset(places, 0, sizeof(*places));
	places->proc_path = config->proc_path ? config->proc_path : "/proc";
	places->sys_path = config->sys_path ? config->sys_path : "/sys";
	places->regions = (struct region_maker){&places->images, &places->aliases, &places->vdso};
	kernel_code_init(&places->kernel, &places->images, &places->code.pool, &places->writer,
			 places->proc_path, places->sys_path);
	places->kernel.sampled = config->kernel;
	image_keep_init(&places->keep, &places->images, places->proc_path);
	image_code_init(&places->code_tables);
	places->keep.code = &places->code_tables;
	if (config->keep_bytes_max && config->keep_bytes_max < places->keep.bytes_max)
		places->keep.bytes_max = config->keep_bytes_max;
	/* The children are forked early, while this process is small and has all its privileges. */
	if (config->keep_images)
		image_keep_start(&places->keep);
	if (config->read_apart)
		slow_reader_init(&places->reader, places->proc_path, reader_works,
				 sizeof(reader_works) / sizeof(reader_works[0]));
	places->code_tables.recorded = config->recorded;
	/*
	 * In a test, /proc is artificial, so files of this machine are not searched for the test's
	 * processes. For a recording, files are searched, because the recorded processes may have
	 * left files on this machine.
	 */
	error = init_tables(places, config->sink,
			    config->proc_path && !config->recorded ? NULL : "/");
	if (config->read_apart)
		places->aliases.reader = &places->reader;
	places->aliases.names_only = config->recorded;
	if (!error && config->code_tables)
		error = image_code_begin(&places->code_tables, config->code_path, &places->vdso);
	if (error)
		return diag_set(diag, error, "out of memory");
	error = config->kernel ? kernel_map_load(&places->kernel.map, NULL, NULL) : 0;
	if (error)
		return diag_set(diag, error, "cannot read %s/kallsyms: %s", places->proc_path,
				strerror(-error));
	return 0;
}

void places_end(struct places *places)
{
	image_keep_deinit(&places->keep);
}

void places_deinit(struct places *places)
{
	if (places->reader.works)
		slow_reader_deinit(&places->reader);
	code_spaces_deinit(&places->code);
	kernel_code_deinit(&places->kernel);
	if (places->cgroups.names.buckets)
		cgroup_names_deinit(&places->cgroups);
	if (places->aliases.aliases.buckets)
		image_alias_deinit(&places->aliases);
	if (places->images.entries.buckets)
		image_table_deinit(&places->images);
	image_code_deinit(&places->code_tables);
	vdso_deinit(&places->vdso);
	record_writer_deinit(&places->writer);
}

static void tell_release(const struct image *image, void *context)
{
	struct places *places = context;

	record_writer_release(&places->writer, image);
}

void places_release(struct places *places)
{
	if (image_table_has_retired(&places->images))
		image_table_release(&places->images, tell_release, places);
}

bool places_is_vsyscall(uint64_t address)
{
	return address >= VSYSCALL_START && address < VSYSCALL_END;
}

enum oprof_lost places_vsyscall_frame(struct places *places, uint64_t address,
				      struct oprof_frame *frame)
{
	return image_frame(places->vsyscall, address - VSYSCALL_START, OPROF_MODE_USER, frame);
}

/* ---- look-ups ---- */

const struct image *places_image(const struct places *places, uint32_t cookie)
{
	if (cookie == OPROF_IMAGE_COOKIE_OFF_CPU)
		return &image_off_cpu;
	return image_table_find(&places->images, cookie);
}

const char *places_code_name(const struct places *places, uint32_t cookie, uint64_t offset)
{
	const struct image *image = image_table_find(&places->images, cookie);

	if (!image || (image->kind != OPROF_IMAGE_CODE && image->kind != OPROF_IMAGE_BPF))
		return NULL;
	return code_pool_name(&places->code.pool, offset);
}

uint64_t places_function(const struct places *places, uint32_t cookie, uint64_t offset)
{
	const struct image_entry *entry = image_table_entry(&places->images, cookie);
	const struct code_table *table = entry ? image_code_of(&places->code_tables, entry) : NULL;
	uint64_t start;

	if (!table || code_table_function(table, offset, &start))
		return UINT64_MAX;
	return start;
}

int places_save_symbols(struct places *places, const char *meta_path)
{
	image_keep_folder(&places->keep, meta_path);
	return kernel_symbols_save(&places->images, &places->vdso, places->proc_path, meta_path);
}

size_t places_unread(const struct places *places, struct source_unread *list, size_t room,
		     uint64_t *nr_late)
{
	const struct unread *unread = &places->reader.unread;
	struct unread_process processes[UNREAD_OFFENDERS];
	uid_t users[UNREAD_USERS];
	const size_t nr_users =
		unread_exhausted(unread, clock_monotonic_ns(), users,
				 room < UNREAD_USERS ? (unsigned int)room : UNREAD_USERS);
	const size_t left = room - nr_users;
	const size_t nr =
		unread_list(unread, places->proc_path, processes,
			    left < UNREAD_OFFENDERS ? (unsigned int)left : UNREAD_OFFENDERS);

	*nr_late = unread->nr_missed;
	for (size_t i = 0; i < nr_users; i++)
		list[i] = (struct source_unread){.uid = users[i]};
	list += nr_users;
	for (size_t i = 0; i < nr; i++) {
		list[i] = (struct source_unread){.pid = processes[i].pid, .uid = processes[i].uid};
		(void)snprintf(list[i].name, sizeof(list[i].name), "%s", processes[i].name);
	}
	return nr_users + nr;
}

uint64_t places_children_cpu_ns(const struct places *places)
{
	uint64_t ns = places->keep.fd >= 0 ? daemon_child_cpu_ns(places->keep.pid) : 0;

	return places->reader.works ? ns + slow_reader_cpu_ns(&places->reader) : ns;
}

size_t places_counters(const struct places *places, struct source_counter *counters, size_t room)
{
	const struct image_keep_counters *keep = &places->keep.counters;
	const struct code_spaces *code = &places->code;
	const struct unread *unread = &places->reader.unread;
	const struct image_code_counters *tables = &places->code_tables.counters;
	const struct source_counter all[] = {
		{"images_made", places->images.nr_made},
		{"images_told", places->images.nr_told},
		{"images_released", places->images.nr_released},
		{"images_not_by_path", keep->wanted},
		{"images_kept", keep->kept},
		{"images_too_big", keep->too_big},
		{"images_over_bound", keep->full},
		{"images_unreadable", keep->unreadable},
		{"images_not_written", keep->failed},
		{"keeper_restarts", keep->restarts},
		{"late_reads", unread->nr_missed},
		{"refused_reads", unread->nr_refused},
		{"reader_failed_starts", places->reader.nr_failed_starts},
		{"kernel_map_loads", places->kernel.map.nr_loads},
		{"code_files", code->nr_files},
		{"code_remote", code->nr_remote},
		{"code_late", code->nr_late},
		{"code_functions", code->map_counts.nr_lines + code->dump_counts.nr_records},
		{"code_bad", code->map_counts.nr_bad_lines + code->dump_counts.nr_bad_records},
		{"code_left_out", code->map_counts.nr_left_out + code->dump_counts.nr_left_out},
		{"code_names", code->pool.nr_told},
		{"code_tables_wanted", tables->wanted},
		{"code_tables_found", tables->found},
		{"code_tables_built", tables->built},
		{"code_tables_none", tables->none},
		{"code_tables_unreadable", tables->unreadable},
		{"code_tables_failed", tables->failed},
	};
	size_t nr = sizeof(all) / sizeof(all[0]);

	if (!places->code_tables.on)
		nr -= NR_CODE_COUNTERS;
	if (room)
		memcpy(counters, all, (nr < room ? nr : room) * sizeof(all[0]));
	return nr;
}
