-- SPDX-License-Identifier: Apache-2.0
-- The index of words (store_words.h, docs/adr/0023). It is filled after acceptance, so nothing here is written by one.
-- Posts of the app up to this one have their words in it. The row is the lock of whoever changes the app's words.
CREATE TABLE word_marks (
	app_id TEXT NOT NULL PRIMARY KEY,
	ordinal BIGINT NOT NULL
) {without_rowid};
-- doc: the millisecond of the post's creation times 4096, and a place in it: the index is read from the newest on.
CREATE TABLE word_docs (
	doc BIGINT NOT NULL PRIMARY KEY,
	post_id TEXT NOT NULL
) {without_rowid};
-- Words come as they are to be compared (model/post_words.h), so nothing is folded here. The text itself is not kept.
{sqlite CREATE VIRTUAL TABLE post_words USING fts5(words, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'")};
{postgres CREATE TABLE post_words (doc BIGINT NOT NULL PRIMARY KEY, words TSVECTOR NOT NULL)};
{postgres CREATE INDEX post_words_words ON post_words USING GIN (words)};
