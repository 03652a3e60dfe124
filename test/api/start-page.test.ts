import { get } from "node:http";
import { afterEach, expect, it } from "vitest";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";

/** The page at the address of the server. It reads no database, so one is enough. */
let server: TestServer;
afterEach(async () => {
  await server.close();
});

async function serve(sandbox: boolean) {
  server = await ownServer({ config: (config) => Object.assign(config, { sandbox, autoVerify: sandbox }) });
  return server.baseUrl;
}

it.each([true, false])("start page (sandbox: %s): every link leads somewhere, and commands name this server", async (sandbox) => {
  const baseUrl = await serve(sandbox);
  const page = await (await fetch(`${baseUrl}/`)).text();
  expect(page.includes("This server is a sandbox")).toBe(sandbox);
  expect([...page.matchAll(/--base-url (\S+)/g)].map(([, address]) => address)).toEqual([
    server.deps.config.baseUrl,
    server.deps.config.baseUrl,
  ]);
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, path]) => path!);
  expect(links).toEqual(expect.arrayContaining(["/play", "/studio", "/docs", "/docs/getting-started", "/docs/server"]));
  for (const path of [...links, "/favicon.ico"]) expect([path, (await fetch(baseUrl + path)).status]).toEqual([path, 200]);
});

it("start page: says what is paid, and tells operators' commands only on the machine of the server", async () => {
  const baseUrl = await serve(false);
  const page = await (await fetch(`${baseUrl}/`)).text();
  expect(page).toContain("<strong>$10.00 for an hour</strong>");
  expect(page).toContain("playtest admin --help");
  const { port } = new URL(baseUrl);
  const elsewhere = await new Promise<string>((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/", headers: { host: "playtest.example.com" } }, async (reply) => {
      let text = "";
      for await (const part of reply) text += part;
      resolve(text);
    }).on("error", reject);
  });
  expect(elsewhere).toContain("You play games");
  expect(elsewhere).not.toContain("operator");
});

it("start page: takes no other path and no other method", async () => {
  const baseUrl = await serve(false);
  expect((await fetch(`${baseUrl}//x`)).status).toBe(404);
  const posted = await fetch(`${baseUrl}/`, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
