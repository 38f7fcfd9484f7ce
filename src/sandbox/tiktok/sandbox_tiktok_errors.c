/* SPDX-License-Identifier: Apache-2.0
 * TikTok's errors by code, for faults that name one: every row of tiktok.md 4.2. With the
 * suffix "/200" the answer has status 200, as TikTok sends some (2.1). Errors that a handler
 * detects are next to that handler. */
#include "count_of.h"

#include "sandbox_tiktok.h"

static const struct {
	struct tiktok_error error;
	const char *message;
} errors[] = {
	{{400, "invalid_param"}, "A parameter is invalid."},
	{{400, "invalid_params"}, "The request post info is empty or incorrect"},
	{{400, "invalid_file_upload"}, "The file upload is invalid."},
	{{400, "app_version_check_failed"}, "The TikTok app of the user is too old."},
	{{400, "invalid_publish_id"}, "The publish_id does not exist"},
	{{400, "token_not_authorized_for_specified_publish_id"},
	 "The access token does not belong to the publish_id"},
	{{401, "access_token_invalid"}, "The access token is invalid or not found in the request."},
	{{401, "scope_not_authorized"},
	 "The user did not authorize the scope required for completing this request."},
	{{401, "scope_permission_missed"}, "The scope permission is missing."},
	{{403, "spam_risk_too_many_posts"},
	 "The creator has made too many posts within the last 24 hours via this API."},
	{{403, "spam_risk_too_many_pending_share"},
	 "The creator has too many pending drafts in 24 hours."},
	{{403, "reached_active_user_cap"},
	 "The daily quota for active publishing users is reached."},
	{{403, "spam_risk_user_banned_from_posting"},
	 "The creator is banned from making new posts."},
	{{403, "spam_risk_text"}, "The text is at risk of being spam."},
	{{403, "spam_risk"}, "The post is at risk of being spam."},
	{{403, "unaudited_client_can_only_post_to_private_accounts"},
	 "Please review our integration guidelines."},
	{{403, "url_ownership_unverified"}, "Please review our URL ownership verification rules"},
	{{403, "privacy_level_option_mismatch"},
	 "privacy_level is not among the creator's current options"},
	{{429, "rate_limit_exceeded"}, "The API rate limit was exceeded. Please try again later."},
	{{500, "internal_error"}, "Please try again later"},
};

bool sandbox_tiktok_render_error(struct sandbox_call *call, struct str name)
{
	const bool is_200 = str_has_suffix(name, STR("/200"));
	const struct str code = is_200 ? str_slice(name, 0, name.len - strlen("/200")) : name;
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		struct tiktok_error error = errors[i].error;
		if (!str_equal_z(code, error.code))
			continue;
		error.status = is_200 ? 200 : error.status;
		if (call != NULL)
			sandbox_tiktok_refuse(call, error, errors[i].message);
		return true;
	}
	return false;
}
