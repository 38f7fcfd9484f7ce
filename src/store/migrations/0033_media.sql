-- SPDX-License-Identifier: Apache-2.0
-- Uploaded files (store_media.h). A row of media is a whole file, which lies in the media store under the row's id. used_at_us: when it was
-- made, or last used by a post or a draft.
CREATE TABLE media (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	file_name TEXT NOT NULL,
	mime_type TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	width BIGINT NOT NULL,
	height BIGINT NOT NULL,
	duration_ms BIGINT NOT NULL,
	is_animated BIGINT NOT NULL CHECK (is_animated IN (0, 1)),
	is_telling BIGINT NOT NULL CHECK (is_telling IN (0, 1)), -- of place or camera
	created_at_us BIGINT NOT NULL,
	used_at_us BIGINT NOT NULL
);
CREATE INDEX media_app ON media (app_id, created_at_us, id);
CREATE INDEX media_same ON media (sha256);
CREATE INDEX media_used ON media (used_at_us, id);
-- Which post or draft names which file; also when the file is gone.
CREATE TABLE media_uses (
	owner_id TEXT NOT NULL,
	media_id TEXT NOT NULL,
	PRIMARY KEY (owner_id, media_id)
) {without_rowid};
CREATE INDEX media_uses_media ON media_uses (media_id, owner_id);
-- Files that are coming in. size_bytes -1: not known. offset_bytes, hash_state: so much is safely there, hashed so far. fence: who writes
-- it names the one that he took. is_done 1: it is in media.
CREATE TABLE media_uploads (
	id TEXT NOT NULL PRIMARY KEY,
	media_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES apps (id),
	link_hash TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	offset_bytes BIGINT NOT NULL,
	hash_state {blob} NOT NULL,
	file_name TEXT NOT NULL,
	metadata TEXT NOT NULL,
	fence BIGINT NOT NULL,
	is_done BIGINT NOT NULL CHECK (is_done IN (0, 1)),
	created_at_us BIGINT NOT NULL,
	expires_at_us BIGINT NOT NULL
);
CREATE INDEX media_uploads_ending ON media_uploads (expires_at_us, id);
CREATE INDEX media_uploads_media ON media_uploads (media_id);
CREATE INDEX media_uploads_app ON media_uploads (app_id);
CREATE INDEX media_uploads_link ON media_uploads (link_hash) WHERE link_hash <> '';
-- Addresses that are good for one file. used_at_us 0: not used.
CREATE TABLE media_links (
	token_hash TEXT NOT NULL PRIMARY KEY,
	media_id TEXT NOT NULL,
	app_id TEXT NOT NULL REFERENCES apps (id),
	max_bytes BIGINT NOT NULL,
	expires_at_us BIGINT NOT NULL,
	used_at_us BIGINT NOT NULL
);
CREATE INDEX media_links_ending ON media_links (expires_at_us);
CREATE INDEX media_links_media ON media_links (media_id);
CREATE INDEX media_links_app ON media_links (app_id);
-- Names in the media store that no row has any more: their files are to be removed.
CREATE TABLE media_gone (
	name TEXT NOT NULL PRIMARY KEY
) {without_rowid};
-- Of media and media_uploads together.
ALTER TABLE app_work ADD COLUMN media_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE app_work ADD COLUMN media_files BIGINT NOT NULL DEFAULT 0;
