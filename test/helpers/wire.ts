import { messages, text } from "./postgres-messages.ts";
import { type Relay, startRelay } from "./postgres-relay.ts";

/** One round trip: the statements that were sent together, without waiting for the reply to one of them. */
export type Trip = string[];

export interface Wire extends Relay {
  /** The round trips since the last call. */
  taken(): Trip[];
}

const latencyMs = 15;

/** A slow wire to a PostgreSQL that notes what is sent over it, and what had to wait for a reply. One caller at a time. */
export async function startWire(databaseUrl: string): Promise<Wire> {
  let trips: Trip[] = [];
  let unanswered = 0;
  const relay = await startRelay(databaseUrl, (near, far) => {
    const texts = new Map<string, string>();
    const waiting: string[] = [];
    let statement = "";
    const sent = messages({ startup: true }, (type, body) => {
      if (type === "P") texts.set(text(body, 0), text(body, text(body, 0).length + 1));
      if (type === "B") statement = texts.get(text(body, text(body, 0).length + 1)) ?? "";
      if (type === "Q") statement = text(body, 0);
      // Statements of which several end with one Sync are answered together.
      if (type === "Q" || type === "B") waiting.push(statement.replace(/\s+/g, " "));
      if (type !== "Q" && type !== "S") return;
      if (unanswered++ === 0 || trips.length === 0) trips.push([]);
      trips.at(-1)!.push(...waiting.splice(0));
    });
    let started = false;
    const answered = messages({ startup: false }, (type) => {
      if (type === "Z" && started) unanswered--;
      if (type === "Z") started = true;
    });
    near.on("data", (chunk) => {
      sent(chunk);
      far.write(chunk);
    });
    far.on("data", (chunk) =>
      setTimeout(() => {
        answered(chunk);
        near.write(chunk);
      }, latencyMs),
    );
    far.on("close", () => near.destroy());
  });
  return {
    ...relay,
    taken() {
      const all = trips;
      trips = [];
      return all;
    },
  };
}
