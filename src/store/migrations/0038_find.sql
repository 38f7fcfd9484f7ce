-- SPDX-License-Identifier: Apache-2.0
-- What a person has in hand and asks for: the platform's id of a post, its address there; and the events of one post (store_find.h).
-- oldest_program: 37
CREATE INDEX remote_ids_remote ON remote_ids (remote_id);
CREATE INDEX deliveries_url ON deliveries (url) WHERE url <> '';
CREATE INDEX events_post ON events (post_id, seq) WHERE post_id <> '';
