import { deviceNames } from "../../../src/contract/games.ts";
import { momentKinds } from "../../../src/contract/moments/kinds.ts";
import { publishers } from "../../../src/contract/publications/publishers.ts";
import { searchSources } from "../../../src/contract/search/sources.ts";
import { transcriptVersions } from "../../../src/contract/slots.ts";
import {
  clipStatuses,
  cutLimits,
  publicationStatuses,
  transcriptionStatuses,
  uploadStatuses,
} from "../../../src/contract/states/index.ts";
import { bytes, int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const videos = {
  uploads: {
    id: text, kind: oneOf(["build", "video"]), user_id: text, game_id: orNull(text), slot_id: orNull(text), size: int,
    filename: text,
    /** The media type given by the client; for a completed video, the type by its signature. */
    filetype: orNull(text),
    sha256: orNull(text),
    /** The values of `Upload-Metadata`, as JSON. */
    metadata: text,
    status: oneOf(uploadStatuses), completed_at: orNull(int),
    /** How long a completed video is (ms). Null when its length cannot be read. */
    duration_ms: orNull(int),
    /** What a video is made of, as JSON. Null until it was looked at. */
    facts: orNull(text),
    expires_at: int, created_at: int,
  },
  /** Who writes an upload. `previous` is the token of the holder before. */
  upload_writers: { upload_id: text, generation: int, token: text, previous: orNull(text), lease_until: int, wanted: int },
  /** Files that wait on the disk of a process until they are in the bucket. `folder` is the id of that folder. */
  storing_blobs: { blob_key: text, folder: text, size: int, created_at: int },
  /** Stored files that belong to nothing, and when the server first found that: real time. */
  stray_blobs: { blob_key: text, seen_at: int },
  /** Which process moves the files of a folder. */
  storing_folders: { folder: text, token: text, lease_until: int },
  submissions: {
    id: text, slot_id: text, blob_key: text, filename: text, content_type: text, video_file_size: int,
    video_duration_ms: orNull(int),
    /** What the video is made of, as JSON. Null until it was looked at. */
    video_facts: orNull(text),
    notes: text,
    /** What it was played on, as the playtester said. */
    device: orNull(oneOf(deviceNames)),
    published_at: orNull(int), published_url: orNull(text), admin_approved_at: orNull(int), created_at: int,
  },
  /** A video in one place: where it is, is being or was published. Of the rows of a slot, one at most is not removed. */
  publications: {
    id: text, slot_id: text, adapter: oneOf(publishers), state: oneOf(publicationStatuses),
    /** What the publisher needs to go on, sealed. Null before it began, and once it is published. */
    session: orNull(text),
    /** The id of the video on the platform. One that is removed has it until the platform deleted the video. */
    remote_id: orNull(text),
    /** Why it ended: why it was given up or removed. */
    reason: orNull(text),
    /** Why the last try failed; null once one succeeded. */
    error: orNull(text),
    /** What the platform or the program said about it, for operators. */
    detail: orNull(text),
    bytes_sent: int, bytes_total: int,
    /** How many tries failed in a row. */
    attempts: int,
    /** When its job goes on (ms); null when nothing is left to do. */
    next_attempt_at: orNull(int),
    /** When it is given up, and the own page takes over (ms). */
    give_up_at: int,
    created_at: int, updated_at: int,
  },
  /** What a playtester consented to when they took part in a public playtest. */
  publication_consents: {
    playtest_id: text, playtester_id: text,
    /** The version of the sentence. */
    version: int,
    /** Where the video is published. */
    adapter: oneOf(publishers),
    /** Under which name; null for none. */
    name: orNull(text),
    accepted_at: int,
    /** When it was withdrawn (ms), and why. */
    withdrawn_at: orNull(int), withdrawn_reason: orNull(text),
  },
  /** The account on a platform with which this server publishes, and its tokens, sealed. */
  publisher_connections: { id: text, adapter: oneOf(publishers), account: text, sealed: text, created_at: int },
  transcriptions: {
    id: text, slot_id: text, status: oneOf(transcriptionStatuses),
    /** The version that owners download. */
    selected_version: orNull(oneOf(transcriptVersions)),
    original_key: orNull(text), edited_key: orNull(text),
    /** A JSON array of strings. */
    key_takeaways: text,
    error: orNull(text), created_at: int, updated_at: int,
  },
  moments: {
    id: text, slot_id: text, playtest_id: text, game_id: text, owner_id: text, author_id: text, build_id: orNull(text),
    /** Position in the video (ms), and the end of the moment if it has one. */
    at_ms: int,
    end_ms: orNull(int), kind: oneOf(momentKinds), severity: orNull(int), body: text,
    /** A JSON array. */
    tags: text,
    created_at: int, updated_at: int,
  },
  clips: {
    id: text, slot_id: text, playtest_id: text, game_id: text, owner_id: text, name: text,
    /** Where it begins and ends in the video (ms). */
    at_ms: int,
    end_ms: int, status: oneOf(clipStatuses),
    /** Bytes of the finished clip; the most that it may have while it is pending. */
    size: int,
    /** Why it failed, for the operator. */
    error: orNull(text),
    /** The limit of the server because of which it failed. */
    limited_by: orNull(oneOf(cutLimits)),
    created_at: int, updated_at: int,
    /** Whether a reel shows what is said, and names playtesters; null for a clip of one part. */
    captions: orNull(int),
    with_name: orNull(int),
  },
  /** The parts of a reel, in its order. */
  clip_parts: {
    clip_id: text, position: int, slot_id: text,
    /** Where it begins and ends in its video (ms). */
    at_ms: int,
    end_ms: int,
    /** The two lines of its card: what it shows, and whose video that is. */
    title: text,
    facts: text,
  },
  /** A still image of a video. Its file never changes: a moment that moves gets a new one. */
  stills: {
    id: text, slot_id: text,
    /** What it shows: a moment, or as its poster a clip. Without both it is the poster of the video. */
    moment_id: orNull(text),
    clip_id: orNull(text), owner_id: text,
    /** Its position in the video (ms). */
    at_ms: int,
    status: oneOf(clipStatuses),
    /** Bytes of the finished image; the most that it may have while it is pending. */
    size: int,
    /** Bytes of its small copy. Null until it is finished, and where it was cut without one. */
    thumbnail_size: orNull(int),
    /** Why it failed, for the operator. */
    error: orNull(text),
    /** The limit of the server because of which it failed. */
    limited_by: orNull(oneOf(cutLimits)),
    created_at: int, updated_at: int,
  },
  shares: {
    id: text, owner_id: text, playtest_id: text,
    /** Null for all videos of the playtest. */
    slot_id: orNull(text),
    /** A clip of the slot's video; null for whole videos. */
    clip_id: orNull(text),
    token_hash: text,
    /** Sealed with `tokenContext`. */
    token: text,
    password_hash: orNull(text), with_name: int, with_moments: int,
    /** A JSON array. */
    moment_ids: text,
    views: int, last_viewed_at: orNull(int), expires_at: int, created_at: int,
  },
  search_passages: {
    seq: int, source: oneOf(searchSources), source_id: text, slot_id: text, playtest_id: text, game_id: text, owner_id: text,
    /** JSON. */
    passage: text,
    /** How many words of it are counted in `search_vocabulary`. */
    word_count: orElse(int, 0),
  },
  search_words: { rowid: int, words: text },
  search_vocabulary: {
    owner_id: text,
    /** As it is compared, in UTF-8. */
    word: bytes,
    /** As it is written, in lower case. */
    spelling: text,
    /** The word from its end. */
    backward: bytes,
    /** Its stems in the languages of its script, separated by spaces. */
    stems: text,
    uses: int,
  },
  search_slots: { slot_id: text },
};
