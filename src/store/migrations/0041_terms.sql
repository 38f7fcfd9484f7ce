-- SPDX-License-Identifier: Apache-2.0
-- What a search looks at, so that its cost does not grow with the posts. SQLite's index of words as a list, by which a search knows how
-- common one is before it asks for it (store_search.c): holds nothing. And the posts that failed in one way.
-- oldest_program: 40
{sqlite CREATE VIRTUAL TABLE post_terms USING fts5vocab(post_words, instance)};
CREATE INDEX deliveries_error ON deliveries (app_id, error_code, post_ordinal) WHERE error_code <> '';
