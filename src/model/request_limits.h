/* SPDX-License-Identifier: Apache-2.0
 * The maxima of request_limits.def as constants of type int. Each is inclusive: exactly so many are
 * allowed. Layers that do not see model/ keep copies, which tests/layers/limits_test.py
 * compares. */
#pragma once

enum limit {
#define LIMIT(name, value, unit, what) name = (value),
#include "request_limits.def"
#undef LIMIT
};
