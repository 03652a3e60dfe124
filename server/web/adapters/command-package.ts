import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Page } from "../types.ts";

/** The folder of the package that this program runs from. */
function packageFolder(start: string): string {
  return existsSync(join(start, "package.json")) || dirname(start) === start ? start : packageFolder(dirname(start));
}

const folder = packageFolder(import.meta.dirname);
/** Not in a checkout: its build may be older than its sources. */
const isInstalled = existsSync(join(folder, "package.json")) && !existsSync(join(folder, "src"));
/** Where files share their content on the disk, each is packed all the same: npm leaves out links. */
const noLinks = Object.assign(new Map(), { get: () => undefined });

/** The address of the package that installs the command of this server's version; null when the server runs in a checkout. */
export const commandPackageUrl = (baseUrl: string): string | null => (isInstalled ? baseUrl + pages.commandPackage() : null);

/** What `npm pack` would put into the package. */
async function pack(): Promise<Buffer> {
  const { create } = await import("tar/create");
  const { files } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { files: string[] };
  const present = ["package.json", ...files].filter((name) => existsSync(join(folder, name)));
  const parts: Buffer[] = [];
  for await (const part of create({ cwd: folder, gzip: true, portable: true, prefix: "package", linkCache: noLinks }, present))
    parts.push(part);
  return Buffer.concat(parts);
}

/** `/playtest-cli.tgz`: for `npm install --global`. Packed when it is first asked for, and kept: about 4 MB. */
export function commandPackage(): Page {
  let packed: Promise<Buffer> | undefined;
  return async (request, response, url) => {
    if (url.pathname !== pages.commandPackage() || !isInstalled) throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    packed ??= pack().catch((error) => {
      packed = undefined;
      throw error;
    });
    const body = await packed;
    // npm would keep it, and install it again after the server was upgraded.
    response.writeHead(200, { "Content-Type": "application/gzip", "Content-Length": body.length, "Cache-Control": "no-store" });
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
