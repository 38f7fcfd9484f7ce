/* SPDX-License-Identifier: Apache-2.0
 * See probe.h. */
#include "probe.h"

#include "gif.h"
#include "heif.h"
#include "mp4.h"
#include "strip.h"

static void probe_mp4(const struct byte_source *source, struct sniff *sniff)
{
	const struct mp4_film film = mp4_probe(source);
	sniff->duration_ms = film.duration_ms;
	sniff->width = film.width;
	sniff->height = film.height;
	sniff->film = film.film;
}

#define JPEG_SEGMENTS_MAX 1024

/* The frame header of a picture whose thumbnail and colour profile fill all that sniff.h looked at:
 * segments of up to 64 kB, one after the other (ITU T.81 B.1.1.4). */
static void probe_jpeg(const struct byte_source *source, struct sniff *sniff)
{
	unsigned char head[9];
	int64_t at = 2;
	for (int i = 0; i < JPEG_SEGMENTS_MAX && sniff->width == 0; i++) {
		if (!byte_source_read(source, at, (char *)head, sizeof(head)) || head[0] != 0xff ||
		    head[1] == 0xda)
			return;
		const bool is_frame = head[1] >= 0xc0 && head[1] <= 0xcf && head[1] != 0xc4 &&
				      head[1] != 0xc8 && head[1] != 0xcc;
		const uint32_t height = (uint32_t)head[5] << 8 | head[6];
		const uint32_t width = (uint32_t)head[7] << 8 | head[8];
		if (is_frame && (width == 0 || height == 0))
			return;
		if (is_frame) {
			sniff->width = width;
			sniff->height = height;
		}
		at += 2 + (head[2] << 8 | head[3]);
	}
}

static void probe_gif(const struct byte_source *source, struct sniff *sniff)
{
	sniff->is_animated = gif_is_animated(source);
}

static void probe_heif(const struct byte_source *source, struct sniff *sniff)
{
	const struct heif_picture picture = heif_probe(source);
	if (picture.width == 0 || picture.height == 0)
		return;
	sniff->width = picture.width;
	sniff->height = picture.height;
}

/* A camera that was held upright stores a picture that lies, and says so. */
static void probe_turn(const struct byte_source *source, struct sniff *sniff)
{
	const uint32_t width = sniff->width;
	if (strip_orientation(source) < 5)
		return;
	sniff->width = sniff->height;
	sniff->height = width;
}

static void probe_told(const struct byte_source *source, struct sniff *sniff)
{
	/* What can be told of by more than strip.h takes out. */
	const bool is_opaque =
		sniff->type == SNIFF_HEIC || sniff->type == SNIFF_AVIF || sniff->type == SNIFF_TIFF;
	sniff->is_telling = is_opaque || strip_is_needed(source, sniff->type);
	if (sniff->type == SNIFF_JPEG)
		probe_turn(source, sniff);
}

struct sniff probe_media(const struct byte_source *source, char *scratch)
{
	static void (*const probes[SNIFF_TYPE_COUNT])(const struct byte_source *source,
						      struct sniff *sniff) = {
		[SNIFF_JPEG] = probe_jpeg, [SNIFF_GIF] = probe_gif, [SNIFF_HEIC] = probe_heif,
		[SNIFF_AVIF] = probe_heif, [SNIFF_MP4] = probe_mp4, [SNIFF_MOV] = probe_mp4};
	const size_t count = source->size_bytes < SNIFF_BYTES_WANTED ? (size_t)source->size_bytes
								     : SNIFF_BYTES_WANTED;
	const bool is_read = byte_source_read(source, 0, scratch, count);
	struct sniff sniff = sniff_media((struct str){scratch, is_read ? count : 0});
	if (probes[sniff.type] != NULL)
		probes[sniff.type](source, &sniff);
	probe_told(source, &sniff);
	return sniff;
}
