import { sql } from "./postgres-server.ts";

/** From now on each COMMIT of a write to `settings` waits in a deferred trigger, until its connection is ended. */
export async function holdCommits(url: string): Promise<void> {
  await sql(url, "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(20); RETURN NULL; END'");
  await sql(
    url,
    "CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON settings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()",
  );
}

/** Ends the connection of a COMMIT that waits, as soon as there is one. */
export async function endHeldCommit(url: string): Promise<void> {
  const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'";
  while ((await sql(url, end)).length === 0);
}
