/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/url.h: what is refused before any address is looked at (rules.md 3.7), what
 * must not be refused, the pieces, and the query that is sent back to a customer (api-decisions.md
 * 5). Which addresses may be reached is not asked here. */
#include "url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

/* From memory of exactly that size, so that reading past the end is seen; it stays until the arena
 * goes. */
static enum err_kind parse_exact(struct arena *arena, struct str text, struct url *url,
				 struct error *err)
{
	char *copy = malloc(text.len > 0 ? text.len : 1);
	assert_non_null(copy);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	arena_on_clear(arena, free, copy);
	return url_parse(arena, (struct str){copy, text.len}, url, err);
}

#define ROW(name, literal) \
	{ \
		name, \
		{ \
			literal, sizeof(literal) - 1 \
		} \
	}

struct row {
	const char *name;
	struct str text;
};

static const struct row refused_rows[] = {
	/* IPv4 in other spellings: inet_aton and so getaddrinfo and libcurl read them as
	 * addresses. */
	ROW("dword", "http://2130706433/"),
	ROW("dword of a private address", "http://3232235521/"),
	ROW("dword of the metadata address", "http://2852039166/latest/meta-data/"),
	ROW("hex dword", "http://0x7f000001/"),
	ROW("hex dword, capital", "http://0X7F000001/"),
	ROW("hex dword of the metadata address", "http://0xA9FEA9FE/"),
	ROW("octal dword", "http://017700000001/"),
	ROW("octal octet", "http://0177.0.0.1/"),
	ROW("octal, padded", "http://0177.0000.0000.0001/"),
	ROW("octal, many zeros", "http://00000177.0.0.1/"),
	ROW("leading zeros", "http://127.000.000.001/"),
	ROW("one leading zero", "http://127.0.0.01/"),
	ROW("octal metadata address", "http://0251.0376.0251.0376/"),
	ROW("octal private", "http://0300.0250.0.1/"),
	ROW("hex octets", "http://0x7f.0x0.0x0.0x1/"),
	ROW("mixed bases", "http://0xa9.254.0251.254/"),
	ROW("one hex octet", "http://192.168.0x0.1/"),
	ROW("hex octet last", "http://192.168.0.0x1/"),
	ROW("empty hex last", "http://192.168.0.0x/"),
	ROW("two parts", "http://127.1/"),
	ROW("three parts", "http://127.0.1/"),
	ROW("hex, two parts", "http://0x7f.1/"),
	ROW("wide last part", "http://169.254.43518/"),
	ROW("zero", "http://0/"),
	ROW("octets over 255", "http://425.510.425.510/"),
	ROW("256", "http://256.0.0.1/"),
	ROW("over 32 bits", "http://4294967297/"),
	ROW("dword of a public address", "http://134744072/"),
	ROW("dot after the literal", "http://127.0.0.1./"),
	ROW("five parts", "http://1.2.3.4.5/"),
	ROW("empty part", "http://127..0.1/"),
	ROW("number behind a name", "http://example.1/"),
	/* IPv6 */
	ROW("zone id, encoded", "http://[fe80::1%25eth0]/"),
	ROW("zone id, raw", "http://[fe80::1%eth0]/"),
	ROW("future literal", "http://[v1.127.0.0.1]/"),
	ROW("name in brackets", "http://[media.example.com]/"),
	ROW("IPv4 in brackets", "http://[127.0.0.1]/"),
	ROW("bracket not closed", "http://[::1"),
	ROW("bracket closed behind the path", "http://[::1/]"),
	ROW("empty brackets", "http://[]/"),
	ROW("IPv6 without brackets", "http://::1/"),
	ROW("two gaps", "http://[1::2::3]/"),
	ROW("nine groups", "http://[1:2:3:4:5:6:7:8:9]/"),
	ROW("group of five digits", "http://[::12345]/"),
	ROW("octal in the dotted tail", "http://[::ffff:0177.0.0.1]/"),
	ROW("long digits",
	    "http://[0000000000000000000000000000000000000000000000000000000000::1]/"),
	ROW("text behind the bracket", "http://[::1]x/"),
	ROW("text before the bracket", "http://x[::1]/"),
	ROW("NUL in brackets", "http://[::1\0]/"),
	/* authority */
	ROW("backslash before @", "http://media.example.com\\@127.0.0.1/"),
	ROW("backslash before @, mirrored", "http://127.0.0.1\\@media.example.com/"),
	ROW("backslash in the host", "http://127.0.0.1\\.media.example.com/"),
	ROW("backslash in the path", "http://media.example.com/\\..\\a"),
	ROW("backslashes for slashes", "http:\\\\127.0.0.1/"),
	ROW("two @", "http://a@b@media.example.com/"),
	ROW("@ with nothing before", "http://@media.example.com/"),
	ROW("@ with nothing behind", "http://user@/"),
	ROW("encoded digits", "http://%31%32%37.0.0.1/"),
	ROW("encoded dot", "http://127.0.0.1%2emedia.example.com/"),
	ROW("encoded NUL", "http://127.0.0.1%00.media.example.com/"),
	ROW("encoded tab", "http://127.0.0.1%09.media.example.com/"),
	ROW("encoded letter", "http://%6d.example.com/"),
	ROW("raw tab", "http://127.0.0.1\t.media.example.com/"),
	ROW("raw newline", "http://127.0.0.1\n/"),
	ROW("raw NUL", "http://media.example.com\0.example.org/"),
	ROW("header injection", "http://media.example.com/a.png\r\nX-Injected: 1"),
	ROW("C1 control", "http://media.example.com/a\xc2\x85"),
	ROW("DEL", "http://media.example.com/\x7f"),
	ROW("blank before", " http://127.0.0.1/"),
	ROW("blank behind", "http://media.example.com/ "),
	ROW("blank in the host", "http://127.0.0.1 media.example.com/"),
	ROW("blank in the path", "http://media.example.com/a b"),
	ROW("one slash", "http:/127.0.0.1/"),
	ROW("three slashes", "http:///127.0.0.1/"),
	ROW("no slashes", "http:127.0.0.1/"),
	ROW("no scheme", "127.0.0.1/"),
	ROW("name without a scheme", "media.example.com/a:b"),
	ROW("scheme-relative", "//127.0.0.1/"),
	ROW("no authority", "http://"),
	ROW("query for authority", "http://?a"),
	ROW("fragment for authority", "http://#a"),
	ROW("port only", "http://:80/"),
	ROW("port 0", "http://media.example.com:0/"),
	ROW("port over 65535", "http://media.example.com:65616/"),
	ROW("port of 20 digits", "http://media.example.com:18446744073709551696/"),
	ROW("negative port", "http://media.example.com:-80/"),
	ROW("plus in the port", "http://media.example.com:+80/"),
	ROW("zero before the port", "http://media.example.com:080/"),
	ROW("hex port", "http://media.example.com:0x50/"),
	ROW("empty port", "http://media.example.com:/"),
	ROW("two ports", "http://media.example.com:80:80/"),
	ROW("empty label", "http://media..example.com/"),
	ROW("dot first", "http://.example.com/"),
	ROW("dot only", "http://./"),
	ROW("two dots last", "http://example.com../"),
	ROW("comma", "http://127.0.0.1,media.example.com/"),
	ROW("star", "http://*.example.com/"),
	ROW("dollar", "http://a$b.example.com/"),
	/* hosts that are not ASCII: mapping turns them into something else later */
	ROW("enclosed digits", "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/"),
	ROW("full-width digits", "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/"),
	ROW("ideographic stop", "http://127\xe3\x80\x82"
				"0\xe3\x80\x82"
				"0\xe3\x80\x82"
				"1/"),
	ROW("half-width stop", "http://169\xef\xbd\xa1"
			       "254\xef\xbd\xa1"
			       "169\xef\xbd\xa1"
			       "254/"),
	ROW("enclosed letters", "http://\xe2\x93\x9b\xe2\x93\x9e.example/"),
	ROW("soft hyphen", "http://loc\xc2\xad"
			   "alhost/"),
	ROW("zero-width space", "http://local\xe2\x80\x8bhost/"),
	ROW("umlaut", "http://b\xc3\xbc"
		      "cher.example.com/"),
	ROW("not UTF-8", "http://media.example.com/\xff"),
	/* schemes */
	ROW("file", "file:///etc/passwd"),
	ROW("file with a host", "file://localhost/etc/passwd"),
	ROW("ftp", "ftp://media.example.com/a.png"),
	ROW("gopher", "gopher://127.0.0.1:6379/_INFO"),
	ROW("dict", "dict://127.0.0.1:11211/stats"),
	ROW("ldap", "ldap://127.0.0.1/"),
	ROW("tftp", "tftp://127.0.0.1/a"),
	ROW("smb", "smb://127.0.0.1/c$"),
	ROW("sftp", "sftp://127.0.0.1/etc/passwd"),
	ROW("telnet", "telnet://127.0.0.1:25/"),
	ROW("ws", "ws://127.0.0.1/"),
	ROW("data", "data:image/png;base64,iVBORw0KGgo="),
	ROW("javascript", "javascript:alert(1)"),
	ROW("http+unix", "http+unix://%2Fvar%2Frun%2Fdocker.sock/info"),
	ROW("jar", "jar:http://127.0.0.1!/x"),
	ROW("url:", "url:http://127.0.0.1/"),
	ROW("httpx", "httpx://media.example.com/a.png"),
	ROW("htt", "htt://media.example.com/"),
	ROW("empty", ""),
	ROW("colon only", ":"),
};

static void refuses_what_is_read_in_two_ways(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(refused_rows); i++) {
		struct url url = {.port = 7};
		struct error err = {0};
		if (parse_exact(arena, refused_rows[i].text, &url, &err) != ERR_INVALID)
			fail_msg("%s: taken", refused_rows[i].name);
		assert_int_equal(err.kind, ERR_INVALID);
		assert_true(err.text[0] != '\0');
		assert_int_equal(url.port, 7);
		arena_clear(arena);
	}
	arena_free(&arena);
}

/* Refused elsewhere (by address, name, port or policy), so they must come out of the parser as what
 * they are. */
static const struct {
	const char *text;
	const char *host;
	const char *userinfo;
	uint16_t port;
} exposed_rows[] = {
	{"http://127.0.0.1/", "127.0.0.1", "", 80},
	{"http://127.0.0.53:80/", "127.0.0.53", "", 80},
	{"http://media.example.com@127.0.0.1/", "127.0.0.1", "media.example.com", 80},
	{"http://127.0.0.1@media.example.com/", "media.example.com", "127.0.0.1", 80},
	{"http://user:secret@media.example.com/a.png", "media.example.com", "user:secret", 80},
	{"http://media.example.com:80@127.0.0.1:6379/", "127.0.0.1", "media.example.com:80", 6379},
	{"http://media.example.com:22/", "media.example.com", "", 22},
	{"http://LOCALHOST/", "localhost", "", 80},
	{"http://localhost./", "localhost.", "", 80},
	{"http://metadata/computeMetadata/v1/", "metadata", "", 80},
	{"http://127.0.0.1.nip.io/", "127.0.0.1.nip.io", "", 80},
	{"http://a9fea9fe.nip.io/", "a9fea9fe.nip.io", "", 80},
	{"http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1", "", 80},
	{"http://[::FFFF:169.254.169.254]/", "::ffff:169.254.169.254", "", 80},
	{"http://[0000:0000:0000:0000:0000:0000:0000:0001]:80/",
	 "0000:0000:0000:0000:0000:0000:0000:0001", "", 80},
	{"http://a_b.example.com/", "a_b.example.com", "", 80},
};

static void exposes_what_policy_refuses(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(exposed_rows); i++) {
		struct url url;
		struct error err;
		if (parse_exact(arena, str_of(exposed_rows[i].text), &url, &err) != ERR_NONE)
			fail_msg("%s: %s", exposed_rows[i].text, err.text);
		if (!str_equal_z(url.host, exposed_rows[i].host) ||
		    !str_equal_z(url.userinfo, exposed_rows[i].userinfo) ||
		    url.port != exposed_rows[i].port)
			fail_msg("%s: " STR_FMT, exposed_rows[i].text, STR_ARG(url.host));
		arena_clear(arena);
	}
	arena_free(&arena);
}

static const char *const allowed_rows[] = {
	"https://media.example.com/a.jpg",
	"http://media.example.com/a.jpg",
	"HTTPS://MEDIA.EXAMPLE.COM/A.JPG",
	"https://media.example.com:443/a.mp4",
	"https://media.example.com",
	"https://media.example.com/a.jpg?u=http://127.0.0.1/",
	"https://media.example.com/a@2x.png?sig=%2F%2F10.0.0.1%00",
	"https://bucket.s3.eu-west-1.amazonaws.com/k/"
	"a%20b.png?X-Amz-Signature=abc&X-Amz-Credential=AKIA%2F1%2Feu",
	"https://media.example.com/a/%2e%2e/b.png",
	"https://media.example.com/a.png#@127.0.0.1/",
	"https://127.0.0.1.example.com/a.png",
	"https://localhost.example.com/a.png",
	"https://internal.example.com/a.png",
	"https://xn--bcher-kva.example.com/a.png",
	"https://93.184.215.14/a.png",
	"https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/a.png",
	"https://11.0.0.1/a.png",
	"https://126.255.255.254/a.png",
	"https://223.255.255.254/a.png",
	"https://media.example.com?a@b",
	"https://media.example.com#a",
	"https://media.example.com/gr\xc3\xbc\xc3\x9f"
	"e.png",
	"https://1e100.example/",
	"https://0x.example/",
	"https://example.0x7g/",
};

static void allows_ordinary_urls(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(allowed_rows); i++) {
		struct url url;
		struct error err;
		if (parse_exact(arena, str_of(allowed_rows[i]), &url, &err) != ERR_NONE)
			fail_msg("%s: %s", allowed_rows[i], err.text);
		assert_int_equal(url.userinfo.len, 0);
		arena_clear(arena);
	}
	arena_free(&arena);
}

static void cuts_the_pieces(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct url url;
	assert_int_equal(parse_exact(arena, STR("HtTpS://U:p@Ex-Ample.com:8443/p/a?q=1?2#f#g?h"),
				     &url, NULL),
			 ERR_NONE);
	assert_true(str_equal_z(url.scheme, "https"));
	assert_true(str_equal_z(url.userinfo, "U:p"));
	assert_true(str_equal_z(url.host, "ex-ample.com"));
	assert_int_equal(url.host_kind, URL_HOST_NAME);
	assert_int_equal(url.port, 8443);
	assert_true(url.has_port);
	assert_true(str_equal_z(url.path, "/p/a"));
	assert_true(str_equal_z(url.query, "q=1?2"));
	assert_true(str_equal_z(url.fragment, "f#g?h"));
	assert_true(url.has_fragment);
	assert_true(str_equal_z(url_authority(arena, &url), "ex-ample.com:8443"));
	assert_true(str_equal_z(url_origin(arena, &url), "https://ex-ample.com:8443"));

	assert_int_equal(parse_exact(arena, STR("http://e.com?a/b"), &url, NULL), ERR_NONE);
	assert_int_equal(url.path.len, 0);
	assert_true(str_equal_z(url.query, "a/b"));
	assert_false(url.has_port);
	assert_false(url.has_fragment);
	assert_int_equal(url.port, 80);

	assert_int_equal(parse_exact(arena, STR("http://e.com/#"), &url, NULL), ERR_NONE);
	assert_true(url.has_fragment);
	assert_int_equal(url.fragment.len, 0);
	arena_free(&arena);
}

static void reads_addresses(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct url url;
	const uint8_t v4[4] = {169, 254, 0, 255};
	assert_int_equal(parse_exact(arena, STR("http://169.254.0.255:443/"), &url, NULL),
			 ERR_NONE);
	assert_int_equal(url.host_kind, URL_HOST_IPV4);
	assert_memory_equal(url.address, v4, 4);
	assert_true(str_equal_z(url_origin(arena, &url), "http://169.254.0.255:443"));

	const uint8_t v6[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 0, 1};
	assert_int_equal(parse_exact(arena, STR("https://[2001:DB8::ABCD:1]:443/"), &url, NULL),
			 ERR_NONE);
	assert_int_equal(url.host_kind, URL_HOST_IPV6);
	assert_memory_equal(url.address, v6, 16);
	assert_true(str_equal_z(url.host, "2001:db8::abcd:1"));
	assert_true(str_equal_z(url_authority(arena, &url), "[2001:db8::abcd:1]"));
	assert_int_equal(parse_exact(arena, STR("http://[::1]:8080"), &url, NULL), ERR_NONE);
	assert_true(str_equal_z(url_authority(arena, &url), "[::1]:8080"));
	arena_free(&arena);
}

static void names_have_lengths(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct url url;
	for (int len = 62; len <= 64; len++) {
		char label[80];
		memset(label, 'a', sizeof(label));
		const struct str text = str_format(arena, "http://%.*s.com/", len, label);
		assert_int_equal(url_parse(arena, text, &url, NULL),
				 len <= 63 ? ERR_NONE : ERR_INVALID);
	}
	/* 126 labels "a." and a last of 1 to 3 letters: 252 + last bytes. */
	char labels[300] = "http://";
	for (int i = 0; i < 126; i++)
		memcpy(labels + 7 + 2 * i, "a.", 2);
	memcpy(labels + 7 + 252, "bbb", 3);
	assert_int_equal(url_parse(arena, (struct str){labels, 7 + 253}, &url, NULL), ERR_NONE);
	assert_int_equal(url_parse(arena, (struct str){labels, 7 + 254}, &url, NULL), ERR_INVALID);
	arena_free(&arena);
}

static void error_texts_do_not_quote_the_url(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct url url;
	struct error err;
	assert_int_equal(
		url_parse(arena, STR("http://user:hunter2@exa mple/?token=hunter2"), &url, &err),
		ERR_INVALID);
	assert_null(strstr(err.text, "hunter2"));
	assert_int_equal(url_parse(arena, STR("http:///a"), &url, &err), ERR_INVALID);
	assert_non_null(strstr(err.text, "the host is empty"));
	arena_free(&arena);
}

static void every_truncation_is_safe(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	static const struct str texts[] = {{"https://u:p@media.example.com:8443/p?q#f", 40},
					   {"http://[2001:db8::1]:80/a?b", 27}};
	for (size_t t = 0; t < 2; t++) {
		for (size_t len = 0; len <= texts[t].len; len++) {
			struct url url;
			(void)parse_exact(arena, str_slice(texts[t], 0, len), &url, NULL);
			arena_clear(arena);
		}
	}
	arena_free(&arena);
}

static void appends_our_parameters(void **state)
{
	(void)state;
	static const struct {
		const char *url;
		const char *result;
	} rows[] = {
		{"https://c.example/cb", "https://c.example/cb?status=a%20b&error="},
		{"https://c.example/cb?", "https://c.example/cb?status=a%20b&error="},
		{"https://c.example", "https://c.example?status=a%20b&error="},
		{"https://c.example/cb?x=1&y", "https://c.example/cb?x=1&y&status=a%20b&error="},
		{"https://c.example/cb?x=%2f+%zz",
		 "https://c.example/cb?x=%2f+%zz&status=a%20b&error="},
		{"https://c.example/cb?status=success", "https://c.example/cb?status=a%20b&error="},
		{"https://c.example/cb?status", "https://c.example/cb?status=a%20b&error="},
		{"https://c.example/cb?a=1&status=1&error=2&status=3&b=2",
		 "https://c.example/cb?a=1&b=2&status=a%20b&error="},
		{"https://c.example/cb?st%61tus=success&e%72ror=",
		 "https://c.example/cb?status=a%20b&error="},
		{"https://c.example/cb?Status=1&statuses=2",
		 "https://c.example/cb?Status=1&statuses=2&status=a%20b&error="},
		{"https://c.example/cb?x=status=1",
		 "https://c.example/cb?x=status=1&status=a%20b&error="},
		{"https://c.example/cb?u=a?status=1",
		 "https://c.example/cb?u=a?status=1&status=a%20b&error="},
		{"https://c.example/cb?&&x=1&", "https://c.example/cb?x=1&status=a%20b&error="},
	};
	const struct str names[] = {STR("status"), STR("error")};
	const struct str values[] = {STR("a b"), STR("")};
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str result =
			url_with_query(arena, str_of(rows[i].url), names, values, 2);
		if (!str_equal_z(result, rows[i].result))
			fail_msg("%s: " STR_FMT, rows[i].url, STR_ARG(result));
		arena_clear(arena);
	}
	assert_true(str_equal_z(url_with_query(arena, STR("https://c.example/?a"), NULL, NULL, 0),
				"https://c.example/?a"));
	assert_true(str_equal_z(url_with_query(arena, STR("https://c.example/?"), NULL, NULL, 0),
				"https://c.example/"));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_read_in_two_ways),
		cmocka_unit_test(exposes_what_policy_refuses),
		cmocka_unit_test(allows_ordinary_urls),
		cmocka_unit_test(cuts_the_pieces),
		cmocka_unit_test(reads_addresses),
		cmocka_unit_test(names_have_lengths),
		cmocka_unit_test(error_texts_do_not_quote_the_url),
		cmocka_unit_test(every_truncation_is_safe),
		cmocka_unit_test(appends_our_parameters),
	};
	return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
