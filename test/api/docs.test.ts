import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { type Block, plain } from "../../src/help/document.ts";
import { topicList } from "../../src/help/list.ts";
import { parseMarkdown } from "../../src/help/markdown.ts";
import { topics } from "../../src/help/topics.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

/** The documentation that a server shows at /docs. It reads no database, so one is enough. */
let server: TestServer;
let store: TestStore;

beforeAll(async () => {
  store = await drivers[0]!.open();
  server = await startTestServer({ store, config: (config) => Object.assign(config, { sandbox: false, autoVerify: false }) });
});
afterAll(async () => {
  await server.close();
  await store.remove();
});

const get = (path: string) => fetch(server.baseUrl + path);
const textOf = async (path: string) => (await get(path)).text();
const groups = async () => [
  ...new Set([...(await textOf("/docs/api")).matchAll(/href="(\/docs\/api\/\w+)"/g)].map(([, path]) => path!)),
];
const everyPage = async () => ["/docs", ...topicList.map(({ name }) => `/docs/${name}`), ...(await groups())];

const escapes: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
const visible = (html: string) => html.replace(/<[^>]+>/g, "").replace(/&(lt|gt|quot|amp|#39);/g, (entity) => escapes[entity]!);

describe("/docs", () => {
  it.each([
    ["webhook", /href="\/docs\/webhooks/],
    ["WEBHOOK sign", /href="\/docs\/webhooks#/],
    ["zzyzx", /No section of the documentation contains “zzyzx”/],
    ['"><script>', /contains “&quot;&gt;&lt;script&gt;”/],
    [" ", /Enter what you are looking for/],
  ])("search for %j, from a form on every page", async (query, shows) => {
    expect(await textOf(`/docs/search?${new URLSearchParams({ q: query })}`)).toMatch(shows);
    expect(await textOf("/docs/getting-started")).toContain('<form class="find" method="get" action="/docs/search"');
  });

  it("contents: list every topic with its title", async () => {
    const page = await textOf("/docs");
    for (const { name, summary } of topicList) {
      expect(page).toContain(`href="/docs/${name}"`);
      expect(visible(page)).toContain(topics[name].title);
      expect(visible(page)).toContain(summary);
    }
  });

  it.each(topicList.map(({ name }) => name))("topic: %s is shown completely", async (name) => {
    const reply = await get(`/docs/${name}`);
    const page = visible(await reply.text());
    expect(reply.status).toBe(200);
    for (const block of topics[name].blocks) if (block.kind === "code") expect(page).toContain(block.text);
  });

  it("every page: nothing from elsewhere, no inline script or style", async () => {
    for (const path of await everyPage()) {
      const reply = await get(path);
      const page = await reply.text();
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
      expect([...page.matchAll(/(?:src|<link[^>]+href)="([^"]*)"/g)].map(([, address]) => address!.split("?")[0])).toEqual([
        "/assets/icon.svg",
        "/assets/style.css",
        "/assets/docs.css",
      ]);
    }
  });

  it("links: every one within the documentation leads somewhere", async () => {
    const pages = new Map<string, string>();
    for (const path of await everyPage()) pages.set(path, await textOf(path));
    const dead: string[] = [];
    for (const [from, page] of pages)
      for (const [, href] of page.matchAll(/<a[^>]* href="([^"]+)"/g)) {
        const [path = "", id] = href!.split("#");
        const target = path === "" ? page : pages.get(path);
        if (target === undefined || (id !== undefined && !target.includes(`id="${id}"`))) dead.push(`${from}: ${href}`);
      }
    expect(dead).toEqual([]);
  });

  it("settings: each is a block of its own, with its meaning first and without empty cells", async () => {
    expect(await textOf("/docs/configuration")).toContain(
      "<dt><code>limits.keyBurst</code></dt><dd>Requests an API key may send at once after it was idle.<ul><li>Default: <code>100</code></li><li>Range: 1 to 1000000</li><li>Unit: requests</li></ul></dd>",
    );
  });

  it("reference: has every endpoint of this server, and no sandbox on a live one", async () => {
    const pages = (await Promise.all((await groups()).map(textOf))).join();
    const shown = (id: string) => pages.includes(`<h2 id="${id}">`);
    const all = Object.entries(contract as Record<string, Endpoint>);
    expect(all.filter(([id, { only }]) => shown(id) !== (only === undefined)).map(([id]) => id)).toEqual([]);
  });

  it("reference: shows parameters, body, replies and errors", async () => {
    const page = visible(await textOf("/docs/api/playtests")).replace(/\s+/g, " ");
    expect(page).toContain("POST /api/v1/games/{gameId}/playtests");
    expect(page).toContain("durationMinutes30, 60, 120, 180");
    expect(page).toContain("quantityinteger, 1 to 100");
    expect(page).toContain("402: PAYMENT_REQUIRED");
  });

  it.each(["/docs/nothing", "/docs/ordering/more", "/docs/api/nothing", "/docs/api/games/more"])(
    "unknown page: %s is 404",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it("other methods: 405", async () => {
    const reply = await fetch(`${server.baseUrl}/docs`, { method: "POST" });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

it("/docs of a sandbox: has the sandbox endpoints", async () => {
  const own = await drivers[0]!.open();
  const sandbox = await startTestServer({ store: own });
  expect(await (await fetch(`${sandbox.baseUrl}/docs/api/sandbox`)).text()).toContain('<h2 id="advanceClock">');
  await sandbox.close();
  await own.remove();
});

/** What a block says, without its marks. */
function said(block: Block): unknown {
  if (block.kind === "code") return block.text;
  if (block.kind === "list") return block.items.map(plain);
  return block.kind === "table" ? [block.head, ...block.rows].map((cells) => cells.map(plain)) : [block.kind, plain(block.parts)];
}

describe("for programs that read", () => {
  it("every topic is there in Markdown, by its address and by what is accepted, and means the same", async () => {
    for (const { name } of topicList) {
      const reply = await get(`/docs/${name}.md`);
      const text = await reply.text();
      expect([name, reply.status, reply.headers.get("content-type")]).toEqual([name, 200, "text/markdown; charset=utf-8"]);
      const accepted = await fetch(`${server.baseUrl}/docs/${name}`, { headers: { accept: "text/markdown, text/html;q=0.5" } });
      expect(await accepted.text()).toBe(text);
      const read = parseMarkdown(text);
      expect([read.title, read.blocks.length]).toEqual([topics[name].title, topics[name].blocks.length]);
      expect(read.blocks.map(said)).toEqual(topics[name].blocks.map(said));
    }
    expect((await get("/docs/nothing.md")).status).toBe(404);
  });

  it("the OpenAPI document is also where programs look for it first", async () => {
    const reply = await get("/openapi.json");
    const { openapi } = (await reply.json()) as { openapi: string };
    expect([reply.url, openapi]).toEqual([`${server.baseUrl}/api/v1/openapi.json`, "3.1.1"]);
  });

  it("llms.txt names every topic, and each of its links answers", async () => {
    const reply = await get("/llms.txt");
    const text = await reply.text();
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    for (const { name } of topicList) expect(links).toContain(`${server.baseUrl}/docs/${name}.md`);
    for (const link of new Set(links)) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });

  it("the links of every topic in Markdown lead to topics in Markdown, and answer", async () => {
    const links = new Set<string>();
    for (const { name } of topicList)
      for (const [, link] of (await textOf(`/docs/${name}.md`)).matchAll(/\]\(([^)\s]+)\)/g)) links.add(link!);
    const own = [...links].filter((link) => link.startsWith(server.baseUrl));
    expect(own.length).toBeGreaterThan(10);
    for (const link of own) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    expect([...links].filter((link) => !/^https?:/.test(link))).toEqual([]);
  });

  it("a checkout has no package of the command", async () => {
    expect((await get("/playtest-cli.tgz")).status).toBe(404);
    expect(await textOf("/")).not.toContain("npm install");
  });

  it("robots.txt leaves out what crawlers find nothing in", async () => {
    const reply = await get("/robots.txt");
    expect([reply.status, await reply.text()]).toEqual([
      200,
      expect.stringMatching(/^User-agent: \*\nDisallow: \/api\/\nDisallow: \/studio\nDisallow: \/play\n/),
    ]);
    expect((await fetch(`${server.baseUrl}/robots.txt`, { method: "POST" })).status).toBe(405);
  });
});
