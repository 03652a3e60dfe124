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
  expect(links).toEqual(
    expect.arrayContaining(["/play", "/studio", "/docs", "/docs/getting-started", "/docs/server", "/assets/icon.svg"]),
  );
  for (const path of [...links, "/favicon.ico"]) expect([path, (await fetch(baseUrl + path)).status]).toEqual([path, 200]);
});

it("start page: takes no other path and no other method", async () => {
  const baseUrl = await serve(false);
  expect((await fetch(`${baseUrl}//x`)).status).toBe(404);
  const posted = await fetch(`${baseUrl}/`, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
