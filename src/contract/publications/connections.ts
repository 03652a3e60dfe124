import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { httpUrl, text, timestamp } from "../fields.ts";
import { platforms, publishers } from "./publishers.ts";

const own = { access: ["admin"], extension: true } as const;

const adapter = () => z.enum(platforms).meta({ description: "Platform." });

export const publisher = z
  .strictObject({
    adapter: z.enum(publishers),
    inUse: z.boolean().meta({ description: "Whether new public playtests are published there." }),
    state: z.enum(["connected", "not_connected", "not_configured"]),
    account: z.string().nullable().meta({ description: "What the platform calls the connected account." }),
    connectedAt: timestamp().nullable(),
  })
  .meta({ id: "Publisher" });

const oneUse = { secretReply: true } as const;

/** The accounts with which a server publishes on video platforms. */
export const connections = {
  listPublishers: endpoint("GET /admin/publishers", {
    ...own,
    summary: "List where videos can be published, and with which accounts",
    reply: z.strictObject({ publishers: z.array(publisher) }),
  }),
  startPublisherSignIn: endpoint("POST /admin/publishers/sign-in", {
    ...own,
    ...oneUse,
    summary: "Begin to connect an account of YouTube",
    body: z.strictObject({
      adapter: z.enum(["youtube"]).meta({ description: "Platform." }),
      redirectUri: httpUrl()
        .optional()
        .meta({ description: "Where the browser returns to; without it, a code is entered by hand." }),
      codeChallenge: text(128, 43).optional().meta({ description: "SHA-256 of the verifier in base64url (PKCE)." }),
      state: text(128, 1).optional().meta({ description: "Returned with the browser." }),
    }),
    reply: z.strictObject({
      url: z.string().meta({ description: "Page to open in a browser." }),
      userCode: z.string().nullable().meta({ description: "Code to enter there; null with a redirect." }),
      deviceCode: z.string().nullable().meta({ description: "What to connect with after that; null with a redirect." }),
      intervalSeconds: z.int().meta({ description: "How long to wait between two tries." }),
    }),
  }),
  connectPublisher: endpoint("POST /admin/publishers/connect", {
    ...own,
    ...audited("publisher.connect", "adapter"),
    summary: "Connect an account of a video platform",
    body: z.strictObject({
      adapter: adapter(),
      code: text(2000, 1).optional().meta({ description: "Code that the browser returned with." }),
      codeVerifier: text(128, 43).optional().meta({ description: "What the challenge is the hash of." }),
      redirectUri: httpUrl().optional().meta({ description: "The same as at the beginning." }),
      deviceCode: text(2000, 1).optional().meta({ description: "Instead of a code: 409 until the person has entered theirs." }),
      instance: httpUrl().optional().meta({ description: "Of PeerTube: the address of the instance." }),
      username: text(256, 1).optional().meta({ description: "Of PeerTube: the name or email of the account." }),
      password: text(1000, 1).optional().meta({ description: "Of PeerTube: used once to sign in, and not kept." }),
      oneTimeCode: text(20, 1).optional().meta({ description: "Of PeerTube: for an account with two-factor authentication." }),
      channel: text(256, 1)
        .optional()
        .meta({ description: "Of PeerTube: name of the channel; without it, the account's first." }),
    }),
    reply: z.strictObject({ publisher }),
  }),
  disconnectPublisher: endpoint("POST /admin/publishers/disconnect", {
    ...own,
    ...audited("publisher.disconnect", "adapter"),
    summary: "Forget the account of a video platform",
    risk: "destroy",
    body: z.strictObject({ adapter: adapter() }),
    reply: z.strictObject({ publisher }),
  }),
};
