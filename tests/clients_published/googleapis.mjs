// SPDX-License-Identifier: Apache-2.0
// Google's Node client (the package of YouTube alone): login, the channel, a video as one multipart upload, its state, the uploads.
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { youtube as youtubeClient } from "@googleapis/youtube";
import { OAuth2Client } from "google-auth-library";
import { allow, CALLBACK, secretOf } from "./person.mjs";

const auth = new OAuth2Client("sandbox-youtube", secretOf("youtube"), CALLBACK);
const base = "https://www.googleapis.com/auth/youtube";
const returned = await allow(
  auth.generateAuthUrl({ access_type: "offline", prompt: "consent", scope: [`${base}.upload`, `${base}.readonly`, `${base}.force-ssl`] }),
);
const { tokens } = await auth.getToken(returned.searchParams.get("code"));
auth.setCredentials(tokens);
const youtube = youtubeClient({ version: "v3", auth });
const channels = await youtube.channels.list({ part: ["snippet", "contentDetails"], mine: true });
const uploads = channels.data.items[0].contentDetails.relatedPlaylists.uploads;
const video = await youtube.videos.insert({
  part: ["snippet", "status"],
  requestBody: { snippet: { title: process.env.POSTHORN_TEXT }, status: { privacyStatus: "public", selfDeclaredMadeForKids: false } },
  media: { mimeType: "video/mp4", body: createReadStream(process.env.POSTHORN_VIDEO) },
});
const state = await youtube.videos.list({ part: ["status", "processingDetails"], id: [video.data.id] });
assert.equal(state.data.items[0].status.privacyStatus, "public");
const items = await youtube.playlistItems.list({ part: ["snippet", "contentDetails"], playlistId: uploads });
assert.equal(items.data.items[0].contentDetails.videoId, video.data.id);
