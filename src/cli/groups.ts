import type { Command, Group } from "./define.ts";

export interface GroupEntry {
  name: string;
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
const config = async () => (await import("../commands/config/index.ts")).config;
const playtests = async () => (await import("../commands/playtests/index.ts")).playtests;
const applications = async () => (await import("../commands/applications/index.ts")).applications;
const review = async () => (await import("../commands/review/index.ts")).review;
const ci = async () => (await import("../commands/ci/index.ts")).ci;
const top = async () => (await import("../commands/root/index.ts")).top;

/** Every noun; its commands are loaded only when it is named. */
export const groups: readonly GroupEntry[] = [
  { name: "auth", aliases: [], summary: "Log in, accounts and API keys", load: auth },
  { name: "games", aliases: ["game"], summary: "Games and their builds", load: games },
  { name: "playtests", aliases: ["playtest", "pt"], summary: "Order playtests and follow them", load: playtests },
  { name: "applications", aliases: ["application", "app"], summary: "Choose playtesters who applied", load: applications },
  { name: "review", aliases: ["rv"], summary: "Watch and judge what playtesters submitted", load: review },
  { name: "billing", aliases: [], summary: "Credit, payments, invoices, subscriptions and hours", load: billing },
  { name: "chat", aliases: [], summary: "Talk to playtesters, or to game owners", load: chat },
  { name: "notifications", aliases: ["notification"], summary: "What happened, as it happens", load: notifications },
  { name: "webhooks", aliases: ["webhook"], summary: "Events pushed to an address of yours", load: webhooks },
  { name: "tester", aliases: [], summary: "Play: claim a slot, submit the video, earn", load: tester },
  { name: "info", aliases: [], summary: "Categories, devices and platforms", load: info },
  { name: "admin", aliases: [], summary: "Run the marketplace of your own server", load: admin },
  { name: "ci", aliases: [], summary: "Workflows and summaries for continuous integration", load: ci },
  { name: "serve", aliases: [], summary: "Run a server of your own", load: serve },
  { name: "config", aliases: [], summary: "Settings and where they come from", load: config },
];

/** A command without a noun. */
export interface TopEntry {
  name: string;
  summary: string;
  load(): Promise<Command>;
}

const verb = (load: () => Promise<Group>, name: string) => async () =>
  (await load()).commands.find((command) => command.name === name)!;

export const topCommands: readonly TopEntry[] = [
  { name: "status", summary: "What needs attention", load: verb(top, "status") },
  { name: "open", summary: "Open a page in the browser", load: verb(top, "open") },
  { name: "doctor", summary: "Check settings, network, clock and key", load: verb(top, "doctor") },
  { name: "api", summary: "Call any endpoint", load: verb(top, "api") },
  { name: "schema", summary: "What a command takes, as JSON", load: verb(top, "schema") },
  { name: "completion", summary: "Completion for your shell", load: verb(top, "completion") },
  { name: "help", summary: "Help on a command or topic", load: verb(top, "help") },
];

/** Short ways to verbs used often. */
export const shortcuts: readonly TopEntry[] = [
  { name: "login", summary: "auth login", load: verb(auth, "login") },
  { name: "logout", summary: "auth logout", load: verb(auth, "logout") },
  { name: "whoami", summary: "auth status", load: verb(auth, "status") },
  { name: "push", summary: "games push", load: verb(games, "push") },
  { name: "order", summary: "playtests order", load: verb(playtests, "order") },
  { name: "bulk", summary: "playtests bulk", load: verb(playtests, "bulk") },
  { name: "wait", summary: "playtests wait", load: verb(playtests, "wait") },
  { name: "accept", summary: "review accept", load: verb(review, "accept") },
  { name: "reject", summary: "review reject", load: verb(review, "reject") },
  { name: "listen", summary: "webhooks listen", load: verb(webhooks, "listen") },
];
