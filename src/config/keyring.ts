import { createRequire } from "node:module";

type Env = Readonly<Record<string, string | undefined>>;

/** The system's store for passwords: Keychain, Windows Credential Manager or a Secret Service. Each function throws where there is none. */
export interface Keyring {
  /** Null if it holds no such entry. */
  get(account: string): string | null;
  set(account: string, secret: string): void;
  remove(account: string): void;
}

interface Entry {
  getPassword(): string | null;
  setPassword(password: string): void;
  deletePassword(): boolean;
}
type EntryClass = new (service: string, account: string, options: object) => Entry;

/** Never the keyring of the Linux kernel, which the library would fall back to: it forgets everything at a restart. */
const options = { linux: { store: "secret-service" } };

/**
 * The keyring of this user; undefined with PLAYTEST_CONFIG_DIR, whose folder holds everything. Its optional package is loaded when a key
 * is read or written, and only then. Without a desktop session a keyring would ask nobody for its password, so nothing is stored in it.
 */
export function systemKeyring(env: Env, platform: string): Keyring | undefined {
  if (env.PLAYTEST_CONFIG_DIR) return undefined;
  const headless = Boolean(env.CI) || (platform === "linux" && !env.DBUS_SESSION_BUS_ADDRESS);
  const entry = (account: string) => {
    const { Entry } = createRequire(import.meta.url)("@napi-rs/keyring") as { Entry: EntryClass };
    return new Entry("playtest", account, options);
  };
  return {
    get: (account) => entry(account).getPassword(),
    set(account, secret) {
      if (headless) throw new Error("there is no desktop session");
      entry(account).setPassword(secret);
    },
    remove: (account) => void entry(account).deletePassword(),
  };
}
