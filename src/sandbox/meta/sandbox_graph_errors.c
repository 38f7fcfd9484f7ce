/* SPDX-License-Identifier: Apache-2.0
 * Meta's errors by number, for faults that name one: every row of meta.md 6.1 and 6.3.
 * Errors that a handler detects are next to that handler. */
#include "sandbox_graph.h"

#include <inttypes.h>

#include "arena.h"
#include "count_of.h"
#include "str.h"

/* status, code, subcode, message, then title and message for the user. */
static const struct graph_error errors[] = {
	/* 6.1, the whole Graph */
	{500, 1, 0, "An unknown error occurred"},
	{500, 2, 0, "Service temporarily unavailable"},
	{400, 3, 0, "(#3) Application does not have the capability to make this API call."},
	{400, 4, 0, "(#4) Application request limit reached"},
	{403, 10, 0, "(#10) Application does not have permission for this action"},
	{400, 17, 0, "(#17) User request limit reached"},
	{400, 32, 0, "(#32) Page request limit reached"},
	{400, 100, 0, "(#100) Invalid parameter"},
	{400, 100, 33,
	 "Unsupported get request. The object does not exist, cannot be loaded due to missing "
	 "permissions, or does not support this operation"},
	{400, 102, 0, "Session key invalid or no longer valid"},
	{400, 190, 0, "Invalid OAuth 2.0 Access Token"},
	{400, 190, 458,
	 "Error validating access token: The user has not authorized this application."},
	{400, 190, 459, "Error validating access token: The user must log in at facebook.com."},
	{400, 190, 460, "Error validating access token: The password was changed."},
	{400, 190, 463, "Error validating access token: Session has expired."},
	{400, 190, 464, "Error validating access token: The user is not confirmed."},
	{400, 190, 467, "Error validating access token: The session was invalidated."},
	{400, 190, 492, "Error validating access token: The user's role on the Page has ended."},
	{403, 200, 0, "(#200) Permissions error"},
	{403, 283, 0, "(#283) Requires extended permission"},
	{400, 324, 0, "(#324) Missing or invalid image file"},
	{400, 341, 0, "(#341) Feed action request limit reached"},
	{400, 352, 2207026, "The video format is not supported.", "Unsupported format",
	 "The video format is not supported. Please check the specifications."},
	{400, 368, 0,
	 "(#368) The action attempted has been deemed abusive or is otherwise disallowed",
	 "Temporarily blocked", "You can't use this feature at the moment."},
	{400, 382, 0, "(#382) The video file you tried to upload is too small."},
	{400, 389, 0, "(#389) Unable to fetch video file from URL."},
	{400, 506, 0, "(#506) Duplicate status message", "Duplicate status update",
	 "This status update is identical to the last one you posted."},
	{400, 613, 0, "(#613) Calls to this api have exceeded the rate limit."},
	{400, 6000, 0, "(#6000) There was a problem uploading your video file."},
	{400, 6001, 0, "(#6001) There was a problem uploading your video file."},
	{400, 80001, 0, "(#80001) There have been too many calls to this Page account."},
	{400, 80002, 0, "(#80002) There have been too many calls to this Instagram account."},
	{400, 1609005, 0, "(#1609005) The link could not be scraped."},
	{400, 1609008, 0, "(#1609008) Links to facebook.com are not allowed here."},
	/* 6.1, subcodes of Pages */
	{400, 100, 1346003, "(#100) Invalid parameter", "Abusive content",
	 "This content was reported as abusive."},
	{400, 100, 1349125, "(#100) Invalid parameter", "Invalid format",
	 "The file has a format that is not supported."},
	{400, 100, 1363040, "(#100) Invalid parameter", "Unsupported aspect ratio",
	 "The video's aspect ratio is not supported."},
	{500, 2, 1363047, "Service temporarily unavailable"},
	{400, 100, 1363127, "(#100) Invalid parameter", "Resolution too low",
	 "The video's resolution is too low."},
	{400, 100, 1363128, "(#100) Invalid parameter", "Unsupported duration",
	 "The video is too short or too long."},
	{400, 100, 1363129, "(#100) Invalid parameter", "Unsupported frame rate",
	 "The video's frame rate is not supported."},
	{400, 100, 1366046, "(#100) Invalid parameter", "Image too large",
	 "Photos must be smaller than 4 MB."},
	{400, 100, 1366051, "(#100) Invalid parameter", "Already posted",
	 "These photos were already posted."},
	{400, 368, 1390008, "(#368) You are posting too fast.", "Slow down",
	 "It looks like you were misusing this feature by going too fast."},
	{400, 100, 1404006, "(#100) Invalid parameter", "Security check",
	 "Please complete a security check before you comment."},
	{403, 200, 1404078, "(#200) Permissions error", "Authorization needed",
	 "This Page needs Page Publishing Authorization."},
	{400, 368, 1404102, "(#368) The action is disallowed", "Community Standards",
	 "The content goes against the Community Standards."},
	{400, 368, 1404112, "(#368) The action is disallowed", "Account limited",
	 "Your account is limited for some days."},
	{400, 100, 1609010, "(#100) Invalid parameter", "Service problem", "Please try again."},
	{400, 100, 2061006, "(#100) Invalid parameter", "Bad link", "The URL is not valid."},
	{400, 100, 2069019, "(#100) Invalid parameter", "Invalid file", "The file is not valid."},
	{403, 200, 4854002, "(#200) Permissions error", "Confirm your identity",
	 "Confirm your identity to publish as this Page."},
	/* 6.3, Instagram */
	{400, -1, 2207001, "Instagram server error", "Server error",
	 "Instagram server error. Try again."},
	{400, -2, 2207003, "It takes too long to download the media.", "Download timed out",
	 "It takes too long to download the media."},
	{400, 36000, 2207004, "The image is too large to download.", "Image too large",
	 "The image must be 8 MiB or smaller."},
	{400, 36001, 2207005, "The image format is not supported.", "Unsupported image format",
	 "The image must be a JPEG."},
	{400, 24, 2207006, "The media could not be found.", "Media not found",
	 "Possible permission error or a dead token."},
	{400, 24, 2207008, "The media builder does not exist or has expired.",
	 "Media builder not found", "Create the container again."},
	{400, 36003, 2207009, "The submitted image has an invalid aspect ratio.",
	 "Invalid aspect ratio", "The ratio must lie between 4:5 and 1.91:1."},
	{400, 36004, 2207010, "The caption was too long.", "Caption too long",
	 "The caption may hold 2,200 characters, 30 hashtags and 20 mentions."},
	{400, -2, 2207020, "The media you are trying to access has expired.", "Media expired",
	 "Please upload the media again."},
	{400, 100, 2207023, "The media type is unknown.", "Unknown media type",
	 "The media type is unknown."},
	{400, 9007, 2207027, "Media ID is not available", "Media not ready",
	 "The media is not ready for publishing, please wait for a moment"},
	{400, 100, 2207028, "A carousel has 2 to 10 children.", "Invalid carousel",
	 "Carousels need 2 to 10 photos or videos."},
	{400, -1, 2207032, "The media could not be created.", "Creation failed",
	 "Create media fail, please try to re-create the media."},
	{400, 100, 2207035, "(#100) Invalid parameter", "Bad tag",
	 "Product tag positions are not allowed on videos."},
	{400, 100, 2207036, "(#100) Invalid parameter", "Bad tag", "Tag positions are needed."},
	{400, 100, 2207037, "(#100) Invalid parameter", "Bad tag", "The tag is not valid."},
	{400, 100, 2207040, "(#100) Invalid parameter", "Too many tags",
	 "At most 20 people can be tagged."},
	{400, 9, 2207042, "Application request limit reached", "Publishing quota reached",
	 "You have reached the maximum number of posts that may be published through the API."},
	{400, 25, 2207050, "The Instagram account is restricted.", "Account restricted",
	 "The account is inactive, checkpointed or restricted. Log in to the app."},
	{403, 4, 2207051, "Application request limit reached", "Action is blocked",
	 "We restrict certain activity to protect our community."},
	{400, 9004, 2207052, "Only photo or video can be accepted as media type.",
	 "Media download has failed.", "The media could not be fetched from this URI."},
	{400, -1, 2207053, "Unknown upload error", "Upload failed",
	 "The video could not be uploaded. Create the container again."},
	{400, 1, 2207057, "The thumbnail offset is invalid.", "Invalid thumb offset",
	 "thumb_offset must lie inside the video."},
	{400, -2, 2207077, "The video could not be downloaded."},
	{400, 100, 2207081, "This account cannot make trial reels."},
	{400, -1, 2207082, "The audio could not be mixed or uploaded."},
	{400, -1, 2207085, "The media could not be processed."},
};

static bool is_named(const struct graph_error *error, struct str name)
{
	struct str rest = name;
	int64_t code = 0;
	int64_t subcode = 0;
	struct str first;
	if (!str_take_field(&rest, '/', &first) || !str_parse_i64(first, &code) ||
	    (rest.ptr != NULL && !str_parse_i64(rest, &subcode)))
		return false;
	return error->code == code && error->subcode == subcode;
}

bool sandbox_graph_render_error(struct sandbox_call *call, struct str name)
{
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		if (!is_named(&errors[i], name))
			continue;
		if (call != NULL)
			sandbox_graph_fail(call, &errors[i]);
		return true;
	}
	return false;
}
