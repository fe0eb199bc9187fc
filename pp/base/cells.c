// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/base/cells.h"

#include "lib/utf8.h"

#include <langinfo.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#define NR_STEPS  8 /* number of steps of a bar in one cell */
#define MARKS_MAX 4 /* maximum number of accents shown on one character */

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static const char *ellipsis(void)
{
	return is_utf8() ? "\u2026" : "...";
}

/* Returns true for characters that are not visible in a name. */
static bool is_invisible(wchar_t wide)
{
	return wide == 0xad || wide == 0x180e || (wide >= 0x200b && wide <= 0x200d) ||
	       (wide >= 0x2060 && wide <= 0x206f) || wide == 0xfeff ||
	       (wide >= 0xfff9 && wide <= 0xfffb) || (wide >= 0xe0000 && wide <= 0xe007f);
}

/*
 * Returns the length in bytes of the character at `text`. *nr_cells is its width, or -1 if the
 * character must be shown as '?'.
 */
static size_t read_character(const char *text, int *nr_cells)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t nr = mbrtowc(&wide, text, strnlen(text, MB_LEN_MAX), &state);

	if (nr == 0 || nr >= (size_t)-2) {
		*nr_cells = -1;
		return 1;
	}
	*nr_cells =
		utf8_changes_direction((uint32_t)wide) || is_invisible(wide) ? -1 : wcwidth(wide);
	return nr;
}

/* A character and the marks on it, such as accents. Marks need no cells of their own. */
struct character {
	size_t nr_bytes; /* in the text */
	size_t nr_shown; /* bytes that are shown: the character and at most MARKS_MAX marks */
	int nr_cells;
	bool masked; /* shown as '?', without marks */
};

static struct character next_character(const char *text)
{
	struct character character = {0};
	int nr_cells;

	character.nr_bytes = character.nr_shown = read_character(text, &nr_cells);
	character.masked = nr_cells < 0;
	character.nr_cells = nr_cells < 0 ? 1 : nr_cells;
	for (size_t nr_marks = nr_cells == 0; text[character.nr_bytes]; nr_marks++) {
		size_t nr = read_character(text + character.nr_bytes, &nr_cells);

		if (nr_cells != 0)
			break;
		character.nr_bytes += nr;
		if (nr_marks < MARKS_MAX)
			character.nr_shown = character.nr_bytes;
	}
	return character;
}

int cells_count(const char *text)
{
	int sum = 0;

	while (*text) {
		struct character character = next_character(text);

		text += character.nr_bytes;
		sum += character.nr_cells;
	}
	return sum;
}

/* Returns the longest part at the end of `text` that needs at most `width` cells. */
static const char *skip_front(const char *text, int width)
{
	int nr_cells = cells_count(text);

	while (nr_cells > width) {
		struct character character = next_character(text);

		text += character.nr_bytes;
		nr_cells -= character.nr_cells;
	}
	return text;
}

/*
 * Appends the beginning of `text`, at most `width` cells, to the first *used bytes of
 * line[nr_bytes], and updates *used. Returns the number of cells appended.
 */
static int copy_cells(char *line, size_t nr_bytes, size_t *used, const char *text, int width)
{
	int sum = 0;

	while (*text) {
		struct character character = next_character(text);
		size_t nr = character.masked ? 1 : character.nr_shown;

		if (sum + character.nr_cells > width || *used + nr >= nr_bytes)
			break;
		memcpy(line + *used, character.masked ? "?" : text, nr);
		*used += nr;
		text += character.nr_bytes;
		sum += character.nr_cells;
	}
	return sum;
}

void cells_fit(char *line, size_t nr_bytes, const char *text, int width, enum cells_cut cut)
{
	int room = width - cells_count(ellipsis());
	size_t used = 0;
	int nr_cells = 0;

	if (cut != CELLS_CUT_END && room > 0 && cells_count(text) > width) {
		if (cut == CELLS_CUT_MIDDLE)
			nr_cells = copy_cells(line, nr_bytes, &used, text, (room + 1) / 2);
		room -= nr_cells;
		nr_cells += copy_cells(line, nr_bytes, &used, ellipsis(), width - nr_cells);
		text = skip_front(text, room);
	}
	nr_cells += copy_cells(line, nr_bytes, &used, text, width - nr_cells);
	while (nr_cells++ < width && used + 1 < nr_bytes)
		line[used++] = ' ';
	line[used] = '\0';
}

void cells_fit_last(char *line, size_t nr_bytes, const char *text, int width, enum cells_cut cut)
{
	size_t length;

	cells_fit(line, nr_bytes, text, width, cut);
	length = strlen(line);
	while (length && line[length - 1] == ' ')
		line[--length] = '\0';
}

void cells_bar(char *line, size_t nr_bytes, double part, int width)
{
	static const char *const steps[NR_STEPS + 1] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589", "\u2588"};
	bool fine = is_utf8();
	int nr_steps = fine ? NR_STEPS : 1;
	int left = (int)lround(fmin(fmax(part, 0), 1) * width * nr_steps);
	size_t used = 0;
	int nr_cells = 0;

	if (fine && part > 0 && left == 0)
		left = 1;
	while (left > 0) {
		int step = left < nr_steps ? left : nr_steps;

		nr_cells += copy_cells(line, nr_bytes, &used, fine ? steps[step] : "#", 1);
		left -= step;
	}
	while (nr_cells++ < width && used + 1 < nr_bytes)
		line[used++] = ' ';
	line[used] = '\0';
}

/* Writes the word from `text` to `end`. Returns the number of its cells. */
static int put_word(FILE *out, const char *text, const char *end)
{
	int sum = 0;

	while (text < end) {
		struct character character = next_character(text);

		if (character.masked)
			(void)fputc('?', out);
		else
			(void)fwrite(text, 1, character.nr_shown, out);
		text += character.nr_bytes;
		sum += character.nr_cells;
	}
	return sum;
}

/* Returns the number of cells of the word from `text` to `end`. */
static int count_word(const char *text, const char *end)
{
	int sum = 0;

	while (text < end) {
		struct character character = next_character(text);

		text += character.nr_bytes;
		sum += character.nr_cells;
	}
	return sum;
}

/* Writes the line from `text` to `end`, divided at blanks. */
static void wrap_line(FILE *out, const char *text, const char *end, int width)
{
	int indent = (int)strspn(text, " ");
	int used = fprintf(out, "%*s", indent, "");
	bool first = true;

	text += indent;
	while (text < end) {
		const char *word = text;

		text = memchr(word, ' ', (size_t)(end - word));
		text = text ? text : end;
		if (!first && used + 1 + count_word(word, text) > width)
			used = fprintf(out, "\n%*s", indent + 2, "") - 1;
		else if (!first)
			used += fprintf(out, " ");
		used += put_word(out, word, text);
		first = false;
		text += text < end;
	}
	(void)fputc('\n', out);
}

void cells_wrap(FILE *out, const char *text, int width)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n");

		wrap_line(out, text, end, width);
		text = *end ? end + 1 : end;
	}
}
