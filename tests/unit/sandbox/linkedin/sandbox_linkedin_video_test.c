/* SPDX-License-Identifier: Apache-2.0
 * Videos of the simulated LinkedIn: parts by byte range without a bearer, etags in order, the token
 * echoed, processing by the clock. */
#include "linkedin_flow.h"

#define MIB (1024 * 1024)
#define PARTS_MAX 4

/* An upload under way. */
struct video {
	struct str urn;
	struct str token; /* uploadToken */
	struct str urls[PARTS_MAX];
	struct str etags[PARTS_MAX];
	struct str thumbnail_url;
	struct str captions_url;
	size_t count;
};

static struct probe_answer begin(struct probe *probe, struct str token, const char *owner,
				 size_t size_bytes, const char *more)
{
	return call(
		probe, "POST", API "/rest/videos?action=initializeUpload", token,
		str_format(probe->arena,
			   "{\"initializeUploadRequest\":{\"owner\":\"%s\",\"fileSizeBytes\":%zu"
			   "%s}}",
			   owner, size_bytes, more));
}

static struct video begun(struct probe *probe, struct str token, const char *owner,
			  size_t size_bytes, const char *more)
{
	const struct probe_answer answer = begin(probe, token, owner, size_bytes, more);
	const struct json *value = json_get(answer.json, "value");
	const struct json *parts = json_get(value, "uploadInstructions");
	struct video video = {
		.urn = json_string(json_get(value, "video")),
		.token = json_string(json_get(value, "uploadToken")),
		.thumbnail_url = json_string(json_get(value, "thumbnailUploadUrl")),
		.captions_url = json_string(json_get(value, "captionsUploadUrl")),
	};
	assert_status(answer, 200);
	assert_true(json_int(json_get(value, "uploadUrlsExpireAt"), 0) > 0);
	for (; json_at(parts, video.count) != NULL; video.count++) {
		assert_true(video.count < PARTS_MAX);
		video.urls[video.count] =
			json_string(json_get(json_at(parts, video.count), "uploadUrl"));
		assert_int_equal(json_int(json_get(json_at(parts, video.count), "firstByte"), -1),
				 (int64_t)video.count * 4 * MIB);
	}
	return video;
}

static void put_part(struct probe *probe, struct video *video, size_t part, struct str bytes)
{
	const struct probe_answer answer = put_bytes(
		probe, video->urls[part], none,
		str_slice(bytes, part * 4 * MIB,
			  (part + 1) * 4 * MIB < bytes.len ? (part + 1) * 4 * MIB : bytes.len));
	assert_status(answer, 200);
	video->etags[part] = str_copy(probe->arena, probe_header(&answer, "etag"));
	assert_true(video->etags[part].len > 0);
}

static struct probe_answer end(struct probe *probe, struct str token, const struct video *video,
			       struct str upload_token, const size_t *order, size_t count)
{
	struct buf ids;
	buf_init(&ids, probe->arena, 4096);
	for (size_t i = 0; i < count; i++)
		buf_addf(&ids, "%s\"" STR_FMT "\"", i > 0 ? "," : "",
			 STR_ARG(video->etags[order[i]]));
	return call(probe, "POST", API "/rest/videos?action=finalizeUpload", token,
		    str_format(probe->arena,
			       "{\"finalizeUploadRequest\":{\"video\":\"" STR_FMT
			       "\",\"uploadToken\":\"" STR_FMT "\",\"uploadedPartIds\":[" STR_FMT
			       "]}}",
			       STR_ARG(video->urn), STR_ARG(upload_token), STR_ARG(buf_str(&ids))));
}

static const char *status_of(struct probe *probe, struct str token, const struct video *video)
{
	const struct probe_answer answer = call(
		probe, "GET", urn_path(probe, API "/rest/videos/", video->urn, ""), token, none);
	assert_status(answer, 200);
	return probe_z(probe, probe_json_string(&answer, "status"));
}

static struct probe_answer post_of(struct probe *probe, struct str token, const struct video *video,
				   const char *text)
{
	const char *content = probe_z(probe, str_format(probe->arena,
							"{\"media\":{\"id\":\"" STR_FMT
							"\",\"title\":\"A film\"}}",
							STR_ARG(video->urn)));
	return publish(probe, token, MEMBER, text, content);
}

static const size_t in_order[] = {0, 1, 2};
static const size_t out_of_order[] = {1, 0, 2};

static void parts_make_a_video(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str bytes = probe_video(probe, 9 * MIB);
	struct video video = begun(probe, token, MEMBER, bytes.len, "");
	assert_int_equal(video.count, 3);
	assert_true(video.token.len > 0 && video.thumbnail_url.len == 0);
	assert_string_equal(status_of(probe, token, &video), "WAITING_UPLOAD");
	assert_status(post_of(probe, token, &video, "early"), 400);
	for (size_t i = 3; i-- > 0;) /* in any order */
		put_part(probe, &video, i, bytes);
	put_part(probe, &video, 0, bytes); /* and twice */
	assert_status(end(probe, token, &video, video.token, in_order, 3), 200);
	assert_string_equal(status_of(probe, token, &video), "PROCESSING");
	assert_status(post_of(probe, token, &video, "still early"), 400);
	probe_advance(probe, 2 * US_PER_S);
	assert_string_equal(status_of(probe, token, &video), "AVAILABLE");
	assert_status(post_of(probe, token, &video, "a film"), 201);
	const struct json *posts[2];
	assert_int_equal(probe_ledger(probe, posts, 2), 1);
	assert_str(json_string(json_get(posts[0], "type")), "video");
	assert_true(
		str_equal(json_string(json_get(json_at(json_get(posts[0], "media"), 0), "sha256")),
			  probe_sha256_hex(probe, bytes)));
	assert_status(end(probe, token, &video, video.token, in_order, 3), 400); /* has ended */
}

static void another_order_scrambles_with_200(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str bytes = probe_video(probe, 9 * MIB);
	struct video video = begun(probe, token, MEMBER, bytes.len, "");
	for (size_t i = 0; i < 3; i++)
		put_part(probe, &video, i, bytes);
	assert_status(end(probe, token, &video, video.token, out_of_order, 3), 200);
	probe_advance(probe, 2 * US_PER_S);
	const struct probe_answer status = call(
		probe, "GET", urn_path(probe, API "/rest/videos/", video.urn, ""), token, none);
	assert_str(probe_json_string(&status, "status"), "PROCESSING_FAILED");
	assert_str(probe_json_string(&status, "processingFailureReason"),
		   "the parts are not in order");
}

static void what_is_no_end_is_refused(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str bytes = probe_video(probe, 9 * MIB);
	struct video video = begun(probe, token, MEMBER, bytes.len, "");
	put_part(probe, &video, 0, bytes);
	put_part(probe, &video, 1, bytes);
	assert_status(end(probe, token, &video, video.token, in_order, 2), 400);
	assert_status(end(probe, token, &video, video.token, in_order, 3), 400);
	put_part(probe, &video, 2, bytes);
	assert_status(end(probe, token, &video, STR(""), in_order, 3), 400);
	assert_status(end(probe, token, &video, STR("other"), in_order, 3), 400);
	video.urn = STR("urn:li:video:none");
	assert_status(end(probe, token, &video, video.token, in_order, 3), 400);
}

/* The address is the key: who shows the token too is refused, and so are other bytes than asked. */
static void part_addresses_are_strict(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str bytes = probe_video(probe, 5 * MIB);
	struct video video = begun(probe, token, MEMBER, bytes.len, "");
	const struct str first = str_slice(bytes, 0, 4 * MIB);
	const struct str url = video.urls[0];
	assert_status(put_bytes(probe, url, token, first), 403);
	assert_status(put_bytes(probe, url, none, str_slice(bytes, 0, 4 * MIB - 1)), 400);
	assert_status(put_bytes(probe, video.urls[1], none, first), 400);
	assert_status(put_bytes(probe, str_slice(url, 0, url.len - 1), none, first), 404);
	assert_status(put_bytes(probe, url, none, first), 200);
	probe_advance(probe, 30 * US_PER_DAY);
	assert_status(put_bytes(probe, url, none, first), 403);
}

static void what_is_no_video_is_refused_or_fails(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct str bytes = probe_video(probe, 80000);
	assert_status(begin(probe, token, MEMBER, 74999, ""), 400);
	assert_status(begin(probe, token, MEMBER, 501u * MIB, ""), 400);
	assert_status(begin(probe, token, "urn:li:person:other", 80000, ""), 403);
	assert_status(call(probe, "POST", API "/rest/videos?action=explode", token, STR("{}")),
		      400);
	assert_status(call(probe, "POST", API "/rest/videos?action=initializeUpload", token,
			   STR("{\"initializeUploadRequest\":{\"owner\":\"" MEMBER "\"}}")),
		      422);
	memset((char *)bytes.ptr, 'x', 24);
	struct video video = begun(probe, token, MEMBER, bytes.len, "");
	assert_int_equal(video.count, 1);
	assert_int_equal(video.token.len, 0); /* empty for a single part (2.6) */
	put_part(probe, &video, 0, bytes);
	assert_status(end(probe, token, &video, STR(""), in_order, 1), 200);
	probe_advance(probe, 2 * US_PER_S);
	assert_string_equal(status_of(probe, token, &video), "PROCESSING_FAILED");
	assert_status(post_of(probe, token, &video, "no film"), 400);
}

static void a_picture_goes_with_it_when_asked_for(void **state)
{
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02";
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct video video = begun(probe, token, MEMBER, 80000, ",\"uploadThumbnail\":true");
	struct probe_request put = {
		.method = "PUT",
		.path = probe_z(probe, video.thumbnail_url),
		.content_type = "image/png",
		.body = {png, sizeof(png) - 1},
	};
	assert_true(video.thumbnail_url.len > 0);
	assert_status(probe_ask(probe, put), 400);
	put.headers[0] = "media-type-family: STILLIMAGE";
	assert_status(probe_ask(probe, put), 201);
	put.body = STR("no picture");
	assert_status(probe_ask(probe, put), 415);
	put.bearer = token;
	assert_status(probe_ask(probe, put), 403);
}

#define SRT "1\r\n00:00:00,000 --> 00:00:01,000\r\nGuten Tag\r\n"
#define METADATA(format) \
	"{\"format\":\"" format \
	"\",\"source\":\"USER_PROVIDED\",\"locale\":{\"language\":\"DE\"}," \
	"\"transcriptType\":\"CLOSED_CAPTION\"}"
#define CAPTIONS(metadata, file) \
	"--B\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n" metadata \
	"\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"c.srt\"\r\n" \
	"Content-Type: text/plain\r\n\r\n" file "\r\n--B--\r\n"

static void captions_go_with_it_when_asked_for(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_for(probe, SCOPES);
	const struct video without = begun(probe, token, MEMBER, 80000, "");
	const struct video video = begun(probe, token, MEMBER, 80000, ",\"uploadCaptions\":true");
	struct probe_request post = {
		.method = "POST",
		.path = probe_z(probe, video.captions_url),
		.content_type = "multipart/form-data; boundary=B",
		.body = STR(CAPTIONS(METADATA("SRT"), SRT)),
	};
	assert_true(without.captions_url.len == 0 && video.captions_url.len > 0);
	assert_status(probe_ask(probe, post), 401); /* unlike the parts' addresses */
	post.bearer = token;
	assert_status(probe_ask(probe, post), 201);
	post.body = STR(CAPTIONS(METADATA("VTT"), SRT));
	assert_status(probe_ask(probe, post), 400);
	post.body = STR(CAPTIONS("words", SRT));
	assert_status(probe_ask(probe, post), 400);
	post.body = STR(CAPTIONS(METADATA("SRT"), "no captions"));
	assert_status(probe_ask(probe, post), 415);
	const struct probe_answer shown = call(
		probe, "GET", urn_path(probe, API "/rest/videos/", video.urn, ""), token, none);
	assert_true(probe_json_string(&shown, "captions").len > 0);
	post.path = probe_z(probe, str_slice(video.captions_url, 0, video.captions_url.len - 1));
	assert_status(probe_ask(probe, post), 404);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_make_a_video, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(another_order_scrambles_with_200, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(what_is_no_end_is_refused, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(part_addresses_are_strict, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(what_is_no_video_is_refused_or_fails, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(a_picture_goes_with_it_when_asked_for, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(captions_go_with_it_when_asked_for, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
