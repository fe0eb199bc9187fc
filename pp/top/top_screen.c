// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/top/top_screen.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define LINES_ABOVE   4 /* number of lines above the rows: title, sums, views, column heads */
#define LINES_MIN     (LINES_ABOVE + 2)
#define KEY_ESCAPE    27
#define WINDOW_MAX_NS UINT64_C(300000000000)

static const char *const help_lines[] = {
	"oprof top: where the CPUs spent the last seconds, by the daemon's samples",
	"",
	"  s  symbols     Tab Right  next view        / text Enter  rows with text in them",
	"  i  images      Left       previous view    Esc           all rows again",
	"  a  programs    e          next event       + -           longer, shorter window",
	"  p  processes   Space      pause, continue  Up Down PgUp PgDn Home End",
	"  t  threads     r          request samples from the daemon now",
	"  c  cgroups     h ?        this help",
	"  u  CPUs        q          quit",
	"",
	"SHARE   of the event's samples in the window, without samples of idle CPUs.",
	"+-      twice the standard error of the share. A share is dim if it is smaller",
	"        than this error, or has fewer than 4 samples.",
	"        A window four times as long (+ +) halves the error.",
	"SAMPLES number of samples that make up the share.",
	"TIME    for the event off-cpu: total time that tasks were not on a CPU;",
	"TIMES   how often tasks left a CPU. TIME and TIMES are exact, not sampled.",
	"",
	"Any key closes the help.",
};

/* ---- drawing ---- */

static int screen_width(void)
{
	return COLS < TOP_WIDTH_MAX ? COLS : TOP_WIDTH_MAX;
}

static void put_line(int y, const char *line, attr_t attributes)
{
	(void)attrset((int)attributes);
	(void)mvaddstr(y, 0, line);
	(void)clrtoeol();
	(void)attrset((int)A_NORMAL);
}

/* Draws the views, with the current one highlighted, then the rest of the state. */
static void draw_state(const struct top_screen *screen, const struct top_show *show)
{
	char line[TOP_LINE_BYTES];
	const char *rest;
	int x = 0;

	(void)move(2, 0);
	(void)clrtoeol();
	for (unsigned int i = 0; i < TOP_NR_VIEWS; i++) {
		const char *name = top_view_name((enum top_view)i);

		if (x + (int)strlen(name) + 2 > COLS)
			break;
		if (screen->top->view == i)
			(void)attrset((int)(A_BOLD | A_REVERSE));
		(void)mvprintw(2, x, " %s ", name);
		(void)attrset((int)A_NORMAL);
		x += (int)strlen(name) + 2;
	}
	top_text_state(line, TOP_WIDTH_MAX, show);
	rest = line + strlen(top_view_name(screen->top->view));
	if (*rest && x < COLS)
		(void)mvaddnstr(2, x, rest, COLS - x);
}

static size_t rows_shown(void)
{
	return LINES > LINES_MIN ? (size_t)(LINES - LINES_ABOVE - 1) : 1;
}

static void draw_rows(struct top_screen *screen, const struct top_show *show)
{
	const struct top_rows *rows = show->rows;
	size_t room = rows_shown();
	char line[TOP_LINE_BYTES];

	if (screen->first_row >= rows->nr_rows)
		screen->first_row = rows->nr_rows ? rows->nr_rows - 1 : 0;
	for (size_t i = 0; i < room; i++) {
		const struct top_row *row = &rows->rows[screen->first_row + i];

		if (screen->first_row + i >= rows->nr_rows)
			break;
		top_text_row(line, screen_width(), screen->top->view, row);
		put_line(LINES_ABOVE + (int)i, line, top_row_is_noise(row) ? A_DIM : A_NORMAL);
	}
	if (top_text_nothing(show) && screen->top->samples.slice)
		put_line(LINES_ABOVE, top_text_nothing(show), A_NORMAL);
}

/*
 * Draws the last line: the filter while it is edited, otherwise an error message if there is one,
 * otherwise the list of keys.
 */
static void draw_bottom(const struct top_screen *screen)
{
	const struct top *top = screen->top;
	char text[TOP_LINE_BYTES];
	char line[TOP_LINE_BYTES];

	if (screen->editing)
		(void)snprintf(text, sizeof(text), "/%s_", top->filter);
	else if (*top->trouble.text)
		(void)snprintf(text, sizeof(text), "%s", top->trouble.text);
	else
		(void)snprintf(text, sizeof(text),
			       "q quit  h help  Tab view%s  / filter  Space %s  + - window  "
			       "%zu/%zu",
			       top->samples.nr_events > 1 ? "  e event" : "",
			       top->paused ? "go on" : "pause",
			       top->rows.nr_rows ? screen->first_row + 1 : 0, top->rows.nr_rows);
	/* Leave the last cell empty, because writing to it may scroll the terminal. */
	cells_fit(line, sizeof(line), text, screen_width() - 1, CELLS_CUT_END);
	put_line(LINES - 1, line, *top->trouble.text && !screen->editing ? A_BOLD : A_NORMAL);
}

static void draw_help(void)
{
	char line[TOP_LINE_BYTES];

	for (size_t i = 0; i < sizeof(help_lines) / sizeof(help_lines[0]); i++) {
		if ((int)i >= LINES)
			break;
		cells_fit(line, sizeof(line), help_lines[i], screen_width() - 1, CELLS_CUT_END);
		put_line((int)i, line, A_NORMAL);
	}
}

void top_screen_draw(struct top_screen *screen)
{
	struct top_show show = top_show(screen->top);
	char line[TOP_LINE_BYTES];

	(void)erase();
	if (screen->helping) {
		draw_help();
	} else if (COLS < TOP_WIDTH_MIN || LINES < LINES_MIN) {
		(void)mvaddnstr(0, 0, "too small: enlarge the terminal, or press q", COLS - 1);
	} else {
		top_text_title(line, screen_width(), &show);
		put_line(0, line, A_BOLD);
		top_text_sums(line, screen_width(), &show);
		put_line(1, line, A_NORMAL);
		draw_state(screen, &show);
		top_text_heads(line, screen_width(), &show);
		put_line(3, line, A_UNDERLINE);
		draw_rows(screen, &show);
		draw_bottom(screen);
	}
	(void)refresh();
}

/* ---- the filter ---- */

static void filter_add(struct top *top, wchar_t wide)
{
	char bytes[MB_LEN_MAX];
	mbstate_t state = {0};
	size_t nr = wcrtomb(bytes, wide, &state);
	size_t used = strlen(top->filter);

	if (nr == (size_t)-1 || used + nr >= sizeof(top->filter))
		return;
	memcpy(top->filter + used, bytes, nr);
	top->filter[used + nr] = '\0';
}

/* Removes the last character. In UTF-8, all its bytes except the first are 10xxxxxx. */
static void filter_cut(struct top *top)
{
	size_t used = strlen(top->filter);

	while (used && ((unsigned char)top->filter[--used] & 0xc0) == 0x80)
		;
	top->filter[used] = '\0';
}

static enum top_wish edit_key(struct top_screen *screen, bool function, wint_t key)
{
	struct top *top = screen->top;

	if ((function && key == KEY_ENTER) || (!function && (key == '\n' || key == '\r'))) {
		screen->editing = false;
	} else if (!function && key == KEY_ESCAPE) {
		screen->editing = false;
		memcpy(top->filter, screen->filter_before, sizeof(top->filter));
	} else if ((function && key == KEY_BACKSPACE) ||
		   (!function && (key == 127 || key == '\b'))) {
		filter_cut(top);
	} else if (!function && key == ('u' & 0x1f)) { /* Ctrl-U clears the line, as in terminals */
		top->filter[0] = '\0';
	} else if (!function && key >= ' ') {
		filter_add(top, (wchar_t)key);
	} else {
		return function && key == KEY_RESIZE ? TOP_WISH_DRAW : TOP_WISH_NOTHING;
	}
	screen->first_row = 0;
	return TOP_WISH_ROWS;
}

/* ---- keys ---- */

static enum top_wish choose_view(struct top_screen *screen, unsigned int view)
{
	screen->top->view = (enum top_view)(view % TOP_NR_VIEWS);
	screen->first_row = 0;
	return TOP_WISH_ROWS;
}

static enum top_wish scroll_to(struct top_screen *screen, size_t row)
{
	screen->first_row = row;
	return TOP_WISH_DRAW;
}

static size_t rows_back(const struct top_screen *screen, size_t nr)
{
	return screen->first_row > nr ? screen->first_row - nr : 0;
}

static enum top_wish function_key(struct top_screen *screen, wint_t key)
{
	unsigned int view = screen->top->view;
	size_t nr_rows = screen->top->rows.nr_rows;
	size_t page = rows_shown();

	switch (key) {
	case KEY_UP:
		return scroll_to(screen, rows_back(screen, 1));
	case KEY_DOWN:
		return scroll_to(screen, screen->first_row + 1);
	case KEY_PPAGE:
		return scroll_to(screen, rows_back(screen, page));
	case KEY_NPAGE:
		return scroll_to(screen, screen->first_row + page < nr_rows
						 ? screen->first_row + page
						 : screen->first_row);
	case KEY_HOME:
		return scroll_to(screen, 0);
	case KEY_END:
		return scroll_to(screen, nr_rows > page ? nr_rows - page : 0);
	case KEY_RIGHT:
		return choose_view(screen, view + 1);
	case KEY_LEFT:
	case KEY_BTAB:
		return choose_view(screen, view + TOP_NR_VIEWS - 1);
	case KEY_F(1):
		screen->helping = true;
		return TOP_WISH_DRAW;
	case KEY_RESIZE:
		return TOP_WISH_DRAW;
	default:
		return TOP_WISH_NOTHING;
	}
}

static enum top_wish change_window(struct top_screen *screen, bool longer)
{
	uint64_t *window_ns = &screen->top->window_ns;

	if (longer && *window_ns <= WINDOW_MAX_NS / 2)
		*window_ns *= 2;
	else if (!longer && *window_ns >= 2 * screen->min_window_ns)
		*window_ns /= 2;
	return TOP_WISH_REFRESH;
}

static enum top_wish begin_filter(struct top_screen *screen)
{
	memcpy(screen->filter_before, screen->top->filter, sizeof(screen->filter_before));
	screen->editing = true;
	return TOP_WISH_DRAW;
}

static enum top_wish command_key(struct top_screen *screen, wint_t key)
{
	struct top *top = screen->top;

	switch (key) {
	case 'q':
	case 'Q':
		return TOP_WISH_QUIT;
	case 'h':
	case '?':
		screen->helping = true;
		return TOP_WISH_DRAW;
	case ' ':
		top->paused = !top->paused;
		return top->paused ? TOP_WISH_DRAW : TOP_WISH_REFRESH;
	case 'e':
		top_next_event(top);
		return TOP_WISH_ROWS;
	case '/':
		return begin_filter(screen);
	case KEY_ESCAPE:
		top->filter[0] = '\0';
		return TOP_WISH_ROWS;
	case '+':
	case '-':
		return change_window(screen, key == '+');
	case 'r':
	case '\r':
	case '\n':
		return TOP_WISH_REFRESH;
	case '\t':
		return choose_view(screen, top->view + 1u);
	case 'L' & 0x1f: /* Ctrl-L redraws everything, as in other programs */
		(void)clearok(curscr, TRUE);
		return TOP_WISH_DRAW;
	default:
		return TOP_WISH_NOTHING;
	}
}

static enum top_wish view_key(struct top_screen *screen, wint_t key)
{
	static const char letters[] = "siaptcu"; /* keys of the views, in order of enum top_view */
	const char *letter = key && key < 128 ? strchr(letters, (int)key) : NULL;

	if (letter)
		return choose_view(screen, (unsigned int)(letter - letters));
	if (key >= '1' && key < '1' + TOP_NR_VIEWS)
		return choose_view(screen, key - '1');
	return command_key(screen, key);
}

static enum top_wish take_key(struct top_screen *screen, bool function, wint_t key)
{
	if (screen->helping && !(function && key == KEY_RESIZE)) {
		screen->helping = false;
		return !function && (key == 'q' || key == 'Q') ? TOP_WISH_QUIT : TOP_WISH_DRAW;
	}
	if (screen->editing)
		return edit_key(screen, function, key);
	return function ? function_key(screen, key) : view_key(screen, key);
}

enum top_wish top_screen_keys(struct top_screen *screen)
{
	enum top_wish strongest = TOP_WISH_NOTHING;
	wint_t key;
	int kind;

	while (strongest != TOP_WISH_QUIT && (kind = get_wch(&key)) != ERR) {
		enum top_wish wish = take_key(screen, kind == KEY_CODE_YES, key);

		if (wish > strongest)
			strongest = wish;
	}
	return strongest;
}

/* ---- the terminal ---- */

void top_screen_close(void)
{
	if (!isendwin())
		(void)endwin();
}

int top_screen_open(struct top_screen *screen, struct top *top, struct diag *diag)
{
	const char *kind = getenv("TERM");

	*screen = (struct top_screen){.top = top, .min_window_ns = UINT64_C(1000000000)};
	if (!newterm(NULL, stdout, stdin))
		return diag_set(diag, -ENODEV,
				"the terminal type \"%s\" (TERM) is unknown; use --batch, "
				"which works on any terminal",
				kind ? kind : "");
	if (atexit(top_screen_close)) {
		top_screen_close();
		return diag_set(diag, -ENOMEM, "out of memory");
	}
	(void)cbreak();
	(void)noecho();
	(void)nonl();
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)set_escdelay(25);
	(void)curs_set(0);
	return 0;
}
