/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's names of types, for files of kmod/ that tests of user space compile (-include). */
#ifndef TESTS_KMOD_TYPES_H
#define TESTS_KMOD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#endif
