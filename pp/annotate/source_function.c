// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/annotate/source_function.h"

#include <stdbool.h>
#include <string.h>

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '~' || (unsigned char)c >= 0x80;
}

/*
 * Returns how many bytes of the name precede its parameters or a compiler's suffix. For
 * "work.part.0", the result is 4.
 */
static size_t nr_before_parameters(const char *shown)
{
	static const char anonymous[] = "(anonymous namespace)";
	size_t depth = 0;
	size_t i = 0;

	while (shown[i]) {
		if (!strncmp(shown + i, anonymous, strlen(anonymous))) {
			i += strlen(anonymous);
			continue;
		}
		if (!depth && (shown[i] == '(' || shown[i] == '.'))
			break;
		if (shown[i] == '<')
			depth++;
		else if (shown[i] == '>' && depth)
			depth--;
		i++;
	}
	return i;
}

/*
 * If the first nr bytes of `shown` end with template arguments, returns how many bytes precede
 * these arguments; otherwise returns nr.
 */
static size_t nr_without_template(const char *shown, size_t nr)
{
	size_t depth = 0;

	if (!nr || shown[nr - 1] != '>')
		return nr;
	while (nr) {
		nr--;
		if (shown[nr] == '>')
			depth++;
		else if (shown[nr] == '<' && !--depth)
			break;
	}
	return nr;
}

const char *source_function_name(const char *shown, size_t *nr_bytes)
{
	size_t end, begin;

	*nr_bytes = 0;
	if (strstr(shown, "operator"))
		return shown;
	end = nr_without_template(shown, nr_before_parameters(shown));
	begin = end;
	while (begin && is_of_name(shown[begin - 1]))
		begin--;
	*nr_bytes = end - begin;
	return shown + begin;
}

/* Returns whether `line` contains `name` as a whole word, followed by a parenthesis. */
static bool has_name(const char *line, size_t nr_line, const char *name, size_t nr_name)
{
	const char *end = line + nr_line;
	const char *at = line;

	while ((at = memmem(at, (size_t)(end - at), name, nr_name))) {
		const char *behind = at + nr_name;

		while (behind < end && *behind == ' ')
			behind++;
		if (behind < end && *behind == '(' && (at == line || !is_of_name(at[-1])))
			return true;
		at++;
	}
	return false;
}

size_t source_function_line(const struct source_file *file, size_t line, const char *shown)
{
	size_t nr_name;
	const char *name = source_function_name(shown, &nr_name);

	if (!nr_name || !line || line > file->nr_lines)
		return line;
	for (size_t i = line; i && line - i <= SOURCE_FUNCTION_LINES; i--) {
		size_t nr_bytes;
		const char *text = source_file_line(file, i, &nr_bytes);

		if (has_name(text, nr_bytes, name, nr_name))
			return i;
	}
	return line;
}
