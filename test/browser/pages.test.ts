import type { Browser, BrowserContext } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { mailVerification } from "../../server/accounts/service.ts";
import * as users from "../../server/accounts/users-store.ts";
import { topicList } from "../../src/help/list.ts";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, complaintsOf, giveSession } from "../helpers/browser.ts";
import * as factories from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedPath } from "../helpers/mails.ts";
import { sessionOf, visitor } from "../helpers/portal.ts";

const { browser, server } = await browserAndServer({
  config: (config) => void Object.assign(config.playtesters, { maxReserved: 4 }),
});
let cookies: { busy: string; fresh: string };
/** Name and address of every page, by the visitor who sees it. */
const pages: Record<"signedOut" | "docs" | "busy" | "fresh", Record<string, string>> = {
  signedOut: {},
  docs: {},
  busy: {},
  fresh: {},
};

beforeAll(async () => {
  const owner = await factories.registerOwner(server, "Hearth & Co");
  await factories.giveCredit(server, owner, 100_000);
  const ann = await factories.registerPlaytester(server, "Annegret Vierzehnheiligen");
  const fresh = await factories.registerPlaytester(server, "Bo");
  await fillPortal(owner, ann);
  for (const path of ["slots", "applications", "messages", "earnings", "notifications"])
    pages.fresh[`${path}-empty`] = `/play/${path}`;
  const cookieOf = (who: factories.Person) => sessionOf(server, who);
  pages.fresh["offers-to-claim"] = "/play";
  cookies = { busy: await cookieOf(ann), fresh: await cookieOf(fresh) };
  await setUpFactor(server, ann, "correct horse");
  pages.fresh["second-factor"] = "/play/account/factor";
  pages.busy["second-factor-on"] = "/play/account/factor";
});

/** Creates one of everything that a page can show. */
async function fillPortal(owner: factories.Person, ann: factories.Person): Promise<void> {
  const game = (name: string, more = {}) => factories.createGame(owner, { name, ...more });
  const described = await game("Lantern Deep", {
    description: "Down the well, by the light of one lantern.\nMind the oil.",
    externalUrl: "https://example.com/lantern-deep",
    devices: ["PC", "Linux"],
    platforms: ["Steam", "itch.io"],
  });
  const wide = await game("Donaudampfschifffahrtsgesellschaftskapitänssimulator");
  await factories.order(owner, described, { quantity: 3 });
  await factories.order(owner, wide, {
    selectionMode: "manual",
    qualifications: "Owns a gamepad and a patient cat.",
    quantity: 2,
  });
  await factories.order(owner, described, { visibility: "public" });
  const applied = await factories.order(owner, described, { selectionMode: "manual" });
  await ann.post(`/playtester/playtests/${applied}/applications`, { qualificationsResponse: "I do own one.\nAnd a cat." });

  const slots: Record<string, string> = {};
  slots.accepted = await factories.play(server, ann, await factories.order(owner, described));
  await owner.post(`/slots/${slots.accepted}/accept`, { rating: 4, comment: "Sharp eyes, thank you." });
  slots.published = await factories.play(server, ann, await factories.order(owner, described, { visibility: "public" }));
  await owner.post(`/slots/${slots.published}/accept`);
  await server.advance(0);
  slots.rejected = await factories.play(server, ann, await factories.order(owner, described));
  await owner.post(`/slots/${slots.rejected}/reject`, { reason: "No sound.\nPlease try again.", allowRetry: true });
  slots.submitted = await factories.play(server, ann, await factories.order(owner, described));
  slots.blocked = await factories.claim(ann, await factories.order(owner, described));
  await ann.post(`/playtester/slots/${slots.blocked}/report`, { reasonCode: "crash", notes: "At the second door." });
  const keys = ["AAAA-BBBB-CCCC-DDDD-EEEE-FFFF"];
  slots.reserved = await factories.claim(
    ann,
    await factories.order(owner, wide, { keysForTesters: keys, notesForTesters: "Try the cave." }),
  );
  await factories.giveVideo(server, slots.reserved, ann);

  await ann.updateProfile({ body: { timeZone: "America/Argentina/ComodRivadavia" } });
  const [at, later] = [3, 4].map((days) => new Date(server.clock.now() + days * 86_400_000).toISOString());
  await factories.order(owner, wide, { scheduledAt: at });
  const session = await factories.order(owner, described, { scheduledAt: at, playerCount: 2 });
  slots.scheduled = (await ann.claimPlaytest({ params: { id: session }, body: { scheduledAt: at! } })).slot.id;
  await owner.updatePlaytest({ params: { id: session }, body: { scheduledAt: later! } });

  const contact = (await ann.get("/chat/contacts")).body.data.contacts[0].id;
  const chat = (await ann.post("/chat/conversations", { contactId: contact })).body.data.conversation.id;
  await ann.post(`/chat/conversations/${chat}/messages`, { content: "Thanks for having me." });
  const mine = (await owner.get("/chat/contacts")).body.data.contacts[0].conversationId;
  await owner.post(`/chat/conversations/${mine}/messages`, { content: `Come again! https://example.com/${"long".repeat(30)}` });

  const door = visitor(server);
  await door.submit("/play/forgot", "/play/forgot", { email: (await ann.get("/auth/me")).body.data.email });
  await server.advance(0);
  await ann.post("/auth/change-email", { newEmail: `${"long".repeat(14)}@example.org`, password: "correct horse" });
  await server.advance(0);
  const changeEmail = mailedPath(server, "change");
  const { verify, reset } = await unverifiedLinks();
  pages.signedOut = {
    "sign-in": "/play/sign-in",
    "sign-in-sent": "/play/sign-in/sent",
    "sign-in-confirm": "/play/sign-in/confirm?token=x",
    register: "/play/register",
    "register-sent": "/play/register/sent",
    forgot: "/play/forgot",
    "forgot-sent": "/play/forgot/sent",
    "set-password": mailedPath(server, "reset"),
    "set-password-stale": "/reset-password?token=x",
    "change-email": changeEmail,
    "change-email-stale": "/change-email?token=x",
    "verify-email": verify,
    "verify-email-stale": "/verify-email?token=x",
    "set-password-unverified": reset,
    watch: `/watch/${slots.published}`,
    "watch-list": "/watch",
    "watch-game": `/watch/games/${await gameOf(owner, slots.published!)}`,
    "watch-removed": `/watch/${await withdrawn(owner, await factories.registerPlaytester(server, "Cy"))}`,
    "sandbox-mails": "/sandbox/mails",
    "sandbox-mail": `/sandbox/mails/${await newestMail()}`,
    ...(await sharedPages(owner, slots.submitted)),
  };
  const references = ["auth", "games", "playtests", "slots", "billing", "admin", "objects"].map((name) => `api/${name}`);
  for (const name of ["", ...topicList.map((topic) => topic.name), ...references])
    pages.docs[`docs-${name.replace("/", "-")}`] = `/docs/${name}`.replace(/\/$/, "");
  pages.busy = {
    offers: "/play",
    slots: "/play/slots",
    applications: "/play/applications",
    messages: "/play/messages",
    conversation: `/play/messages/${chat}`,
    earnings: "/play/earnings",
    notifications: "/play/notifications",
    account: "/play/account",
    "account-keys": "/play/account/keys",
    "account-emails": "/play/account/emails",
    nowhere: "/play/nowhere",
    ...Object.fromEntries(Object.entries(slots).map(([status, id]) => [`slot-${status}`, `/play/slots/${id}`])),
  };
}

const gameOf = async (owner: factories.Person, slotId: string): Promise<string> =>
  (await owner.get(`/slots/${slotId}`)).body.data.slot.gameId;

/** A slot whose playtester took the published video back. */
async function withdrawn(owner: factories.Person, playtester: factories.Person): Promise<string> {
  const slotId = await factories.play(
    server,
    playtester,
    await factories.order(owner, await factories.createGame(owner), { visibility: "public" }),
  );
  await owner.post(`/slots/${slotId}/accept`);
  await server.advance(0);
  await playtester.post(`/playtester/slots/${slotId}/unpublish`);
  return slotId;
}

/** The public pages of a video, of a playtest, and of a video with a password. */
const newestMail = async () => (await server.request("GET", "/sandbox/outbox?limit=1")).body.data.messages[0].id;

async function sharedPages(owner: factories.Person, slotId: string): Promise<Record<string, string>> {
  const lines = Array.from(
    { length: 30 },
    (_, at) => `00:${String(at).padStart(2, "0")}:01.000 --> 00:59:02.000\nLine ${at}: ${"so it goes ".repeat(at % 7)}`,
  );
  await server.request("PUT", `/slots/${slotId}/transcript`, {
    key: owner.key,
    body: { vtt: `WEBVTT\n\n${lines.join("\n\n")}\n` },
  });
  await owner.post(`/slots/${slotId}/moments`, {
    atMs: 5000,
    endMs: 9000,
    kind: "confusion",
    text: `Looks for the ${"way ".repeat(30)}`,
  });
  const share = async (path: string, body: object) =>
    new URL((await owner.post(`${path}/shares`, body)).body.data.share.url).pathname;
  const playtestId = (await owner.get(`/slots/${slotId}`)).body.data.slot.requestId;
  return {
    share: await share(`/slots/${slotId}`, { withName: true, withNotes: true }),
    "share-playtest": await share(`/playtests/${playtestId}`, {}),
    "share-password": await share(`/slots/${slotId}`, { password: "lamp in the dark" }),
    "share-gone": "/share/x",
  };
}

/** Links that were mailed to an account that nobody verified yet. */
async function unverifiedLinks(): Promise<{ verify: string; reset: string }> {
  const body = { email: "new@example.com", password: "correct horse", role: "game_owner" };
  const { userId } = (await server.request("POST", "/auth/register", { body })).body.data;
  await server.deps.store.write(async (tx) => {
    const from = {
      email_verified_at: null,
      created_from: "2001:db8:85a3:1234:5678:8a2e:370:7334",
      created_with: `Mozilla/5.0 ${"(Long) ".repeat(20)}`,
    };
    await users.update(tx, userId, from);
    await mailVerification(tx, (await users.find(tx, userId))!);
  });
  await server.advance(0);
  const verify = mailedPath(server, "verify");
  await server.request("POST", "/auth/password-reset", { body: { email: body.email } });
  await server.advance(0);
  return { verify, reset: mailedPath(server, "reset") };
}

async function contextOf(who: keyof typeof pages, width: number, scheme: "light" | "dark"): Promise<BrowserContext> {
  const options = {
    viewport: { width, height: 800 },
    colorScheme: scheme,
    timezoneId: "Asia/Kathmandu",
    reducedMotion: "reduce",
  };
  const context = await browser.newContext({ baseURL: server.baseUrl, ...options } as const as Parameters<
    Browser["newContext"]
  >[0]);
  if (who === "busy" || who === "fresh") await giveSession(context, server, cookies[who]);
  return context;
}

describe.each(looks)("pages at $width px in a $scheme color scheme", ({ width, scheme, rules }) => {
  it.each(["signedOut", "docs", "busy", "fresh"] as const)(
    "for the visitor %s: fit the width, are accessible and break no content security policy",
    async (who) => {
      const context = await contextOf(who, width, scheme);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const faults: string[] = [];
      for (const [name, path] of Object.entries(pages[who])) faults.push(...(await look(page, name, path, rules, complaints)));
      await context.close();
      expect(faults).toEqual([]);
    },
  );
});

/** Presses Tab until the page is left; what has the focus each time, and whether one sees that. */
const focusOf = `(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { top, left, width, height } = one.getBoundingClientRect();
  return {
    name: one.tagName === "BODY" ? "" : (one.textContent.trim() || one.labels?.[0]?.textContent.trim() || one.name).replace(/\\s+/g, " "),
    visible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && width > 1 && height > 1 && top >= 0 && left >= 0,
    y: Math.round(top + scrollY),
  };
})()`;

it("portal: the Tab key reaches everything in order, and the focus is visible", async () => {
  const context = await contextOf("busy", 1280, "light");
  const page = await context.newPage();
  await page.goto(pages.busy["slot-reserved"]!);
  const stops: { name: string; visible: boolean; y: number }[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const stop = (await page.evaluate(focusOf)) as (typeof stops)[number];
    if (stop.name === "" || stops.length > 60) break;
    stops.push(stop);
  }
  expect(stops.filter(({ visible }) => !visible)).toEqual([]);
  const names = stops.map(({ name }) => name);
  expect(names.slice(0, 4)).toEqual(["Skip to content", "playtest", "Help", "Your account: Annegret Vierzehnheiligen"]);
  expect(names).toEqual(expect.arrayContaining(["Download the game (opens in a new tab)", "Submit", "Report a problem"]));
  const tops = stops.slice(4).map(({ y }) => y);
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  await page.keyboard.press("Tab");
  await context.close();
});

it("portal: times are in the reader's time zone, and in UTC without JavaScript", async () => {
  const context = await contextOf("busy", 1280, "light");
  const page = await context.newPage();
  await page.goto("/play/applications");
  const time = page.locator("time").first();
  const iso = (await time.getAttribute("datetime"))!;
  const shown = new Date(Date.parse(iso) + (5 * 60 + 45) * 60_000).toISOString().slice(11, 16);
  expect(await time.textContent()).toMatch(new RegExp(`^\\w+ \\d+, \\d{4}(,| at) ${shown} GMT\\+5:45$`));
  expect(await time.getAttribute("title")).toMatch(new RegExp(`${iso.slice(11, 16)} UTC$`));
  const plain = await (
    await fetch(`${server.baseUrl}/play/applications`, { headers: { cookie: `playtest_session=${cookies.busy}` } })
  ).text();
  expect(plain).toMatch(new RegExp(`<time datetime="${iso}">[^<]* ${iso.slice(11, 16)} UTC</time>`));
  await context.close();
});
