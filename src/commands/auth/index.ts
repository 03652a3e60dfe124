import type { Group } from "../../cli/define.ts";
import { email } from "./email.ts";
import { confirm, factorDisable, factorEnable, factorRecovery, factorStatus } from "./factor.ts";
import { keysCommands } from "./keys.ts";
import { login } from "./login.ts";
import { passkeysCommands } from "./passkeys.ts";
import { passwordCommands } from "./password.ts";
import { personalCommands } from "./personal.ts";
import { profileCommands } from "./profile.ts";
import { profilesCommands } from "./profiles.ts";
import { register } from "./register.ts";
import { resendVerification } from "./resend-verification.ts";
import { sessionsCommands } from "./sessions.ts";
import { status } from "./status.ts";
import { waitVerified } from "./wait-verified.ts";

export const auth: Group = {
  commands: [
    login,
    register,
    status,
    ...profilesCommands,
    waitVerified,
    resendVerification,
    ...profileCommands,
    email,
    ...passwordCommands,
    ...keysCommands,
    ...sessionsCommands,
    factorStatus,
    factorEnable,
    factorDisable,
    factorRecovery,
    ...passkeysCommands,
    confirm,
    ...personalCommands,
  ],
  fallback: "list",
};
