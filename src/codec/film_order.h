/* SPDX-License-Identifier: Apache-2.0
 * What the service asks of the child that has a film made fit (src/fit/film_job.h), and what it is
 * told: two small closed texts (figures.h). Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "figures.h"
#include "str.h"

#define FILM_SIDE_MAX 16384
#define FILM_SECONDS_MAX 86400

/* The MP4 that is wanted, its index in front. What is not copied becomes H.264 (8 bits, 4:2:0) or
 * AAC. */
struct film_order {
	int64_t is_matroska; /* 1 = Matroska or WebM, 0 = MP4 or MOV: what is read, and nothing
			      * else */
	int64_t copies_video;
	int64_t copies_audio;
	int64_t is_hevc; /* the pictures that are copied: players want to be told */
	int64_t width;   /* of pictures that are not copied, even; 0 = as they are, made even */
	int64_t height;
	int64_t frame_rate_max; /* pictures a second; 0 = no limit */
	int64_t video_bits_s;   /* at most; 0 = no limit but the quality's */
	int64_t bytes_max;      /* of the file; 0 = no limit */
	int64_t duration_ms;    /* of the film; 0 = not known */
	int64_t seconds_max;    /* of work; from 1 */
};

size_t film_order_write(const struct film_order *order, char out[FIGURES_MAX_BYTES]);
/* Reads what film_order_write() wrote, and nothing else: false. */
bool film_order_read(struct str text, struct film_order *order_out);

enum film_outcome {
	FILM_UNDER_WAY, /* no answer yet, only how far it is */
	FILM_DONE,
	FILM_BROKEN,     /* it cannot be read, or no film is in it */
	FILM_UNREADABLE, /* coded in a way that is not decoded here */
	FILM_TOO_SLOW,   /* not ready within seconds_max */
	FILM_TOO_LARGE,  /* more than bytes_max came of it */
	FILM_NO_ENCODER, /* ffmpeg is there without H.264 or AAC */
	FILM_MISSING,    /* ffmpeg is not there */
	FILM_NO_SPACE,   /* the disk is full: nothing is known of the film */
	FILM_OUTCOME_COUNT
};

struct film_answer {
	enum film_outcome outcome;
	int64_t at_ms; /* of the film: how far it is */
};

size_t film_answer_write(const struct film_answer *answer, char out[FIGURES_MAX_BYTES]);
bool film_answer_read(struct str text, struct film_answer *answer_out);

/* How far it is, from what ffmpeg says on its way (-progress): the last whole "out_time_us=" line.
 * False: there is none. */
bool film_progress_read(struct str text, int64_t *at_ms_out);
