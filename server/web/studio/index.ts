import type { Caller } from "../../http/call.ts";
import type { Connections } from "../../oauth/connections.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { type ReadFileForm, takesFile } from "../shared/posted-files.ts";
import type { View } from "../shared/types.ts";
import { type AreaParts, givenOf, mediaOf, signedInArea } from "../sign-in/area.ts";
import { studioDoor } from "../sign-in/doors.ts";
import type { Page } from "../types.ts";
import { studioPages } from "./area.ts";
import type { Serve, StudioContext } from "./types.ts";

export interface StudioParts extends AreaParts {
  connections: Connections;
  /** The text of the captions of a slot that this account ordered; undefined without any. */
  readCaptions(userId: string, slotId: string): Promise<string | undefined>;
  readFileForm: Record<"build" | "cover", ReadFileForm>;
  /** Stores the file as a build of a game that this account owns, or as its cover. */
  storeFile: Record<"build" | "cover", (caller: Caller, gameId: string, file: PostedFile) => Promise<void>>;
}

const fileForm =
  ({ readFileForm, storeFile }: StudioParts, kind: "build" | "cover") =>
  (view: View<StudioContext>, done: (id: string) => string): Serve =>
    takesFile({ readFileForm: readFileForm[kind], store: storeFile[kind], done, view });

/** `/studio`: the pages for game owners, who sign in as playtesters do at `/play`. */
export function studio(parts: StudioParts): Page {
  const pages = studioPages(givenOf(parts), {
    cli: (command) => command,
    account: { instance: null, signsOut: true },
    offers: async () => true,
    keepsMoments: () => false,
    connections: parts.connections,
    readCaptions: ({ session }, slotId) => parts.readCaptions(session.userId, slotId),
    sendMedia: mediaOf(parts),
    files: { build: fileForm(parts, "build"), cover: fileForm(parts, "cover") },
  });
  return signedInArea(studioDoor, parts, pages);
}
