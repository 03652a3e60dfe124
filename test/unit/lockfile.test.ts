import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** What an entry of package-lock.json says of a package. */
interface Locked {
  dev?: boolean;
  hasInstallScript?: boolean;
  engines?: { node?: string };
}

it("npm ci compiles nothing on a current Node.js: only Node.js 20 gets a package of the product with an install script", () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages as Record<string, Locked>);
  const scripts = packages.filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
  // npm writes what the package itself says, 20 to 26, when it is installed again. Limit it to 20 again then.
  expect(scripts.map(([path, { engines }]) => [path, engines?.node])).toEqual([["node_modules/better-sqlite3-12", "20.x"]]);
});
