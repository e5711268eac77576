import type { ServerFacts } from "../../../model/host/server-facts.ts";
import type { Link } from "../link/link.ts";
import { integer, text } from "../../row-values.ts";
import { statement } from "../statements.ts";

/** A pooler that gives out transactions may give the same session several times in a row. */
const SESSION_LOOKS = 4;

/** Looks only. What the role may not see is left out. */
export async function readServer(link: Link): Promise<ServerFacts> {
  const pids = new Set<number>();
  for (let look = 0; look < SESSION_LOOKS; look += 1) {
    const [row = {}] = await link.run(statement("serverSession"));
    pids.add(integer(row, "pid"));
  }
  const askedMs = Date.now();
  const [row = {}] = await link.run(statement("serverFacts"));
  const ownMs = Date.now();
  const standbys = row["standbys"];
  return {
    version: text(row, "version"),
    settings: JSON.parse(text(row, "settings")) as Record<string, string>,
    isStandby: row["is_standby"] === true,
    standbys: typeof standbys === "string" ? (JSON.parse(standbys) as string[]) : null,
    connections: integer(row, "connections"),
    clock: { serverMs: integer(row, "now_ms"), ownMs, tookMs: ownMs - askedMs },
    isPooled: pids.size > 1,
  };
}
