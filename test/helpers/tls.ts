import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { connect as connectPlain, type Socket } from "node:net";
import { createServer } from "node:tls";

/** Just enough of DER and X.509 to make certificates with any name and any dates, without a program from outside. */
const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const hex = body.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([
    Buffer.from([tag]),
    body.length < 128 ? Buffer.from([body.length]) : Buffer.concat([Buffer.from([0x80 | length.length]), length]),
    body,
  ]);
};
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(6, Buffer.from(hex, "hex"));
const commonName = (name: string) => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(name)))));
const time = (ms: number) => der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "")}`));
const extension = (id: string, value: Buffer) => sequence(oid(id), der(4, value));
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const pem = (bytes: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;

interface Signed {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  /** Names it is for; none: an authority. */
  names?: readonly string[];
  from: number;
  until: number;
}

function certificate({ subject, issuer, publicKey, signer, names, from, until }: Signed): string {
  const alternatives = names && sequence(...names.map((name) => der(0x82, Buffer.from(name))));
  const usage = alternatives ? extension("551d11", alternatives) : extension("551d13", sequence(der(1, Buffer.from([0xff]))));
  const content = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([alternatives ? 2 : 1])),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(from), time(until)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(usage)),
  );
  const signature = sign("sha256", content, signer);
  return pem(sequence(content, ecdsaWithSha256, der(3, Buffer.from([0]), signature)));
}

export interface Certificates {
  /** The private authority, as NODE_EXTRA_CA_CERTS takes it. */
  ca: string;
  key: string;
  cert: string;
}

const day = 86_400_000;

/** A new private authority and a certificate by it; `until` says when that one ends. */
export function certificatesFor(names: readonly string[], until = Date.now() + 90 * day): Certificates {
  const keys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [root, leaf] = [keys(), keys()];
  const issuer = "Playtest test authority";
  const from = Date.now() - 365 * day;
  const ca = { subject: issuer, issuer, publicKey: root.publicKey, signer: root.privateKey, from, until: Date.now() + 900 * day };
  return {
    ca: certificate(ca),
    key: leaf.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: certificate({ ...ca, subject: names[0]!, publicKey: leaf.publicKey, names, until }),
  };
}

export interface Front {
  port: number;
  close(): Promise<void>;
}

/** Speaks TLS on a port of its own and hands what comes to a plain server. */
export async function startTlsFront({ key, cert }: Certificates, plainPort: number): Promise<Front> {
  const sockets = new Set<Socket>();
  const server = createServer({ key, cert }, (socket) => {
    const inner = connectPlain(plainPort, "127.0.0.1");
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
