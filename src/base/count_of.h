/* SPDX-License-Identifier: Apache-2.0
 * The number of elements of an array. */
#pragma once

/* array must be an array; gcc and clang warn of a pointer (-Wsizeof-pointer-div). */
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
