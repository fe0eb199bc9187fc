/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that a source's frames may refer to: images, kernel code, functions that programs
 * generated, and the vdso; also cgroups, and the writer of records about all these. Each source has
 * one struct places, so that the records of both sources have the same form.
 *
 * Elsewhere: which task a sample belongs to, and what is mapped where (perf_state, kmod_state).
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
#include "daemon/system/slow_reader.h"

struct places_config {
	struct record_sink *sink;
	const char *proc_path; /* NULL: "/proc"; tests use a folder of their own */
	const char *sys_path;  /* NULL: "/sys" */
	bool kernel;	       /* kernel samples are expected: load kallsyms */
	bool keep_images;      /* a child process keeps symbols that reports would not find */
	/* limit of the size of the kept symbols in a session; 0: the highest limit */
	uint64_t keep_bytes_max;
	bool code_tables;      /* code tables of images are needed: image_code.h */
	const char *code_path; /* folder of the code tables, or NULL; borrowed during the call */
	bool recorded;	       /* as in perf_state_config */
	/*
	 * A child process performs the reads that may block (daemon/system/slow_reader.h). Set if
	 * proc_path has the processes of this machine.
	 */
	bool read_apart;
};

struct places {
	const char *proc_path, *sys_path; /* borrowed */
	struct record_writer writer;
	struct image_table images;
	struct slow_reader reader; /* used only if read_apart was set */
	struct image_alias_table aliases;
	struct image_keep keep;
	struct image_code code_tables;
	struct vdso vdso;
	struct region_maker regions;
	struct kernel_code kernel;
	struct cgroup_names cgroups;
	struct code_spaces code;
	struct image_entry *vsyscall;
	struct image_entry *jit; /* functions that programs generated while they ran, by name */
};

/*
 * Returns 0 or -errno with diag. The caller must call places_deinit, also after an error;
 * places_deinit also accepts a zeroed struct.
 */
int places_init(struct places *places, const struct places_config *config, struct diag *diag);
/* To be called after places_end, when everything that refers to the images has been freed. */
void places_deinit(struct places *places);
/* Ends the keeper: no more images are kept after this call. */
void places_end(struct places *places);

/*
 * Releases images without references. To be called between records, when all records that refer to
 * these images have been written.
 */
void places_release(struct places *places);

/*
 * Returns whether address is in the vsyscall page. On x86, every process has this page at the same
 * fixed address, and it is not reported as a mapping.
 */
bool places_is_vsyscall(uint64_t address);
enum oprof_lost places_vsyscall_frame(struct places *places, uint64_t address,
				      struct oprof_frame *frame);

/* These functions correspond to those of source_ops (daemon/source.h). Counters never decrease. */
const struct image *places_image(const struct places *places, uint32_t cookie);
const char *places_code_name(const struct places *places, uint32_t cookie, uint64_t offset);
/*
 * Returns the offset at which the function that contains `offset` begins; UINT64_MAX if the
 * function is not known.
 */
uint64_t places_function(const struct places *places, uint32_t cookie, uint64_t offset);
int places_save_symbols(struct places *places, const char *meta_path);
size_t places_unread(const struct places *places, struct source_unread *list, size_t room,
		     uint64_t *nr_late);
uint64_t places_children_cpu_ns(const struct places *places);
size_t places_counters(const struct places *places, struct source_counter *counters, size_t room);

#endif
