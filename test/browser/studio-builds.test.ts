import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BlobWriter, TextReader, Uint8ArrayReader, ZipWriter } from "@zip.js/zip.js";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { browserAndServer, giveSession, sendInPieces } from "../helpers/browser.ts";
import { createGame, registerOwner } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { freshFolder } from "../helpers/store.ts";

/** What the page of a game's builds says and does with a chosen file. */

const { browser, server } = await browserAndServer();
const owner = await registerOwner(server, "Hearth & Co");
const cookie = await sessionOf(server, owner, "/studio");
let context: BrowserContext;

afterEach(() => context.close());

/** How much of a build the page sends at a time here. */
const piece = 1024 * 1024;

async function zipOf(parts: Record<string, string | Uint8Array>): Promise<Buffer> {
  const writer = new ZipWriter(new BlobWriter(), { level: 0 });
  for (const [path, part] of Object.entries(parts))
    await writer.add(path, typeof part === "string" ? new TextReader(part) : new Uint8ArrayReader(part));
  return Buffer.from(await (await writer.close()).arrayBuffer());
}

function fileOf(name: string, bytes: Buffer): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

async function open(): Promise<{ page: Page; id: string }> {
  const id = await createGame(owner);
  context = await browser.newContext({ baseURL: server.baseUrl });
  await giveSession(context, server, cookie);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await sendInPieces(page, piece);
  await page.goto(`/studio/games/${id}/builds`);
  await page.locator("#upload").waitFor();
  return { page, id };
}

const stateOf = (page: Page, text: string) => page.locator("#build-state", { hasText: text }).waitFor();
const newest = async (id: string) => (await owner.listBuilds({ params: { id } })).builds[0]!;

it("sends a file with its labels after the button, through a lost connection, and shows it", async () => {
  const { page, id } = await open();
  const bytes = await zipOf({ "game/run.sh": "#!/bin/sh\n", "game/data.bin": randomBytes(2.1 * piece) });
  let cut = 1;
  await page.route("**/api/v1/uploads/**", (route) =>
    route.request().method() === "PATCH" && cut-- > 0 ? route.abort() : route.continue(),
  );
  await page.fill("#version", "3f2a91b");
  await page.setInputFiles("#build", fileOf("lantern.zip", bytes));
  await stateOf(page, "is ready to be sent");
  await page.fill("#notes", "Fixes the well.");
  await page.click("#pause");
  await stateOf(page, "lantern.zip is uploaded.");
  await page.locator("#builds", { hasText: "Fixes the well." }).waitFor();
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await newest(id)).toMatchObject({ filename: "lantern.zip", version: "3f2a91b", notes: "Fixes the well.", sha256 });
  expect(cut).toBeLessThan(0);
});

it("goes on with the same file after a reload", async () => {
  const { page, id } = await open();
  const file = fileOf("lantern.zip", await zipOf({ "data.bin": randomBytes(2.1 * piece) }));
  let pieces = 0;
  await page.route("**/api/v1/uploads/**", (route) =>
    route.request().method() === "PATCH" && pieces++ > 0 ? route.abort() : route.continue(),
  );
  await page.setInputFiles("#build", file);
  await stateOf(page, "is ready to be sent");
  await page.click("#pause");
  await stateOf(page, "Retrying");
  await page.unroute("**/api/v1/uploads/**");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await stateOf(page, "The upload of lantern.zip is incomplete. Choose the same file again to resume it.");
  const starts: string[] = [];
  page.on("request", (request) => void (request.method() === "PATCH" && starts.push(request.headers()["upload-offset"]!)));
  await page.setInputFiles("#build", file);
  await stateOf(page, "lantern.zip is uploaded.");
  expect(Number(starts[0])).toBeGreaterThanOrEqual(piece);
  expect((await newest(id)).sha256).toBe(createHash("sha256").update(readFileSync(file)).digest("hex"));
});

it("takes a file that is dropped on the page", async () => {
  const { page, id } = await open();
  const transfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(["a build"], "dropped.tar.gz"));
    return data;
  })()`);
  await page.dispatchEvent("#upload", "drop", { dataTransfer: transfer });
  await stateOf(page, "dropped.tar.gz");
  await page.click("#pause");
  await stateOf(page, "dropped.tar.gz is uploaded.");
  expect((await newest(id)).filename).toBe("dropped.tar.gz");
});

it.each<{ name: string; parts: Record<string, string>; says: string }>([
  {
    name: "paths that lead out",
    parts: { "../evil.sh": "x" },
    says: "The archive cannot be sent, so nothing was sent: ../evil.sh would be unpacked outside its folder. Rename these files",
  },
  {
    name: "secrets by their names",
    parts: { "game/.env": "KEY=1", "game/run.exe": "x" },
    says: "The build contains files that look secret, so nothing was sent: game/.env holds settings that are usually secret.",
  },
])("refuses $name before anything is sent", async ({ parts, says }) => {
  const { page, id } = await open();
  const before = await newest(id);
  await page.setInputFiles("#build", fileOf("lantern.zip", await zipOf(parts)));
  await page.locator("#build-error", { hasText: says }).waitFor();
  expect(await page.locator("#pause").isVisible()).toBe(false);
  expect(await newest(id)).toEqual(before);
});

it("sends secrets only when the box says so, and warns of names", async () => {
  const { page, id } = await open();
  const file = fileOf("lantern.zip", await zipOf({ ".env": "KEY=1", "aux.txt": "x" }));
  await page.setInputFiles("#build", file);
  await page.locator("#build-error", { hasText: "look secret" }).waitFor();
  await page.check("#include-secrets");
  await page.setInputFiles("#build", file);
  await stateOf(page, "is ready to be sent");
  const warning = "Some names cannot be unpacked everywhere: aux.txt has a name that Windows reserves for a device.";
  expect(await page.locator("#build-warning").textContent()).toBe(warning);
  await page.click("#pause");
  await stateOf(page, "lantern.zip is uploaded.");
  expect((await newest(id)).filename).toBe("lantern.zip");
});
