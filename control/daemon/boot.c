// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/daemon/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* This folder exists if systemd is the init process; see sd_booted(3). */
#define SYSTEMD_FOLDER "/run/systemd/system"
#define NOT_FOUND      127

enum boot_output { BOOT_SHOW, BOOT_HIDE };

/* Runs systemctl. Returns its exit status, or -errno. */
static int systemctl(const char *const *words, enum boot_output output)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (output == BOOT_HIDE && null >= 0) {
			(void)dup2(null, STDOUT_FILENO);
			(void)dup2(null, STDERR_FILENO);
		}
		/*
		 * The cast drops const, as execvp()'s prototype requires; the words are not
		 * modified.
		 */
		(void)execvp("systemctl", (char *const *)(uintptr_t)words);
		_exit(NOT_FOUND);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/*
 * Runs a verb of systemctl for the unit. Returns 0, or -errno with diag. systemctl writes its own
 * messages to stderr.
 */
static int systemctl_do(const char *verb, struct diag *diag)
{
	const char *const words[] = {"systemctl", verb, BOOT_UNIT, NULL};
	int status = systemctl(words, BOOT_SHOW);

	if (!status)
		return 0;
	if (status == NOT_FOUND)
		return diag_set(diag, -ENOENT, "cannot find systemctl: is systemd installed?");
	if (status < 0)
		return diag_set(diag, status, "cannot run systemctl: %s", strerror(-status));
	return diag_set(diag, -EIO,
			"systemctl %s %s failed; check that the unit is installed (make "
			"install), and see journalctl -u %s",
			verb, BOOT_UNIT, BOOT_UNIT);
}

int boot_check(const char *session_dir, struct diag *diag)
{
	struct stat st;

	if (strcmp(session_dir, BOOT_SESSION_DIR) != 0)
		return diag_set(diag, -EINVAL, "with --boot, --session-dir can only be %s",
				BOOT_SESSION_DIR);
	if (stat(SYSTEMD_FOLDER, &st))
		return diag_set(
			diag, -EOPNOTSUPP,
			"this machine does not run systemd; configure its service manager to run "
			"\"oprof start\" at boot (/etc/rc.local, or @reboot in root's crontab), "
			"or \"oprof start --foreground\" as a supervised service");
	if (geteuid() != 0)
		return diag_set(diag, -EPERM, "--boot requires root: sudo oprof ...");
	return 0;
}

bool boot_is_active(void)
{
	const char *const words[] = {"systemctl", "is-active", "--quiet", BOOT_UNIT, NULL};

	return systemctl(words, BOOT_HIDE) == 0;
}

int boot_enable(enum boot_begin begin, struct diag *diag)
{
	int error = systemctl_do("enable", diag);

	return error ? error : systemctl_do(begin == BOOT_START ? "start" : "restart", diag);
}

int boot_disable(struct diag *diag)
{
	int error = systemctl_do("disable", diag);

	return error ? error : systemctl_do("stop", diag);
}
