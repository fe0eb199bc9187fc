// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes names of sample files. */
#include "libdb/sample_name.h"

#include "libdb/sample_name_internal.h"
#include "libdb/sdb_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- identity ---- */

uint64_t sample_identity(const struct oprof_image_identity *image)
{
	uint64_t identity = 0;

	if (image->nr_build_id) {
		/*
		 * Use the first 8 bytes, so that the hex digits of the identity are the first
		 * digits of the build-id as tools print it.
		 */
		for (uint32_t i = 0; i < 8; i++)
			identity =
				identity << 8 | (i < image->nr_build_id ? image->build_id[i] : 0u);
		return identity;
	}
	identity = sdb_mix(identity + image->dev);
	identity = sdb_mix(identity + image->inode);
	identity = sdb_mix(identity + image->inode_generation);
	identity = sdb_mix(identity + (uint64_t)image->mtime_ns);
	return sdb_mix(identity + image->size_bytes);
}

/* ---- writing a text ---- */

struct name_writer {
	char *text;
	size_t room; /* including the NUL */
	size_t used;
	int error;
};

static void put_bytes(struct name_writer *writer, const char *bytes, size_t nr_bytes)
{
	if (writer->error)
		return;
	if (nr_bytes >= writer->room - writer->used) {
		writer->error = -ENAMETOOLONG;
		return;
	}
	memcpy(writer->text + writer->used, bytes, nr_bytes);
	writer->used += nr_bytes;
	writer->text[writer->used] = '\0';
}

static void put_text(struct name_writer *writer, const char *text)
{
	put_bytes(writer, text, strlen(text));
}

static __attribute__((format(printf, 2, 3))) void put_format(struct name_writer *writer,
							     const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_text(writer, text);
}

/* ---- components ---- */

bool sample_component_is_hashed(const char *component, size_t nr_bytes)
{
	const char *mark = component + nr_bytes - SAMPLE_HASH_MARK_BYTES;

	return nr_bytes >= SAMPLE_HASH_MARK_BYTES && memcmp(mark, SAMPLE_HASH_MARK, 2) == 0 &&
	       strspn(mark + 2, "0123456789abcdef") >= 16;
}

static uint64_t hash_bytes(const char *bytes, size_t nr_bytes)
{
	uint64_t hash = nr_bytes;

	for (size_t i = 0; i < nr_bytes; i++)
		hash = sdb_mix(hash ^ (unsigned char)bytes[i]);
	return hash;
}

static bool needs_escape(unsigned char byte, const char *also)
{
	return byte < 0x20 || byte == '%' || strchr(also, byte);
}

/*
 * Writes `bytes` to a component, where they may take at most nr_max bytes. Escapes '%', control
 * bytes, the bytes in `also`, and a '{' at the start of the component. A component that is too long
 * is cut and marked.
 * If `bytes` end with a mark, the name was cut earlier, so the mark is copied unchanged.
 */
static void put_escaped(struct name_writer *writer, const char *bytes, size_t nr_bytes,
			const char *also, size_t nr_max)
{
	char escaped[SAMPLE_COMPONENT_BYTES_MAX + 4];
	const bool marked = sample_component_is_hashed(bytes, nr_bytes);
	const size_t nr_plain = marked ? nr_bytes - SAMPLE_HASH_MARK_BYTES : nr_bytes;
	const bool at_start = !writer->used || writer->text[writer->used - 1] == '/';
	size_t used = 0, cut = 0;

	for (size_t i = 0; i < nr_plain && used <= nr_max; i++) {
		const unsigned char byte = (unsigned char)bytes[i];

		if (needs_escape(byte, also) || (byte == '{' && !i && at_start))
			used += (size_t)snprintf(escaped + used, 4, "%%%02X", byte);
		else
			escaped[used++] = (char)byte;
		if (used + SAMPLE_HASH_MARK_BYTES <= nr_max)
			cut = used;
	}
	if (used + (marked ? SAMPLE_HASH_MARK_BYTES : 0) <= nr_max) {
		put_bytes(writer, escaped, used);
		put_bytes(writer, bytes + nr_plain, nr_bytes - nr_plain);
		return;
	}
	put_bytes(writer, escaped, cut);
	put_text(writer, SAMPLE_HASH_MARK);
	put_format(writer, "%016" PRIx64, hash_bytes(bytes, nr_bytes));
}

/* Returns whether component is "." or "..", to which the file system gives a special meaning. */
static bool is_dots(const char *component, size_t nr_bytes)
{
	return (nr_bytes == 1 || nr_bytes == 2) && memcmp(component, "..", nr_bytes) == 0;
}

/* ---- the two paths ---- */

static void put_root_path(struct name_writer *writer, const char *path)
{
	const char *next = path;

	put_text(writer, SAMPLE_ROOT);
	if (*path != '/')
		writer->error = -EINVAL;
	while (*next == '/' && !writer->error) {
		const char *component = next + 1;
		const size_t nr_bytes = strcspn(component, "/");

		if (!nr_bytes || is_dots(component, nr_bytes)) {
			writer->error = -EINVAL;
			return;
		}
		put_text(writer, "/");
		put_escaped(writer, component, nr_bytes, "", SAMPLE_COMPONENT_BYTES_MAX);
		next = component + nr_bytes;
	}
}

static void put_kern_name(struct name_writer *writer, const char *name)
{
	const size_t nr_bytes = strlen(name);

	if (!nr_bytes)
		writer->error = -EINVAL;
	put_text(writer, SAMPLE_KERN "/");
	put_escaped(writer, name, nr_bytes, is_dots(name, nr_bytes) ? "./" : "/",
		    SAMPLE_COMPONENT_BYTES_MAX);
}

static void put_number(struct name_writer *writer, int64_t number)
{
	if (number == SAMPLE_NAME_ALL)
		put_text(writer, "all");
	else if (number < 0)
		writer->error = -EINVAL;
	else
		put_format(writer, "%" PRId64, number);
}

static void put_anon_name(struct name_writer *writer, const struct sample_path *path)
{
	if (path->start >= path->end)
		writer->error = -EINVAL;
	put_text(writer, SAMPLE_ANON);
	put_escaped(writer, path->path, strlen(path->path), "/",
		    SAMPLE_COMPONENT_BYTES_MAX - sizeof(SAMPLE_ANON "}") + 1);
	put_text(writer, "}/");
	put_number(writer, path->tgid);
	put_format(writer, ".0x%" PRIx64 ".0x%" PRIx64, path->start, path->end);
}

static void put_path(struct name_writer *writer, const struct sample_path *path)
{
	if (!memchr(path->path, '\0', sizeof(path->path)))
		writer->error = -ENAMETOOLONG;
	else if (path->kind == SAMPLE_PATH_ROOT)
		put_root_path(writer, path->path);
	else if (path->kind == SAMPLE_PATH_KERN)
		put_kern_name(writer, path->path);
	else if (path->kind == SAMPLE_PATH_ANON)
		put_anon_name(writer, path);
	else
		writer->error = -EINVAL;
}

static void put_fields(struct name_writer *writer, const struct sample_name *name)
{
	const size_t begin = writer->used;
	const size_t nr_event = strnlen(name->event, sizeof(name->event));

	if (!nr_event || nr_event == sizeof(name->event)) {
		writer->error = -EINVAL;
		return;
	}
	put_escaped(writer, name->event, nr_event, "./", SAMPLE_COMPONENT_BYTES_MAX);
	put_format(writer, ".%" PRIu64 "%s.%" PRIu32 ".", name->period_or_hz,
		   name->frequency ? "Hz" : "", name->unit_mask);
	put_number(writer, name->tgid);
	put_text(writer, ".");
	put_number(writer, name->tid);
	put_text(writer, ".");
	put_number(writer, name->cpu);
	put_text(writer, ".");
	put_number(writer, name->cgroup);
	put_format(writer, ".%016" PRIx64, name->identity);
	if (!writer->error && writer->used - begin > SAMPLE_COMPONENT_BYTES_MAX)
		writer->error = -ENAMETOOLONG;
}

int sample_name_format(const struct sample_name *name, char *text, size_t nr_bytes)
{
	struct name_writer writer = {.text = text, .room = nr_bytes};

	if (!nr_bytes)
		return -ENAMETOOLONG;
	put_path(&writer, &name->app);
	put_text(&writer, "/" SAMPLE_DEP "/");
	put_path(&writer, &name->image);
	put_text(&writer, "/");
	put_fields(&writer, name);
	return writer.error;
}
