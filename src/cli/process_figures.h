/* SPDX-License-Identifier: Apache-2.0
 * What the kernel says of this process, for /metrics. */
#pragma once

#include "api.h"

/* Reads a few files of /proc. What cannot be read is 0. */
void process_figures_read(struct api_process *out);
