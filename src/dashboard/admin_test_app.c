/* SPDX-License-Identifier: Apache-2.0
 * Admin API: what makes an app a test app (api-decisions.md 14): the choice, which is made once,
 * and its credentials, which only the sandbox inside the service knows. */
#include "admin_private.h"

#include "seal.h"
#include "token.h"

#include "store_credential.h"

#define CLIENT_SECRET_CHARACTERS 43
#define ADVANCE_MAX_S (INT64_C(366) * 86400)

bool admin_test_app_read(struct admin *admin, struct http_response *response,
			 const struct json *body, struct app_row *app)
{
	const struct json *test = json_get(body, "test");
	const struct json *scale = json_get(body, "time_scale");
	const int64_t time_scale = json_int(scale, 0);
	app->world = (struct app_world){.is_test = json_bool(test, false), .time_scale = 1};
	const char *field = NULL;
	const char *text = NULL;
	if (!json_is_null(test) && !json_is(test, JSON_TYPE_BOOL)) {
		field = "test";
		text = "test must be true or false.";
	} else if (app->world.is_test && !admin->config.has_test_apps) {
		field = "test";
		text = "This service runs no test apps: it was started with --test-apps off.";
	} else if (!json_is_null(scale) && !app->world.is_test) {
		field = "time_scale";
		text = "Only a test app has a time_scale.";
	} else if (!json_is_null(scale) && (!json_is(scale, JSON_TYPE_INT) || time_scale < 1 ||
					    time_scale > APP_TIME_SCALE_MAX)) {
		field = "time_scale";
		text = "time_scale must be a whole number from 1 to 3600.";
	}
	if (field != NULL) {
		admin_respond_field_error(response, field, str_of(text));
		return false;
	}
	if (!json_is_null(scale))
		app->world.time_scale = time_scale;
	return true;
}

static struct credential_row credential_of(struct admin *admin, struct arena *arena,
					   const struct app_row *app, enum platform_id platform)
{
	const char *slug = platform_id_slug(platform);
	const struct random_source *random = admin->config.random;
	const struct str row_id = str_format(arena, STR_FMT "/%s", STR_ARG(app->id), slug);
	const struct seal_place place = {STR("platform_credentials"), STR("client_secret"), row_id};
	/* as random as the app's own client id, which browsers' logins lead back to */
	struct str own = app->client_id;
	str_skip(&own, STR("phc_"));
	const struct str secret = token_random(arena, random, "", CLIENT_SECRET_CHARACTERS);
	return (struct credential_row){
		.app_id = app->id,
		.platform = platform,
		.client_id = str_format(arena, "test-%s-" STR_FMT, slug, STR_ARG(own)),
		.client_secret_sealed =
			seal_secret(admin->config.seal, arena, &place, secret, random),
		.state = CREDENTIAL_VERIFIED,
		.updated_at_us = app->created_at_us,
		/* it may do all that the sandbox shows: post as a member and for a page */
		.variant = platform == PLATFORM_LINKEDIN ? STR("both") : STR(""),
	};
}

enum err_kind admin_test_app_create(struct admin *admin, struct arena *arena,
				    const struct app_row *app, struct str owner, struct error *err)
{
	struct credential_row credentials[PLATFORM_ID_MAX];
	for (size_t i = 0; i < PLATFORM_ID_MAX; i++)
		credentials[i] = credential_of(admin, arena, app, (enum platform_id)(i + 1));
	return store_app_create_test(admin->config.store, app, owner, admin_new_id(admin, arena),
				     credentials, PLATFORM_ID_MAX, err);
}

bool admin_test_app_is_fixed(struct http_response *response, const struct app_row *app)
{
	if (!app->world.is_test)
		return false;
	admin_respond_error(response, 409, "TEST_APP",
			    STR("This is a test app: its credentials belong to its sandbox and "
				"cannot be changed. Make a live app for the real platforms."));
	return true;
}

/* The test app that the path names. False: answered. */
static bool find_test_app(struct admin *admin, struct http_request *request,
			  struct http_response *response, struct app_row *app)
{
	if (!admin_request_app(admin, request, response, app))
		return false;
	if (app->world.is_test && admin->web.sandbox.serve != NULL)
		return true;
	admin_respond_error(response, 409, "NO_TEST_APP",
			    STR("Only a test app has a sandbox of its own."));
	return false;
}

void admin_test_app_clock(void *context, struct http_request *request,
			  struct http_response *response)
{
	struct admin *admin = context;
	const struct admin_sandbox_port *port = &admin->web.sandbox;
	const struct json *body = admin_request_body(request, response, KNOWN("advance_s"));
	struct app_row app = {0};
	if (body == NULL || !find_test_app(admin, request, response, &app))
		return;
	const struct json *given = json_get(body, "advance_s");
	const int64_t advance_s = json_int(given, -1);
	if (!json_is(given, JSON_TYPE_INT) || advance_s < 0 || advance_s > ADVANCE_MAX_S) {
		admin_respond_field_error(
			response, "advance_s",
			STR("advance_s must be a whole number of seconds, from 0 to a year."));
		return;
	}
	request->path = STR("/_sandbox/clock");
	port->serve(port->context, app.id, request, response);
}

/* As the sandbox answers its own route, which judges the rest. */
static void serve(struct admin *admin, const char *path, struct http_request *request,
		  struct http_response *response)
{
	const struct admin_sandbox_port *port = &admin->web.sandbox;
	struct app_row app = {0};
	if (!find_test_app(admin, request, response, &app))
		return;
	request->path = str_of(path);
	port->serve(port->context, app.id, request, response);
}

void admin_test_app_fault_list(void *context, struct http_request *request,
			       struct http_response *response)
{
	serve(context, "/_sandbox/faults", request, response);
}

void admin_test_app_fault_add(void *context, struct http_request *request,
			      struct http_response *response)
{
	if (admin_request_body(request, response,
			       KNOWN("platform", "match", "effect", "status", "headers", "body",
				     "retry_after", "times", "error", "bytes")) != NULL)
		serve(context, "/_sandbox/faults", request, response);
}

void admin_test_app_fault_clear(void *context, struct http_request *request,
				struct http_response *response)
{
	serve(context, "/_sandbox/faults", request, response);
}

void admin_test_app_knob_list(void *context, struct http_request *request,
			      struct http_response *response)
{
	serve(context, "/_sandbox/knobs", request, response);
}

/* Which knobs there are the sandbox knows. */
void admin_test_app_knob_turn(void *context, struct http_request *request,
			      struct http_response *response)
{
	const struct json *body = admin_request_body(request, response, KNOWN("knobs"));
	const struct json *knobs = json_get(body, "knobs");
	struct buf out;
	struct json_writer w;
	if (body == NULL)
		return;
	if (!json_is(knobs, JSON_TYPE_OBJECT)) {
		admin_respond_field_error(response, "knobs",
					  STR("knobs must be an object of names and numbers."));
		return;
	}
	buf_init(&out, request->arena, 2 * request->body.len);
	json_writer_init(&w, &out);
	json_put_value(&w, knobs);
	request->body = buf_str(&out);
	serve(context, "/_sandbox/knobs", request, response);
}

void admin_test_app_reset(void *context, struct http_request *request,
			  struct http_response *response)
{
	request->body = STR(""); /* the sandbox takes none */
	serve(context, "/_sandbox/reset", request, response);
}
