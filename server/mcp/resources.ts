import { readCues } from "../../src/contract/text/cues.ts";
import { positionText } from "../../src/contract/text/position.ts";
import type { Host } from "./host.ts";
import { cutTo, plainLine } from "./untrusted.ts";

const json = "application/json";

export const resourceTemplates = [
  {
    name: "playtest",
    uriTemplate: "playtest://playtests/{id}",
    title: "Playtest",
    description: "A playtest with its order and the number of its slots by status.",
    mimeType: json,
  },
  {
    name: "transcript",
    uriTemplate: "playtest://slots/{id}/transcript",
    title: "Transcript",
    description: "What is said in the video of a slot: a JSON object whose untrustedText has the words of a playtester.",
    mimeType: json,
  },
] as const;

export const topicResources = async ({ help }: Host) =>
  (await help()).topics.map(({ name, title, summary }) => ({
    uri: `playtest://help/${name}`,
    name,
    title,
    description: summary,
    mimeType: "text/markdown",
  }));

/** The longest resource, in characters: clients hand it to a model as a whole. */
const longest = 60_000;

async function playtestText({ call, baseUrl }: Host, id: string): Promise<string> {
  const {
    notesForTesters: _notes,
    qualifications: _qualifications,
    gameName: _name,
    ...playtest
  } = (await call("getPlaytest", { params: { id } })).data.playtest;
  return JSON.stringify({ server: baseUrl, playtest });
}

async function transcriptText(host: Host, id: string): Promise<string> {
  const { slot } = (await host.call("getSlot", { params: { id } })).data;
  const captions = (await host.readCaptions(slot.id)) ?? "";
  const lines = readCues(captions, "hidden").map((cue) => `[${positionText(cue.startMs)}] ${plainLine(cue.text)}`);
  const text = lines.join("\n");
  return JSON.stringify({ slot: slot.id, truncated: text.length > longest, untrustedText: cutTo(text, longest) });
}

/** A resource by its address. Undefined if there is none. Throws what the API refuses. */
export async function readResource(host: Host, uri: string): Promise<{ mimeType: string; text: string } | undefined> {
  const [, topic] = /^playtest:\/\/help\/([\w-]+)$/.exec(uri) ?? [];
  if (topic !== undefined) {
    const text = (await host.help()).read(topic);
    return text === undefined ? undefined : { mimeType: "text/markdown", text };
  }
  const [, kind, id, part] = /^playtest:\/\/(playtests|slots)\/([0-9a-f-]{36})(\/transcript)?$/.exec(uri) ?? [];
  if (id === undefined || (kind === "slots") !== (part !== undefined)) return undefined;
  return { mimeType: json, text: await (kind === "slots" ? transcriptText(host, id) : playtestText(host, id)) };
}
