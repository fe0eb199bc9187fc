/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of opreport --html: the files of pp/page/ in one text (built by pp/page/join.awk). */
#ifndef PP_PAGE_TEMPLATE_H
#define PP_PAGE_TEMPLATE_H

/* Each mark occurs once in the text, in this order. META is replaced by JSON, DATA by base64. */
#define PAGE_TEMPLATE_META "@META@"
#define PAGE_TEMPLATE_DATA "@DATA@"

extern const char page_template[]; /* NUL-terminated */

#endif
