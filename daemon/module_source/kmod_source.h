/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel module as a source (source_kmod of daemon/source.h), with parameters for tests. */
#ifndef DAEMON_KMOD_SOURCE_H
#define DAEMON_KMOD_SOURCE_H

#include "daemon/module_source/kmod_images.h"
#include "daemon/source.h"

struct kmod_source_options {
	const char *path; /* path of the control filesystem; NULL: OPROF_KMOD_MOUNT */
	/* A path that exists while the module is loaded; NULL: OPROF_KMOD_SYSFS. */
	const char *sysfs_path;
	const char *proc_path;	  /* NULL: "/proc" */
	const char *sys_path;	  /* NULL: "/sys" */
	kmod_image_open_fn *open; /* opens files; NULL: the module's ioctl */
	bool no_keeper;		  /* start no child process that keeps the symbols of images */
};

/* Like source_kmod.open, with options. The strings in options must live as long as the source. */
int kmod_source_open(struct source **source, const struct source_config *config,
		     const struct kmod_source_options *options, struct record_sink *sink,
		     struct diag *diag);

#endif
