import { randomFillSync } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { metadataHeader, octets, sha256, tus } from "../../helpers/tus.ts";
import type { Traffic } from "./traffic.ts";

const mib = 2 ** 20;
const [pieces, pieceBytes] = [50, mib];
/** How long (ms) between two pieces, so that an upload lasts as long as a fault does. */
const between = 150;
/** How long (ms) an upload may stay where it is. */
const patience = 120_000;

/** Uploads a build in pieces, each from the offset that the server names. */
export async function uploadBuild(traffic: Traffic, key: string, gameId: string): Promise<{ id: string; sha256: string }> {
  const file = randomFillSync(Buffer.alloc(pieces * pieceBytes));
  const hash = sha256(file);
  const metadata = metadataHeader({ filename: "build.bin", sha256: hash });
  const headers = { ...tus, "upload-length": `${file.length}`, "upload-metadata": metadata };
  const path = `/games/${gameId}/builds`;
  const begun = await traffic.persist({ what: "begin upload", method: "POST", path, key, headers });
  const url = begun.headers.get("location")!;
  let [offset, latest] = [0, performance.now() + patience];
  while (offset < file.length) {
    if (performance.now() > latest) throw new Error(`the upload stayed at ${offset} for ${patience / 1000} s`);
    const before = offset;
    const body = file.subarray(offset, offset + pieceBytes);
    const sent = await traffic.send({
      ...{ what: "piece", method: "PATCH", path: url, key, body },
      headers: { ...octets, "upload-offset": `${offset}` },
    });
    if (sent.status < 200 || sent.status >= 300) {
      await pause(between);
      const asked = await traffic.persist({ what: "ask for the offset", method: "HEAD", path: url, key, headers: tus });
      offset = Number(asked.headers.get("upload-offset"));
    } else offset = Number(sent.headers.get("upload-offset"));
    if (offset > before) latest = performance.now() + patience;
    await pause(between);
  }
  return { id: url.split("/").at(-1)!, sha256: hash };
}
