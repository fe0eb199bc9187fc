// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/session/separation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct separation_word {
	const char *word;
	unsigned int bits;
};

static const struct separation_word separation_words[] = {
	{"lib", SEPARATION_LIB},       {"kernel", SEPARATION_LIB | SEPARATION_KERNEL},
	{"thread", SEPARATION_THREAD}, {"cpu", SEPARATION_CPU},
	{"cgroup", SEPARATION_CGROUP}, {"all", SEPARATION_ALL},
};

#define NR_WORDS (sizeof(separation_words) / sizeof(separation_words[0]))

static int separation_add(const char *word, size_t length, unsigned int *separation,
			  struct diag *diag)
{
	if (length == 4 && !strncmp(word, "none", 4)) {
		*separation = 0;
		return 0;
	}
	for (size_t i = 0; i < NR_WORDS; i++) {
		if (strlen(separation_words[i].word) != length ||
		    strncmp(separation_words[i].word, word, length) != 0)
			continue;
		*separation |= separation_words[i].bits;
		return 0;
	}
	return diag_set(
		diag, -EINVAL,
		"unknown separation '%.*s': use none, lib, kernel, thread, cpu, cgroup or all",
		(int)length, word);
}

int separation_parse(const char *text, unsigned int *separation, struct diag *diag)
{
	unsigned int result = *separation;

	for (;;) {
		size_t length = strcspn(text, ",");
		int error = separation_add(text, length, &result, diag);

		if (error)
			return error;
		if (!text[length])
			break;
		text += length + 1;
	}
	*separation = result;
	return 0;
}

void separation_format(unsigned int separation, char *text)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i + 1 < NR_WORDS; i++) {
		const struct separation_word *word = &separation_words[i];

		if ((separation & word->bits) != word->bits)
			continue;
		used += (size_t)snprintf(text + used, SEPARATION_TEXT_BYTES - used, "%s%s",
					 used ? "," : "", word->word);
	}
	if (!used)
		(void)snprintf(text, SEPARATION_TEXT_BYTES, "none");
}

void separation_keys(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
		     struct sample_key *user, struct sample_key *kernel)
{
	struct sample_key key = {.kind = SAMPLE_OF_IMAGE};

	if (separation & SEPARATION_THREAD) {
		key.tgid = task->tgid;
		key.tid = task->tid;
	}
	if (separation & SEPARATION_CPU)
		key.cpu = cpu;
	if (separation & SEPARATION_CGROUP)
		key.cgroup = task->cgroup;
	*kernel = key;
	if (separation & SEPARATION_LIB && task->app_image != OPROF_IMAGE_NONE) {
		key.kind = SAMPLE_OF_APP;
		key.app = task->app_image;
	}
	*user = key;
	if (separation & SEPARATION_KERNEL) {
		*kernel = key;
		if (key.kind == SAMPLE_OF_IMAGE)
			kernel->kind = SAMPLE_OF_KERNEL;
	}
}

void separation_off_cpu_key(unsigned int separation, const struct oprof_task *task, uint32_t cpu,
			    struct sample_key *off_cpu)
{
	struct sample_key kernel;

	separation_keys(separation, task, cpu, off_cpu, &kernel);
	off_cpu->app = task->app_image;
	off_cpu->kind = off_cpu->app != OPROF_IMAGE_NONE ? SAMPLE_OF_APP : SAMPLE_OF_KERNEL;
}

void separation_idle_key(unsigned int separation, uint32_t cpu, struct sample_key *idle)
{
	*idle = (struct sample_key){.kind = SAMPLE_OF_IDLE};
	if (separation & SEPARATION_CPU)
		idle->cpu = cpu;
}
