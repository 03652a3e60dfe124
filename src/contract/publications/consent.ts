import { type PublisherName, publisherTitles } from "./publishers.ts";

/** Whether published videos show the display name of their playtester. */
export const publishedNames = ["shown", "hidden"] as const;
export type PublishedName = (typeof publishedNames)[number];

/** What a playtester consents to: where their video is published, and under which name. Null is no name. */
export interface Consented {
  adapter: PublisherName;
  name: string | null;
}

/**
 * The sentence to which a playtester consents who claims a slot of a public playtest. Other words are a new version at the end: what
 * somebody consented to before stays as it was.
 */
const versions: readonly ((consented: Consented) => string)[] = [
  ({ adapter, name }) => {
    const where = adapter === "own" ? "on this website" : `on ${publisherTitles[adapter]}`;
    const who = name === null ? "without your name" : `with your name, ${name}`;
    const instead =
      adapter === "own" ? "" : ` If ${publisherTitles[adapter]} does not show it, it is published on this website instead.`;
    return `If your video is accepted, it is published ${where} for everybody, ${who}.${instead}`;
  },
];

/** The version in force. */
export const consentVersion = versions.length;

/** The sentence of a version. */
export const consentText = (version: number, consented: Consented): string => versions[version - 1]!(consented);
