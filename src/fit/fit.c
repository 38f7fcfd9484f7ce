/* SPDX-License-Identifier: Apache-2.0
 * posthorn-fit: one picture in (standard input), one JPEG out (descriptor 3), by one order
 * (descriptor 4, codec/fit_order.h), one answer (standard output). No arguments, no settings. It is
 * started for one file by the service's spawner, with limits of memory and time, and gives up what
 * it does not need before it looks at the file: whatever takes it over has that one picture. The
 * only program here that knows libvips. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gmodule.h>
#include <vips/vips.h>

#include "count_of.h"

#include "contain.h"

#include "fit_order.h"

#include "fit_plan.h"

#define INPUT_FD 0
#define ANSWER_FD 1
#define OUTPUT_FD 3
#define ORDER_FD 4

#define PIXELS_MAX (INT64_C(200) * 1000 * 1000)
#define QUALITY_LEAST 60 /* below it a smaller picture looks better */
#define SHRINK_STEP 0.8
#define SHRINKS_MAX 16

struct fit {
	struct fit_order order;
	const char *kind; /* the loader's */
	bool has_profile; /* of colours: else it is taken for sRGB as it is */
	int64_t width;    /* as shown */
	int64_t height;
	/* the JPEG; g_free() */
	void *jpeg;
	size_t jpeg_bytes;
	struct fit_answer answer;
};

/* ---- libvips, with the loaders that are wanted and no others ---- */

static const char *const loaders[] = {"VipsForeignLoadJpeg", "VipsForeignLoadPng",
				      "VipsForeignLoadWebp", "VipsForeignLoadNsgif",
				      "VipsForeignLoadTiff", "VipsForeignLoadHeif"};

/* HEIC and AVIF are a module; libvips would load all others with it (VIPSHOME keeps it from that):
 * ImageMagick, PDF and slides have no place here. Without the file they are built in, or not. */
static void load_heif(void)
{
	GModule *module = g_module_open(FIT_MODULES "/vips-heif.so", G_MODULE_BIND_LAZY);
	if (module != NULL)
		g_module_make_resident(module);
}

static bool start(void)
{
	/* All in memory, since no file may be made; one thread, which the limits are made for. */
	setenv("VIPSHOME", "/nonexistent", 1);
	setenv("VIPS_DISC_THRESHOLD", "8g", 1);
	setenv("VIPS_WARNING", "0", 1);
	if (VIPS_INIT("posthorn-fit") != 0)
		return false;
	load_heif();
	vips_concurrency_set(1);
	vips_cache_set_max(0);
	vips_operation_block_set("VipsForeignLoad", TRUE);
	for (size_t i = 0; i < COUNT_OF(loaders); i++)
		vips_operation_block_set(loaders[i], FALSE);
	return true;
}

/* ---- looking ---- */

static VipsSource *input(void)
{
	if (lseek(INPUT_FD, 0, SEEK_SET) != 0)
		return NULL;
	return vips_source_new_from_descriptor(INPUT_FD);
}

/* Moving pictures are GIF, WebP, and AVIF sequences, which sniff.h knows; the pages of a TIFF are
 * none, nor the further pictures of a HEIC. */
static bool is_moving(const struct fit *fit, VipsImage *image)
{
	const bool can_move =
		strstr(fit->kind, "Nsgif") != NULL || strstr(fit->kind, "Webp") != NULL;
	return can_move && vips_image_get_n_pages(image) > 1;
}

static void note_size(struct fit *fit, VipsImage *image)
{
	const bool is_turned = vips_image_get_orientation_swap(image);
	/* The HEIF loader turns by itself. */
	const bool swaps = is_turned && strstr(fit->kind, "Heif") == NULL;
	fit->width = swaps ? vips_image_get_height(image) : vips_image_get_width(image);
	fit->height = swaps ? vips_image_get_width(image) : vips_image_get_height(image);
}

static enum fit_outcome look(struct fit *fit)
{
	VipsSource *source = input();
	fit->kind = source != NULL ? vips_foreign_find_load_source(source) : NULL;
	VipsImage *image = fit->kind != NULL ? vips_image_new_from_source(source, "", NULL) : NULL;
	enum fit_outcome outcome = FIT_BROKEN;
	if (image != NULL) {
		note_size(fit, image);
		fit->has_profile = vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
		outcome = is_moving(fit, image)                   ? FIT_ANIMATED
			  : fit->width * fit->height > PIXELS_MAX ? FIT_TOO_LARGE
								  : FIT_DONE;
	}
	g_clear_object(&image);
	g_clear_object(&source);
	return outcome;
}

/* ---- pixels ---- */

/* Each takes *image over, and leaves what it made of it. False: it cannot be read. */
static bool replace(VipsImage **image, VipsImage *const *made, int failed)
{
	g_object_unref(*image);
	*image = failed == 0 ? *made : NULL;
	return failed == 0;
}

static bool scale(const struct fit *fit, const struct fit_plan *plan, VipsImage **image_out)
{
	VipsSource *source = input();
	const bool crops = plan->inner_width > plan->width || plan->inner_height > plan->height;
	const int width = crops ? plan->width : plan->inner_width;
	const int height = crops ? plan->height : plan->inner_height;
	/* Without a profile a transformation would only round. */
	const char *last = fit->has_profile ? "export_profile" : NULL;
	const int failed =
		source == NULL ||
		vips_thumbnail_source(source, image_out, width, "height", height, "size",
				      crops ? VIPS_SIZE_BOTH : VIPS_SIZE_FORCE, "crop",
				      crops ? VIPS_INTERESTING_CENTRE : VIPS_INTERESTING_NONE,
				      "option_string", "[fail_on=error]", last, "srgb", NULL) != 0;
	g_clear_object(&source);
	return !failed;
}

/* Eight bits, three colours (or grey), no transparency. */
static bool plain(VipsImage **image)
{
	VipsImage *made = NULL;
	if (vips_image_get_interpretation(*image) == VIPS_INTERPRETATION_B_W)
		return true;
	return replace(image, &made,
		       vips_colourspace(*image, &made, VIPS_INTERPRETATION_sRGB, NULL));
}

static bool flatten(VipsImage **image)
{
	VipsImage *made = NULL;
	double white[] = {255, 255, 255};
	if (!vips_image_hasalpha(*image))
		return true;
	VipsArrayDouble *background =
		vips_array_double_new(white, vips_image_get_bands(*image) > 2 ? 3 : 1);
	const int failed = vips_flatten(*image, &made, "background", background, NULL);
	vips_area_unref(VIPS_AREA(background));
	return replace(image, &made, failed);
}

static bool pad(const struct fit_plan *plan, VipsImage **image)
{
	VipsImage *made = NULL;
	if (plan->inner_width >= plan->width && plan->inner_height >= plan->height)
		return true;
	const int failed = vips_embed(*image, &made, (plan->width - plan->inner_width) / 2,
				      (plan->height - plan->inner_height) / 2, plan->width,
				      plan->height, "extend", VIPS_EXTEND_WHITE, NULL);
	return replace(image, &made, failed);
}

static VipsImage *draw(const struct fit *fit, const struct fit_plan *plan)
{
	VipsImage *image = NULL;
	if (scale(fit, plan, &image) && plain(&image) && flatten(&image) && pad(plan, &image))
		return image;
	g_clear_object(&image);
	return NULL;
}

/* ---- bytes ---- */

static bool encode(struct fit *fit, VipsImage *image, int quality)
{
	g_free(fit->jpeg);
	fit->jpeg = NULL;
	fit->answer.quality = quality;
	return vips_jpegsave_buffer(image, &fit->jpeg, &fit->jpeg_bytes, "Q", quality, "strip",
				    TRUE, "optimize_coding", TRUE, "subsample_mode",
				    VIPS_FOREIGN_SUBSAMPLE_ON, NULL) == 0;
}

static bool has_room(const struct fit *fit)
{
	return fit->order.bytes_max == 0 || (int64_t)fit->jpeg_bytes <= fit->order.bytes_max;
}

/* The best quality whose bytes fit; false: none does, or it cannot be made. */
static bool encode_within(struct fit *fit, VipsImage *image, int best)
{
	int low = best < QUALITY_LEAST ? best : QUALITY_LEAST;
	int high = best;
	if (!encode(fit, image, low) || !has_room(fit))
		return false;
	while (low + 1 < high) {
		const int middle = (low + high) / 2;
		if (!encode(fit, image, middle))
			return false;
		*(has_room(fit) ? &low : &high) = middle;
	}
	return fit->answer.quality == low || encode(fit, image, low);
}

/* As it is, in one pass without the pixels in memory; only where that is too many bytes they are
 * kept, to be written again and again. */
static enum fit_outcome make_once(struct fit *fit, const struct fit_plan *plan, int best)
{
	VipsImage *image = draw(fit, plan);
	const bool is_made = image != NULL && encode(fit, image, best);
	g_clear_object(&image);
	if (!is_made || has_room(fit))
		return is_made ? FIT_DONE : FIT_BROKEN;
	image = draw(fit, plan);
	VipsImage *kept = image != NULL ? vips_image_copy_memory(image) : NULL;
	const bool fits = kept != NULL && encode_within(fit, kept, best);
	g_clear_object(&kept);
	g_clear_object(&image);
	return fits ? FIT_DONE : FIT_IMPOSSIBLE;
}

static enum fit_outcome make(struct fit *fit)
{
	const int best = fit->order.quality > 0 ? (int)fit->order.quality : FIT_QUALITY_BEST;
	struct fit_plan plan;
	double shrink = 1;
	for (int i = 0; i < SHRINKS_MAX; i++, shrink *= SHRINK_STEP) {
		if (!fit_plan_make(&fit->order, fit->width, fit->height, shrink, &plan))
			return FIT_IMPOSSIBLE;
		const enum fit_outcome outcome = make_once(fit, &plan, best);
		fit->answer.width = plan.width;
		fit->answer.height = plan.height;
		if (outcome != FIT_IMPOSSIBLE)
			return outcome;
	}
	return FIT_IMPOSSIBLE;
}

/* ---- in and out ---- */

static bool read_order(struct fit_order *order)
{
	char text[FIT_TEXT_MAX_BYTES];
	const ssize_t count = pread(ORDER_FD, text, sizeof(text), 0);
	return count > 0 && fit_order_read((struct str){text, (size_t)count}, order);
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t count = write(fd, bytes, len);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		bytes += count;
		len -= (size_t)count;
	}
	return true;
}

static bool answer(const struct fit_answer *given)
{
	char text[FIT_TEXT_MAX_BYTES];
	return write_all(ANSWER_FD, text, fit_answer_write(given, text));
}

/* libvips and the decoders say on standard error what they think of a file; it is the service's
 * log, in which every line has a form. */
static void be_quiet(void)
{
	int ends[2];
	if (pipe(ends) != 0)
		return;
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
}

int main(void)
{
	struct fit fit = {0};
	if (CONTAIN_IS_BUILT)
		be_quiet();
	/* A wrong order is a fault of ours, not the picture's: it gets no answer. */
	if (!read_order(&fit.order) || !start())
		return 1;
	if (CONTAIN_IS_BUILT)
		contain_calls(CONTAIN_DECODER);
	fit.answer.outcome = look(&fit);
	if (fit.answer.outcome == FIT_DONE)
		fit.answer.outcome = make(&fit);
	if (fit.answer.outcome == FIT_DONE && !write_all(OUTPUT_FD, fit.jpeg, fit.jpeg_bytes))
		return 1;
	/* Not exit(): there is nothing to put in order, and half of the time would go there. */
	_exit(answer(&fit.answer) ? 0 : 1);
}
