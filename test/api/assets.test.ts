import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { ownerWithGame } from "../helpers/factories.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

/** The addresses of the styles, scripts and pictures of a page. */
const filesOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, at]) => at!);

const ask = (server: TestServer, at: string, headers: Record<string, string> = {}) => fetch(server.baseUrl + at, { headers });

const cachingOf = async (server: TestServer, at: string) => (await ask(server, at)).headers.get("cache-control");

onBothDatabases("styles and scripts", (serve, it) => {
  it("are kept by browsers under addresses with their version, on every kind of page", async ({ server }) => {
    const { owner } = await ownerWithGame(server, 100);
    const browser = await signedIn(server, owner, "/studio");
    const pages = ["/", "/play/sign-in", "/studio", "/studio/order", "/docs"];
    const files = new Set<string>();
    for (const page of pages) for (const at of filesOf((await browser.get(page)).html)) files.add(at);
    expect(files.size).toBeGreaterThan(pages.length);
    for (const at of files) {
      expect(at).toMatch(/^\/assets\/[\w.]+\?v=[0-9a-f]{16}$/);
      expect([at, await cachingOf(server, at)]).toEqual([at, "max-age=31536000, immutable"]);
    }
    expect((await visitor(server).get("/favicon.ico")).location).toMatch(/^\/assets\/icon\.svg\?v=/);
  });

  it("are not kept under the address of another version, which another process may have sent", async ({ server }) => {
    const [at] = filesOf((await visitor(server).get("/")).html);
    for (const other of [at!.replace(/\?.*/, ""), `${at}0`, at!.replace(/v=.*/, "v=0123456789abcdef")])
      expect([other, await cachingOf(server, other)]).toEqual([other, "no-cache"]);
  });

  it("are not sent again to a browser that has them", async ({ server }) => {
    const first = await ask(server, "/assets/style.css");
    const tag = first.headers.get("etag")!;
    const same = await ask(server, "/assets/style.css", { "if-none-match": `"other", ${tag}` });
    expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", tag]);
    const changed = await ask(server, "/assets/style.css", { "if-none-match": 'W/"0123456789abcdef"' });
    expect([changed.status, await changed.text()]).toEqual([200, await first.text()]);
  });

  it("have another address after they changed", async () => {
    const addressWith = async (color: string) => {
      const server = await serve({ config: (config) => Object.assign(config.brand, { color }) });
      return filesOf((await visitor(server).get("/play/sign-in")).html).find((at) => at.includes("brand.css"));
    };
    const [yellow, blue] = [await addressWith("#ffe14d"), await addressWith("#1d5fd1")];
    expect(yellow).not.toBe(blue);
    expect(await addressWith("#ffe14d")).toBe(yellow);
  });
});
