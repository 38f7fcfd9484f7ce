/* SPDX-License-Identifier: Apache-2.0
 * One look: file after file is fetched into the spool under a name of the look's own, inspected and
 * removed. At its end a look for the store is judged for every account, as publishing would be. */
#include "looker_private.h"

#include <unistd.h>

#include "random.h"
#include "uuid.h"

#include "problem.h"

#include "rules.h"

#include "store_media.h"

#include "media_files.h"
#include "spool.h"
#include "transfer.h"

#include "fetch_room.h"

#define TASK_ARENA_BYTES ((size_t)32 << 20)
#define BUDGET_US (10 * US_PER_MINUTE) /* of a look for the store */
#define TRIES_MAX 2
#define AGAIN_US (20 * US_PER_S)

/* ---- one file ---- */

static void is_seen(struct look_file *file, int64_t size_bytes, const struct sniff *sniff)
{
	file->state = LOOK_DONE;
	file->seen = (struct media_seen){.size_bytes = size_bytes, .sniff = *sniff};
}

/* The result may be read by another thread once the ticket is done. */
static struct arena *texts(const struct look_task *t)
{
	return t->ticket != NULL ? t->ticket->arena : t->arena;
}

static void is_missing(const struct look_task *t, struct look_file *file, bool may_pass,
		       struct str why)
{
	file->state = LOOK_DONE;
	file->may_pass = may_pass;
	file->seen = (struct media_seen){.why = str_copy(texts(t), why)};
}

static void see_uploaded(const struct look_task *t, struct look_file *file)
{
	const struct looker_config *config = &t->looker->config;
	struct media_row row = {0};
	struct error err = {0};
	const enum err_kind kind = config->media_files == NULL
					   ? ERR_NOT_FOUND
					   : store_media_find(config->store, t->arena, t->app_id,
							      file->url, &row, &err);
	if (kind == ERR_NONE) {
		struct sniff sniff = media_sniff(&row);
		/* Its row does not say what it is coded as; of one elsewhere nobody does. */
		if (config->film_mode != FILM_MODE_OFF && sniff.is_video)
			spool_look(config->spool,
				   media_file_path(config->media_files, t->arena, file->url),
				   &sniff);
		is_seen(file, row.size_bytes, &sniff);
		return;
	}
	if (kind == ERR_NOT_FOUND)
		is_missing(t, file, false,
			   STR("the uploaded file is gone (media_expired). Upload it again."));
	else
		is_missing(t, file, true, STR("the database did not say where it is."));
}

/* False: it cannot be fetched, and says so. */
static bool begin_fetch(struct look_task *t, struct look_file *file, struct arena *arena,
			struct task_plan *plan)
{
	const struct looker_config *config = &t->looker->config;
	const struct fetch_room room = {config->store, config->spool, t->app_id, t->key};
	const struct str refusal = fetch_room_refusal(arena, &room);
	const int64_t left_us = t->until_boot_us - clock_boot_us(config->clock);
	struct error err = {0};
	if (!str_is_empty(refusal)) {
		is_missing(t, file, true, refusal);
		return false;
	}
	if (spool_fetch_request(config->spool, arena, t->key, file->url, &plan->fetch, &err) !=
	    ERR_NONE) {
		is_missing(t, file, true, str_of(err.text));
		return false;
	}
	plan->action = TASK_FETCH;
	plan->fetch.owner = t->app_id;
	plan->fetch.timeout_ms = left_us / US_PER_MS + 1;
	t->fetching = file;
	return true;
}

/* What its own time cut is late, and not wrong. */
static bool was_cut(const struct look_task *t, const struct transfer_result *result)
{
	return result->outcome != TRANSFER_ANSWERED && result->problem == TRANSFER_TIMED_OUT &&
	       clock_boot_us(t->looker->config.clock) >= t->until_boot_us;
}

static void take_fetched(struct look_task *t, struct arena *arena,
			 const struct transfer_result *result)
{
	struct spool *spool = t->looker->config.spool;
	struct look_file *file = t->fetching;
	struct spool_file fetched;
	struct error err = {0};
	const enum err_kind kind = spool_fetch_finish(spool, arena, t->key, result, &fetched, &err);
	t->fetching = NULL;
	if (kind == ERR_NONE)
		is_seen(file, fetched.size_bytes, &fetched.sniff);
	else if (was_cut(t, result))
		file->state = LOOK_LATE;
	else
		is_missing(t, file, kind == ERR_TEMPORARY, fetch_failure_text(arena, result, &err));
	spool_remove(spool, t->key);
}

/* ---- judging ---- */

struct verdict {
	struct look_task *t;
	struct arena *arena;
	struct look_finding *findings; /* in the order of the targets */
	struct str *subjects;
	size_t subject_count;
	struct problems told; /* each once, whatever the account */
};

/* Kept by an earlier look, for any account: then it was told. */
static bool was_told(const struct verdict *v, const struct problem *problem)
{
	const struct look_work *work = &v->t->work;
	for (size_t i = 0; i < work->target_count; i++) {
		if (look_warnings_have(v->arena, work->targets[i].warnings, problem->field,
				       problem->reason))
			return true;
	}
	for (size_t i = 0; i < v->told.count; i++) {
		const struct problem *other = &v->told.items[i];
		if (str_equal(other->field, problem->field) &&
		    str_equal(other->reason, problem->reason) &&
		    str_equal(other->message, problem->message))
			return true;
	}
	return false;
}

/* An event's subject: DELIVERY:CODE:FIELD, as api/events.c reads it. */
static void tell(struct verdict *v, const struct look_target *target, const struct problem *problem)
{
	if (was_told(v, problem) || v->told.count == PROBLEMS_MAX)
		return;
	problem_add_whole(&v->told, problem);
	v->subjects[v->subject_count++] =
		str_format(v->arena, STR_FMT ":" STR_FMT ":" STR_FMT, STR_ARG(target->delivery_id),
			   STR_ARG(problem->reason), STR_ARG(problem->field));
}

static void judge_target(struct verdict *v, size_t index)
{
	const struct look_work *work = &v->t->work;
	const struct look_target *target = &work->targets[index];
	const struct rules_subject subject = {.platform = target->platform,
					      .account_id = target->account_id,
					      .type = target->account_type,
					      .extra = target->account_extra,
					      .tiktok_privacy = work->tiktok_privacy};
	struct problems problems;
	problems_init(&problems, v->arena);
	look_judge(v->t->look, v->arena, &v->t->content, &subject, &problems);
	v->findings[index] =
		(struct look_finding){target->delivery_id, look_warnings_text(&problems)};
	for (size_t i = 0; i < problems.count; i++)
		tell(v, target, &problems.items[i]);
}

static bool may_pass(const struct look *look)
{
	for (size_t i = 0; i < look->file_count; i++) {
		if (look->files[i].may_pass)
			return true;
	}
	return false;
}

static void judge(struct look_task *t, struct arena *arena)
{
	const struct look_work *work = &t->work;
	t->save = (struct look_save){
		.post_id = work->post_id, .app_id = work->app_id, .fence = work->fence};
	if (work->tries + 1 < TRIES_MAX && may_pass(t->look)) {
		t->save.due_at_us = clock_now_us(t->looker->config.clock) +
				    AGAIN_US / t->looker->config.time_scale;
		return;
	}
	struct verdict v = {.t = t,
			    .arena = arena,
			    .findings = ARENA_ARRAY(arena, struct look_finding, work->target_count),
			    .subjects = ARENA_ARRAY(arena, struct str, PROBLEMS_MAX)};
	problems_init(&v.told, arena);
	t->content.film_mode = t->looker->config.film_mode;
	look_show(t->look);
	for (size_t i = 0; i < work->target_count; i++)
		judge_target(&v, i);
	t->save.findings = v.findings;
	t->save.finding_count = work->target_count;
	t->save.problems = v.subjects;
	t->save.problem_count = v.subject_count;
}

/* ---- the task ---- */

static void end(struct look_task *t, struct arena *arena, struct task_plan *plan)
{
	plan->action = TASK_END;
	t->is_over = true;
	if (t->ticket == NULL)
		judge(t, arena);
}

/* Settles file after file, until one has to be fetched or none is left. */
static void go_on(struct look_task *t, struct arena *arena, struct task_plan *plan)
{
	struct look *look = t->look;
	for (size_t i = 0; i < look->file_count; i++) {
		struct look_file *file = &look->files[i];
		if (file->state != LOOK_OPEN)
			continue;
		if (media_id_is(file->url))
			see_uploaded(t, file);
		else if (clock_boot_us(t->looker->config.clock) >= t->until_boot_us ||
			 engine_is_draining(t->task.engine))
			file->state = LOOK_LATE;
		else if (begin_fetch(t, file, arena, plan))
			return;
	}
	end(t, arena, plan);
}

static void plan(struct task *task, struct arena *arena, const struct task_event *event,
		 struct task_plan *plan)
{
	struct look_task *t = (struct look_task *)task;
	if (event->kind == TASK_EVENT_FETCHED)
		take_fetched(t, arena, event->fetched);
	go_on(t, arena, plan);
}

static enum err_kind save(struct task *task, void *tx, struct error *err)
{
	struct look_task *t = (struct look_task *)task;
	return t->is_over ? store_look_save(tx, &t->save, err) : ERR_NONE;
}

static void saved(struct task *task, enum err_kind kind)
{
	struct look_task *t = (struct look_task *)task;
	if (!t->is_over || kind != ERR_NONE)
		return;
	if (t->save.problem_count > 0)
		LOG(t->looker->config.log, INFO, "media_problem", log_str("post", t->work.post_id),
		    log_str("app", t->work.app_id),
		    log_int("problems", (int64_t)t->save.problem_count));
}

static void release(struct task *task)
{
	struct look_task *t = (struct look_task *)task;
	spool_remove(t->looker->config.spool, t->key); /* its share, where nothing was fetched */
	looker_gone(t->looker, t);
	if (t->ticket != NULL && !t->is_over)
		looker_ticket_done(t->looker, t->ticket); /* the engine ends: the rest is late */
	looker_task_free(t);
}

static void answered(struct task *task, enum err_kind kind)
{
	struct look_task *t = (struct look_task *)task;
	(void)kind; /* nothing was stored */
	if (t->is_over)
		looker_ticket_done(t->looker, t->ticket);
}

static const struct task_ops work_ops = {
	.plan = plan, .save = save, .saved = saved, .free = release};
static const struct task_ops ticket_ops = {.plan = plan, .saved = answered, .free = release};

/* ---- making one ---- */

static struct look_task *task_new(struct looker *looker, const struct task_ops *ops,
				  struct str app_id, int64_t budget_us)
{
	const struct looker_config *config = &looker->config;
	struct arena *arena = arena_new("look", TASK_ARENA_BYTES);
	struct look_task *t = ARENA_NEW(arena, struct look_task);
	t->task.ops = ops;
	t->looker = looker;
	t->arena = arena;
	t->app_id = str_copy(arena, app_id);
	t->key = uuid_str(arena, uuid_v7(clock_now_us(config->clock), config->random));
	t->until_boot_us = clock_boot_us(config->clock) + budget_us;
	t->task.scopes = &t->app_id;
	t->task.scope_count = 1;
	return t;
}

static struct str copied(struct arena *arena, struct str text)
{
	return str_is_empty(text) ? STR("") : str_copy(arena, text);
}

struct look_task *looker_task_of_work(struct looker *looker, const struct look_work *work)
{
	struct look_task *t = task_new(looker, &work_ops, work->app_id, BUDGET_US);
	struct error err = {0};
	t->work = *work;
	t->work.post_id = str_copy(t->arena, work->post_id);
	t->work.app_id = t->app_id;
	t->work.content = copied(t->arena, work->content);
	t->work.targets = ARENA_ARRAY(t->arena, struct look_target, work->target_count);
	for (size_t i = 0; i < work->target_count; i++) {
		const struct look_target *from = &work->targets[i];
		t->work.targets[i] = *from;
		t->work.targets[i].delivery_id = str_copy(t->arena, from->delivery_id);
		t->work.targets[i].account_id = str_copy(t->arena, from->account_id);
		t->work.targets[i].warnings = copied(t->arena, from->warnings);
		t->work.targets[i].account_extra = copied(t->arena, from->account_extra);
	}
	t->look = ARENA_NEW(t->arena, struct look);
	/* What was erased, or cancelled, has nothing to look at. */
	if (work->target_count > 0 &&
	    post_content_read(t->arena, t->work.content, &t->content, &err) == ERR_NONE)
		look_begin(t->look, t->arena, &t->content);
	else
		t->work.target_count = 0;
	return t;
}

struct look_task *looker_task_of_ticket(struct looker *looker, struct look_ticket *ticket,
					const struct looker_question *question)
{
	struct look_task *t =
		task_new(looker, &ticket_ops, question->app_id, question->wait_ms * US_PER_MS);
	t->ticket = ticket;
	t->look = &ticket->look;
	return t;
}

void looker_task_free(struct look_task *t)
{
	struct arena *arena = t->arena;
	if (t->ticket != NULL)
		looker_ticket_drop(t->looker, t->ticket);
	arena_free(&arena); /* t lies in it */
}
