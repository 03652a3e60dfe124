import { detail, type ItemOf, optionalCol, prose, viewOf } from "../../../cli/define.ts";
import { type PublisherName, publisherTitles } from "../../../contract/publications/publishers.ts";

const shown = (share: Record<string, unknown>) => {
  const notes = (share.noteIds as readonly string[] | undefined)?.length ?? 0;
  const parts = [
    share.hasPassword && "password",
    share.withName && "name",
    share.withNotes ? "notes" : notes > 0 && `${notes} ${notes === 1 ? "note" : "notes"}`,
  ];
  return parts.filter(Boolean).join(", ");
};

/** Where a video was, is or should be published, and how far that came. */
export const publicationText = ({ adapter, state, bytesSent, bytesTotal }: ItemOf<"getSlotPublication">) => {
  const sent = state === "uploading" && bytesTotal > 0 ? `, ${Math.floor((100 * bytesSent) / bytesTotal)} % sent` : "";
  return `${state} (${publisherTitles[adapter as PublisherName] ?? adapter}${sent})`;
};

export const publicationView = viewOf<ItemOf<"getSlotPublication">>([
  detail("publication", publicationText),
  detail("url"),
  detail("reason"),
  detail("failed tries:attempts"),
  detail("next try:nextAttemptAt", "ago"),
  detail("id on the platform:remoteId"),
]);

export const sharesView = viewOf<ItemOf<"listShares">>(
  [
    "id",
    "of:kind",
    optionalCol("game:gameName"),
    "state",
    optionalCol("views"),
    optionalCol("last view:lastViewedAt"),
    "expires:expiresAt",
    optionalCol("with", shown),
    prose("url"),
  ],
  { empty: "You share no videos." },
);

export const shareView = viewOf<ItemOf<"createSlotShare">>([
  detail("id"),
  detail("of:kind"),
  detail("game:gameName"),
  detail("expires:expiresAt"),
  detail("with", shown),
  detail("url"),
]);
