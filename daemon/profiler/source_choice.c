// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/profiler/source_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int source_wish_parse(const char *text, enum source_wish *wish)
{
	if (!strcmp(text, "auto"))
		*wish = SOURCE_WISH_AUTO;
	else if (!strcmp(text, "kmod"))
		*wish = SOURCE_WISH_KMOD;
	else if (!strcmp(text, "perf"))
		*wish = SOURCE_WISH_PERF;
	else
		return -EINVAL;
	return 0;
}

/* Stores the reason as one line, for meta/info and the control socket. */
static void set_reason(struct source_choice *choice, const char *reason)
{
	(void)snprintf(choice->reason, sizeof(choice->reason), "%s", reason);
	for (char *c = choice->reason; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

void source_choice_init(struct source_choice *choice, enum source_wish wish)
{
	*choice = (struct source_choice){.ops = &source_kmod};
	if (wish == SOURCE_WISH_PERF)
		choice->ops = &source_perf;
	if (wish == SOURCE_WISH_AUTO)
		choice->fallback = &source_perf;
	set_reason(choice, wish == SOURCE_WISH_AUTO ? "the kernel module is loaded" : "requested");
}

int source_choice_open(struct source_choice *choice, struct source **source,
		       const struct source_config *config, struct record_sink *sink,
		       struct diag *diag)
{
	struct diag refusal;
	int error;

	if (!choice->fallback)
		return choice->ops->open(source, config, sink, diag);
	diag_clear(&refusal);
	error = choice->ops->open(source, config, sink, &refusal);
	if (!error)
		return 0;
	set_reason(choice, refusal.text[0] ? refusal.text : strerror(-error));
	choice->ops = choice->fallback;
	choice->fallback = NULL;
	return choice->ops->open(source, config, sink, diag);
}
