/* SPDX-License-Identifier: Apache-2.0
 * See platform_guide.h. */
#include "platform_guide.h"

#include <stddef.h>

#define META_CONSOLE "https://developers.facebook.com/apps/"
#define META_WHERE "App settings > Basic, in the Meta app dashboard: App ID and App secret."
/* meta.md 2.10 */
#define META_KIND \
	"Create a Meta app: choose Other, then Business. Apps that were made through a use case " \
	"were refused with \"Invalid Scopes\" (reported in August 2026)."
#define META_PAGES \
	"Under App settings > Basic, enter the address of your privacy policy and, for data " \
	"deletion, the one shown here; the deauthorize callback goes into the settings of the " \
	"login. Meta asks for them before the app can go live."
#define META_REVIEW \
	"Until the app is Live with Advanced Access (App Review and business verification), only " \
	"people with a role on the app can connect, and only they see what is posted. No " \
	"charge is documented."

static const struct platform_guide guides[PLATFORM_ID_MAX + 1] = {
	[PLATFORM_INSTAGRAM] =
		{"App ID",
		 "App secret",
		 META_WHERE,
		 META_CONSOLE,
		 {META_KIND, "Add the products Facebook Login and Instagram.",
		  "Under Facebook Login > Settings, add the redirect URI to Valid OAuth Redirect "
		  "URIs.",
		  META_PAGES, "Copy the App ID and App secret from App settings > Basic.",
		  "Users connect professional Instagram accounts that are linked to a Facebook "
		  "Page.",
		  "For accounts without a Page, choose instagram_login instead: add the product "
		  "Instagram with Instagram Login, add the redirect URI under Business login "
		  "settings, and enter the Instagram app's own id and secret.",
		  NULL},
		 META_REVIEW
		 " What a person allowed for Instagram ends 90 days after they last used "
		 "the app; then they have to connect again.",
		 true},
	[PLATFORM_FACEBOOK] = {"App ID",
			       "App secret",
			       META_WHERE,
			       META_CONSOLE,
			       {META_KIND, "Add the product Facebook Login.",
				"Under Facebook Login > Settings, add the redirect URI to Valid "
				"OAuth Redirect URIs.",
				META_PAGES,
				"Copy the App ID and App secret from App settings > Basic.", NULL},
			       META_REVIEW,
			       true},
	[PLATFORM_X] =
		{"OAuth 2.0 Client ID",
		 "OAuth 2.0 Client Secret",
		 "Your app > Keys and tokens > OAuth 2.0, in the X developer console. Do not use "
		 "the API key and its secret.",
		 "https://console.x.com/",
		 {"Create an app in the X developer console, or open your existing one.",
		  "Under User authentication settings, choose Read and write, and Web App (a "
		  "confidential client).",
		  "Add the redirect URI to Callback URI.",
		  "Copy the OAuth 2.0 Client ID and Client Secret; the secret is shown only once.",
		  "Buy credits under Billing: without them X answers every call with 402.",
		  "Accounts connected before the app had Read and write must be connected again.",
		  NULL},
		 "X requires no review. Every post uses credits of the app's developer account: "
		 "$0.015, with "
		 "a link $0.20 (prices of 2026-08). Quotes and replies to strangers are for "
		 "Enterprise "
		 "apps.",
		 false},
	[PLATFORM_LINKEDIN] =
		{"Client ID",
		 "Primary Client Secret",
		 "Your app > Auth, in the LinkedIn developer portal.",
		 "https://www.linkedin.com/developers/apps",
		 {"Create an app in the developer portal. It asks for a privacy policy and for a "
		  "company page, whose super admin has to verify the app.",
		  "Under Products, add Sign In with LinkedIn using OpenID Connect and Share on "
		  "LinkedIn (for members), or Community Management API (for company pages).",
		  "Under Auth, add the redirect URI to Authorized redirect URLs.",
		  "Copy the Client ID and Primary Client Secret.",
		  "Choose here which products the app has: LinkedIn rejects the whole login when "
		  "the "
		  "app lacks one scope. The Community Management API wants an app of its own.",
		  NULL},
		 "Members: no review, 150 calls a day for each member, and their tokens end after "
		 "60 "
		 "days: the event account.expiring says so in time. Company pages: you have to "
		 "apply for "
		 "the Community Management API with a verified page and a business e-mail; its "
		 "development tier is limited to 500 calls a day. First comments may need further "
		 "scopes.",
		 true},
	[PLATFORM_YOUTUBE] =
		{"Client ID",
		 "Client secret",
		 "APIs & Services > Credentials > OAuth 2.0 Client IDs, in the Google Cloud "
		 "console.",
		 "https://console.cloud.google.com/apis/credentials",
		 {"Create a project and enable YouTube Data API v3.",
		  "Set up the OAuth consent screen with the scopes below, and publish it (In "
		  "production): while it is in Testing, only test users can connect and every "
		  "account ends after 7 days. It asks for a home page and a privacy policy.",
		  "Create an OAuth client ID of type Web application and add the redirect URI to "
		  "Authorized redirect URIs.",
		  "Copy the Client ID and Client secret.", NULL},
		 "Until the project has passed YouTube's API audit (a form at "
		 "support.google.com/youtube/contact/yt_api_form), YouTube makes all its videos "
		 "private, and "
		 "nobody can change that; posts say so. Until Google has verified the consent "
		 "screen, "
		 "users see a warning and at most 100 can connect. A project may upload 100 videos "
		 "a "
		 "day; it costs nothing.",
		 true},
	[PLATFORM_TIKTOK] =
		{"Client key",
		 "Client secret",
		 "Manage apps > your app > Credentials, in TikTok for Developers.",
		 "https://developers.tiktok.com/apps/",
		 {"Create an app and add the products Login Kit and Content Posting API, with "
		  "Direct Post enabled.",
		  "Request the scopes below; for drafts video.upload, too.",
		  "Under Login Kit, add the redirect URI. Web requires https; for a service on "
		  "this machine, use Desktop.",
		  "Under URL properties, verify the domain of this service: TikTok fetches photos "
		  "from it.",
		  "Copy the Client key and Client secret.",
		  "Submit the app for review, which takes up to two weeks; apps for private use "
		  "are "
		  "refused. A Sandbox of the app has a key and secret of its own and needs no "
		  "review: for up to 10 accounts, its target users, and never in public.",
		  NULL},
		 "After the review comes the audit of the Content Posting API. Until TikTok has "
		 "audited the app, posts are visible only to their author, and at "
		 "most 5 users a day can post, all with private accounts. Drafts (post_mode "
		 "MEDIA_UPLOAD) work before the audit: people publish them in TikTok. The audit "
		 "wants the person who posts to choose who sees it. No charge is "
		 "documented.",
		 true},
};

const struct platform_guide *platform_guide_of(enum platform_id id)
{
	return id != PLATFORM_NONE && (size_t)id <= PLATFORM_ID_MAX ? &guides[id] : NULL;
}
