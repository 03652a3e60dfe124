import type { Group } from "../../cli/define.ts";
import { keysCreate, keysList, keysRevoke } from "./keys.ts";
import { login } from "./login.ts";
import { list, logout, switchProfile, token } from "./profiles.ts";
import { register } from "./register.ts";
import { status } from "./status.ts";
import { waitVerified } from "./wait-verified.ts";

export const auth: Group = {
  commands: [login, register, status, switchProfile, list, logout, token, waitVerified, keysList, keysCreate, keysRevoke],
};
