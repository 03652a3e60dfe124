import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exportedBuilds, heldInFolder, installedUnpackers, isInstalled, unpacked, writeParts } from "../helpers/builds.ts";
import { testFolder } from "../helpers/cli.ts";
import { claim, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

/** Builds as engines export them: pushed by an owner, downloaded by a playtester and unpacked there. */
const fixture = eachOwnerFixture();
const unpackers = installedUnpackers();

/** Pushes and returns what the playtester of an order downloads. */
async function arrived(cwd: string, source: string): Promise<Buffer> {
  const { code, stderr } = await fixture.run(["games", "push", source, fixture.gameId], { cwd });
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/warning|Made executable/)]);
  const person = await registerPlaytester(fixture.server);
  const slot = await claim(person, await fixture.order());
  const { buildUrl } = (await person.get(`/playtester/slots/${slot}`)).body.data.slot;
  return Buffer.from(await (await fetch(buildUrl)).arrayBuffer());
}

async function unpacksEqual(bytes: Buffer, build: string): Promise<void> {
  const folder = testFolder();
  const file = join(folder, "downloaded.zip");
  writeFileSync(file, bytes);
  const expected = await heldInFolder(build);
  expect(unpackers).not.toEqual([]);
  for (const program of unpackers)
    expect({ program, held: await unpacked(program, file, join(folder, program)) }).toEqual({ program, held: expected });
}

describe.each(Object.entries(exportedBuilds))("%s", (_, parts) => {
  it("from a folder is unpacked equal: bytes, links, modes and times", async () => {
    const build = writeParts(parts, testFolder());
    await unpacksEqual(await arrived(build, "."), build);
  });

  const anotherProgram = async () => {
    const folder = testFolder();
    const build = join(folder, "build");
    mkdirSync(build);
    writeParts(parts, build);
    execFileSync("bsdtar", ["-cf", join(folder, "artifact.zip"), "--format", "zip", "-C", build, "."]);
    await unpacksEqual(await arrived(folder, "artifact.zip"), build);
  };
  if (isInstalled("bsdtar")) it("from a zip archive of another program is unpacked equal", anotherProgram);

  it("from a tar.gz arrives byte for byte", async () => {
    const folder = testFolder();
    const build = writeParts(parts, testFolder());
    const file = join(folder, "build.tar.gz");
    execFileSync("tar", ["-czf", file, "-C", build, "."]);
    expect((await arrived(folder, "build.tar.gz")).equals(readFileSync(file))).toBe(true);
  });
});

if (!isInstalled("bsdtar"))
  console.warn("Left out: zip archives of another program. Install libarchive-tools (bsdtar) to run it.");
