import * as z from "zod";
import { extension, id, scopeName, timestamp } from "../fields.ts";
import { toolsets } from "../text/toolsets.ts";

export const apiKey = z
  .strictObject({
    id: id(),
    name: z.string(),
    prefix: z.string().meta({ description: "First characters of the key, to tell keys apart." }),
    scopes: z.array(scopeName()),
    createdAt: timestamp(),
    lastUsedAt: timestamp().nullable(),
    expiresAt: timestamp().nullable(),
    parentId: extension(
      id()
        .nullable()
        .meta({ description: "The key it was created with. It ends with that key; null for one created with a password." }),
    ),
    rotatedFrom: extension(
      id().nullable().meta({
        description:
          "The key that it replaced without the password. It is revoked with that key, also afterwards; null for any other.",
      }),
    ),
    readOnly: extension(z.boolean().meta({ description: "Whether it can change nothing." })),
    connection: extension(
      z.array(z.enum(toolsets)).nullable().meta({
        description:
          "What a program may do that was connected in a browser: it acts by tokens of its own, at `/mcp` only. Null for an API key.",
      }),
    ),
    current: extension(z.boolean().meta({ description: "Whether it is the key that asks." })),
  })
  .meta({ id: "ApiKey" });
