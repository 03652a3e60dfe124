import { randomUUID } from "node:crypto";
import { Database } from "../../helpers/sqlite.ts";

/**
 * Single transactions with FULL syncing that write as many rows as an order paid by credit: playtest, slot, payment,
 * transfer, two postings, two balances. `order-work.ts FILE COUNT`: prints transactions a second.
 */
const [file, count] = process.argv.slice(2);
const db = new Database(file!);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec(`CREATE TABLE IF NOT EXISTS balances (id TEXT PRIMARY KEY, balance INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, amount INTEGER NOT NULL, text TEXT, at INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS rows_by_owner ON rows (owner, at, id);
  INSERT OR IGNORE INTO balances VALUES ('credit', 0), ('held', 0);`);
const insert = db.prepare("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)");
const update = db.prepare("UPDATE balances SET balance = balance + ? WHERE id = ?");
const order = db.transaction((at: number) => {
  for (const kind of ["playtest", "slot", "payment", "transfer", "posting", "posting"])
    insert.run(randomUUID(), kind, "owner", 2000, "some text of usual length", at);
  update.run(2000, "credit");
  update.run(-2000, "held");
});
const started = performance.now();
for (let index = 0; index < Number(count); index++) order(index);
process.stdout.write(String(Number(count) / ((performance.now() - started) / 1000)));
db.close();
