import { arg, define } from "../../../cli/define.ts";
import { publisherTitles } from "../../../contract/publications/publishers.ts";
import { shortId } from "../../../io/text.ts";
import { publicationView } from "../view.ts";

const publication = () => arg.id("Publication id", "listPublications", "gameName");

const publishing = define({
  name: "publishing list",
  summary: "List the publications of videos, and why one failed",
  description:
    "A video that its platform blocks, refuses or does not publish in time is on the server's own page instead, and its playtester is paid.",
  operation: "listPublications",
  query: "listPublications",
  list: true,
  examples: ["playtest admin publishing list --state failed", "playtest admin publishing list --json"],
  view: publicationView,
});

const publishingRetry = define({
  name: "publishing retry",
  summary: "Try again to publish a video, or to delete a removed one on its platform",
  operation: "retryPublication",
  args: { publication: publication() },
  examples: ["playtest admin publishing retry 3aa0119c"],
  async run({ args }, ctx) {
    const data = await ctx.api().retryPublication({ params: { id: args.publication } });
    const isRemoved = data.publication.state === "removed";
    const late =
      " If it is not known whether its upload succeeded, the search for it on the platform begins ten minutes after the removal.";
    ctx.out.note(`It is queued again.${isRemoved ? late : ""}`);
    return ctx.item(data, publicationView);
  },
});

const publishingMove = define({
  name: "publishing move",
  summary: "Publish a video elsewhere, and remove it where it is",
  description: "The server's own page shows the video at once, and until a platform has published it.",
  operation: "movePublication",
  args: { publication: publication() },
  body: "movePublication",
  confirm: ({ args, body }) =>
    `Publish ${shortId(args.publication)} on ${publisherTitles[body.to]}, and remove the video where it is now?`,
  examples: ["playtest admin publishing move 3aa0119c --to own", "playtest admin publishing move 3aa0119c --to youtube --yes"],
  view: publicationView,
});

const publishingRemove = define({
  name: "publishing remove",
  summary: "Remove a published video, on its platform too",
  description: "Nobody can watch the video afterwards but the owner and the playtester. It cannot be published again.",
  operation: "removePublication",
  args: { publication: publication() },
  body: "removePublication",
  confirm: ({ args }) => `Remove the published video ${shortId(args.publication)}?`,
  examples: ["playtest admin publishing remove 3aa0119c --reason 'Shows a face' --yes"],
  view: publicationView,
});

export const publishingCommands = [publishing, publishingRetry, publishingMove, publishingRemove];
