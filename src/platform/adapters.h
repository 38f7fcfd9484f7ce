/* SPDX-License-Identifier: Apache-2.0
 * The six platforms, each defined in the file of its name. Only registry.c needs all of them. */
#pragma once

struct platform;

extern const struct platform platform_facebook;
extern const struct platform platform_instagram;
extern const struct platform platform_x;
extern const struct platform platform_linkedin;
extern const struct platform platform_youtube;
extern const struct platform platform_tiktok;
