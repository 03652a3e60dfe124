import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { resetFactors } from "../accounts/factors/reset.ts";
import { mailFactorResetHere } from "../accounts/security-mails.ts";
import * as sessions from "../accounts/sessions-store.ts";
import * as users from "../accounts/users-store.ts";
import { server, Trail } from "../audit/trail.ts";
import type { DataLocationOptions, LocationReport } from "../config/data-location.ts";
import { ConfigError, readConfig } from "../config/read.ts";
import { createClock } from "../database/clock.ts";
import { type DatabaseLocation, hasDatabase, locate, reportLocation } from "../database/drivers.ts";
import { pending } from "../database/migrate.ts";
import type { Store } from "../database/port.ts";
import { createLog } from "../lib/log.ts";
import { createMailer } from "../mail/create.ts";
import { requireKeys } from "../operations/keys/identity.ts";
import * as settings from "../operations/keys/store.ts";
import { requireNotMoved } from "../operations/move/moved.ts";
import { createDeps } from "./compose.ts";
import type { Deps } from "./deps.ts";
import type { Tx } from "./tx.ts";

export interface ResetFactorOptions extends DataLocationOptions {
  /** The email address or id of the account. */
  account: string;
  /** Real time in milliseconds. */
  now(): number;
}

export interface ResetFactor {
  userId: string;
  email: string;
  /** The number of browsers that were signed out. */
  sessionsEnded: number;
  location: LocationReport;
}

/**
 * Removes the second factor of an account for an operator on the server's machine: the only way back for the last administrator, whose
 * factor nobody else can remove. Whoever can read the data directory could change the database as well. Throws ConfigError.
 */
export async function resetFactorHere(options: ResetFactorOptions): Promise<ResetFactor> {
  const location = locate(options);
  if (!hasDatabase(location))
    throw new ConfigError(
      `No playtest database found in ${location.dataDir}. Nothing was changed. Pass the data directory with --data.`,
    );
  const store = await location.driver.open(location, { patient: true });
  try {
    if ((await pending(store)).length > 0)
      throw new ConfigError("The database is of an older version. Nothing was changed. Run `playtest serve migrate` first.");
    await store.read((q) => requireNotMoved(q, { outcome: "Nothing was changed." }));
    const deps = await depsOf(store, location, options);
    try {
      const done = await deps.store.write((tx) => reset(tx, options.account));
      return { ...done, location: reportLocation(location) };
    } finally {
      deps.outbound.close();
      await deps.jobs.stop();
      await deps.audit.idle();
    }
  } finally {
    await store.close();
  }
}

async function depsOf(
  store: Store,
  { dataDir }: DatabaseLocation,
  { env, now, config: file }: ResetFactorOptions,
): Promise<Deps> {
  const config = await readConfig(env, dataDir, file);
  config.sandbox = (await store.read((q) => settings.get(q, "mode"))) === "sandbox";
  const never = new AbortController().signal;
  return createDeps({
    ...{ config, store, randomBytes, dataDir, cards: null, retiring: never, draining: never },
    instanceKey: await requireKeys({ store, dataDir, secretKey: env.PLAYTEST_SECRET_KEY, randomBytes }),
    clock: await createClock(store, now, config.sandbox),
    mailer: createMailer(config.mail, join(dataDir, "outbox")),
    log: await createLog({ level: "silent", text: true, write: () => {} }),
  });
}

async function reset(tx: Tx, account: string): Promise<Omit<ResetFactor, "location">> {
  const user = (await users.findByEmail(tx, account)) ?? (await users.find(tx, account));
  if (!user) throw new ConfigError(`No account has the email address or id ${account}. Nothing was changed.`);
  const trail = new Trail(tx, server, "user.reset_factor", { by: "operator on the server's machine" });
  await trail.changing(user.id);
  if (!(await resetFactors(tx, user.id)))
    throw new ConfigError(`The account ${user.email} has no second factor and no passkey. Nothing was changed.`);
  const sessionsEnded = await sessions.endAll(tx, user.id);
  await users.endLinks(tx, user.id, users.signInPurposes, tx.now);
  await mailFactorResetHere(tx, user.id);
  await trail.write();
  return { userId: user.id, email: user.email, sessionsEnded };
}
