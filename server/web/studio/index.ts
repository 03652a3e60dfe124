import type { IncomingMessage, ServerResponse } from "node:http";
import type { ImageKind, RecordingPart } from "../shared/types.ts";
import { type AreaParts, signedInArea } from "../sign-in/area.ts";
import { studioDoor } from "../sign-in/doors.ts";
import type { Page } from "../types.ts";
import { studioPages } from "./area.ts";

/** The dependencies of Studio in a server: the operations of the API, and functions that only pages need. */
export interface StudioParts extends AreaParts {
  /** Sends the submitted video of a slot that this account ordered, or its captions. */
  sendRecording(
    wanted: { userId: string; slotId: string; part: RecordingPart },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** Sends an image of a moment that this account noted, or of a clip that it cut. */
  sendImage(
    wanted: { userId: string; kind: ImageKind; id: string },
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  /** The text of the captions of a slot that this account ordered; undefined without any. */
  readCaptions(userId: string, slotId: string): Promise<string | undefined>;
  newFormKey(): string;
  now(): number;
}

/** `/studio`: the pages for game owners, who sign in as playtesters do at `/play`. */
export function studio(parts: StudioParts): Page {
  const { site, accounts, limits, readForm, newFormKey, now } = parts;
  const countPassword = (request: IncomingMessage) => limits.perAddress(request, "password");
  const pages = studioPages(
    { site, readForm, countPassword, newFormKey, now },
    {
      cli: (command) => command,
      account: {
        instance: null,
        signsOut: true,
        get hasPasskeys() {
          return accounts.passkeys.available;
        },
      },
      offers: async () => true,
      keepsMoments: () => false,
      readCaptions: ({ session }, slotId) => parts.readCaptions(session.userId, slotId),
      sendRecording:
        (part) =>
        ({ request, response, session }, { id: slotId }) =>
          parts.sendRecording({ userId: session.userId, slotId, part }, request, response),
      sendImage:
        (kind) =>
        ({ request, response, session }, { ids }) =>
          parts.sendImage({ userId: session.userId, kind, id: ids[1]! }, request, response),
    },
  );
  return signedInArea(studioDoor, parts, pages);
}
