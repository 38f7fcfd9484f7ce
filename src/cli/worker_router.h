/* SPDX-License-Identifier: Apache-2.0
 * The paths of a node that only delivers: /healthz, /readyz, /metrics, and the files that platforms
 * fetch from it. Everything else is 404: other nodes serve the API. */
#pragma once

#include "err.h"

struct api;
struct http_router;

/* Answers come from api, which must outlive the router; the caller frees *router_out. */
enum err_kind worker_router_new(struct api *api, struct http_router **router_out,
				struct error *err);
