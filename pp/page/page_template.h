/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of opreport --html: pp/page/ in one, made by the build (pp/page/join.awk). */
#ifndef PP_PAGE_TEMPLATE_H
#define PP_PAGE_TEMPLATE_H

#define PAGE_TEMPLATE_META "@META@" /* stands there once */
#define PAGE_TEMPLATE_DATA "@DATA@" /* behind it, once */

extern const char page_template[]; /* NUL-terminated */

#endif
