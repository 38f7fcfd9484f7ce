/* SPDX-License-Identifier: Apache-2.0
 * What the listeners have in common, the hosts they answer for and the proxies they trust, and the
 * two beside the public one: for the metrics and for the dashboard (design.md 5). */
#include <stdio.h>
#include <string.h>

#include "count_of.h"
#include "random.h"

#include "http_hosts.h"
#include "http_proxies.h"
#include "httpd.h"

#include "api.h"

#include "service_private.h"
#include "test_apps.h"

#define SIDE_DRAIN_MS 10000
/* The browsers of a few people, and a monitoring. */
#define SIDE_THREADS 4

/* ---- hosts and proxies ---- */

static enum err_kind open_proxies(struct service *service, struct error *err)
{
	const struct setting *ranges = &service->settings->values[SETTING_ID_trusted_proxy];
	const char *header = settings_text(service->settings, SETTING_ID_proxy_header);
	const enum err_kind kind =
		http_proxies_new(ranges->list, ranges->list_count,
				 strcmp(header, "forwarded") == 0 ? HTTP_PROXY_FORWARDED
								  : HTTP_PROXY_X_FORWARDED_FOR,
				 &service->proxies, err);
	return kind == ERR_NONE ? kind : error_add(err, "trusted-proxy");
}

/* A listener that is not wanted has no hosts. */
static enum err_kind open_hosts(struct service *service, enum setting_id listen,
				struct http_hosts **hosts_out, struct error *err)
{
	const struct settings *settings = service->settings;
	const struct setting *names = &settings->values[SETTING_ID_allow_host];
	const char *const urls[] = {settings_text(settings, SETTING_ID_public_url),
				    settings_text(settings, SETTING_ID_media_url)};
	const struct http_hosts_config config = {
		.listen = settings_text(settings, listen),
		.urls = urls,
		.url_count = COUNT_OF(urls),
		.names = names->list,
		.name_count = names->list_count,
	};
	if (config.listen[0] == '\0')
		return ERR_NONE;
	const enum err_kind kind = http_hosts_new(&config, hosts_out, err);
	return kind == ERR_NONE ? kind : error_add(err, "allow-host");
}

enum err_kind listeners_open_rules(struct service *service, struct error *err)
{
	enum err_kind kind = open_proxies(service, err);
	if (kind == ERR_NONE)
		kind = sign_in_open(service, err);
	if (kind == ERR_NONE)
		kind = open_hosts(service, SETTING_ID_listen, &service->hosts, err);
	if (kind == ERR_NONE)
		kind = open_hosts(service, SETTING_ID_metrics_listen, &service->metrics.hosts, err);
	if (kind == ERR_NONE)
		kind = open_hosts(service, SETTING_ID_dashboard_listen, &service->dashboard.hosts,
				  err);
	if (kind == ERR_NONE && test_apps_are_on(service->settings))
		kind = open_hosts(service, SETTING_ID_sandbox_listen,
				  &service->test_apps.seen.hosts, err);
	return kind;
}

void listeners_close_rules(struct service *service)
{
	http_hosts_free(&service->test_apps.seen.hosts);
	http_hosts_free(&service->dashboard.hosts);
	http_hosts_free(&service->metrics.hosts);
	http_hosts_free(&service->hosts);
	http_proxies_free(&service->proxies);
}

/* ---- the two beside the public one ---- */

static enum err_kind open_side(struct service *service, enum setting_id listen, struct side *side,
			       struct error *err)
{
	const struct httpd_config config = {
		.listen = settings_text(service->settings, listen),
		.listen_fd = service->settings->values[listen].listen_fd,
		.router = side->router,
		.log = &service->log,
		.random = random_system(),
		.threads = SIDE_THREADS,
		.arena_max_bytes = SERVICE_REQUEST_ARENA_BYTES,
		.body_bytes_max = SERVICE_BODY_BYTES_MAX,
		.body_bytes_of_address_max = SERVICE_BODY_BYTES_OF_ADDRESS_MAX,
		.hosts = side->hosts,
		.proxies = service->proxies,
	};
	if (side->router == NULL)
		return ERR_NONE;
	const enum err_kind kind = httpd_open(&config, &side->httpd, err);
	if (kind != ERR_NONE)
		return error_add(err, "%s", settings_name(listen));
	const struct str base = httpd_base_url(side->httpd);
	snprintf(side->base_url, sizeof(side->base_url), STR_FMT, STR_ARG(base));
	return ERR_NONE;
}

/* Where a browser on this machine finds the dashboard. */
static void set_dashboard_url(struct service *service)
{
	const struct str url =
		service_reachable_url(service->arena, str_of(service->dashboard.base_url));
	snprintf(service->dashboard_url, sizeof(service->dashboard_url), STR_FMT, STR_ARG(url));
}

enum err_kind listeners_open_sides(struct service *service, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	/* The public listener, which comes next, opens it. */
	api_set_open(service->api, false);
	if (service->metrics.hosts != NULL)
		kind = api_side_router_new(service->api, API_SIDE_METRICS, &service->metrics.router,
					   err);
	if (kind == ERR_NONE)
		kind = open_side(service, SETTING_ID_metrics_listen, &service->metrics, err);
	if (kind == ERR_NONE)
		kind = open_side(service, SETTING_ID_dashboard_listen, &service->dashboard, err);
	if (kind == ERR_NONE)
		kind = open_side(service, SETTING_ID_sandbox_listen, &service->test_apps.seen, err);
	if (kind == ERR_NONE && service->dashboard.httpd != NULL)
		set_dashboard_url(service);
	if (kind == ERR_NONE)
		test_apps_set_url(service);
	return kind;
}

void listeners_close_sides(struct service *service)
{
	httpd_close(&service->test_apps.seen.httpd, SIDE_DRAIN_MS);
	httpd_close(&service->dashboard.httpd, SIDE_DRAIN_MS);
	httpd_close(&service->metrics.httpd, SIDE_DRAIN_MS);
	http_router_free(&service->metrics.router);
}
