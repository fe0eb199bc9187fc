// SPDX-License-Identifier: GPL-2.0-or-later
#include "control/module/module.h"

#include "control/module/module_fs.h"
#include "lib/file.h"
#include "lib/key_value.h"
#include "oprof/kmod.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_ID_PATH   "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_BYTES  64
#define INIT_BYTES_MAX 8192
#define PERF_DOES_TEXT "opcontrol --setup --source=perf profiles without the module"

/*
 * Refuses a module of another version of oprof. If this user may not read the module's version, the
 * daemon will check it.
 */
static void check_version(struct module_answer *answer)
{
	int version = module_fs_version(OPROF_KMOD_MOUNT);

	if (version == OPROF_KMOD_VERSION || version == -EACCES || version == -EPERM)
		return;
	if (version < 0)
		module_answer_refuse(answer, PERF_DOES_TEXT,
				     "cannot read the module's control filesystem: %s",
				     strerror(-version));
	else
		module_answer_refuse(answer,
				     "run opcontrol --deinit; if DKMS installed the loaded "
				     "module, install this version with DKMS; then run opcontrol "
				     "--init",
				     "the loaded module belongs to another version of oprof: its "
				     "interface has version %d, but this oprof requires version %d",
				     version, OPROF_KMOD_VERSION);
}

static const char *mount_remedy(int error)
{
	if (error == -ENOTDIR || error == -EEXIST)
		return "move " OPROF_KMOD_MOUNT " away, then run opcontrol --init";
	return geteuid() ? "sudo opcontrol --init" : PERF_DOES_TEXT;
}

void module_init(enum module_build build, struct module_answer *answer)
{
	const char *const words[] = {"load", build == MODULE_NO_BUILD ? "--no-build" : NULL, NULL};
	struct diag diag = {0};
	int error;

	module_tool_run(words, answer);
	if (!answer->works)
		return;
	error = module_fs_mount(OPROF_KMOD_MOUNT, &diag);
	if (error)
		module_answer_refuse(answer, mount_remedy(error), "%s", diag.text);
	else
		check_version(answer);
}

int module_deinit(struct diag *diag)
{
	static const char *const words[] = {"unload", NULL};
	struct module_answer answer;
	int error = module_fs_unmount(OPROF_KMOD_MOUNT, diag);

	if (error || !module_fs_is_loaded(""))
		return error;
	module_tool_run(words, &answer);
	if (answer.works)
		return 0;
	return diag_set(diag, -EBUSY, "%s%s%s", answer.reason, answer.remedy[0] ? ": " : "",
			answer.remedy);
}

/* Reads the boot's id. Returns false if the kernel does not report it. */
static bool boot_id(char id[BOOT_ID_BYTES])
{
	char *text;

	if (file_read_text(BOOT_ID_PATH, BOOT_ID_BYTES - 1, &text, NULL))
		return false;
	(void)snprintf(id, BOOT_ID_BYTES, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return true;
}

int module_keep(int folder_fd, const struct module_answer *answer)
{
	char id[BOOT_ID_BYTES];
	char *text = NULL;
	int error;

	if (answer->works)
		return unlinkat(folder_fd, MODULE_INIT_FILE, 0) && errno != ENOENT ? -errno : 0;
	if (!boot_id(id))
		return -ENOENT;
	if (asprintf(&text, "boot %s\nreason %s\nremedy %s\n", id, answer->reason, answer->remedy) <
	    0)
		return -ENOMEM;
	error = file_replace_at(folder_fd, MODULE_INIT_FILE, text, strlen(text), 0600);
	free(text);
	return error;
}

bool module_recall(int folder_fd, struct module_answer *answer)
{
	char id[BOOT_ID_BYTES];
	char kept_id[BOOT_ID_BYTES];
	char *text;
	bool found;

	memset(answer, 0, sizeof(*answer));
	if (folder_fd < 0 || !boot_id(id) ||
	    file_read_text_at(folder_fd, MODULE_INIT_FILE, INIT_BYTES_MAX, &text, NULL))
		return false;
	found = key_value_find(text, "boot", kept_id, sizeof(kept_id)) && !strcmp(id, kept_id) &&
		key_value_find(text, "reason", answer->reason, sizeof(answer->reason));
	if (found)
		(void)key_value_find(text, "remedy", answer->remedy, sizeof(answer->remedy));
	free(text);
	return found;
}

void module_print(FILE *stream, int folder_fd)
{
	struct module_answer kept;
	const char *state = "absent";

	if (module_fs_is_mounted("", OPROF_KMOD_MOUNT))
		state = "mounted";
	else if (module_fs_is_loaded(""))
		state = "loaded";
	(void)fprintf(stream, "module %s\n", state);
	if (!module_recall(folder_fd, &kept))
		return;
	(void)fprintf(stream, "module_reason %s\n", kept.reason);
	if (kept.remedy[0])
		(void)fprintf(stream, "module_remedy %s\n", kept.remedy);
}
