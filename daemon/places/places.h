/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source's frames may name: images, kernel code, functions that
 * programs made, the vdso, and cgroups beside them; and the records that tell
 * of it. Both sources have one, so that what they tell looks alike.
 *
 * Not for: whose a sample is, and what is mapped where (perf_state, kmod_state).
 */
#ifndef DAEMON_PLACES_H
#define DAEMON_PLACES_H

#include "daemon/system/cgroup_names.h"
#include "daemon/jit/code_space.h"
#include "daemon/image/image_code.h"
#include "daemon/image/image_keep.h"
#include "daemon/kernel/kernel_code.h"
#include "daemon/image/record_writer.h"
#include "daemon/image/region.h"
#include "daemon/image/vdso.h"

struct places_config {
	struct record_sink *sink;
	const char *proc_path; /* NULL: "/proc"; tests give a folder of their own */
	const char *sys_path;  /* NULL: "/sys" */
	bool kernel;	       /* kernel samples may come: load kallsyms */
	bool keep_images;      /* symbols that reports would not find: a child process keeps them */
	uint64_t keep_bytes_max; /* of those, in a session; 0: as many as may be */
	bool code_tables;	 /* of images are wanted: image_code.h */
	const char *code_path;	 /* their folder, or NULL; borrowed during the call */
	bool recorded;		 /* as in perf_state_config */
};

struct places {
	const char *proc_path, *sys_path; /* borrowed */
	struct record_writer writer;
	struct image_table images;
	struct image_alias_table aliases;
	struct image_keep keep;
	struct image_code code_tables;
	struct vdso vdso;
	struct region_maker regions;
	struct kernel_code kernel;
	struct cgroup_names cgroups;
	struct code_spaces code;
	struct image_entry *vsyscall;
	struct image_entry *jit; /* functions that programs made, by name */
};

/* 0 or -errno with diag. places_deinit in any case, of one that was all 0 or initialized. */
int places_init(struct places *places, const struct places_config *config, struct diag *diag);
/* Before it goes what refers to its images: first places_end, then those, then this. */
void places_deinit(struct places *places);
/* No image is kept from here on. */
void places_end(struct places *places);

/* Release what nobody refers to. Between records: what names it is all out. */
void places_release(struct places *places);

/* The page that x86 has at one address in every process, and no mapping tells. */
bool places_is_vsyscall(uint64_t address);
enum oprof_lost places_vsyscall_frame(struct places *places, uint64_t address,
				      struct oprof_frame *frame);

/* As source_ops has them (daemon/source.h). Counters only grow. */
const struct image *places_image(const struct places *places, uint32_t cookie);
const char *places_code_name(const struct places *places, uint32_t cookie, uint64_t offset);
/* UINT64_MAX: not known. */
uint64_t places_function(const struct places *places, uint32_t cookie, uint64_t offset);
int places_save_symbols(struct places *places, const char *meta_path);
size_t places_counters(const struct places *places, struct source_counter *counters, size_t room);

#endif
