// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optrace-read: reads trace folders. optrace runs this program for the verbs that read a trace:
 * events and stats. Each verb has its own --help.
 */
#include "pp/trace/optrace_read.h"

#include "ctf/reader.h"
#include "lib/folder.h"
#include "lib/log.h"
#include "pp/base/read_folder.h"
#include "pp/options/tool_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int (*act)(int argc, const char **argv);
} verbs[] = {{"events", optrace_events}, {"stats", optrace_stats}};

int optrace_read_open(struct ctf_reader **reader, const char *folder, struct diag *diag)
{
	const int fd = read_folder_open(folder, NULL, diag);
	int error;

	if (fd < 0)
		return fd;
	error = folder_check_tree(fd, ".", FOLDER_WHOLE, folder, diag);
	if (error) {
		(void)close(fd);
		return error;
	}
	return ctf_reader_open_fd(reader, fd, folder, diag);
}

unsigned int optrace_read_tell_chunks(const struct ctf_reader *reader)
{
	const unsigned int nr = ctf_reader_nr_bad_chunks(reader);

	if (nr)
		log_warning("%u of the trace's newest chunks have no readable metadata; these "
			    "chunks are read with the metadata of another chunk",
			    nr);
	return nr;
}

int main(int argc, const char **argv)
{
	log_init("optrace", LOG_LEVEL_INFO);
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, argv[1])) {
			argv[1] = "optrace"; /* program name that --help shows */
			return tool_end(verbs[i].act(argc - 1, argv + 1));
		}
	log_error("optrace runs this program for its verbs that read a trace; "
		  "see optrace help");
	return EXIT_FAILURE;
}
