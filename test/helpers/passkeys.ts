import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Person } from "./factories.ts";
import { hiddenFields, type Shown, type Visitor, visitor } from "./portal.ts";
import type { TestServer } from "./server.ts";

/** Half of CBOR: what an authenticator needs. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item as number)])]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const text = (bytes: Buffer) => bytes.toString("base64url");

/** What differs from an honest browser with an honest authenticator. */
export interface Twist {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** Whether the authenticator checked who uses it. Default: true. */
  verified?: boolean;
  counter?: number;
  userHandle?: string | undefined;
  type?: string;
}

/** An authenticator with one key, and the browser that asks it. */
export class Authenticator {
  readonly id = text(randomBytes(32));
  readonly #origin: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;
  #handle = "";
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" }) as { x: string; y: string };
    const part = (name: string) => Buffer.from(name, "base64url");
    this.#privateKey = privateKey;
    this.#publicKey = cbor(
      new Map<number, unknown>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        [-2, part(x)],
        [-3, part(y)],
      ]),
    );
  }

  #clientData(type: string, challenge: string, twist: Twist): Buffer {
    const origin = twist.origin ?? this.#origin;
    return Buffer.from(
      JSON.stringify({ type: twist.type ?? type, challenge: twist.challenge ?? challenge, origin, crossOrigin: false }),
    );
  }

  #data(rpId: string, flags: number, twist: Twist): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(twist.counter ?? this.#counter);
    const verified = twist.verified === false ? 0 : 4;
    return Buffer.concat([sha256(twist.rpId ?? rpId), Buffer.from([flags | 1 | verified]), counter]);
  }

  /** Answers creation options. */
  create(options: { challenge: string; rp: { id: string }; user: { id: string } }, twist: Twist = {}) {
    this.#handle = options.user.id;
    const id = Buffer.from(this.id, "base64url");
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, this.#publicKey]);
    const authData = Buffer.concat([this.#data(options.rp.id, 0x40, twist), credential]);
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return {
      ...{ id: this.id, rawId: this.id, type: "public-key" },
      response: {
        clientDataJSON: text(this.#clientData("webauthn.create", options.challenge, twist)),
        attestationObject: text(cbor(attestation)),
        transports: ["internal"],
      },
      clientExtensionResults: {},
    };
  }

  /** Answers request options. Each use raises the counter. */
  use(options: { challenge: string; rpId: string }, twist: Twist = {}) {
    this.#counter++;
    const authenticatorData = this.#data(options.rpId, 0, twist);
    const clientData = this.#clientData("webauthn.get", options.challenge, twist);
    const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(clientData)]), this.#privateKey);
    const userHandle = "userHandle" in twist ? twist.userHandle : this.#handle;
    return {
      ...{ id: this.id, rawId: this.id, type: "public-key" },
      response: {
        clientDataJSON: text(clientData),
        authenticatorData: text(authenticatorData),
        signature: text(signature),
        ...(userHandle !== undefined && { userHandle }),
      },
      clientExtensionResults: {},
    };
  }
}

/** Gives the server a name, because browsers have no passkeys for an IP address. Returns its origin. */
export function nameServer(server: TestServer): string {
  server.deps.config.baseUrl = server.baseUrl.replace("127.0.0.1", "localhost");
  return server.deps.config.baseUrl;
}

/** Begins to add a passkey of a new authenticator. Returns the answer for `POST /auth/passkeys`. */
export async function newPasskey(server: TestServer, person: Person, password = "correct horse") {
  const key = new Authenticator(nameServer(server));
  const started = await person.post("/auth/passkeys/start", { password });
  if (started.status !== 200) throw new Error(`could not begin: ${started.text}`);
  return { key, body: { name: "Phone", response: key.create(started.body.data.options) } };
}

/** Adds a passkey to an account. The server has its former name afterwards. */
export async function addPasskey(
  server: TestServer,
  person: Person,
  password = "correct horse",
): Promise<{ key: Authenticator; id: string }> {
  const { config } = server.deps;
  const { baseUrl } = config;
  const { key, body } = await newPasskey(server, person, password);
  const added = await person.post("/auth/passkeys", body);
  config.baseUrl = baseUrl;
  if (added.status !== 201) throw new Error(`could not add: ${added.text}`);
  return { key, id: added.body.data.passkey.id };
}

const plain = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
/** What a page asks the authenticator. */
export const optionsIn = (page: Shown) => JSON.parse(plain(/data-options="([^"]*)"/.exec(page.html)![1]!));

export const beginSignIn = (person: Visitor) => person.submit("/play/sign-in?next=/play/slots", "/play/sign-in/passkey/start");
export const answerSignIn = (person: Visitor, page: Shown, response: object, action = "/play/sign-in/passkey") =>
  person.send(action, { ...hiddenFields(page.html, action), response: JSON.stringify(response) });

/** Signs a playtester in with a passkey alone. The server needs a name. */
export async function signInWithPasskey(server: TestServer, key: Authenticator, twist: Twist = {}) {
  const person = visitor(server);
  const page = await beginSignIn(person);
  return { person, page, reply: await answerSignIn(person, page, key.use(optionsIn(page), twist)) };
}
