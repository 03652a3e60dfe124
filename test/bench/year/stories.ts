import { randomInt, randomUUID } from "node:crypto";
import { Agent, request } from "undici";
import { videoBytes } from "../../helpers/factories.ts";
import { metadataHeader, octets } from "../../helpers/tus.ts";
import type { Population } from "../sustained/population.ts";
import { Latencies } from "./latencies.ts";

const slotsOfOrder = 5;
const video = videoBytes();
const uploadHeaders = {
  ...octets,
  "upload-length": String(video.length),
  "upload-metadata": metadataHeader({ filename: "play.mp4", filetype: "video/mp4" }),
};

interface Sent {
  key: string;
  body?: object | Buffer;
  headers?: Record<string, string>;
}

const oneOf = <T>(all: readonly T[]): T => all[randomInt(all.length)]!;
/** Takes any of them, so that the old ones are not always the next. */
function takeOne<T>(all: T[]): T | undefined {
  if (all.length === 0) return undefined;
  const index = randomInt(all.length);
  [all[index], all[all.length - 1]] = [all[all.length - 1]!, all[index]!];
  return all.pop();
}

/** What owners and playtesters do on a day, each as the calls that the command and Studio make for it. */
export class Stories {
  readonly #agent: Agent;
  readonly #baseUrl: string;
  readonly #population: Population;
  /** One entry for each open slot. */
  readonly #open: { playtestId: string; ownerKey: string }[] = [];
  readonly #submitted: { slotId: string; playtestId: string; ownerKey: string }[] = [];
  latencies = new Latencies();

  constructor(baseUrl: string, population: Population, connections: number) {
    this.#agent = new Agent({ connections, pipelining: 1 });
    this.#baseUrl = baseUrl;
    this.#population = population;
  }

  close = () => this.#agent.close();

  async order(): Promise<void> {
    const { id, key } = oneOf(this.#population.games);
    await this.#call("GET /games/:id/playtests", `/games/${id}/playtests?limit=20`, { key });
    const body = { quantity: slotsOfOrder };
    const ordered = await this.#call("POST /games/:id/playtests", `/games/${id}/playtests`, { key, body });
    const { id: playtestId } = ordered!.playtest!;
    for (let slot = 0; slot < slotsOfOrder; slot++) this.#open.push({ playtestId, ownerKey: key });
    await this.#call("GET /playtests/:id", `/playtests/${playtestId}`, { key });
  }

  async play(): Promise<void> {
    const offer = takeOne(this.#open);
    if (!offer) return this.order();
    const { key } = oneOf(this.#population.testers);
    await this.#call("GET /playtester/playtests", "/playtester/playtests?limit=20", { key });
    const claimed = await this.#call(
      "POST /playtester/playtests/:id/claim",
      `/playtester/playtests/${offer.playtestId}/claim`,
      { key, body: {} },
      // Whoever has a slot of the playtest already.
      [409],
    );
    if (!claimed) return void this.#open.push(offer);
    const { id } = claimed.slot!;
    await this.#call("GET /playtester/slots/:id", `/playtester/slots/${id}`, { key });
    await this.#call("POST /playtester/slots/:id/video", `/playtester/slots/${id}/video`, {
      key,
      body: video,
      headers: uploadHeaders,
    });
    const notes = "The lantern went out in the second depth and I did not find back.";
    await this.#call("POST /playtester/slots/:id/submit", `/playtester/slots/${id}/submit`, { key, body: { notes } });
    this.#submitted.push({ ...offer, slotId: id });
    await this.#call("GET /playtester/slots", "/playtester/slots?limit=20", { key });
  }

  async review(): Promise<void> {
    const video = takeOne(this.#submitted);
    if (!video) return;
    const { slotId, playtestId, ownerKey: key } = video;
    await this.#call("GET /playtests/:id/slots", `/playtests/${playtestId}/slots?limit=20`, { key });
    await this.#call("GET /playtests/slots/:id", `/playtests/slots/${slotId}`, { key });
    if (randomInt(10) === 0) {
      const body = { reason: "The sound is missing." };
      await this.#call("POST /playtests/slots/:id/reject", `/playtests/slots/${slotId}/reject`, { key, body });
    } else
      await this.#call("POST /playtests/slots/:id/accept", `/playtests/slots/${slotId}/accept`, { key, body: { rating: 4 } });
  }

  /** Looks at what is new. */
  async look(): Promise<void> {
    const { key } = oneOf(this.#population.games);
    await this.#call("GET /notifications", "/notifications?limit=20", { key });
    await this.#call("GET /inbox", "/inbox", { key });
    await this.#call("GET /billing/balance", "/billing/balance", { key });
  }

  /** The reply's data; undefined for a refusal that is expected. Any other reply ends the run. */
  async #call(
    operation: string,
    path: string,
    { key, body, headers = {} }: Sent,
    refusals: readonly number[] = [],
  ): Promise<Record<string, { id: string }> | undefined> {
    const method = operation.startsWith("GET") ? "GET" : "POST";
    const typed = Buffer.isBuffer(body) ? headers : { "content-type": "application/json", ...headers };
    const started = performance.now();
    const reply = await request(`${this.#baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(method === "POST" ? { "idempotency-key": randomUUID(), ...typed } : {}) },
      body: body === undefined || Buffer.isBuffer(body) ? (body ?? null) : JSON.stringify(body),
      dispatcher: this.#agent,
    });
    const text = await reply.body.text();
    const isRefused = refusals.includes(reply.statusCode);
    // A refusal takes another time than what it refuses.
    this.latencies.add(isRefused ? `${operation} (refused)` : operation, performance.now() - started);
    if (reply.statusCode < 300) return text === "" ? undefined : JSON.parse(text).data;
    if (isRefused) return undefined;
    throw new Error(`${method} ${path} answered ${reply.statusCode}: ${text.slice(0, 500)}`);
  }
}
