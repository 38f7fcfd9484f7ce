/* SPDX-License-Identifier: Apache-2.0
 * The simulated X's media: one-shot pictures, chunks put together and checked, processing, alt
 * text, subtitles (x.md 2.3 to 2.5). */
#include "count_of.h"

#include "media_server.h"
#include "x_flow.h"

#define UPLOAD "/api.x.com/2/media/upload"

static struct probe_answer json_call(struct probe *probe, struct str token, const char *path,
				     const char *body)
{
	return probe_ask(probe, (struct probe_request){.method = "POST",
						       .path = path,
						       .bearer = token,
						       .body = str_of(body)});
}

static struct str data_member(const struct probe_answer *answer, const char *key)
{
	return json_string(json_get(json_get(answer->json, "data"), key));
}

static struct probe_answer image_call(struct probe *probe, struct str token, struct str bytes)
{
	const struct str text = base64_encode(probe->arena, bytes);
	const struct str body = str_format(
		probe->arena, "{\"media_category\":\"tweet_image\",\"media\":\"" STR_FMT "\"}",
		STR_ARG(text));
	return probe_ask(probe,
			 (struct probe_request){
				 .method = "POST", .path = UPLOAD, .bearer = token, .body = body});
}

static void image_with_alt_text_is_posted(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct probe_answer made =
		image_call(probe, token, jpeg_bytes(probe->arena, 1200, 675, 500));
	assert_status(made, 200);
	const struct str id = data_member(&made, "id");
	assert_true(str_has_prefix(data_member(&made, "media_key"), STR("3_")));
	assert_int_equal(json_int(json_get(json_get(json_get(made.json, "data"), "image"), "w"), 0),
			 1200);
	const struct str metadata = str_format(
		probe->arena,
		"{\"id\":\"" STR_FMT "\",\"metadata\":{\"alt_text\":{\"text\":\"a wide loaf\"}}}",
		STR_ARG(id));
	assert_status(
		json_call(probe, token, "/api.x.com/2/media/metadata", probe_z(probe, metadata)),
		200);
	const struct str post = str_format(
		probe->arena, "{\"text\":\"look\",\"media\":{\"media_ids\":[\"" STR_FMT "\"]}}",
		STR_ARG(id));
	assert_status(x_post(probe, token, probe_z(probe, post)), 201);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	const struct json *media = json_at(json_get(posts[0], "media"), 0);
	assert_str(json_string(json_get(media, "type")), "image");
	assert_str(json_string(json_get(media, "alt_text")), "a wide loaf");
}

static void image_refusals(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	assert_status(image_call(probe, token, STR("no picture")), 400);
	assert_status(
		image_call(probe, token, jpeg_bytes(probe->arena, 10, 10, ((size_t)5 << 20) + 1)),
		400);
	assert_status(json_call(probe, token, UPLOAD, "{\"media_category\":\"tweet_image\"}"), 400);
	assert_status(json_call(probe, token, UPLOAD,
				"{\"media_category\":\"dm_image\",\"media\":\"AAAA\"}"),
		      400);
	const struct probe_answer answer = x_exchange(
		probe, x_code(probe, "tweet.read users.read tweet.write"), X_CALLBACK, X_VERIFIER);
	const struct probe_answer unscoped =
		image_call(probe, probe_json_string(&answer, "access_token"),
			   jpeg_bytes(probe->arena, 10, 10, 0));
	assert_status(unscoped, 403);
	assert_str(probe_json_string(&unscoped, "detail"), "Forbidden");
}

static struct str initialize(struct probe *probe, struct str token, size_t total)
{
	const struct str body =
		str_format(probe->arena,
			   "{\"media_type\":\"video/"
			   "mp4\",\"media_category\":\"tweet_video\",\"total_bytes\":%zu}",
			   total);
	const struct probe_answer answer =
		json_call(probe, token, UPLOAD "/initialize", probe_z(probe, body));
	assert_status(answer, 200);
	return data_member(&answer, "id");
}

static struct probe_answer append(struct probe *probe, struct str token, struct str id, int index,
				  struct str bytes)
{
	const struct str head = str_format(
		probe->arena,
		"--B\r\nContent-Disposition: form-data; name=\"segment_index\"\r\n\r\n%d\r\n"
		"--B\r\nContent-Disposition: form-data; name=\"media\"; filename=\"blob\"\r\n"
		"Content-Type: application/octet-stream\r\n\r\n",
		index);
	const struct str body = str_concat(probe->arena, str_concat(probe->arena, head, bytes),
					   STR("\r\n--B--\r\n"));
	return probe_ask(probe,
			 (struct probe_request){
				 .method = "POST",
				 .path = probe_z(probe, str_format(probe->arena,
								   UPLOAD "/" STR_FMT "/append",
								   STR_ARG(id))),
				 .bearer = token,
				 .content_type = "multipart/form-data; boundary=B",
				 .body = body});
}

static struct probe_answer finalize(struct probe *probe, struct str token, struct str id)
{
	return json_call(probe, token,
			 probe_z(probe, str_format(probe->arena, UPLOAD "/" STR_FMT "/finalize",
						   STR_ARG(id))),
			 "");
}

static struct str state_of(const struct probe_answer *answer)
{
	return json_string(
		json_get(json_get(json_get(answer->json, "data"), "processing_info"), "state"));
}

static struct probe_answer status(struct probe *probe, struct str token, struct str id)
{
	return x_get(
		probe, token,
		probe_z(probe, str_format(probe->arena, UPLOAD "?command=STATUS&media_id=" STR_FMT,
					  STR_ARG(id))));
}

static void video_in_segments_out_of_order(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str video = probe_video(probe, 300000);
	const struct str id = initialize(probe, token, video.len);
	const struct str post = str_format(
		probe->arena, "{\"media\":{\"media_ids\":[\"" STR_FMT "\"]}}", STR_ARG(id));
	assert_status(append(probe, token, id, 1, str_slice(video, 100000, 200000)), 200);
	assert_status(finalize(probe, token, id), 400);
	assert_status(append(probe, token, id, 0, STR("a first try, broken off")), 200);
	assert_status(append(probe, token, id, 0, str_slice(video, 0, 100000)), 200);
	assert_status(finalize(probe, token, id), 400);
	assert_status(append(probe, token, id, 2, str_slice(video, 200000, 300000)), 200);
	const struct probe_answer done = finalize(probe, token, id);
	assert_status(done, 200);
	assert_str(state_of(&done), "pending");
	assert_status(x_post(probe, token, probe_z(probe, post)), 400);
	struct probe_answer step = status(probe, token, id);
	assert_str(state_of(&step), "pending");
	probe_advance(probe, US_PER_S / 2);
	step = status(probe, token, id);
	assert_str(state_of(&step), "in_progress");
	assert_int_equal(json_int(json_get(json_get(json_get(step.json, "data"), "processing_info"),
					   "check_after_secs"),
				  0),
			 1);
	probe_advance(probe, US_PER_S / 2);
	step = status(probe, token, id);
	assert_str(state_of(&step), "succeeded");
	assert_status(x_post(probe, token, probe_z(probe, post)), 201);
	const struct json *posts[5];
	assert_int_equal(probe_ledger(probe, posts, 5), 1);
	const struct json *media = json_at(json_get(posts[0], "media"), 0);
	assert_true(
		str_equal(json_string(json_get(media, "sha256")), probe_sha256_hex(probe, video)));
	assert_str(json_string(json_get(media, "type")), "video");
	/* A second finalize reports the state again. */
	assert_status(finalize(probe, token, id), 200);
	assert_status(append(probe, token, id, 3, STR("late")), 400);
}

static void bad_video_fails_in_processing(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str id = initialize(probe, token, 10);
	assert_status(append(probe, token, id, 0, STR("0123456789")), 200);
	assert_status(finalize(probe, token, id), 200);
	probe_advance(probe, US_PER_S);
	const struct probe_answer failed = status(probe, token, id);
	assert_str(state_of(&failed), "failed");
	assert_status(append(probe, token, id, 1000, STR("x")), 400);
	assert_status(status(probe, token, STR("1")), 400);
}

/* The edge says no more than 413 (2.4), and the upload may go on with smaller segments. */
static void a_segment_above_the_edges_limit_is_refused(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str video = probe_video(probe, 300000);
	assert_status(
		probe_ask(probe,
			  (struct probe_request){.method = "POST",
						 .path = "/_sandbox/knobs",
						 .body = STR("{\"x_segment_max_bytes\":262144}")}),
		200);
	const struct str id = initialize(probe, token, video.len);
	const struct probe_answer refused = append(probe, token, id, 0, video);
	assert_status(refused, 413);
	assert_int_equal(refused.body.len, 0);
	assert_status(append(probe, token, id, 0, str_slice(video, 0, 262144)), 200);
	assert_status(append(probe, token, id, 1, str_slice(video, 262144, video.len)), 200);
	assert_status(finalize(probe, token, id), 200);
}

static void processing_takes_as_long_as_the_knob_says(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str video = probe_video(probe, 1000);
	assert_status(probe_ask(probe,
				(struct probe_request){.method = "POST",
						       .path = "/_sandbox/knobs",
						       .body = STR("{\"x_processing_ms\":60000}")}),
		      200);
	const struct str id = initialize(probe, token, video.len);
	assert_status(append(probe, token, id, 0, video), 200);
	struct probe_answer done = finalize(probe, token, id);
	const struct json *info = json_get(json_get(done.json, "data"), "processing_info");
	assert_int_equal(json_int(json_get(info, "check_after_secs"), 0), 60);
	probe_advance(probe, 59 * US_PER_S);
	done = status(probe, token, id);
	assert_str(state_of(&done), "in_progress");
	probe_advance(probe, US_PER_S);
	done = status(probe, token, id);
	assert_str(state_of(&done), "succeeded");
}

static void media_grows_old(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer made =
		image_call(probe, x_login(probe), jpeg_bytes(probe->arena, 10, 10, 0));
	const struct str id = data_member(&made, "id");
	const struct str post = str_format(
		probe->arena, "{\"media\":{\"media_ids\":[\"" STR_FMT "\"]}}", STR_ARG(id));
	probe_advance(probe, US_PER_DAY + US_PER_S);
	assert_status(x_post(probe, x_login(probe), probe_z(probe, post)), 400);
}

/* ---- subtitles ---- */

#define SRT "1\n00:00:00,000 --> 00:00:01,000\nHello\n"

/* The id of a file of that category; it is ready. */
static struct str uploaded(struct probe *probe, struct str token, const char *category,
			   struct str bytes)
{
	const struct str body = str_format(probe->arena,
					   "{\"media_type\":\"text/srt\",\"media_category\":\"%s\","
					   "\"total_bytes\":%zu}",
					   category, bytes.len);
	const struct probe_answer made =
		json_call(probe, token, UPLOAD "/initialize", probe_z(probe, body));
	const struct str id = str_copy(probe->arena, data_member(&made, "id"));
	assert_status(made, 200);
	assert_status(append(probe, token, id, 0, bytes), 200);
	assert_status(finalize(probe, token, id), 200);
	probe_advance(probe, US_PER_S);
	return id;
}

static struct probe_answer subtitles(struct probe *probe, struct str token, const char *method,
				     struct str body)
{
	return probe_ask(probe, (struct probe_request){.method = method,
						       .path = "/api.x.com/2/media/subtitles",
						       .bearer = token,
						       .body = body});
}

static struct str bind_body(struct probe *probe, struct str video, const char *category,
			    struct str file, const char *code)
{
	return str_format(probe->arena,
			  "{\"id\":\"" STR_FMT "\",\"media_category\":\"%s\",\"subtitles\":{"
			  "\"id\":\"" STR_FMT "\",\"language_code\":\"%s\","
			  "\"display_name\":\"German\"}}",
			  STR_ARG(video), category, STR_ARG(file), code);
}

static void assert_track(struct probe *probe, const struct probe_answer *answer, struct str file)
{
	const struct json *track = json_get(json_get(answer->json, "data"), "associated_subtitles");
	assert_status(*answer, 200);
	assert_str(json_string(json_get(track, "id")), probe_z(probe, file));
}

static void subtitles_are_bound_to_a_video(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str video = uploaded(probe, token, "tweet_video", probe_video(probe, 1000));
	const struct str file = uploaded(probe, token, "subtitles", STR(SRT));
	const struct str other = uploaded(probe, token, "subtitles", STR("WEBVTT\n"));
	struct probe_answer bound =
		subtitles(probe, token, "POST", bind_body(probe, video, "TweetVideo", file, "DE"));
	assert_track(probe, &bound, file);
	assert_str(data_member(&bound, "id"), probe_z(probe, video));
	bound = subtitles(probe, token, "POST", bind_body(probe, video, "TweetVideo", other, "EN"));
	assert_track(probe, &bound, other);
	/* the same language again takes its place */
	bound = subtitles(probe, token, "POST",
			  bind_body(probe, video, "AmplifyVideo", other, "DE"));
	assert_track(probe, &bound, other);
	const struct str gone =
		str_format(probe->arena,
			   "{\"id\":\"" STR_FMT "\",\"media_category\":\"TweetVideo\","
			   "\"language_code\":\"DE\"}",
			   STR_ARG(video));
	struct probe_answer deleted = subtitles(probe, token, "DELETE", gone);
	assert_status(deleted, 200);
	assert_true(json_bool(json_get(json_get(deleted.json, "data"), "deleted"), false));
	deleted = subtitles(probe, token, "DELETE", gone);
	assert_false(json_bool(json_get(json_get(deleted.json, "data"), "deleted"), true));
}

static void subtitles_that_are_refused(void **state)
{
	struct probe *probe = *state;
	const struct str token = x_login(probe);
	const struct str video = uploaded(probe, token, "tweet_video", probe_video(probe, 1000));
	const struct str file = uploaded(probe, token, "subtitles", STR(SRT));
	const struct str page = uploaded(probe, token, "subtitles", STR("<html>"));
	const struct {
		struct str video;
		const char *category;
		struct str file;
		const char *code;
		int status;
	} rows[] = {
		{STR("1"), "TweetVideo", file, "DE", 404},
		{file, "TweetVideo", file, "DE", 404},
		{video, "tweet_video", file, "DE", 400},
		{video, "TweetVideo", file, "de", 400},
		{video, "TweetVideo", file, "pt-BR", 400},
		{video, "TweetVideo", page, "DE", 400},
		{video, "TweetVideo", video, "DE", 400},
		{video, "TweetVideo", STR("1"), "DE", 400},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_status(subtitles(probe, token, "POST",
					bind_body(probe, rows[i].video, rows[i].category,
						  rows[i].file, rows[i].code)),
			      rows[i].status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(image_with_alt_text_is_posted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(image_refusals, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(video_in_segments_out_of_order, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(bad_video_fails_in_processing, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(processing_takes_as_long_as_the_knob_says,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(a_segment_above_the_edges_limit_is_refused,
						probe_open, probe_close),
		cmocka_unit_test_setup_teardown(subtitles_are_bound_to_a_video, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(subtitles_that_are_refused, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(media_grows_old, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
