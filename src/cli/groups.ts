import type { Command, Group } from "./define.ts";
import { commandCalled, type Named, named } from "./find.ts";

/** Sections of the top-level help, in order. */
export const sections = {
  owners: "For game owners",
  playtesters: "For playtesters",
  operators: "For server operators",
  automation: "Automation",
  general: "General",
};
export type Section = keyof typeof sections;

export interface GroupEntry {
  name: string;
  section: Section;
  aliases: readonly string[];
  summary: string;
  load(): Promise<Group>;
}

const auth = async () => (await import("../commands/auth/index.ts")).auth;
const games = async () => (await import("../commands/games/index.ts")).games;
const billing = async () => (await import("../commands/billing/index.ts")).billing;
const chat = async () => (await import("../commands/chat/index.ts")).chat;
const notifications = async () => (await import("../commands/notifications/index.ts")).notifications;
const webhooks = async () => (await import("../commands/webhooks/index.ts")).webhooks;
const tester = async () => (await import("../commands/tester/index.ts")).tester;
const admin = async () => (await import("../commands/admin/index.ts")).admin;
const info = async () => (await import("../commands/info/index.ts")).info;
const serve = async () => (await import("../commands/serve/index.ts")).serve;
const sandbox = async () => (await import("../commands/sandbox/index.ts")).sandbox;
const config = async () => (await import("../commands/config/index.ts")).config;
const playtests = async () => (await import("../commands/playtests/index.ts")).playtests;
const applications = async () => (await import("../commands/applications/index.ts")).applications;
const approvals = async () => (await import("../commands/approvals/index.ts")).approvals;
const review = async () => (await import("../commands/review/index.ts")).review;
const findings = async () => (await import("../commands/findings/index.ts")).findings;
const mcp = async () => (await import("../commands/mcp/index.ts")).mcp;
const ci = async () => (await import("../commands/ci/index.ts")).ci;
const lists = async () => (await import("../commands/help/index.ts")).lists;
const top = async () => (await import("../commands/root/index.ts")).top;

/** All nouns. The commands of a noun are loaded only when it is used. */
export const groups: readonly GroupEntry[] = [
  { name: "auth", section: "general", aliases: [], summary: "Sign in, manage accounts and API keys", load: auth },
  { name: "games", section: "owners", aliases: ["game"], summary: "Manage games and upload builds", load: games },
  {
    name: "playtests",
    section: "owners",
    aliases: ["playtest", "pt"],
    summary: "Order playtests and track their progress",
    load: playtests,
  },
  {
    name: "applications",
    section: "owners",
    aliases: ["application", "app"],
    summary: "Approve or reject applications",
    load: applications,
  },
  { name: "review", section: "owners", aliases: ["rv"], summary: "Watch, accept and reject submitted videos", load: review },
  {
    name: "findings",
    section: "owners",
    aliases: ["finding"],
    summary: "Gather what the videos of a game show, and rank it",
    load: findings,
  },
  { name: "billing", section: "owners", aliases: [], summary: "Manage credit, payments and subscriptions", load: billing },
  { name: "chat", section: "general", aliases: [], summary: "Send and read messages", load: chat },
  {
    name: "notifications",
    section: "general",
    aliases: ["notification"],
    summary: "Read and follow notifications",
    load: notifications,
  },
  {
    name: "webhooks",
    section: "automation",
    aliases: ["webhook"],
    summary: "Send events to your own HTTPS endpoint",
    load: webhooks,
  },
  {
    name: "tester",
    section: "playtesters",
    aliases: [],
    summary: "Claim slots, submit videos and see your earnings",
    load: tester,
  },
  { name: "info", section: "general", aliases: [], summary: "List categories, devices and platforms", load: info },
  { name: "admin", section: "operators", aliases: [], summary: "Administer the marketplace on your server", load: admin },
  {
    name: "approvals",
    section: "automation",
    aliases: ["approval"],
    summary: "Decide on orders of API keys that wait for you",
    load: approvals,
  },
  { name: "mcp", section: "automation", aliases: [], summary: "Give coding agents tools with limits", load: mcp },
  { name: "ci", section: "automation", aliases: [], summary: "Set up CI workflows and print summaries", load: ci },
  { name: "serve", section: "operators", aliases: [], summary: "Run your own server", load: serve },
  {
    name: "sandbox",
    section: "automation",
    aliases: [],
    summary: "Play slots, move the clock and read mail on a sandbox",
    load: sandbox,
  },
  { name: "config", section: "general", aliases: [], summary: "Show and change settings", load: config },
];

/** A shortcut to a command. */
export interface Shortcut {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

/** A top-level command. */
export interface TopEntry extends Shortcut {
  section: Section;
}

const verb = (load: () => Promise<Group>, name: string) => async () =>
  (await load()).commands.find((command) => command.name === name)!;

export const topCommands: readonly TopEntry[] = [
  { name: "status", section: "general", summary: "Show what needs your attention", load: verb(top, "status") },
  { name: "studio", section: "general", summary: "Open your inbox, games and videos in the browser", load: verb(top, "studio") },
  { name: "stats", section: "general", summary: "Show ratings, times and rates of your playtests", load: verb(top, "stats") },
  { name: "open", section: "general", summary: "Open a page in the browser", load: verb(top, "open") },
  { name: "doctor", section: "general", summary: "Diagnose problems with settings, network and key", load: verb(top, "doctor") },
  { name: "api", section: "automation", summary: "Call any API endpoint", load: verb(top, "api") },
  {
    name: "schema",
    section: "automation",
    summary: "Describe a command's input as JSON",
    load: verb(lists, "schema"),
  },
  { name: "completion", section: "general", summary: "Generate a shell completion script", load: verb(top, "completion") },
  {
    name: "help",
    section: "general",
    summary: "Show help for a command or topic",
    load: verb(lists, "help"),
  },
];

/** Top-level shortcuts for frequent commands. */
export const shortcuts: readonly Shortcut[] = [
  { name: "login", summary: "auth login", load: verb(auth, "login") },
  { name: "logout", summary: "auth logout", load: verb(auth, "logout") },
  { name: "whoami", summary: "auth status", load: verb(auth, "status") },
  { name: "push", summary: "games push", load: verb(games, "push") },
  { name: "order", summary: "playtests order", load: verb(playtests, "order") },
  { name: "bulk", summary: "playtests bulk", load: verb(playtests, "bulk") },
  { name: "wait", summary: "playtests wait", load: verb(playtests, "wait") },
  { name: "inbox", summary: "status", load: verb(top, "status") },
  { name: "accept", summary: "review accept", load: verb(review, "accept") },
  { name: "reject", summary: "review reject", load: verb(review, "reject") },
  { name: "listen", summary: "webhooks listen", load: verb(webhooks, "listen") },
];

/** The noun called `word`, by its name or an alias. */
export const nounCalled = (word: string) => commandCalled(groups, word);

/** The commands that a line with this first word can mean: those of the noun, which is loaded, or else those without a noun. */
export async function commandsAt(word: string): Promise<(Named & Pick<Shortcut, "load">)[]> {
  const noun = nounCalled(word);
  if (!noun) return [...topCommands, ...shortcuts].map(({ name, load }) => ({ name, aliases: [], load }));
  const { commands } = await noun.load();
  const described = commands.map((command) => ({ path: [noun.name, command.name], aliases: command.aliases ?? [], command }));
  return named(described).map(({ described: { command }, ...found }) => ({ ...found, load: async () => command }));
}
