import { Client } from "pg";
import { encodeEventData } from "../../src/model/events/event-codec.ts";
import type { Side } from "../harness/rounds.ts";
import { heardEvent } from "./sample-events.ts";

/** One prepared insert per transaction over one connection: a round trip and a sync each. */
export async function barePostgres(url: string): Promise<Side> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    "CREATE TABLE IF NOT EXISTS bare_events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text, seq bigint, type text, data text)",
  );
  const text = "INSERT INTO bare_events (run, seq, type, data) VALUES ($1, $2, $3, $4)";
  let seq = 0;
  return {
    async more(times) {
      for (let done = 0; done < times; done += 1) {
        const event = heardEvent((seq += 1));
        await client.query({
          name: "bare",
          text,
          values: ["run_bare", seq, event.type, encodeEventData(event)],
        });
      }
    },
    close: () => client.end(),
  };
}
