import { compose, type Happened, nameInMail, resetAction, whoDid } from "./texts.ts";

/** Emails about the second factor of an account. */
const aboutFactor = (about: Happened, subject: string, said: string, otherwise: string) =>
  compose({
    subject,
    to: about.name,
    paragraphs: [said, whoDid(about), otherwise],
    action: resetAction(about),
  });

const ifNotYou =
  "If this was you, you do not need to do anything. If not, reset your password now, revoke your API keys, and contact the operator of this server.";

export const composeFactorEnabled = (about: Happened) =>
  aboutFactor(
    about,
    "Your account has a second factor now",
    "An authenticator app was set up for your account. Signing in now takes a code in addition to the password or the sign-in link. Keep the recovery codes where you find them without your phone.",
    ifNotYou,
  );

export const composeFactorDisabled = (about: Happened) =>
  aboutFactor(
    about,
    "The second factor of your account was removed",
    "Signing in to your account takes no code any more, and the recovery codes no longer work.",
    ifNotYou,
  );

export const composePasskeyAdded = (about: Happened & { passkey: string }) =>
  aboutFactor(
    about,
    "A passkey was added to your account",
    `The passkey “${nameInMail(about.passkey)}” was added to your account. It can be used to sign in without your password.`,
    "If this was you, you do not need to do anything. If not, reset your password now, remove the passkey on your passkeys page, revoke your API keys, and contact the operator of this server.",
  );

export const composePasskeyRemoved = (about: Happened & { passkey: string }) =>
  aboutFactor(
    about,
    "A passkey was removed from your account",
    `The passkey “${nameInMail(about.passkey)}” was removed from your account. It can no longer be used to sign in.`,
    ifNotYou,
  );

export const composePasskeyBlocked = (about: Happened & { passkey: string }) =>
  aboutFactor(
    about,
    "A passkey of your account was blocked",
    `The passkey “${nameInMail(about.passkey)}” was used, but its counter was not higher than at its last use. This happens if somebody copied it. The sign-in was refused, and the passkey is not accepted any more.`,
    "Remove the passkey on your passkeys page and add a new one. If you did not just try to sign in, also reset your password and revoke your API keys.",
  );

/** Without the address of the operator who did it. */
export const composeFactorReset = (about: Happened) =>
  compose({
    subject: "The second factor of your account was removed",
    to: about.name,
    paragraphs: [
      "An operator of this server removed the second factor and the passkeys of your account. Signing in takes no code any more, and the recovery codes no longer work.",
      "If you asked for this, set up a new second factor after you signed in. If not, reset your password now and contact the operator of this server.",
    ],
    action: resetAction(about),
  });

/** Without a link: the address of the server is not known where this is done. */
export const composeFactorResetHere = (about: Happened) =>
  compose({
    subject: "The second factor of your account was removed",
    to: about.name,
    paragraphs: [
      "An operator removed the second factor and the passkeys of your account on the server itself, and signed you out of every browser. Signing in takes no code any more, and the recovery codes no longer work.",
      "If you asked for this, set up a new second factor after you signed in. If not, reset your password now, revoke your API keys, and contact the operator of this server.",
    ],
  });

export const composeRecoveryCodesRenewed = (about: Happened) =>
  aboutFactor(
    about,
    "Your recovery codes were replaced",
    "Your account got new recovery codes. The earlier ones no longer work.",
    ifNotYou,
  );

export const composeRecoveryCodeUsed = (about: Happened & { left: number }) =>
  aboutFactor(
    about,
    "A recovery code was used",
    `A recovery code of your account was used instead of a code of your authenticator app. ${about.left} of them ${about.left === 1 ? "is" : "are"} left.`,
    ifNotYou,
  );

export const composeWrongCodes = (about: Happened) =>
  aboutFactor(
    about,
    "Wrong codes were entered for your account",
    "Several wrong codes of your second factor were entered, one after the other. Whoever did this knows your password, has a sign-in link of yours, or has one of your API keys. Further attempts now have to wait.",
    "If this was you, wait, or use a recovery code. If not, reset your password now and revoke your API keys: your second factor has kept them out so far.",
  );
