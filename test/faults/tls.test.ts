import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { Agent, fetch } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { freshFolder } from "../helpers/store.ts";
import { type Certificates, certificatesFor } from "../helpers/tls.ts";

afterEach(killLeftovers);

/** A server that speaks TLS itself, with a certificate for this name. */
async function serveTls(name = "localhost", ...flags: string[]) {
  const folder = freshFolder();
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem"), ready: join(folder, "ready.json") };
  const use = ({ cert, key }: Certificates) => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  const certificates = certificatesFor([name]);
  use(certificates);
  const tls = ["--tls-cert", files.cert, "--tls-key", files.key];
  const where = ["--host", "localhost", "--port", "0", "--data", folder, "--drain", "0", "--ready-file", files.ready];
  const { child, ended } = spawnPlaytest(folder, ["serve", "run", ...where, ...tls, "--log", "json", ...flags]);
  const { baseUrl } = await readyFile(files.ready);
  let log = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const logged = async (text: string) => {
    while (!log.includes(text)) await once(child.stderr!, "data");
  };
  return { baseUrl, ca: certificates.ca, use, files, child, ended, logged };
}

/** The name of the certificate that the server shows now. */
async function shownBy(baseUrl: string): Promise<string | undefined> {
  const socket = connect({ port: Number(new URL(baseUrl).port), host: "localhost", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate() as PeerCertificate;
  socket.destroy();
  return `${subject.CN}`;
}

describe("a server that speaks TLS itself", () => {
  it("answers by https alone, tells browsers to stay with it, and protects its cookies", async () => {
    const { baseUrl, ca } = await serveTls();
    expect(baseUrl).toMatch(/^https:\/\/localhost:\d+$/);
    const dispatcher = new Agent({ connect: { ca } });
    const reply = await fetch(`${baseUrl}/studio/login`, { dispatcher });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(reply.headers.get("set-cookie") ?? "__Host-; Secure").toMatch(/__Host-.*Secure/);
    await expect(fetch(baseUrl.replace("https:", "http:"))).rejects.toThrow();
    expect((await fetch(`${baseUrl}/readyz`, { dispatcher })).status).toBe(200);
    await dispatcher.close();
  });

  it("reads the certificate again at SIGHUP, and keeps the one it has when the new one is broken", async () => {
    const { baseUrl, use, files, child, logged } = await serveTls("localhost");
    expect(await shownBy(baseUrl)).toBe("localhost");
    use(certificatesFor(["next.example.com"]));
    child.kill("SIGHUP");
    await logged("the certificate was read again");
    expect(await shownBy(baseUrl)).toBe("next.example.com");
    writeFileSync(files.cert, "half a certificate");
    child.kill("SIGHUP");
    await logged("the certificate could not be read again: the previous one stays in use");
    expect(await shownBy(baseUrl)).toBe("next.example.com");
  });

  it.each<[string, string[], string]>([
    ["a key alone", ["--tls-key", "key.pem"], "--tls-cert and --tls-key belong together"],
    ["a file that is not there", ["--tls-cert", "none.pem", "--tls-key", "key.pem"], "--tls-cert none.pem cannot be read"],
    [
      "the key of another certificate",
      ["--tls-cert", "cert.pem", "--tls-key", "other.pem"],
      "cert.pem and other.pem are not a certificate and its key",
    ],
    [
      "an http address for clients",
      ["--tls-cert", "cert.pem", "--tls-key", "key.pem", "--public-url", "http://play.example.com"],
      "is an http address",
    ],
  ])("is refused with %s", async (_, flags, message) => {
    const folder = freshFolder();
    const { cert, key } = certificatesFor(["localhost"]);
    writeFileSync(join(folder, "cert.pem"), cert);
    writeFileSync(join(folder, "key.pem"), key);
    writeFileSync(join(folder, "other.pem"), certificatesFor(["localhost"]).key);
    const { code, stderr } = await spawnPlaytest(folder, ["serve", "run", "--data", folder, "--port", "0", ...flags]).ended;
    expect({ code, message: stderr.includes(message) || stderr }).toEqual({ code: 2, message: true });
    expect(stderr).toContain("The server was not started.");
    expect(existsSync(join(folder, "playtest.db"))).toBe(false);
  });
});
