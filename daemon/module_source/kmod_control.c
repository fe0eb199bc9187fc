// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_control.h"

#include "lib/number.h"
#include "oprof/kmod.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void kmod_control_init(struct kmod_control *control)
{
	*control = (struct kmod_control){.folder_fd = -1,
					 .buffer_fd = -1,
					 .enable_fd = -1,
					 .dump_fd = -1,
					 .thinning_fd = -1};
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void kmod_control_close_buffer(struct kmod_control *control)
{
	close_fd(&control->enable_fd);
	close_fd(&control->dump_fd);
	close_fd(&control->thinning_fd);
	close_fd(&control->buffer_fd);
}

void kmod_control_close(struct kmod_control *control)
{
	kmod_control_close_buffer(control);
	close_fd(&control->folder_fd);
}

/* ---- the folder ---- */

static bool is_refused(int error)
{
	return error == -EACCES || error == -EPERM;
}

static int refused_diag(int error, struct diag *diag)
{
	return diag_set(
		diag, error,
		"only root may use the kernel module: run as root (sudo opcontrol --start)");
}

static int missing_diag(const char *path, const char *sysfs_path, struct diag *diag)
{
	struct stat st;

	if (!stat(sysfs_path, &st))
		return diag_set(diag, -ENOENT,
				"the kernel module is loaded, but its control filesystem is not "
				"mounted at %s: run opcontrol --init",
				path);
	return diag_set(diag, -ENOENT, "the kernel module is not loaded: run opcontrol --init");
}

int kmod_control_word(const struct kmod_control *control, const char *name, char *word)
{
	int fd = openat(control->folder_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error = 0;
	ssize_t nr;

	if (fd < 0)
		return -errno;
	nr = read(fd, word, KMOD_CONTROL_WORD_BYTES - 1);
	if (nr < 0)
		error = -errno;
	(void)close(fd);
	word[nr < 0 ? 0 : nr] = '\0';
	word[strcspn(word, " \n")] = '\0';
	return error;
}

static int check_version(const struct kmod_control *control, const char *path,
			 const char *sysfs_path, struct diag *diag)
{
	char word[KMOD_CONTROL_WORD_BYTES];
	int error = kmod_control_word(control, "version", word);
	uint64_t version;

	if (error == -ENOENT) /* the folder is empty: nothing is mounted */
		return missing_diag(path, sysfs_path, diag);
	if (is_refused(error))
		return refused_diag(error, diag);
	if (error)
		return diag_set(diag, error, "cannot read %s/version: %s", path, strerror(-error));
	if (number_parse(word, UINT32_MAX, &version))
		return diag_set(diag, -EPROTONOSUPPORT,
				"%s is not the control filesystem of the kernel module", path);
	if (version == OPROF_KMOD_VERSION)
		return 0;
	return diag_set(diag, -EPROTONOSUPPORT,
			"the kernel module is %s than this daemon (version %" PRIu64
			" instead of %d): install the same release of both, then run "
			"opcontrol --deinit and opcontrol --init",
			version < OPROF_KMOD_VERSION ? "older" : "newer", version,
			OPROF_KMOD_VERSION);
}

int kmod_control_open(struct kmod_control *control, const char *path, const char *sysfs_path,
		      struct diag *diag)
{
	if (!path)
		path = OPROF_KMOD_MOUNT;
	if (!sysfs_path)
		sysfs_path = OPROF_KMOD_SYSFS;
	control->folder_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (control->folder_fd >= 0)
		return check_version(control, path, sysfs_path, diag);
	if (errno == ENOENT)
		return missing_diag(path, sysfs_path, diag);
	if (is_refused(-errno))
		return refused_diag(-errno, diag);
	return diag_set(diag, -errno, "cannot open %s: %s", path, strerror(errno));
}

/* ---- settings ---- */

static int write_number(int fd, uint64_t value)
{
	char text[32];
	int nr = snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	ssize_t written = write(fd, text, (size_t)nr);

	if (written < 0)
		return -errno;
	return written == nr ? 0 : -EIO;
}

static int set(const struct kmod_control *control, const char *name, uint64_t value)
{
	int fd = openat(control->folder_fd, name, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	int error;

	if (fd < 0)
		return -errno;
	error = write_number(fd, value);
	(void)close(fd);
	return error;
}

static int busy_diag(struct diag *diag)
{
	return diag_set(diag, -EBUSY,
			"another daemon uses the kernel module: stop it first (opcontrol "
			"--shutdown)");
}

static int set_diag(const char *name, uint64_t value, int error, struct diag *diag)
{
	if (!error)
		return 0;
	if (error == -EBUSY)
		return busy_diag(diag);
	if (is_refused(error))
		return refused_diag(error, diag);
	if (error == -EINVAL)
		return diag_set(diag, error,
				"the kernel module refuses the value %" PRIu64 " for %s", value,
				name);
	return diag_set(diag, error, "cannot set %s of the kernel module: %s", name,
			strerror(-error));
}

int kmod_control_set(const struct kmod_control *control, const char *name, uint64_t value,
		     struct diag *diag)
{
	return set_diag(name, value, set(control, name, value), diag);
}

int kmod_control_set_if_there(const struct kmod_control *control, const char *name, uint64_t value,
			      struct diag *diag)
{
	int error = set(control, name, value);

	return error == -ENOENT ? 0 : set_diag(name, value, error, diag);
}

/* ---- the buffer, and commands ---- */

int kmod_control_open_buffer(struct kmod_control *control, struct diag *diag)
{
	control->buffer_fd =
		openat(control->folder_fd, "buffer", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (control->buffer_fd < 0 && errno == EBUSY)
		return busy_diag(diag);
	if (control->buffer_fd < 0 && is_refused(-errno))
		return refused_diag(-errno, diag);
	if (control->buffer_fd < 0 && errno == ENOMEM)
		return diag_set(diag, -ENOMEM,
				"the kernel is out of memory for buffers of that size: give "
				"smaller sizes (--buffer-size, --cpu-buffer-size)");
	if (control->buffer_fd < 0)
		return diag_set(diag, -errno, "cannot open the kernel module's buffer: %s",
				strerror(errno));
	control->enable_fd = openat(control->folder_fd, "enable", O_WRONLY | O_CLOEXEC);
	if (control->enable_fd >= 0)
		control->dump_fd = openat(control->folder_fd, "dump", O_WRONLY | O_CLOEXEC);
	if (control->dump_fd >= 0)
		control->thinning_fd = openat(control->folder_fd, "thinning", O_WRONLY | O_CLOEXEC);
	if (control->thinning_fd < 0)
		return diag_set(diag, -errno, "cannot open the kernel module's commands: %s",
				strerror(errno));
	return 0;
}

/*
 * Writes a command. Seeks first because tests use a regular file, in which each command replaces
 * the previous one.
 */
static int command(int fd, uint64_t value)
{
	(void)lseek(fd, 0, SEEK_SET);
	return write_number(fd, value);
}

int kmod_control_enable(const struct kmod_control *control, int on)
{
	return command(control->enable_fd, on ? 1 : 0);
}

int kmod_control_dump(const struct kmod_control *control)
{
	return command(control->dump_fd, 1);
}

int kmod_control_thin(const struct kmod_control *control, unsigned int thinning)
{
	return command(control->thinning_fd, thinning);
}
