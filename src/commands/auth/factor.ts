import type { Data } from "../../api/client.ts";
import { type Context, col, define, flag, type ItemOf, viewOf } from "../../cli/define.ts";
import { plural } from "../../io/text.ts";
import { codeFlag, givenCode, withAskedCode, withCode } from "../shared/code.ts";
import { readSecret } from "../shared/secret.ts";

const view = viewOf<ItemOf<"getFactor">>([
  "second factor:enabled",
  "enabled:enabledAt",
  "recovery codes left:recoveryCodesLeft",
  "passkeys",
  col("confirmed until:confirmedUntil", "ago"),
]);

const secretFile = flag.text("Write the recovery codes to a new file that only you can read", { value: "FILE" });

export const factorStatus = define({
  name: "factor status",
  operation: "getFactor",
  examples: ["playtest auth factor status"],
  view,
});

function recoveryCodes(ctx: Context, data: Data<"enableFactor">, file: string | undefined) {
  const { recoveryCodes: codes } = data;
  ctx.out.note(
    `Keep these ${codes.length} recovery codes where you find them without your phone. Each replaces a code of the app once. They will not be shown again.`,
  );
  return ctx.secret(codes.join("\n"), file, data);
}

/** The secret in groups of four, to be typed. */
const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, "$1 ");

/** Shows the secret for the app: as a QR code where somebody looks at it. */
async function showSecret(ctx: Context, { secret, uri }: Data<"startFactor">): Promise<void> {
  const { qrText } = await import("../../io/qr.ts");
  const code = await qrText(uri, ctx.out.paint("bold", "x") !== "x");
  if (code !== undefined) ctx.io.err(`Scan this picture with your authenticator app:\n\n${code}\n\n`);
  ctx.io.err(`Secret, to type into the app instead: ${grouped(secret)}\n`);
}

export const factorEnable = define({
  name: "factor enable",
  summary: "Set up an authenticator app as a second factor",
  description:
    "Shows a QR code for the app, asks for a first code, and prints ten recovery codes. Signing in, changing the password and changing the email address then take a code. Without a terminal it prints the secret; run it again with --code to enable the second factor.",
  operation: ["startFactor", "enableFactor", "getFactor"],
  flags: {
    code: flag.text("Code that the app shows", { value: "CODE", field: "code" }),
    passwordFile: flag.text("Read the password from a file; - reads standard input", { value: "FILE", field: "password" }),
    secretFile,
  },
  examples: ["playtest auth factor enable", "playtest auth factor enable --code 123456 --secret-file recovery-codes.txt"],
  async run({ flags }, ctx) {
    const enable = (code: string) => ctx.api().enableFactor({ body: { code } });
    const code = givenCode(ctx, flags.code);
    if (code !== undefined) {
      await ctx.reserveSecret(flags.secretFile);
      return recoveryCodes(ctx, await enable(code), flags.secretFile);
    }
    const { hasPassword } = await ctx.api().getFactor({});
    const password = hasPassword ? await readSecret(ctx, flags.passwordFile, "--password-file", "Current password:") : undefined;
    const started = await ctx.api().startFactor({ body: { password } });
    if (!ctx.prompt.possible) {
      ctx.out.note(
        "Not enabled yet. Add the secret to an authenticator app, then run `playtest auth factor enable --code CODE`.",
      );
      return ctx.verbatim(`${started.secret}\n${started.uri}`, started);
    }
    await ctx.reserveSecret(flags.secretFile);
    await showSecret(ctx, started);
    // There are no recovery codes yet.
    return recoveryCodes(ctx, await withAskedCode(ctx, "Code that the app shows:", enable), flags.secretFile);
  },
});

export const factorDisable = define({
  name: "factor disable",
  summary: "Remove the second factor from your account",
  operation: "disableFactor",
  flags: { code: codeFlag },
  confirm: () => "Remove the second factor? Signing in then takes no code any more.",
  examples: ["playtest auth factor disable --yes --code 123456"],
  async run({ flags }, ctx) {
    const data = await withCode(ctx, flags.code, (code) => ctx.api().disableFactor({ body: { code } }));
    return ctx.message(data);
  },
});

export const factorRecovery = define({
  name: "factor recovery",
  summary: "Replace your recovery codes",
  operation: "renewRecoveryCodes",
  flags: { code: codeFlag, secretFile },
  confirm: () => "Replace all recovery codes? The present ones stop working.",
  examples: ["playtest auth factor recovery --yes --code 123456 --secret-file recovery-codes.txt"],
  async run({ flags }, ctx) {
    await ctx.reserveSecret(flags.secretFile);
    const data = await withCode(ctx, flags.code, (code) => ctx.api().renewRecoveryCodes({ body: { code } }));
    return recoveryCodes(ctx, data, flags.secretFile);
  },
});

const replyMs = 2_000;

export const confirm = define({
  name: "confirm",
  summary: "Confirm with your second factor that you may move money",
  description:
    "For administrators with a second factor: commands that move money then need no further code for a while with the API key in use. On a terminal such a command asks by itself.",
  operation: "confirmKey",
  flags: { code: codeFlag },
  examples: ["playtest auth confirm", "playtest auth confirm --code 123456"],
  async run({ flags }, ctx) {
    const data = await withCode(ctx, flags.code, (code) => ctx.api().confirmKey({ body: { code } }));
    // Whole minutes that are left for sure, but for the time of the reply.
    const minutes = Math.floor((Date.parse(data.confirmedUntil) - ctx.serverNow() + replyMs) / 60_000);
    return ctx.text(`Confirmed. Commands that move money need no code for ${plural(Math.max(0, minutes), "minute")}.`, data);
  },
});
