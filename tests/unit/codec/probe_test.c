/* SPDX-License-Identifier: Apache-2.0
 * Files as a real muxer makes them, where there is one (ffmpeg), and what is not read of them. */
#include "probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count_of.h"

static char scratch[SNIFF_BYTES_WANTED];
static int64_t bytes_read;

static bool read_file(void *context, int64_t at, char *out, size_t len)
{
	bytes_read += (int64_t)len;
	return pread(*(int *)context, out, len, (off_t)at) == (ssize_t)len;
}

static struct sniff probed(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	const struct byte_source source = {status.st_size, read_file, &fd};
	bytes_read = 0;
	const struct sniff sniff = probe_media(&source, scratch);
	close(fd);
	return sniff;
}

#define VIDEO "-f lavfi -i testsrc2=size=320x180:rate=10 -t 3 "
#define H264 "-c:v libx264 -preset ultrafast -pix_fmt yuv420p "
#define SILENCE "-f lavfi -i anullsrc -shortest -c:a aac "

struct made {
	const char *name; /* of the file */
	const char *arguments;
	enum sniff_type type;
	uint32_t width, height;
	int64_t duration_ms; /* give or take a frame */
	bool is_animated;
};

static const struct made rows[] = {
	{"end.mp4", VIDEO H264, SNIFF_MP4, 320, 180, 3000, false}, /* the moov is last */
	{"start.mp4", VIDEO H264 "-movflags +faststart", SNIFF_MP4, 320, 180, 3000, false},
	{"sound.mp4", VIDEO SILENCE H264 "-t 3", SNIFF_MP4, 320, 180, 3000, false},
	{"fragments.mp4", VIDEO H264 "-movflags +frag_keyframe+empty_moov", SNIFF_MP4, 320, 180, 0,
	 false},
	{"film.mov", VIDEO H264, SNIFF_MOV, 320, 180, 3000, false},
	{"film.webm", VIDEO "-c:v libvpx -deadline realtime", SNIFF_WEBM, 320, 180, 3000, false},
	{"still.gif", "-f lavfi -i testsrc2=size=64x48 -frames:v 1", SNIFF_GIF, 64, 48, 0, false},
	{"moves.gif", "-f lavfi -i testsrc2=size=640x480:rate=5 -t 2", SNIFF_GIF, 640, 480, 0,
	 true},
	{"still.webp", "-f lavfi -i testsrc2=size=64x48 -frames:v 1", SNIFF_WEBP, 64, 48, 0, false},
	{"moves.webp", "-f lavfi -i testsrc2=size=64x48:rate=5 -t 2", SNIFF_WEBP, 64, 48, 0, true},
	{"picture.jpg", "-f lavfi -i testsrc2=size=64x48 -frames:v 1", SNIFF_JPEG, 64, 48, 0,
	 false},
	{"picture.png", "-f lavfi -i testsrc2=size=64x48 -frames:v 1", SNIFF_PNG, 64, 48, 0, false},
};

static void make(const char *directory, const struct made *row, char path[256])
{
	char command[1024];
	snprintf(path, 256, "%s/%s", directory, row->name);
	snprintf(command, sizeof(command), "ffmpeg -v error -y %s %s </dev/null 2>/dev/null",
		 row->arguments, path);
	if (system(command) != 0)
		path[0] = '\0'; /* this build of it cannot */
}

static void files_of_a_muxer_are_read(void **state)
{
	char directory[] = "/tmp/probe-test-XXXXXX";
	(void)state;
	if (system("ffmpeg -version >/dev/null 2>&1") != 0)
		skip();
	assert_non_null(mkdtemp(directory));
	size_t made = 0;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char path[256];
		make(directory, &rows[i], path);
		if (path[0] == '\0')
			continue;
		const struct sniff sniff = probed(path);
		const int64_t off_ms = llabs((long long)(sniff.duration_ms - rows[i].duration_ms));
		if (sniff.type != rows[i].type || sniff.width != rows[i].width ||
		    sniff.height != rows[i].height || off_ms > 200 ||
		    sniff.is_animated != rows[i].is_animated)
			fail_msg("%s: type %d, %u x %u, %lld ms, %d", rows[i].name, sniff.type,
				 sniff.width, sniff.height, (long long)sniff.duration_ms,
				 sniff.is_animated);
		unlink(path);
		made++;
	}
	rmdir(directory);
	assert_true(made >= 6);
}

#define SOUND "-f lavfi -i sine=frequency=440:sample_rate=48000 -t 1 "
#define SHORT "-f lavfi -i testsrc2=size=64x48:rate=25 -t 1 "

static const struct {
	const char *name;
	const char *arguments;
	enum sniff_type type;
	struct film film;
} coded[] = {
	{"plain.mp4",
	 SHORT SOUND H264 "-c:a aac",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_AAC, false, true, 25000}},
	{"first.mp4",
	 SHORT H264 "-movflags +faststart",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_NONE, false, false, 25000}},
	{"deep.mp4",
	 SHORT "-c:v libx264 -preset ultrafast -pix_fmt yuv422p",
	 SNIFF_MP4,
	 {FILM_CODEC_H264, FILM_CODEC_NONE, true, true, 25000}},
	{"hevc.mov",
	 SHORT SOUND "-c:v libx265 -preset ultrafast -x265-params log-level=none -c:a pcm_s16le",
	 SNIFF_MOV,
	 {FILM_CODEC_HEVC, FILM_CODEC_PCM, false, true, 25000}},
	{"film.webm",
	 SHORT SOUND "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus",
	 SNIFF_WEBM,
	 {FILM_CODEC_VP9, FILM_CODEC_OPUS, false, false, 0}},
	{"film.mkv",
	 SHORT SOUND H264 "-c:a aac",
	 SNIFF_MKV,
	 {FILM_CODEC_H264, FILM_CODEC_AAC, false, false, 25000}},
	{"mpeg4.mp4",
	 SHORT SOUND "-c:v mpeg4 -c:a aac",
	 SNIFF_MP4,
	 {FILM_CODEC_MPEG4, FILM_CODEC_AAC, false, true, 25000}},
};

static void what_a_muxer_coded_is_told(void **state)
{
	char directory[] = "/tmp/probe-test-XXXXXX";
	(void)state;
	if (system("ffmpeg -version >/dev/null 2>&1") != 0)
		skip();
	assert_non_null(mkdtemp(directory));
	size_t made = 0;
	for (size_t i = 0; i < COUNT_OF(coded); i++) {
		char path[256];
		const struct made row = {coded[i].name, coded[i].arguments, coded[i].type, 0, 0, 0,
					 false};
		make(directory, &row, path);
		if (path[0] == '\0')
			continue;
		const struct sniff sniff = probed(path);
		const struct film *told = &sniff.film;
		const struct film *film = &coded[i].film;
		unlink(path);
		made++;
		if (sniff.type != coded[i].type || told->video != film->video ||
		    told->audio != film->audio ||
		    told->has_rare_colours != film->has_rare_colours ||
		    told->is_index_last != film->is_index_last ||
		    (film->frame_rate_milli != 0 &&
		     told->frame_rate_milli / 1000 != film->frame_rate_milli / 1000))
			fail_msg("%s: type %d, %s, %s, rare %d, last %d, %u", coded[i].name,
				 sniff.type, film_codec_name(told->video),
				 film_codec_name(told->audio), told->has_rare_colours,
				 told->is_index_last, told->frame_rate_milli);
	}
	rmdir(directory);
	assert_true(made >= 4);
}

static void a_turned_film_is_told_turned(void **state)
{
	char directory[] = "/tmp/probe-test-XXXXXX";
	char command[1024];
	char path[256];
	(void)state;
	assert_non_null(mkdtemp(directory));
	make(directory, &rows[0], path);
	snprintf(command, sizeof(command),
		 "ffmpeg -v error -y -display_rotation 90 -i %s -c copy %s/turned.mp4 </dev/null "
		 "2>/dev/null || "
		 "ffmpeg -v error -y -i %s -c copy -metadata:s:v rotate=90 %s/turned.mp4 "
		 "</dev/null 2>/dev/null",
		 path, directory, path, directory);
	const bool is_made = path[0] != '\0' && system(command) == 0;
	if (path[0] != '\0')
		unlink(path);
	snprintf(path, sizeof(path), "%s/turned.mp4", directory);
	const struct sniff sniff = is_made ? probed(path) : (struct sniff){0};
	unlink(path);
	rmdir(directory);
	if (!is_made)
		skip();
	assert_int_equal(sniff.width, 180);
	assert_int_equal(sniff.height, 320);
}

/* Of gigabytes a few kilobytes: a sparse file with a moov at its end. */
static void a_huge_film_is_not_read(void **state)
{
	(void)state;
	static const char head[] = "\0\0\0\x10"
				   "ftypisom\0\0\0\0\0\0\0\1mdat\0\0\0\1\0\0\0\0";
	static const char moov[] =
		"\0\0\0\x24moov\0\0\0\x1cmvhd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x3\xe8\0\0\x1f\x40";
	const int64_t mdat_bytes = INT64_C(1) << 32;
	char path[] = "/tmp/probe-test-XXXXXX";
	const int fd = mkstemp(path);
	assert_int_equal(pwrite(fd, head, sizeof(head) - 1, 0), sizeof(head) - 1);
	assert_int_equal(pwrite(fd, moov, sizeof(moov) - 1, 16 + mdat_bytes), sizeof(moov) - 1);
	close(fd);
	const struct sniff sniff = probed(path);
	unlink(path);
	assert_int_equal(sniff.type, SNIFF_MP4);
	assert_int_equal(sniff.duration_ms, 8000);
	assert_true(bytes_read < SNIFF_BYTES_WANTED + 1024);
}

/* Two segments of 64 kB before the frame header: a phone's thumbnail and profile. */
static void a_jpeg_with_much_in_front_has_its_size(void **state)
{
	(void)state;
	static char bytes[200000];
	static const char segment[] = "\xff\xe1\xff\xff";
	static const char frame[] = "\xff\xc0\x00\x11\x08\x01\xe0\x02\x80\x03";
	memcpy(bytes, "\xff\xd8", 2);
	memcpy(bytes + 2, segment, 4);
	memcpy(bytes + 2 + 65537, segment, 4);
	memcpy(bytes + 2 + 2 * 65537, frame, sizeof(frame) - 1);
	for (size_t len = sizeof(bytes); len > 65536; len /= 2) {
		const struct str all = {bytes, len};
		const struct byte_source source = byte_source_of(&all);
		const struct sniff sniff = probe_media(&source, scratch);
		assert_int_equal(sniff.type, SNIFF_JPEG);
		assert_int_equal(sniff.width, len > 131086 ? 640 : 0);
		assert_int_equal(sniff.height, len > 131086 ? 480 : 0);
	}
}

static bool fails(void *context, int64_t at, char *out, size_t len)
{
	(void)context, (void)at, (void)out, (void)len;
	return false;
}

static void what_cannot_be_read_is_not_known(void **state)
{
	(void)state;
	const struct byte_source broken = {1000, fails, NULL};
	const struct byte_source empty = {0, fails, NULL};
	assert_int_equal(probe_media(&broken, scratch).type, SNIFF_UNKNOWN);
	assert_string_equal(probe_media(&empty, scratch).mime_type, "application/octet-stream");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_a_muxer_are_read),
		cmocka_unit_test(what_a_muxer_coded_is_told),
		cmocka_unit_test(a_turned_film_is_told_turned),
		cmocka_unit_test(a_huge_film_is_not_read),
		cmocka_unit_test(a_jpeg_with_much_in_front_has_its_size),
		cmocka_unit_test(what_cannot_be_read_is_not_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
