import type { Group } from "../../cli/define.ts";
import { email } from "./email.ts";
import { confirm, factorDisable, factorEnable, factorRecovery, factorStatus } from "./factor.ts";
import { keysCreate, keysList, keysRevoke, keysRotate } from "./keys.ts";
import { login } from "./login.ts";
import { passkeysList, passkeysRemove } from "./passkeys.ts";
import { password, passwordConfirm, passwordReset } from "./password.ts";
import { deleteAccount, exportAccount } from "./personal.ts";
import { profileShow, profileUpdate } from "./profile.ts";
import { list, logout, switchProfile, token } from "./profiles.ts";
import { register } from "./register.ts";
import { resendVerification } from "./resend-verification.ts";
import { sessionsEnd, sessionsList, signOutEverywhere } from "./sessions.ts";
import { status } from "./status.ts";
import { waitVerified } from "./wait-verified.ts";

export const auth: Group = {
  commands: [
    login,
    register,
    status,
    switchProfile,
    list,
    logout,
    token,
    waitVerified,
    resendVerification,
    profileShow,
    profileUpdate,
    email,
    password,
    passwordReset,
    passwordConfirm,
    keysList,
    keysCreate,
    keysRevoke,
    keysRotate,
    sessionsList,
    sessionsEnd,
    signOutEverywhere,
    factorStatus,
    factorEnable,
    factorDisable,
    factorRecovery,
    passkeysList,
    passkeysRemove,
    confirm,
    exportAccount,
    deleteAccount,
  ],
  fallback: "list",
};
