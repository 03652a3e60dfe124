import * as z from "zod";
import { audited, endpoint, KiB } from "../endpoint.ts";
import { id, page, pageQuery, readableText, text, timestamp } from "../fields.ts";
import { playtester } from "../slots.ts";

/** Texts that a playtester must accept before claiming a slot, such as a nondisclosure agreement, and who accepted which version. */
export const agreement = z
  .strictObject({
    version: z.string().meta({ description: "Number of the version and the beginning of the hash, such as `2-9f2c51ab`." }),
    text: z.string(),
    sha256: z.string().meta({ description: "SHA-256 of the text in UTF-8." }),
    gameId: id().nullable().meta({ description: "Game it is for; null for the agreement of the server." }),
    publishedAt: timestamp(),
  })
  .meta({ id: "Agreement" });

const agreementsReply = z.strictObject({
  agreement: agreement.nullable().meta({ description: "What playtesters must accept now; null for nothing." }),
  versions: z.array(agreement).meta({ description: "Every version that was published, newest first." }),
});
const toAccept = agreement
  .extend({
    acceptedAt: timestamp().nullable().meta({ description: "When you accepted this version; null if you have not." }),
  })
  .meta({ id: "AgreementToAccept" });
const toAcceptReply = z.strictObject({
  playtestId: id(),
  agreement: toAccept.nullable().meta({ description: "Null where nothing has to be accepted." }),
  accepted: z
    .array(toAccept.pick({ version: true, gameId: true, acceptedAt: true }))
    .meta({ description: "Versions that you accepted for this game and this server, newest first." }),
});

export const consent = z
  .strictObject({
    id: id(),
    version: z.string(),
    sha256: z.string(),
    gameId: id().nullable(),
    playtester,
    acceptedAt: timestamp(),
  })
  .meta({ id: "Consent" });

const maxAgreementLength = 50_000;
const body = z.strictObject({
  text: readableText(maxAgreementLength).meta({ description: "Text of the agreement, in plain text or Markdown." }),
});
const maxBodyBytes = 256 * KiB;

/** Field of a request that claims a slot or applies. */
export const acceptConsent = () =>
  text(100, 1).optional().meta({ description: "Version of the agreement that you have read and accept with this request." });

const owner = { access: ["game_owner"], extension: true } as const;
const own = { access: ["playtester"], extension: true } as const;
const accounts = { access: ["accounts"], extension: true } as const;

export const agreements = {
  getGameAgreement: endpoint("GET /games/:id/agreement", {
    ...owner,
    summary: "Show the agreement that playtesters of a game must accept",
    reply: agreementsReply,
  }),
  putGameAgreement: endpoint("PUT /games/:id/agreement", {
    ...owner,
    summary: "Publish the agreement of a game; a changed text is a new version",
    body,
    maxBodyBytes,
    reply: agreementsReply,
  }),
  deleteGameAgreement: endpoint("DELETE /games/:id/agreement", {
    ...owner,
    summary: "End the agreement of a game; that of the server applies again",
    reply: agreementsReply,
  }),
  listGameConsents: endpoint("GET /games/:id/consents", {
    ...owner,
    summary: "List which playtesters accepted which agreement for your game",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ consents: z.array(consent) }),
  }),
  getPlaytestAgreement: endpoint("GET /playtester/playtests/:id/agreement", {
    ...own,
    summary: "Show the agreement to accept before claiming a slot",
    query: z.object({
      version: text(100, 1).optional().meta({ description: "Show this version instead, which you accepted, or its number." }),
    }),
    reply: toAcceptReply,
  }),
  acceptAgreement: endpoint("POST /playtester/playtests/:id/agreement", {
    ...own,
    summary: "Accept the agreement of a playtest",
    body: z.strictObject({ version: text(100, 1).meta({ description: "Version that you have read and accept." }) }),
    reply: toAcceptReply,
  }),
  getServerAgreement: endpoint("GET /admin/agreement", {
    ...accounts,
    summary: "Show the agreement of this server, for games without one of their own",
    reply: agreementsReply,
  }),
  putServerAgreement: endpoint("PUT /admin/agreement", {
    ...accounts,
    ...audited("agreement.publish"),
    summary: "Publish the agreement of this server; a changed text is a new version",
    body,
    maxBodyBytes,
    reply: agreementsReply,
  }),
  deleteServerAgreement: endpoint("DELETE /admin/agreement", {
    ...accounts,
    ...audited("agreement.end"),
    summary: "End the agreement of this server",
    reply: agreementsReply,
  }),
  listConsents: endpoint("GET /admin/consents", {
    ...accounts,
    summary: "List who accepted which agreement, when and from which address",
    query: z.object({ ...page, game: id().optional().meta({ description: "Only agreements of this game." }) }),
    list: true,
    reply: z.strictObject({
      consents: z.array(
        consent.extend({
          gameName: z.string().nullable(),
          email: z.string(),
          address: z.string().nullable().meta({ description: "Address of the client; null once the account is deleted." }),
        }),
      ),
    }),
  }),
};
