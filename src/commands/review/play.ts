import type { Data } from "../../api/client.ts";
import { webUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import type { Io } from "../../io/io.ts";
import type { Player } from "../../io/player.ts";

/** The command line of mpv: the configured player if that is mpv, or, if none is configured, mpv itself, which may not be installed. */
function mpvCommand({ env, platform }: Io, isMpv: (command: string) => boolean): string | undefined {
  const { PLAYTEST_PLAYER: configured } = env;
  if (configured) return isMpv(configured) ? configured : undefined;
  // On Windows, a bare name is looked for in the current directory first.
  return platform === "win32" ? undefined : "mpv";
}

/**
 * Plays the video of a slot in `PLAYTEST_PLAYER`, else in mpv if it is installed, else in the system's program for links. Returns a
 * player that can be asked for its position; undefined if it cannot.
 */
export async function play(ctx: Context, { id }: Data<"getSlot">["slot"]): Promise<Player | undefined> {
  const { io, out } = ctx;
  const { href } = webUrl((await ctx.api().getSlotDownloadUrl({ params: { id } })).downloadUrl);
  const [{ openUrl, openSecretUrl }, { isMpv, startMpv }] = await Promise.all([
    import("../../io/shell.ts"),
    import("../../io/player.ts"),
  ]);
  const mpv = mpvCommand(io, isMpv);
  const player = mpv === undefined ? undefined : await startMpv(io, href, mpv, ctx.newId);
  const { PLAYTEST_PLAYER: other } = io.env;
  if (player || (await (other ? openUrl(io, href, other) : openSecretUrl(io, href)))) out.note("Opening the video.");
  else {
    out.warn("Cannot start a video player. Set PLAYTEST_PLAYER, or open this link:");
    out.note(href);
  }
  return player;
}
