import type { System } from "../../main.ts";
import { serverFindings, type ServerFacts } from "../../model/host/server-facts.ts";
import type { Finding } from "./doctor-finding.ts";

/** How the database server of the store is set up; null where the store is a file. */
export async function databaseFinding({ ports: { journal } }: System): Promise<Finding | null> {
  const server = await journal.server?.();
  if (server === undefined) return null;
  const found = serverFindings(server);
  const [worst] = found;
  const text = [aboutText(server), ...found.map((one) => one.text)].join("; ");
  return { name: "database", state: worst?.state ?? "ok", text, remedy: worst?.remedy ?? null };
}

function aboutText({ version, connections, settings, standbys }: ServerFacts): string {
  const followers =
    standbys === null ? "standbys are not shown to this role" : `standbys: ${standbys.join(", ") || "none"}`;
  return `PostgreSQL ${version}, ${String(connections)} of ${settings["max_connections"] ?? "?"} connections, ${followers}`;
}
