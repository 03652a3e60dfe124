import * as z from "zod";
import { id, timestamp } from "../fields.ts";

const record = () => z.record(z.string(), z.unknown());
const hash = () => z.string().meta({ description: "SHA-256 in hex." });

export const auditEntry = z
  .strictObject({
    id: id(),
    createdAt: timestamp(),
    actorId: id()
      .nullable()
      .meta({ description: "Account that acted; null for the server, and for somebody without an account." }),
    keyId: id().nullable().meta({ description: "API key that was used." }),
    sessionId: id().nullable().meta({ description: "Browser session that was used." }),
    address: z.string().nullable().meta({ description: "Network address of the client; null for the server." }),
    requestId: z.string().nullable(),
    action: z.string().meta({ description: "What was done, such as `user.suspend`." }),
    targetKind: z.string().meta({ description: "What it was done to, such as `user`." }),
    targetId: id(),
    details: record().meta({ description: "Amounts and reasons that were given." }),
    before: record().nullable().meta({ description: "The fields that changed, as they were; null for something new." }),
    after: record().nullable().meta({ description: "The same fields afterwards; null for something that was deleted." }),
    seq: z.int().nullable().meta({ description: "Place in the hash chain, from 1; null until it has one." }),
    previousHash: hash().nullable(),
    hash: hash().nullable(),
    actorName: z.string().nullable().meta({ description: "Present name of the account that acted; not part of the hash." }),
    targetName: z.string().nullable().meta({
      description:
        "Present name of the account, game or group, of the game of a playtest or slot, or how many payouts a batch has; not part of the hash.",
    }),
  })
  .meta({ id: "AuditEntry" });
