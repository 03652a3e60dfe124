import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("npm run sbom: lists every package with its version, license and hash as CycloneDX", () => {
  const root = join(import.meta.dirname, "../..");
  const text = execFileSync("npm", ["run", "--silent", "sbom"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const bom = JSON.parse(text);
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
  const names = bom.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["zod", "undici", "better-sqlite3", "commander"]));
  for (const { name, version, purl } of bom.components) expect([name, version, purl]).not.toContain(undefined);
});
