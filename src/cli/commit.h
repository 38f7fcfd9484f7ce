/* SPDX-License-Identifier: Apache-2.0
 * Of which commit the program was built. */
#pragma once

/* "0123456789ab"; "unknown" where the tree did not say. */
extern const char posthorn_commit[];
