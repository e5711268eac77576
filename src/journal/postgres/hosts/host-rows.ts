import { hostFactsSchema, type HostRecord } from "../../../model/host/host-record.ts";
import type { HostRecords } from "../../host-records.ts";
import type { Writer } from "../append/writer.ts";
import type { Readers } from "../link/readers.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { statement } from "../statements.ts";

export function hostRows(readers: Readers, writer: Writer): Omit<HostRecords, "lock" | "offers"> {
  return {
    async put(facts) {
      const { rows } = await writer.run(() =>
        statement(
          "putHost",
          facts.id,
          JSON.stringify(facts),
          facts.phase === "joining",
          facts.phase === "left",
        ),
      );
      return { draining: rows[0]?.["draining"] === true };
    },
    list: async () => (await readers.read(statement("hosts"))).flatMap(recordOf),
    async drain(id, by) {
      await writer.run(() => statement("drainHost", id, by));
    },
  };
}

/** What a newer version wrote and this one cannot read is left out: nothing depends on it. */
function recordOf(row: Row): HostRecord[] {
  const facts = hostFactsSchema.safeParse(JSON.parse(text(row, "facts")));
  if (!facts.success) return [];
  const by = row["drained_by"];
  return [
    {
      facts: facts.data,
      drainedBy: typeof by === "string" ? by : null,
      joinedAt: integer(row, "joined_at"),
      beats: integer(row, "beats"),
      silentMs: integer(row, "silent_ms"),
    },
  ];
}
