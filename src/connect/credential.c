/* SPDX-License-Identifier: Apache-2.0
 * An app's credential for a platform: its secret, and the redirect URI that belongs to it. */
#include "connect_private.h"

#include "seal.h"

enum err_kind connector_open_client_secret(const struct connector *connector, struct arena *arena,
					   const struct credential_row *credential,
					   struct str *secret_out, struct error *err)
{
	const struct str row_id = str_format(arena, STR_FMT "/%s", STR_ARG(credential->app_id),
					     platform_id_slug(credential->platform));
	const struct seal_place place = {STR("platform_credentials"), STR("client_secret"), row_id};
	struct error why = {0};
	if (seal_open_secret(connector->config.seal, arena, &place,
			     credential->client_secret_sealed, secret_out, &why) == ERR_NONE)
		return ERR_NONE;
	LOG(connector->config.log, ERROR, "credential_unreadable",
	    log_str("error", str_of(why.text)));
	return error_set(err, ERR_INTERNAL,
			 "The client secret of the %s credential cannot be opened with this "
			 "master key.",
			 platform_id_name(credential->platform));
}

struct str connector_callback_url(const struct connector *connector, struct arena *arena,
				  enum platform_id platform)
{
	return str_format(arena, "%s/v1/oauth/%s/callback", connector->config.public_url,
			  platform_id_slug(platform));
}
