/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of opreport --html: the files of pp/page/ in one text (built by pp/page/join.awk). */
#ifndef PP_PAGE_TEMPLATE_H
#define PP_PAGE_TEMPLATE_H

#define PAGE_TEMPLATE_META "@META@" /* occurs once in the text */
#define PAGE_TEMPLATE_DATA "@DATA@" /* occurs once in the text, after PAGE_TEMPLATE_META */

extern const char page_template[]; /* NUL-terminated */

#endif
