import type { Mutant } from "../mutant.ts";

const jobs = "server/sharing/stills/jobs.ts";
const service = "server/sharing/stills/service.ts";
const moments = "server/playtests/moments/service.ts";
const shown = "server/sharing/shares/public.ts";
const pages = "server/web/pages/share-views.ts";

export const stillsRules: readonly Mutant[] = [
  {
    rule: "a still image is cut at the position of its moment",
    test: "api/stills",
    edits: [[jobs, "cutter.still(from, row.at_ms, to", "cutter.still(from, 0, to"]],
  },
  {
    rule: "a still image follows its moment",
    test: "api/stills",
    edits: [[moments, "  if (atMs !== undefined && atMs !== row.at_ms) await moveStill(deps, tx, row.id, atMs);\n", ""]],
  },
  {
    rule: "a still image goes with its moment",
    test: "api/stills",
    edits: [[moments, "  await removeOfMoment(deps, tx, id);\n", ""]],
  },
  {
    rule: "the file of a still image goes with it",
    test: "api/stills",
    edits: [[jobs, "await deps.blobs.remove(key)", "await Promise.resolve(key)"]],
  },
  {
    rule: "a still image that failed takes no room",
    test: "api/stills",
    edits: [[jobs, '"fail", { size: 0, ...why, ...changed() }', '"fail", { ...why, ...changed() }']],
  },
  {
    rule: "a still image that failed can be asked for again",
    test: "api/stills",
    edits: [[service, 'if (earlier && earlier.status !== "failed")', "if (earlier)"]],
  },
  {
    rule: "a still image needs room",
    test: "api/stills",
    edits: [[service, "  await requireRoom(deps, tx, moment.owner_id, maxStillBytes);\n", ""]],
  },
  {
    rule: "a still image is shown to its owner alone",
    test: "api/studio-sharing",
    edits: [["server/web/adapters/recordings.ts", "(await moments.findForOwner(q, momentId, userId)) ?", "userId !== '' ?"]],
  },
  {
    rule: "a share has the still images of the notes that it shows",
    test: "api/shares",
    edits: [[shown, "shown.some(({ id, hasStill }) => id === momentId && hasStill) &&", "shown.length >= 0 &&"]],
  },
  {
    rule: "a link with a password has no preview",
    test: "api/shares",
    edits: [
      [
        pages,
        "...(!share.hasPassword && preview(site, title, description, poster)),",
        "...preview(site, title, description, poster),",
      ],
    ],
  },
  {
    rule: "a still image has a small copy, which is part of a backup",
    test: "api/stills",
    edits: [
      [
        "server/uploads/blob-store.ts",
        "UNION SELECT 'thumbnails/' || id FROM stills",
        "UNION SELECT 'stills/' || id FROM stills",
      ],
    ],
  },
  {
    rule: "the poster of a clip shows the clip",
    test: "api/stills",
    edits: [["server/playtests/moments/stills.ts", "at_ms: at_ms + within", "at_ms: within"]],
  },
  {
    rule: "the poster of a clip is not that of the video",
    test: "api/stills",
    edits: [
      [
        "server/playtests/moments/stills-store.ts",
        'isPoster = "i.moment_id IS NULL AND i.clip_id IS NULL"',
        'isPoster = "i.moment_id IS NULL"',
      ],
    ],
  },
  {
    rule: "the poster of a clip goes with it",
    test: "api/stills",
    edits: [
      [
        "server/sharing/clips/service.ts",
        "if (poster) await removeStill(deps, tx, poster.id);",
        "if (poster) await stills.remove(tx, poster.id);",
      ],
    ],
  },
  {
    rule: "the image of a clip is shown to its owner alone",
    test: "api/studio-sharing",
    edits: [["server/web/adapters/recordings.ts", "(await clips.findForOwner(q, clipId, userId)) ?", "userId !== '' ?"]],
  },
  {
    rule: "a moment that begins where a clip ends has no length",
    test: "api/shares",
    edits: [[shown, "return end > atMs ?", "return end >= atMs ?"]],
  },
  {
    rule: "the poster of a video that is not published is not public",
    test: "api/public",
    edits: [["server/web/adapters/published-video.ts", "if (!video) return", 'if (!video && part !== "poster") return']],
  },
  {
    rule: "an image that could not be taken with a note is an error",
    test: "cli/clips",
    edits: [["src/commands/review/notes/note.ts", ", ...(failure && { failure }) };", " };"]],
  },
  {
    rule: "a form of Studio that is sent twice keeps one note on this computer",
    test: "cli/studio",
    edits: [["src/commands/root/studio-notes.ts", "earlier?.moment ?? (", "("]],
  },
  {
    rule: "clips of one account do not hold up those of another",
    test: "api/clips",
    only: "delay those of another",
    edits: [
      [
        "server/app/compose.ts",
        'clips: { kinds: ["cut-clip"], width: config.clips.parallel, fair: true }',
        'clips: { kinds: ["cut-clip"], width: config.clips.parallel }',
      ],
    ],
  },
  {
    rule: "videos of one playtester do not hold up the transcripts of others",
    test: "api/transcripts",
    only: "take turns",
    edits: [["server/app/compose.ts", "width: config.transcriber.parallel, fair: true", "width: config.transcriber.parallel"]],
  },
  {
    rule: "programs that read videos get none of the server's environment",
    test: "api/transcripts",
    only: "none of its secrets",
    edits: [["server/lib/program.ts", "exec env -i ", "exec env "]],
  },
  {
    rule: "files that a row names are not swept",
    test: "api/erasure",
    only: "swept after eight days",
    edits: [["server/operations/strays.ts", "old.filter(({ path }) => !named.has(", "old.filter(({ path }) => !new Set().has("]],
  },
];
