/* SPDX-License-Identifier: Apache-2.0
 * Pictures and documents of the simulated LinkedIn (linkedin.md 2.3, 2.5):
 * initializeUpload, the PUT that needs the bearer token, and the status. sandbox_linkedin_video.c
 * has the videos, whose parts refuse a bearer. */
#include "sandbox_linkedin.h"

/* Section 3: an instant in the answer; the span itself is not documented. */
#define UPLOAD_LIFETIME_US US_PER_DAY
#define PROCESSING_US US_PER_S /* our choice: long enough for a caller to see PROCESSING */
#define PIXELS_MAX 36152320u   /* section 3 */
#define DOCUMENT_BYTES_MAX (100 * 1000 * 1000) /* 2.5 */

struct asset_kind {
	const char *name;      /* "image": the key of the answer, and in the URN */
	const char *resource;  /* in refusals */
	const char *path_word; /* in the upload address */
};

static const struct asset_kind image_kind = {"image", "images", "uploaded-image"};
static const struct asset_kind document_kind = {"document", "documents", "uploaded-document"};

struct linkedin_asset *sandbox_linkedin_asset_find(struct sandbox *sandbox, struct str urn)
{
	return sandbox_object_get(sandbox, SANDBOX_LINKEDIN, "asset", urn);
}

enum linkedin_asset_status sandbox_linkedin_asset_status(const struct linkedin_asset *asset,
							 int64_t now_us)
{
	if (asset->uploaded_us == 0)
		return LINKEDIN_ASSET_WAITING_UPLOAD;
	if (now_us < asset->uploaded_us + PROCESSING_US)
		return LINKEDIN_ASSET_PROCESSING;
	return asset->is_fit ? LINKEDIN_ASSET_AVAILABLE : LINKEDIN_ASSET_PROCESSING_FAILED;
}

const char *sandbox_linkedin_asset_status_name(enum linkedin_asset_status status)
{
	switch (status) {
	case LINKEDIN_ASSET_WAITING_UPLOAD:
		return "WAITING_UPLOAD";
	case LINKEDIN_ASSET_PROCESSING:
		return "PROCESSING";
	case LINKEDIN_ASSET_AVAILABLE:
		return "AVAILABLE";
	case LINKEDIN_ASSET_PROCESSING_FAILED:
		return "PROCESSING_FAILED";
	}
	return "";
}

/* ---- initializeUpload ---- */

struct linkedin_asset *sandbox_linkedin_asset_new(struct sandbox_call *call, const char *kind,
						  struct str id, struct str owner)
{
	struct linkedin_asset *asset = sandbox_keep(call->sandbox, sizeof(*asset));
	const struct str urn = str_format(call->arena, "urn:li:%s:" STR_FMT, kind, STR_ARG(id));
	*asset = (struct linkedin_asset){
		.urn = sandbox_keep_str(call->sandbox, urn),
		.owner = sandbox_keep_str(call->sandbox, owner),
		.secret = sandbox_id_text(call->sandbox, "", 24),
		.expires_us = call->now_us + UPLOAD_LIFETIME_US,
		.failure = "the bytes are not of a kind that is taken",
	};
	sandbox_object_put(call->sandbox, SANDBOX_LINKEDIN, "asset", asset->urn, asset);
	return asset;
}

struct str sandbox_linkedin_upload_owner(struct sandbox_call *call,
					 const struct sandbox_token *token, const char *resource)
{
	const struct str owner = json_string(
		json_get(json_get(sandbox_json(call), "initializeUploadRequest"), "owner"));
	if (str_is_empty(owner)) {
		sandbox_linkedin_refuse_required(call, "initializeUploadRequest/owner");
		return (struct str){0};
	}
	if (!sandbox_linkedin_may_act(
		    call, token, owner,
		    str_z(call->arena,
			  str_format(call->arena, "%s.ACTION-initializeUpload", resource))))
		return (struct str){0};
	return owner;
}

static void answer_upload(struct sandbox_call *call, const struct asset_kind *kind, struct str id,
			  const struct linkedin_asset *asset)
{
	const struct str path =
		str_format(call->arena, "/dms-uploads/" STR_FMT "/%s/0?ca=sandbox&ut=" STR_FMT,
			   STR_ARG(id), kind->path_word, STR_ARG(asset->secret));
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "value");
	json_begin_object(&w);
	json_member_int(&w, "uploadUrlExpiresAt", asset->expires_us / US_PER_MS);
	json_member_str(&w, "uploadUrl", sandbox_url(call, LINKEDIN_UPLOAD_HOST, path));
	json_member_str(&w, kind->name, asset->urn);
	json_end_object(&w);
	json_end_object(&w);
}

static void initialize(struct sandbox_call *call, const struct asset_kind *kind)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL)
		return;
	if (!str_equal_z(sandbox_query(call, "action"), "initializeUpload")) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){400, 0, "ILLEGAL_ARGUMENT"},
					STR("No such action: action must be initializeUpload"));
		return;
	}
	const struct str owner = sandbox_linkedin_upload_owner(call, token, kind->resource);
	if (str_is_empty(owner))
		return;
	const struct str id = sandbox_id_text(call->sandbox, "D4E", 16);
	answer_upload(call, kind, id, sandbox_linkedin_asset_new(call, kind->name, id, owner));
}

void sandbox_linkedin_image_action(struct sandbox_call *call)
{
	initialize(call, &image_kind);
}

void sandbox_linkedin_document_action(struct sandbox_call *call)
{
	initialize(call, &document_kind);
}

/* ---- the bytes ---- */

static bool is_fit_image(const struct sandbox_media *media)
{
	const bool is_known = media->sniff.type == SNIFF_JPEG || media->sniff.type == SNIFF_PNG ||
			      media->sniff.type == SNIFF_GIF;
	return is_known && (uint64_t)media->sniff.width * media->sniff.height < PIXELS_MAX;
}

/* PDF, the old Office container, or the zip that the new one is (2.5). */
static bool is_fit_document(struct str bytes)
{
	return (int64_t)bytes.len <= DOCUMENT_BYTES_MAX &&
	       (str_has_prefix(bytes, STR("%PDF-")) ||
		str_has_prefix(bytes, STR("\xD0\xCF\x11\xE0")) ||
		str_has_prefix(bytes, STR("PK\x03\x04")));
}

static const struct asset_kind *kind_of_path(struct sandbox_call *call)
{
	const struct str word = sandbox_capture(call, "kind");
	if (str_equal_z(word, image_kind.path_word))
		return &image_kind;
	return str_equal_z(word, document_kind.path_word) ? &document_kind : NULL;
}

/* The asset of an upload address. NULL = the call has been answered. */
static struct linkedin_asset *enter_upload(struct sandbox_call *call, struct str urn)
{
	struct linkedin_asset *asset = sandbox_linkedin_asset_find(call->sandbox, urn);
	if (asset == NULL || !str_equal(asset->secret, sandbox_query(call, "ut"))) {
		sandbox_answer_empty(call, 404);
		return NULL;
	}
	/* The upload host answers a bare 401 or 403 for an address that is too old (section 4). */
	if (call->now_us >= asset->expires_us) {
		sandbox_answer_empty(call, 403);
		return NULL;
	}
	return asset;
}

void sandbox_linkedin_asset_put(struct sandbox_call *call)
{
	const struct asset_kind *kind = kind_of_path(call);
	/* Images and documents: the PUT needs the bearer (2.3), without the version header. */
	if (sandbox_linkedin_bearer(call) == NULL)
		return;
	if (kind == NULL) {
		sandbox_answer_empty(call, 404);
		return;
	}
	const struct str urn = str_format(call->arena, "urn:li:%s:" STR_FMT, kind->name,
					  STR_ARG(sandbox_capture(call, "asset")));
	if (enter_upload(call, urn) == NULL)
		return;
	struct sandbox_media media = {0};
	sandbox_media_look(call, call->body, &media);
	struct linkedin_asset *asset =
		enter_upload(call, urn); /* the lock was let go: a reset may have come between */
	if (asset == NULL)
		return;
	asset->media = media;
	asset->is_fit = kind == &image_kind ? is_fit_image(&media) : is_fit_document(call->body);
	asset->uploaded_us = call->now_us;
	sandbox_answer_empty(call, 201);
}

/* ---- status ---- */

/* Read access exists for pages only; a token that may only write gets 403 (2.3). */
static bool may_read(struct sandbox_call *call, const struct sandbox_token *token, struct str owner,
		     const struct asset_kind *kind)
{
	if (str_equal_z(owner, LINKEDIN_PAGE_URN) &&
	    sandbox_scope_has(token->scope, "r_organization_social"))
		return true;
	sandbox_linkedin_refuse(call, (struct linkedin_error){403, 100, "ACCESS_DENIED"},
				str_format(call->arena,
					   "Accessing this %s resource is forbidden for this token",
					   kind->name));
	return false;
}

static void get_asset(struct sandbox_call *call, const struct asset_kind *kind)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL)
		return;
	const struct linkedin_asset *asset =
		sandbox_linkedin_asset_find(call->sandbox, sandbox_capture(call, "urn"));
	if (asset == NULL) {
		sandbox_linkedin_refuse(call, (struct linkedin_error){404, 0, "NOT_FOUND"},
					STR("Could not find entity"));
		return;
	}
	if (!may_read(call, token, asset->owner, kind))
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", asset->urn);
	json_member_str(&w, "owner", asset->owner);
	json_member_str(&w, "status",
			str_of(sandbox_linkedin_asset_status_name(
				sandbox_linkedin_asset_status(asset, call->now_us))));
	json_end_object(&w);
}

void sandbox_linkedin_image_get(struct sandbox_call *call)
{
	get_asset(call, &image_kind);
}

void sandbox_linkedin_document_get(struct sandbox_call *call)
{
	get_asset(call, &document_kind);
}
