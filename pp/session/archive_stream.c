// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/archive_stream.h"

#include "lib/file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES (256u << 10)

/* An item and its bytes. One call writes both. */
struct message {
	struct archive_item item;
	char bytes[ARCHIVE_DATA_BYTES_MAX];
};

static int send_message(int to, struct message *message, enum archive_item_type type,
			size_t nr_bytes)
{
	message->item.type = type;
	message->item.nr_bytes = (uint32_t)nr_bytes;
	return file_write_all(to, message, sizeof(message->item) + nr_bytes);
}

static int send_text(int to, struct message *message, enum archive_item_type type, const char *text,
		     size_t nr_bytes_max)
{
	size_t nr_bytes = strnlen(text, nr_bytes_max);

	memcpy(message->bytes, text, nr_bytes);
	return send_message(to, message, type, nr_bytes);
}

static int send_damaged(int to, struct message *message, struct archive *from)
{
	const char *text = archive_error_string(from);

	return send_text(to, message, ARCHIVE_ITEM_DAMAGED, text ? text : "unknown error",
			 ARCHIVE_TEXT_BYTES_MAX);
}

static enum archive_item_type type_of(struct archive_entry *entry)
{
	if (archive_entry_hardlink(entry))
		return ARCHIVE_ITEM_OTHER;
	if (archive_entry_filetype(entry) == AE_IFREG)
		return ARCHIVE_ITEM_FILE;
	return archive_entry_filetype(entry) == AE_IFDIR ? ARCHIVE_ITEM_FOLDER : ARCHIVE_ITEM_OTHER;
}

static int send_entry(int to, struct message *message, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);

	message->item.mtime = archive_entry_mtime(entry);
	message->item.mtime_ns = (uint64_t)archive_entry_mtime_nsec(entry);
	return send_text(to, message, type_of(entry), name ? name : "", ARCHIVE_NAME_BYTES_MAX);
}

/* Sends the content of an entry. Holes become zeros. Returns 1 if the archive is damaged. */
static int send_data(int to, struct message *message, struct archive *from)
{
	la_ssize_t nr;

	while ((nr = archive_read_data(from, message->bytes, sizeof(message->bytes))) > 0) {
		int error = send_message(to, message, ARCHIVE_ITEM_DATA, (size_t)nr);

		if (error)
			return error;
	}
	return nr < 0;
}

static int send_entries(int to, struct message *message, struct archive *from)
{
	struct archive_entry *entry;
	int status, error = 0;

	while (!error && (status = archive_read_next_header(from, &entry)) != ARCHIVE_EOF) {
		if (status != ARCHIVE_OK)
			return send_damaged(to, message, from);
		error = send_entry(to, message, entry);
		if (!error)
			error = send_data(to, message, from);
	}
	if (error > 0)
		return send_damaged(to, message, from);
	return error ? error : send_message(to, message, ARCHIVE_ITEM_END, 0);
}

int archive_stream_write(int from, int to)
{
	struct message *message = calloc(1, sizeof(*message));
	struct archive *archive = archive_read_new();
	int error = -ENOMEM;

	if (message && archive) {
		(void)archive_read_support_filter_zstd(archive);
		(void)archive_read_support_format_tar(archive);
		error = archive_read_open_fd(archive, from, READ_BYTES) == ARCHIVE_OK
				? send_entries(to, message, archive)
				: send_damaged(to, message, archive);
	}
	if (archive)
		(void)archive_read_free(archive);
	free(message);
	return error;
}
