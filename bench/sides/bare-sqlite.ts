import { DatabaseSync } from "node:sqlite";
import { encodeEventData } from "../../src/model/events/event-codec.ts";
import type { Side } from "../harness/rounds.ts";
import { heardEvent } from "./sample-events.ts";

/** What SQLite does at its best, as durable as the journal: one insert of the same text per transaction. */
export function bareSqlite(file: string): Side {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE events (position INTEGER PRIMARY KEY, run TEXT, seq INTEGER, type TEXT, data TEXT)");
  const insert = db.prepare("INSERT INTO events (run, seq, type, data) VALUES (?, ?, ?, ?)");
  let seq = 0;
  return {
    more(times) {
      for (let done = 0; done < times; done += 1) {
        const event = heardEvent((seq += 1));
        insert.run("run_bare", seq, event.type, encodeEventData(event));
      }
    },
    close: () => db.close(),
  };
}
