/* SPDX-License-Identifier: Apache-2.0
 * The pages that people see in a browser: consent, errors, and GET /, where each platform has a
 * column with its posts. Static HTML without scripts; all foreign text is escaped, and the policy
 * allows nothing from elsewhere. */
#include "arena.h"
#include "buf.h"
#include "str.h"
#include "timetext.h"
#include "utf8.h"

#include "sandbox_core.h"

#define FEED_POSTS_MAX 200  /* top posts shown per platform; the ledger has them all */
#define FEED_REPLIES_MAX 50 /* shown a post */
#define FEED_DEPTH_MAX 12

static const char style[] =
	":root{color-scheme:light "
	"dark;--ink:#1c2430;--soft:#5b6675;--paper:#eef1f5;--card:#fff;--line:#d9dfe7}"
	"@media(prefers-color-scheme:dark){:root{--ink:#e7ebf0;--soft:#9aa6b5;--paper:#12161c;--"
	"card:#1b212a;"
	"--line:#2d3642}}"
	"*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
	"font:15px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
	"header.top{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:baseline;padding:1rem "
	"1.25rem}"
	"header.top h1{font-size:1.25rem;margin:0}header.top p{margin:0;color:var(--soft)}"
	"main.feed{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(15rem,1fr);gap:."
	"75rem;"
	"padding:0 1.25rem 2rem;overflow-x:auto;align-items:start}"
	".column>h2{font-size:1rem;margin:0 0 .75rem;padding:.55rem "
	".8rem;border-radius:.6rem;color:#fff;"
	"background:var(--brand);display:flex;justify-content:space-between}"
	".column>h2 span{opacity:.85;font-weight:400}"
	".instagram{--brand:#c13584}.facebook{--brand:#1464d2}.x{--brand:#22272e}.linkedin{--brand:"
	"#0a66c2}"
	".youtube{--brand:#c4161c}.tiktok{--brand:#13756f}"
	"article{background:var(--card);border:1px solid "
	"var(--line);border-radius:.7rem;padding:.8rem .9rem;"
	"margin:0 0 .8rem;overflow-wrap:anywhere}article article{margin:.6rem 0 "
	"0;background:transparent;"
	"border-width:0 0 0 3px;border-radius:0;padding:.1rem 0 .1rem .7rem}"
	"article:target{outline:3px solid var(--brand)}"
	".who{display:grid;grid-template-columns:2.2rem minmax(0,1fr);gap:.1rem "
	".6rem;align-items:center;margin:0 0 .5rem}"
	".who i{grid-row:span "
	"2;width:2.2rem;height:2.2rem;border-radius:50%;background:var(--brand);"
	"color:#fff;display:grid;place-items:center;font:700 .95rem/1 system-ui,sans-serif}"
	".who span{color:var(--soft);font-size:.8rem}"
	"article article .who{grid-template-columns:1.6rem minmax(0,1fr)}article article .who "
	"i{width:1.6rem;height:1.6rem;font-size:.75rem}"
	".story{max-width:13rem;background:#10151f;color:#fff;border-color:#10151f}.story .who "
	"span{color:#c6cfdd}.story .pictures{grid-template-columns:1fr}"
	".story .pictures img,.story .pictures video{aspect-ratio:9/16;max-height:none}"
	"h3{font-size:1rem;margin:0 0 .3rem}.text{white-space:pre-wrap;margin:0}"
	".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(7rem,1fr));gap:.35rem;"
	"margin:.6rem 0 0}"
	".pictures img,.pictures "
	"video{width:100%;display:block;border-radius:.45rem;background:var(--line);"
	"max-height:22rem;object-fit:cover}.file{padding:.6rem;border:1px dashed "
	"var(--line);border-radius:.45rem;"
	"color:var(--soft);font-size:.8rem}.none{color:var(--soft);padding:0 .8rem}"
	"main.ask{max-width:27rem;margin:6vh auto;padding:0 "
	"1rem}.card{background:var(--card);border-radius:.9rem;"
	"border:1px solid var(--line);overflow:hidden}.card>h1{margin:0;padding:1rem "
	"1.4rem;color:#fff;"
	"background:var(--brand);font-size:1.15rem}.card>div{padding:1.1rem 1.4rem 1.4rem}"
	".card ul{padding-left:1.2rem;margin:.4rem 0 1rem}.card fieldset{border:1px solid "
	"var(--line);"
	"border-radius:.6rem;margin:0 0 1.1rem;padding:.6rem .9rem}.card "
	"label{display:block;padding:.2rem 0}"
	".buttons{display:flex;gap:.7rem}.buttons "
	"button{flex:1;font:inherit;font-weight:600;padding:.65rem;"
	"border-radius:.6rem;cursor:pointer;border:1px solid "
	"var(--line);background:transparent;color:inherit}"
	".buttons button.allow{background:var(--brand);border-color:var(--brand);color:#fff}"
	".note{color:var(--soft);font-size:.8rem;margin:1rem 0 0}"
	"a{color:#1464d2}@media(prefers-color-scheme:dark){a{color:#8ab8ff}}"
	".panel header.top{padding:1rem 0 0}"
	"main.panel{display:grid;gap:1rem;padding:0 1.25rem 2rem;max-width:64rem}"
	".panel section{background:var(--card);border:1px solid var(--line);border-radius:.7rem;"
	"padding:.9rem 1rem;min-width:0}.panel h2{font-size:1rem;margin:0 0 .6rem}"
	".panel form{display:flex;flex-wrap:wrap;gap:.6rem .9rem;align-items:end;margin:.7rem 0 0}"
	".panel "
	"label{display:grid;grid-template-columns:minmax(0,1fr);gap:.2rem;min-width:0;font-size:."
	"8rem;color:var(--soft);max-width:100%}"
	".panel th label{font:600 .8rem/1.3 ui-monospace,monospace;color:var(--ink)}"
	".panel input,.panel select,.panel button{font:inherit;color:inherit;padding:.4rem .55rem;"
	"border:1px solid #7b8696;border-radius:.45rem;background:var(--card);max-width:100%}"
	".panel input[type=number]{width:9rem}.panel select{max-width:min(28rem,100%)}"
	".panel button{font-weight:600;cursor:pointer}.panel .wide{overflow-x:auto;width:100%}"
	".panel table{border-collapse:collapse;font-size:.85rem;width:100%;min-width:40rem}"
	".panel th,.panel td{text-align:left;padding:.35rem .6rem .35rem "
	"0;border-bottom:1px solid var(--line);vertical-align:top}"
	".panel tr.set th label::after{content:\" (set)\";color:var(--soft)}"
	".panel ul{margin:.2rem 0;padding-left:1.1rem}.panel .said{margin:0;padding:.6rem .9rem;"
	"border-left:4px solid #c4161c;background:var(--card)}";

struct str sandbox_page_style(void)
{
	return (struct str){style, sizeof(style) - 1};
}

/* ---- consent ---- */

static void add_hidden(struct buf *out, struct str name, struct str value)
{
	buf_add_z(out, "<input type=\"hidden\" name=\"");
	sandbox_html_add_text(out, name);
	buf_add_z(out, "\" value=\"");
	sandbox_html_add_text(out, value);
	buf_add_z(out, "\">");
}

static void add_scopes(struct buf *out, struct str scope)
{
	buf_add_z(out, "<p>It requests:</p><ul>");
	while (scope.len > 0) {
		size_t end = 0;
		while (end < scope.len && scope.ptr[end] != ' ' && scope.ptr[end] != ',')
			end++;
		if (end > 0) {
			buf_add_z(out, "<li><code>");
			sandbox_html_add_text(out, str_slice(scope, 0, end));
			buf_add_z(out, "</code></li>");
		}
		scope = str_slice(scope, end + 1, scope.len);
	}
	buf_add_z(out, "</ul>");
}

static void add_choices(struct buf *out, const struct sandbox_consent_page *page)
{
	if (page->choice_count == 0)
		return;
	buf_add_z(out, "<fieldset><legend>");
	sandbox_html_add_text(out, str_of(page->choose_text));
	buf_add_z(out, "</legend>");
	/* An empty choice marks that the form was submitted: with nothing ticked, the defaults
	 * do not apply. */
	add_hidden(out, STR("sandbox_choice"), STR(""));
	for (size_t i = 0; i < page->choice_count; i++) {
		buf_add_z(out, "<label><input type=\"checkbox\" name=\"sandbox_choice\" value=\"");
		sandbox_html_add_text(out, page->choices[i].id);
		buf_add_z(out, page->choices[i].is_ticked ? "\" checked> " : "\"> ");
		sandbox_html_add_text(out, page->choices[i].label);
		buf_add_z(out, "</label>");
	}
	buf_add_z(out, "</fieldset>");
}

static void answer_form(struct sandbox_call *call, const struct sandbox_consent_page *page)
{
	const char *name = sandbox_platform_name(call->platform);
	struct buf *out = http_response_text(call->response, 200, "text/html; charset=utf-8");
	sandbox_html_headers(call->response);
	sandbox_html_begin(call->sandbox, out, name, sandbox_platform_slug(call->platform));
	buf_addf(out,
		 "<main class=\"ask\"><section class=\"card\"><h1>%s (sandbox)</h1><div><p>The app "
		 "<strong>",
		 name);
	sandbox_html_add_text(out, sandbox_query(call, "client_id"));
	sandbox_html_add_text(out, sandbox_query(call, "client_key"));
	buf_add_z(out, "</strong> wants to use the account of <strong>");
	sandbox_html_add_text(out, page->user_name);
	buf_add_z(out, "</strong>.</p>");
	add_scopes(out, page->scope);
	buf_addf(out, "<form method=\"get\" action=\"%s", sandbox_page_prefix(call->sandbox));
	sandbox_html_add_text(out, call->request->path);
	buf_add_z(out, "\">");
	for (size_t i = 0; i < call->request->query.count; i++) {
		const struct form_pair *pair = &call->request->query.pairs[i];
		if (!str_has_prefix(pair->name, STR("sandbox_")))
			add_hidden(out, pair->name, pair->value);
	}
	add_choices(out, page);
	buf_add_z(out, "<div class=\"buttons\">"
		       "<button name=\"sandbox_decision\" value=\"deny\">Deny</button>"
		       "<button class=\"allow\" name=\"sandbox_decision\" "
		       "value=\"allow\">Allow</button></div></form>"
		       "<p class=\"note\">This is the sandbox: no real account is "
		       "involved.</p></div></section></main>");
	sandbox_html_end(out);
}

enum sandbox_consent sandbox_consent(struct sandbox_call *call,
				     const struct sandbox_consent_page *page)
{
	const struct str decision = sandbox_query(call, "sandbox_decision");
	if (str_equal_z(decision, "allow"))
		return SANDBOX_CONSENT_ALLOWED;
	if (str_equal_z(decision, "deny"))
		return SANDBOX_CONSENT_DENIED;
	answer_form(call, page);
	return SANDBOX_CONSENT_ASKED;
}

bool sandbox_consent_has(struct sandbox_call *call, const struct sandbox_choice *choice)
{
	const struct form *query = &call->request->query;
	if (form_count(query, "sandbox_choice") == 0)
		return choice->is_ticked;
	for (size_t i = 0; i < query->count; i++) {
		if (str_equal_z(query->pairs[i].name, "sandbox_choice") &&
		    str_equal(query->pairs[i].value, choice->id))
			return true;
	}
	return false;
}

void sandbox_consent_offer_scopes(struct sandbox_call *call, struct sandbox_consent_page *page,
				  char separator)
{
	page->scope = sandbox_query(call, "scope");
	page->choose_text = "Which permissions do you grant?";
	struct sandbox_choice *choices =
		ARENA_ARRAY(call->arena, struct sandbox_choice, page->scope.len + 1);
	struct str in = page->scope;
	struct str word;
	while (str_take_field(&in, separator, &word)) {
		if (!str_is_empty(word))
			choices[page->choice_count++] = (struct sandbox_choice){
				.id = word, .label = word, .is_ticked = true};
	}
	page->choices = choices;
}

struct str sandbox_consent_scopes(struct sandbox_call *call,
				  const struct sandbox_consent_page *page, char separator,
				  const char *always)
{
	struct buf scopes;
	buf_init(&scopes, call->arena, page->scope.len + 1);
	for (size_t i = 0; i < page->choice_count; i++) {
		const struct sandbox_choice *choice = &page->choices[i];
		if (!str_equal_z(choice->id, always) && !sandbox_consent_has(call, choice))
			continue;
		if (scopes.len > 0)
			buf_add_char(&scopes, separator);
		buf_add(&scopes, choice->id);
	}
	return buf_str(&scopes);
}

void sandbox_error_page(struct sandbox_call *call, int status, const char *title, struct str text)
{
	struct buf *out = http_response_text(call->response, status, "text/html; charset=utf-8");
	sandbox_html_headers(call->response);
	sandbox_html_begin(call->sandbox, out, title, sandbox_platform_slug(call->platform));
	buf_addf(out, "<main class=\"ask\"><section class=\"card\"><h1>%s (sandbox)</h1><div><h3>",
		 sandbox_platform_name(call->platform));
	sandbox_html_add_text(out, str_of(title));
	buf_add_z(out, "</h3><p>");
	sandbox_html_add_text(out, text);
	buf_add_z(out, "</p></div></section></main>");
	sandbox_html_end(out);
}

/* ---- the feed ---- */

static void add_picture(struct sandbox *sandbox, struct buf *out, const struct sandbox_media *media)
{
	const bool is_shown = sandbox_media_is_kept(sandbox, media->sha256);
	const char *prefix = sandbox_page_prefix(sandbox);
	const struct str mark = sandbox_page_mark(sandbox, out->arena);
	if (is_shown && media->sniff.is_image) {
		buf_addf(out,
			 "<img loading=\"lazy\" src=\"%s/_sandbox/media/%s" STR_FMT "\" alt=\"",
			 prefix, media->sha256, STR_ARG(mark));
		sandbox_html_add_text(out, media->alt_text);
		buf_add_z(out, "\">");
	} else if (is_shown && media->sniff.is_video) {
		buf_addf(out,
			 "<video controls preload=\"metadata\" src=\"%s/_sandbox/media/%s" STR_FMT
			 "\"></video>",
			 prefix, media->sha256, STR_ARG(mark));
	} else {
		buf_addf(out, "<div class=\"file\">%s, %lld bytes</div>", media->sniff.mime_type,
			 (long long)media->size_bytes);
	}
}

static void add_pictures(struct sandbox *sandbox, struct buf *out, const struct sandbox_post *post)
{
	if (post->media_count == 0)
		return;
	buf_add_z(out, "<div class=\"pictures\">");
	for (size_t i = 0; i < post->media_count; i++)
		add_picture(sandbox, out, &post->media[i]);
	buf_add_z(out, "</div>");
}

static struct str account_name(const struct sandbox *sandbox, const struct sandbox_post *post)
{
	struct str name = {0};
	for (size_t i = 0; i < sandbox->module_count; i++) {
		const struct sandbox_module *module = sandbox->modules[i];
		if (module->platform == post->platform && module->account_name != NULL)
			name = module->account_name(post->account_id);
	}
	return name.len > 0 ? name : post->account_id;
}

/* "5 min ago": how long ago in its largest unit. */
static struct str age(struct arena *arena, int64_t ago_us)
{
	static const struct {
		int64_t us;
		const char *unit;
	} units[] = {{24 * US_PER_HOUR, "d"}, {US_PER_HOUR, "h"}, {60 * US_PER_S, "min"}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ago_us >= units[i].us)
			return str_format(arena, "%lld %s ago", (long long)(ago_us / units[i].us),
					  units[i].unit);
	}
	return STR("just now");
}

/* Whose it is, of which kind, and how long ago. */
static void add_who(struct sandbox *sandbox, struct buf *out, const struct sandbox_post *post)
{
	const struct str name = account_name(sandbox, post);
	buf_add_z(out, "<p class=\"who\"><i aria-hidden=\"true\">");
	sandbox_html_add_text(out, utf8_cut(name, 1));
	buf_add_z(out, "</i><strong>");
	sandbox_html_add_text(out, name);
	buf_add_z(out, "</strong><span>");
	sandbox_html_add_text(out, post->type);
	buf_add_z(out, " · <time datetime=\"");
	buf_add(out, timetext_format_instant(out->arena, post->created_us / US_PER_S * US_PER_S));
	buf_add_z(out, "\">");
	buf_add(out, age(out->arena, sandbox_now_us(sandbox) - post->created_us));
	buf_add_z(out, "</time></span></p>");
}

static void add_article(struct sandbox *sandbox, struct buf *out, const struct ledger_entry *entry,
			unsigned depth)
{
	const struct sandbox_post *post = &entry->post;
	const bool is_story = str_find(post->type, STR("story"), 0) != SIZE_MAX;
	buf_addf(out, "<article class=\"%s\" id=\"%s-", is_story ? "story" : "post",
		 sandbox_platform_slug(post->platform));
	sandbox_html_add_text(out, post->id);
	buf_add_z(out, "\">");
	add_who(sandbox, out, post);
	if (post->title.len > 0) {
		buf_add_z(out, "<h3>");
		sandbox_html_add_text(out, post->title);
		buf_add_z(out, "</h3>");
	}
	if (post->text.len > 0 && !str_equal(post->text, post->title)) {
		buf_add_z(out, "<p class=\"text\">");
		sandbox_html_add_text(out, post->text);
		buf_add_z(out, "</p>");
	}
	add_pictures(sandbox, out, post);
	unsigned shown = 0;
	for (const struct ledger_entry *e = entry->replies_first;
	     e != NULL && depth < FEED_DEPTH_MAX && shown < FEED_REPLIES_MAX; e = e->reply_next) {
		if (e->post.deleted_us == 0) {
			add_article(sandbox, out, e, depth + 1);
			shown++;
		}
	}
	buf_add_z(out, "</article>");
}

struct feed_column {
	const struct ledger_entry *newest[FEED_POSTS_MAX]; /* a ring */
	size_t count;                                      /* of all top posts */
};

/* A reply whose parent is not on the ledger stands by itself. */
static bool is_top(struct sandbox *sandbox, const struct sandbox_post *post)
{
	return post->deleted_us == 0 &&
	       (post->reply_to.len == 0 ||
		sandbox_ledger_find(sandbox, post->platform, post->reply_to) == NULL);
}

static void add_column(struct sandbox *sandbox, struct buf *out, enum sandbox_platform platform,
		       const struct feed_column *column)
{
	const size_t shown = column->count < FEED_POSTS_MAX ? column->count : FEED_POSTS_MAX;
	buf_addf(out, "<section class=\"column %s\"><h2>%s <span>%zu</span></h2>",
		 sandbox_platform_slug(platform), sandbox_platform_name(platform), column->count);
	for (size_t i = 1; i <= shown; i++)
		add_article(sandbox, out, column->newest[(column->count - i) % FEED_POSTS_MAX], 0);
	if (shown == 0)
		buf_add_z(out, "<p class=\"none\">Nothing posted yet.</p>");
	buf_add_z(out, "</section>");
}

void sandbox_page_feed(struct sandbox *sandbox, struct http_response *response)
{
	struct feed_column *columns =
		ARENA_ARRAY(response->arena, struct feed_column, SANDBOX_PLATFORM_COUNT);
	struct buf *out = http_response_text(response, 200, "text/html; charset=utf-8");
	sandbox_html_headers(response);
	http_response_header(response, "Refresh", STR("5"));
	for (const struct ledger_entry *e = sandbox->ledger_first; e != NULL; e = e->next) {
		struct feed_column *column = &columns[e->post.platform];
		if (is_top(sandbox, &e->post))
			column->newest[column->count++ % FEED_POSTS_MAX] = e;
	}
	sandbox_html_begin(sandbox, out, "Posthorn sandbox", "");
	buf_add_z(out, "<header class=\"top\"><h1>Posthorn sandbox</h1><p>What the world would "
		       "see. Nothing here has left this machine.</p>");
	if (sandbox->world == NULL)
		buf_addf(out, "<p><a href=\"%s/_sandbox/panel\">Faults, knobs and clock</a></p>",
			 sandbox_page_prefix(sandbox));
	buf_add_z(out, "</header><main class=\"feed\">");
	for (int i = 0; i < SANDBOX_PLATFORM_COUNT; i++)
		add_column(sandbox, out, (enum sandbox_platform)i, &columns[i]);
	buf_add_z(out, "</main>");
	sandbox_html_end(out);
}
