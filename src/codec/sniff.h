/* SPDX-License-Identifier: Apache-2.0
 * What a media file really is, by its first bytes, without decoding: what a customer says of a file
 * is not believed. Knows JPEG, PNG, GIF, WebP, HEIC, AVIF, TIFF, MP4/MOV (ftyp), WebM and Matroska
 * (EBML), PDF, ZIP, OLE, SubRip and WebVTT. Dimensions for images and WebM where the header has
 * them; what lies further in (the size of a HEIC, the length of an MP4) is probe.h's. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "film.h"
#include "str.h"

/* enough of a file's start for everything sniff_media() looks at */
#define SNIFF_BYTES_WANTED 65536

enum sniff_type {
	SNIFF_UNKNOWN,
	SNIFF_JPEG,
	SNIFF_PNG,
	SNIFF_GIF,
	SNIFF_WEBP,
	SNIFF_HEIC,
	SNIFF_AVIF,
	SNIFF_TIFF,
	SNIFF_MP4,
	SNIFF_MOV,
	SNIFF_WEBM,
	SNIFF_PDF,
	SNIFF_ZIP, /* what DOCX and PPTX files are packed in */
	SNIFF_OLE, /* DOC and PPT */
	SNIFF_MKV,
	SNIFF_SRT, /* subtitles: SubRip */
	SNIFF_VTT, /* and WebVTT */
	SNIFF_TYPE_COUNT
};

struct sniff {
	enum sniff_type type;
	const char *mime_type; /* "image/jpeg"; "application/octet-stream" when unknown */
	bool is_image;
	bool is_video;
	bool is_animated; /* a GIF, WebP, PNG or AVIF of more than one picture */
	/* it tells of place, camera or person, or may (strip.h); probe.h only */
	bool is_telling;
	uint32_t width; /* 0 = not known; as shown, so that what is turned has its turned size */
	uint32_t height;
	int64_t duration_ms; /* of a video; 0 = not known */
	struct film film;    /* of a video; of an MP4 or MOV probe.h only */
};

/* Needs no more than SNIFF_BYTES_WANTED bytes; fewer are fine. Pure. */
struct sniff sniff_media(struct str first_bytes);
/* The type, and all that follows from it alone. */
void sniff_set_type(struct sniff *sniff, enum sniff_type type);
