/* SPDX-License-Identifier: Apache-2.0
 * The number of elements of an array. */
#pragma once

/* array must not be a pointer: gcc and clang warn (-Wsizeof-pointer-div). */
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
