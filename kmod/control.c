// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/sysfs.h>
#include <linux/user_namespace.h>

#include "kmod/compat.h"
#include "kmod/control.h"
#include "kmod/control_file.h"
#include "oprof/kmod.h"

#define CONTROL_MAGIC 0x6f70726f /* "opro" */

/* ---- the tree ---- */

static struct inode *make_inode(struct super_block *super, umode_t mode)
{
	struct inode *inode = new_inode(super);

	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	compat_inode_init_times(inode);
	if (S_ISDIR(mode)) {
		/* These operations allow only look-up and listing. */
		inode->i_op = &simple_dir_inode_operations;
		inode->i_fop = &simple_dir_operations;
		inc_nlink(inode);
	}
	return inode;
}

/*
 * Adds to parent an entry that exists as long as the file system. Takes over
 * `inode`, which is NULL if the caller could not allocate it. Returns NULL if
 * `inode` is NULL or the entry cannot be allocated.
 */
static struct dentry *add_entry(struct dentry *parent, const char *name, struct inode *inode)
{
	struct dentry *entry;

	if (!inode)
		return NULL;
	entry = d_alloc_name(parent, name);
	if (!entry) {
		iput(inode);
		return NULL;
	}
	compat_dentry_add(entry, inode);
	return entry;
}

static int add_file(struct dentry *parent, const struct control_file *file)
{
	struct inode *inode = make_inode(parent->d_sb, S_IFREG | file->mode);

	if (inode) {
		inode->i_fop = file->operations;
		inode->i_private = file->data;
	}
	return add_entry(parent, file->name, inode) ? 0 : -ENOMEM;
}

static struct dentry *add_folder(struct dentry *parent, const char *prefix, int number)
{
	struct dentry *folder;
	char name[24];

	if (number < 0)
		scnprintf(name, sizeof(name), "%s", prefix);
	else
		scnprintf(name, sizeof(name), "%s%d", prefix, number);
	folder = add_entry(parent, name, make_inode(parent->d_sb, S_IFDIR | 0700));
	if (folder)
		inc_nlink(d_inode(parent));
	return folder;
}

static int add_top(struct dentry *top)
{
	struct control_file file;
	unsigned int i;
	int status = 0;

	for (i = 0; !status && control_file_top(i, &file); i++)
		status = add_file(top, &file);
	return status;
}

static int add_counter(struct dentry *top, unsigned int counter)
{
	struct dentry *folder = add_folder(top, "", counter);
	struct control_file file;
	unsigned int i;
	int status = folder ? 0 : -ENOMEM;

	for (i = 0; !status && control_file_counter(counter, i, &file); i++)
		status = add_file(folder, &file);
	return status;
}

static int add_stats_of(struct dentry *folder, int cpu)
{
	struct control_file file;
	unsigned int i;
	int status = folder ? 0 : -ENOMEM;

	for (i = 0; !status && control_file_stats(cpu, i, &file); i++)
		status = add_file(folder, &file);
	return status;
}

static int add_stats(struct dentry *top)
{
	struct dentry *folder = add_folder(top, "stats", -1);
	int status = add_stats_of(folder, -1);
	int cpu;

	for_each_possible_cpu(cpu)
	{
		if (status)
			break;
		status = add_stats_of(add_folder(folder, "cpu", cpu), cpu);
	}
	return status;
}

static int add_all(struct dentry *top)
{
	unsigned int counter;
	int status = add_top(top);

	for (counter = 0; !status && counter < OPROF_KMOD_COUNTERS_MAX; counter++)
		status = add_counter(top, counter);
	return status ?: add_stats(top);
}

/* ---- the file system ---- */

static const struct super_operations control_super_operations = {
	.statfs = simple_statfs,
};

/* After an error, kill_sb removes the entries made so far. */
static int control_fill(struct super_block *super, struct fs_context *context)
{
	super->s_blocksize = PAGE_SIZE;
	super->s_blocksize_bits = PAGE_SHIFT;
	super->s_magic = CONTROL_MAGIC;
	super->s_op = &control_super_operations;
	super->s_time_gran = 1;
	super->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;
	super->s_root = d_make_root(make_inode(super, S_IFDIR | 0700));
	if (!super->s_root)
		return -ENOMEM;
	return add_all(super->s_root);
}

static int control_get_tree(struct fs_context *context)
{
	return get_tree_single(context, control_fill);
}

static const struct fs_context_operations control_context_operations = {
	.get_tree = control_get_tree,
};

static int control_init_context(struct fs_context *context)
{
	/*
	 * The kernel checks the capability, because FS_USERNS_MOUNT is not set.
	 * Other user namespaces are refused here.
	 */
	if (context->user_ns != &init_user_ns)
		return -EPERM;
	context->ops = &control_context_operations;
	return 0;
}

static struct file_system_type control_type = {
	.owner = THIS_MODULE,
	.name = OPROF_KMOD_FS_TYPE,
	.init_fs_context = control_init_context,
	.kill_sb = compat_kill_super,
};

int control_init(void)
{
	int status;

	control_file_init();
	status = sysfs_create_mount_point(fs_kobj, kbasename(OPROF_KMOD_SYSFS));
	if (status)
		return status;
	status = register_filesystem(&control_type);
	if (status)
		sysfs_remove_mount_point(fs_kobj, kbasename(OPROF_KMOD_SYSFS));
	return status;
}

void control_deinit(void)
{
	unregister_filesystem(&control_type);
	sysfs_remove_mount_point(fs_kobj, kbasename(OPROF_KMOD_SYSFS));
}
