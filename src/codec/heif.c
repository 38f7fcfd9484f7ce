/* SPDX-License-Identifier: Apache-2.0
 * See heif.h. The properties lie in meta > iprp > ipco, as boxes "ispe" (a size) and "irot" (a turn
 * in quarters). Which picture each belongs to is not read: pictures beside the main one are
 * smaller, and turned as it is. */
#include "heif.h"

#include <string.h>

#define BOXES_MAX 4096

static uint32_t be32(const char *bytes)
{
	uint32_t value = 0;
	for (size_t i = 0; i < 4; i++)
		value = value << 8 | (unsigned char)bytes[i];
	return value;
}

struct box {
	char name[4];
	int64_t from; /* of its content */
	int64_t end;
};

static bool box_read(const struct byte_source *source, int64_t at, int64_t end, struct box *box)
{
	char head[8];
	if (end - at < (int64_t)sizeof(head) || !byte_source_read(source, at, head, sizeof(head)))
		return false;
	const int64_t len = be32(head);
	memcpy(box->name, head + 4, sizeof(box->name));
	box->from = at + (int64_t)sizeof(head);
	/* 0: to the end. Boxes with lengths of 64 bits hold pixels. */
	box->end = len == 0 ? end : at + len;
	return box->end >= box->from && box->end <= end;
}

static bool box_find(const struct byte_source *source, const struct box *in, const char *name,
		     int64_t skip, struct box *out)
{
	int64_t at = in->from + skip;
	for (int i = 0; i < BOXES_MAX && box_read(source, at, in->end, out); i++) {
		if (memcmp(out->name, name, sizeof(out->name)) == 0)
			return true;
		at = out->end;
	}
	return false;
}

static void read_size(const struct byte_source *source, const struct box *box,
		      struct heif_picture *picture)
{
	char bytes[12];
	if (!byte_source_read(source, box->from, bytes, sizeof(bytes)))
		return;
	const uint32_t width = be32(bytes + 4);
	const uint32_t height = be32(bytes + 8);
	if ((uint64_t)width * height <= (uint64_t)picture->width * picture->height)
		return;
	picture->width = width;
	picture->height = height;
}

static void turn(struct heif_picture *picture)
{
	const uint32_t width = picture->width;
	picture->width = picture->height;
	picture->height = width;
}

struct heif_picture heif_probe(const struct byte_source *source)
{
	struct heif_picture picture = {0, 0};
	const struct box file = {"", 0, source->size_bytes};
	struct box meta, properties, list, box;
	bool is_turned = false;
	char angle;
	/* meta begins with a version. */
	if (!box_find(source, &file, "meta", 0, &meta) ||
	    !box_find(source, &meta, "iprp", 4, &properties) ||
	    !box_find(source, &properties, "ipco", 0, &list))
		return picture;
	int64_t at = list.from;
	for (int i = 0; i < BOXES_MAX && box_read(source, at, list.end, &box); i++) {
		if (memcmp(box.name, "ispe", 4) == 0)
			read_size(source, &box, &picture);
		if (memcmp(box.name, "irot", 4) == 0 &&
		    byte_source_read(source, box.from, &angle, 1))
			is_turned = (angle & 1) != 0;
		at = box.end;
	}
	if (is_turned)
		turn(&picture);
	return picture;
}
