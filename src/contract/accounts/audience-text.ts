import type { Device } from "../games.ts";
import { countryName } from "../text/country.ts";
import { languageTag } from "../text/language-tag.ts";

/** What a playtester can say about themselves, and how a sentence says whom a playtest is for. */

export const ageBands = ["under-18", "18-24", "25-34", "35-44", "45-54", "55+"] as const;
export type AgeBand = (typeof ageBands)[number];

export interface Traits {
  country: string | null;
  languages: string[];
  devices: Device[];
  ageBand: AgeBand | null;
}

/** Whom a playtest is for. An empty or missing list is everyone. */
export interface Audience {
  targetCountries?: readonly string[] | undefined;
  targetLanguages?: readonly string[] | undefined;
  targetDevices?: readonly Device[] | undefined;
  targetAges?: readonly AgeBand[] | undefined;
}

export const targetNames = ["targetCountries", "targetLanguages", "targetDevices", "targetAges"] as const;

export const ageBandLabels: Readonly<Record<AgeBand, string>> = {
  "under-18": "under 18",
  "18-24": "18 to 24",
  "25-34": "25 to 34",
  "35-44": "35 to 44",
  "45-54": "45 to 54",
  "55+": "55 or older",
};

const deviceWords: Readonly<Record<Device, string>> = {
  PC: "a Windows PC",
  Mac: "a Mac",
  Linux: "a Linux computer",
  iOS: "an iPhone or iPad",
  Android: "an Android device",
};

let languageNames: Intl.DisplayNames | undefined;

/** The English name of a language by its code, such as `de`. Undefined if the code means none. */
export function languageName(code: string): string | undefined {
  languageNames ??= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  return /^[a-z]{2,3}$/.test(code) ? languageNames.of(code) : undefined;
}

/** The code of a language as it is kept: `ro` for `mo`. Undefined for what is no code of a language without a region. */
export function languageCode(text: string): string | undefined {
  const code = languageTag(text.toLowerCase());
  return code !== undefined && languageName(code) !== undefined ? code : undefined;
}

let spoken: { code: string; name: string }[] | undefined;

/** The languages with a code of two letters, and Filipino, by their English names. */
export function languages(): readonly { code: string; name: string }[] {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const own = [...codes, "fil"].filter((code) => languageCode(code) === code);
  spoken ??= own.map((code) => ({ code, name: languageName(code)! }));
  return spoken;
}

/** A list in a sentence: `a, b or c`. */
const listed = (words: readonly string[], last: "and" | "or") =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;

const language = (code: string) => languageName(code) ?? code;
// A server that is newer than this program may know more of them.
const device = (name: Device) => deviceWords[name] ?? name;
const age = (band: AgeBand) => ageBandLabels[band] ?? band;

/** `players in Germany or Austria with a Mac`. Undefined when it is for everyone. */
export function audienceText(audience: Audience): string | undefined {
  const { targetCountries = [], targetLanguages = [], targetDevices = [], targetAges = [] } = audience;
  const parts = [
    targetCountries.length > 0 && `in ${listed(targetCountries.map(countryName), "or")}`,
    targetAges.length > 0 && `aged ${listed(targetAges.map(age), "or")}`,
    targetDevices.length > 0 && `with ${listed(targetDevices.map(device), "or")}`,
    targetLanguages.length > 0 && `who speak ${listed(targetLanguages.map(language), "or")}`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `players ${parts.join(parts.length > 2 ? ", " : " ")}`;
}

/** Whom an order is offered to. The fields of the audience may be missing: other servers do not know them. */
export interface Targeting extends Audience {
  targetingType: string | null;
  targetingScope?: string | null;
  targetedPlaytesterId?: string | null | undefined;
  panel?: string | null | undefined;
}

/** Which playtesters an order is offered to; undefined if the server does not say so. */
export function targetingText(order: Targeting): string | undefined {
  const { targetingType: type, targetingScope: scope, targetedPlaytesterId: tester, panel } = order;
  const history = type && (tester ? `playtester ${tester}` : `${type} to ${scope === "game" ? "this game" : "your games"}`);
  const parts = [panel && `the group ${panel}`, audienceText(order), history].filter((part) => part);
  return parts.length > 0 ? parts.join(", ") : type === null ? "everyone" : undefined;
}

const shares = <T>(wanted: readonly T[] | undefined, given: readonly T[]) =>
  wanted === undefined || wanted.length === 0 || wanted.some((one) => given.includes(one));

const one = <T>(value: T | null): T[] => (value === null ? [] : [value]);

/** Why somebody with these traits is not of the audience, as a sentence for them. Undefined if they are. */
export function whyNotOf(audience: Audience, traits: Traits): string | undefined {
  const { country, languages, devices, ageBand } = traits;
  const checks: [fits: boolean, isSaid: boolean, field: string, said: () => string][] = [
    [shares(audience.targetCountries, one(country)), country !== null, "country", () => `are in ${countryName(country!)}`],
    [shares(audience.targetAges, one(ageBand)), ageBand !== null, "age band", () => `are aged ${age(ageBand!)}`],
    [shares(audience.targetDevices, devices), devices.length > 0, "devices", () => `have ${listed(devices.map(device), "and")}`],
    [
      shares(audience.targetLanguages, languages),
      languages.length > 0,
      "languages",
      () => `speak ${listed(languages.map(language), "and")}`,
    ],
  ];
  const failed = checks.filter(([fits]) => !fits);
  if (failed.length === 0) return undefined;
  const missing = failed.flatMap(([, isSaid, field]) => (isSaid ? [] : [`no ${field}`]));
  const wrong = failed.flatMap(([, isSaid, , said]) => (isSaid ? [said()] : []));
  const sentences = [
    `This playtest is for ${audienceText(audience)}.`,
    wrong.length > 0 && `By your profile, you ${listed(wrong, "and")}.`,
    missing.length > 0 && `Your profile names ${listed(missing, "and")}: add what is missing first.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}
