import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { startProcess } from "../helpers/cluster.ts";
import { createGame, type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { killLeftovers } from "../helpers/process.ts";
import { nodeAt, startTestServer } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";
import { begin, octets, patch, raw, sha256 } from "../helpers/tus.ts";

const postgres = drivers.find((driver) => driver.name === "postgres")!;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await killLeftovers();
});

const mib = 2 ** 20;
const build = Buffer.alloc(20 * mib, "the bytes of the build, ");
const wrong = Buffer.alloc(20 * mib, "something else, ");
const sent = 5 * mib;

/** Two processes on one database and folder, and an upload whose first bytes a connection to the first one sent, which then stalled. */
async function stalledAtFirst() {
  const location = await postgres.location();
  closing.push(() => location.remove());
  const folder = freshFolder();
  const first = await startProcess(folder, location, ["--seed", "minimal"]);
  const second = await startProcess(folder, location);
  const [one, other] = [nodeAt(first.baseUrl), nodeAt(second.baseUrl)];
  const owner = personWith(one, first.ownerKey!, "");
  const url = await begin(one, owner, `/games/${first.gameId}/builds`, build.length, {
    filename: "a.zip",
    sha256: sha256(build),
  });
  const { pathname } = new URL(url);
  const id = pathname.split("/").at(-1)!;
  const stalled = startPatch(first.baseUrl + pathname, owner, build.length);
  stalled.call.write(build.subarray(0, sent));
  const file = join(folder, "uploads", id);
  await expect.poll(() => statSync(file).size, { interval: 5 }).toBe(sent);
  return { location, folder, first, second, other, owner, id, stalled, there: other.baseUrl + pathname };
}

type Market = Awaited<ReturnType<typeof stalledAtFirst>>;

function startPatch(url: string, { key }: Person, length: number) {
  const headers = { ...octets, authorization: `Bearer ${key}`, "upload-offset": 0, "content-length": length };
  const call: ClientRequest = httpRequest(url, { method: "PATCH", headers });
  const outcome = once(call, "response").then(
    ([reply]) => (reply as IncomingMessage).resume().statusCode,
    () => "closed",
  );
  return { call, outcome };
}

/** Sends the rest to the second process, from where it says that the upload is. */
async function resumeAtSecond({ other, owner, there }: Market): Promise<[offset: string | null, status: number]> {
  const offset = (await raw(other, owner, "HEAD", there)).headers.get("upload-offset");
  const { status } = await patch(other, owner, there, Number(offset), build.subarray(Number(offset)));
  return [offset, status];
}

const stored = ({ folder, id }: Market) => [
  sha256(readFileSync(join(folder, "blobs/builds", id))) === sha256(build),
  readdirSync(join(folder, "uploads")),
];

describe("upload that stalled on one process and is resumed on another", { timeout: 300_000 }, () => {
  it("is let go by the first, and resumes there", async () => {
    const market = await stalledAtFirst();
    expect(await resumeAtSecond(market)).toEqual([String(sent), 204]);
    expect(await market.stalled.outcome).toBe("closed");
    expect(stored(market)).toEqual([true, []]);
    for (const { stop } of [market.first, market.second]) expect((await stop()).code).toBe(0);
  });

  it("is safe from the first when that one hangs, and is resumed when it is complete and stored", async () => {
    const market = await stalledAtFirst();
    const { location, first, second, stalled } = market;
    first.child.kill("SIGSTOP");
    const store = await openStore(location.options);
    closing.push(() => store.close());
    // As it is a while later.
    await store.write((tx) => tx.run("UPDATE upload_writers SET lease_until = 1"));
    expect(await resumeAtSecond(market)).toEqual([String(sent), 204]);
    expect(stored(market)).toEqual([true, []]);
    stalled.call.end(wrong.subarray(sent));
    first.child.kill("SIGCONT");
    expect([423, 410, "closed"]).toContain(await stalled.outcome);
    expect((await first.stop()).code).toBe(0);
    expect(stored(market)).toEqual([true, []]);
    expect((await second.stop()).code).toBe(0);
  });
});

describe("process that hangs between storing a file and recording it", () => {
  it("does not remove the file when another process has recorded it", async () => {
    const location = await postgres.location();
    closing.push(() => location.remove());
    const dataDir = freshFolder();
    const open = async (instance: string) => {
      const server = await startTestServer({ store: await openStore(location.options), instance, dataDir });
      closing.push(() => server.close());
      return server;
    };
    const [first, second] = [await open("one"), await open("two")];
    const owner = await registerOwner(first);
    const builds = `/games/${await createGame(owner)}/builds`;
    const bytes = build.subarray(0, 5_000);
    const url = await begin(first, owner, builds, bytes.length, { filename: "a.zip", sha256: sha256(bytes) });
    const { blobs, store } = first.deps;
    const put = blobs.put;
    const [isStored, goesOn] = [gate(), gate()];
    blobs.put = async (key, path) => {
      const stored = await put(key, path);
      isStored.open();
      await goesOn.passed;
      return stored;
    };
    const late = patch(first, owner, url, 0, bytes);
    await isStored.passed;
    await store.write((tx) => tx.run("UPDATE upload_writers SET lease_until = 1"));
    const head = await raw(second, owner, "HEAD", second.baseUrl + new URL(url).pathname);
    goesOn.open();
    expect([head.headers.get("upload-offset"), (await late).status]).toEqual(["5000", 423]);
    const hosted = (await owner.get(builds)).body.data.builds.filter(
      ({ size }: { size: number | null }) => size === bytes.length,
    );
    expect(hosted).toHaveLength(1);
    const link = (await owner.get(`${builds}/${hosted[0].id}/download-url`)).body.data.downloadUrl;
    expect(sha256(new Uint8Array(await (await fetch(link)).arrayBuffer()))).toBe(sha256(bytes));
    const afterwards = [];
    for (const method of ["HEAD", "PATCH", "DELETE"]) {
      const reply = await raw(second, owner, method, second.baseUrl + new URL(url).pathname, {
        ...octets,
        "upload-offset": "5000",
      });
      afterwards.push([reply.status, reply.headers.get("upload-offset")]);
    }
    expect(afterwards).toEqual([
      [200, "5000"],
      [409, null],
      [409, null],
    ]);
    const left = await store.read((q) => q.all("SELECT * FROM upload_writers"));
    expect([left, readdirSync(join(dataDir, "uploads"))]).toEqual([[], []]);
  });
});
