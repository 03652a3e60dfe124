import { readFileSync } from "node:fs";
import { updateRow } from "../../server/database/rows.ts";
import { selectEdited, storeText } from "../../server/transcripts/edit.ts";
import * as transcripts from "../../server/transcripts/store.ts";
import { claim, giveVideo, order, ownerWithGame, type Person, registerPlaytester } from "./factories.ts";
import type { TestServer } from "./server.ts";

/** Twelve seconds of ten frames. Seven blocks at the top of each frame are its number in binary, the lowest digit first. */
export const framesVideo = (type: "mp4" | "webm" = "webm") =>
  readFileSync(new URL(`../fixtures/videos/frames.${type}`, import.meta.url));

const two = (number: number) => String(number).padStart(2, "0");
const clock = (seconds: number) =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.000`;

/** A transcript with one cue for each second. */
export const transcriptOf = (texts: readonly string[]): string =>
  `WEBVTT\n\n${texts.map((text, at) => `${clock(at)} --> ${clock(at + 1)}\n${text}\n`).join("\n")}`;

/** An owner with credit, and a game. */
export const reviewMarket = (server: TestServer) => ownerWithGame(server, 1_000_000, "Hearth & Co");

interface Wanted {
  gameId: string;
  playtester?: Person;
  video?: Buffer;
  notes?: string;
  transcript?: string;
  takeaways?: readonly string[];
}

/** A submission that waits for its owner's review; the id of its slot. */
export async function submitted(
  server: TestServer,
  owner: Person,
  { gameId, playtester, video = framesVideo(), notes = "It was fun.", transcript, takeaways }: Wanted,
): Promise<string> {
  const who = playtester ?? (await registerPlaytester(server));
  const slotId = await claim(who, await order(owner, gameId, { notesForTesters: "Please try the second depth." }));
  await giveVideo(server, slotId, who, video);
  const reply = await who.post(`/playtester/slots/${slotId}/submit`, { notes });
  if (reply.status !== 200) throw new Error(`could not submit: ${reply.text}`);
  if (transcript !== undefined) await giveTranscript(server, owner, slotId, transcript, takeaways);
  return slotId;
}

/** Two submissions of one playtest, an MP4 and a WebM; the path of the page that compares them. */
export async function submittedTwice(server: TestServer, owner: Person, gameId: string): Promise<string> {
  const playtestId = await order(owner, gameId, { quantity: 2 });
  const ids: string[] = [];
  for (const type of ["mp4", "webm"] as const) {
    const playtester = await registerPlaytester(server);
    const slotId = await claim(playtester, playtestId);
    await giveVideo(server, slotId, playtester, framesVideo(type));
    await playtester.submitSlot({ params: { id: slotId } });
    ids.push(slotId);
  }
  return `/studio/playtests/${playtestId}/compare?slots=${ids.join()}`;
}

/** Stores a transcript of any length, as one that a program made may be. */
export async function giveTranscript(
  server: TestServer,
  owner: Person,
  slotId: string,
  vtt: string,
  takeaways: readonly string[] = [],
) {
  const { deps } = server;
  const key = await storeText(deps, vtt);
  await deps.store.write(async (tx) => {
    await selectEdited(tx, slotId, owner.id, key);
    const row = await transcripts.findForSlot(tx, slotId);
    await updateRow(tx, "transcriptions", row!.id, { key_takeaways: JSON.stringify(takeaways) });
  });
}
