import { expect, it } from "vitest";
import { z } from "zod";
import { contract } from "../../src/contract/index.ts";

interface Field {
  path: string;
  type: z.ZodType;
}

/** The texts of a body that are neither of a fixed set nor of a fixed form, each with the type that checks it. */
function textsOf(body: z.ZodType): Field[] {
  const types: z.ZodType[] = [];
  const schema = z.toJSONSchema(body, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      jsonSchema["x-type"] = types.push(zodSchema as unknown as z.ZodType) - 1;
    },
  });
  const found: Field[] = [];
  const visit = (node: unknown, path: string) => {
    if (typeof node !== "object" || node === null) return;
    const {
      type,
      format,
      enum: values,
      const: value,
      properties,
      items,
      anyOf,
      allOf,
      oneOf,
    } = node as z.core.JSONSchema.BaseSchema;
    if (type === "string" && !format && !values && value === undefined)
      found.push({ path, type: types[(node as Record<string, number>)["x-type"]!]! });
    for (const [name, one] of Object.entries(properties ?? {})) visit(one, path === "" ? name : `${path}.${name}`);
    visit(items, `${path}[]`);
    for (const one of [...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? [])]) visit(one, path);
  };
  visit(schema, "");
  return found;
}

const fields = Object.entries(contract).flatMap(([operation, { body }]: [string, { body?: z.ZodType }]) =>
  (body ? textsOf(body) : []).map(({ path, type }) => ({ name: `${operation} ${path}`, type })),
);

/** Spaces, line breaks, a no-break space, a zero-width space, a word joiner, a soft hyphen, the fillers of Hangul, an empty Braille pattern. */
const blanks = [" ", "\n\t ", "\u00a0", "\u200b", "\u2060\ufeff", "\u00ad", "\u3164\u115f", "\u2800", "\u3000 \u202f"];

const refuses = ({ type }: (typeof fields)[number]) => blanks.every((blank) => !type.safeParse(blank).success);

it("a text that a person reads is not blank: what remains are secrets, codes, addresses and the like, which programs read", () => {
  expect(fields.filter((field) => !refuses(field)).map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "changePassword currentPassword",
      "changePassword code",
      "changeEmail password",
      "changeEmail code",
      "createApiKey password",
      "createApiKey code",
      "rotateApiKey password",
      "rotateApiKey code",
      "exportAccountInFull password",
      "exportAccountInFull code",
      "deleteAccount password",
      "deleteAccount code",
      "confirmPasswordReset token",
      "startFactor password",
      "enableFactor code",
      "disableFactor code",
      "renewRecoveryCodes code",
      "confirmKey code",
      "startPasskey password",
      "startPasskey code",
      "addPasskey response.response.transports[]",
      "removePasskey password",
      "removePasskey code",
      "putSlotTranscript vtt",
      "createMoment tags[]",
      "updateMoment tags[]",
      "createFinding tags[]",
      "updateFinding tags[]",
      "connectTracker email",
      "fileFinding target",
      "proveDeposit txHash",
      "proveDeposit signature",
      "claimPlaytest acceptConsent",
      "applyToPlaytest acceptConsent",
      "confirmTeam acceptConsent",
      "setPayoutDetails iban",
      "setPayoutDetails password",
      "setPayoutDetails code",
      "removePayoutDetails password",
      "removePayoutDetails code",
      "acceptAgreement version",
      "startPublisherSignIn state",
      "connectPublisher code",
      "connectPublisher deviceCode",
      "connectPublisher username",
      "connectPublisher password",
      "connectPublisher oneTimeCode",
      "connectPublisher channel",
      "createTransaction to",
      "createTransaction from",
      "playSlot tester",
    ]
  `);
});

it("a text that a person reads may have what is not seen beside what is", () => {
  const readable = fields.filter(({ type }) => type.safeParse("A note.").success && refuses({ name: "", type }));
  expect(readable.length).toBeGreaterThan(30);
  expect(readable.filter(({ type }) => !type.safeParse("É\u200bté\n\u{1f600}").success)).toEqual([]);
});
