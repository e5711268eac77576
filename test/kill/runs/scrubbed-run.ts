/**
 * A program that is killed: a person removes a value that got into a run, into its events, a large value, a request, a
 * snapshot and what its agent printed; then the run is worked to its end. Started again on the same folder it does what
 * is not done yet, as the person would who asks again.
 *
 * Usage: scrubbed-run.ts FOLDER. The anchor of its store is in the folder too.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSystem, type System } from "../../../src/main.ts";
import { stepSchema } from "../../../src/model/flow/flow.ts";
import { valueRemover } from "../../../src/model/events/remove-value.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { createRun } from "../../../src/runtime/create-run.ts";
import { isStarted } from "../../built-program.ts";

export const SCRUBBED_RUN = "leaky";
/** Composed, so that it is in no file by which this program is started. */
export const LEAKED = ["leaked", '"value"', String(4711 * 3), "/+="].join(" ");

async function prepare({ ports, leases }: System, folder: string): Promise<void> {
  if (existsSync(join(folder, "prepared"))) return;
  const { journal, world } = ports;
  const { epoch } = await createRun(ports, leases, {
    id: SCRUBBED_RUN,
    goal: `use ${LEAKED} for it`,
    flow: {
      name: "one",
      steps: [stepSchema.parse({ name: "work", task: encodeURIComponent(LEAKED), agent: "returns" })],
      phases: [],
    },
    agents: { returns: { use: "function", export: "returns" } },
    settings: runSettingsSchema.parse({}),
    budget: {},
    cwd: folder,
    by: "test",
  });
  const detail = `${"x".repeat(70_000)} ${Buffer.from(`key=${LEAKED};`).toString("base64")}`;
  const outcome = await journal.append({
    run: SCRUBBED_RUN,
    expected: (await journal.head(SCRUBBED_RUN))?.seq ?? 0,
    epoch,
    at: world.now(),
    events: [{ type: "LimitReached", data: { what: "said", bound: 1, detail } }],
    listing: { status: "queued", goal: `use ${LEAKED} for it`, wakeAt: null },
  });
  if (outcome.kind !== "appended") throw new Error("the run could not be prepared");
  await journal.saveSnapshot(SCRUBBED_RUN, { ...outcome.head, fold: "0", state: JSON.stringify(LEAKED) });
  const words = { kind: "tell", text: LEAKED } as const;
  await journal.ask({ id: "req_1", address: SCRUBBED_RUN, request: words, by: "test", at: 1 });
  await leases.release(SCRUBBED_RUN, epoch);
  const session = join(folder, "journal.db-sessions", `${SCRUBBED_RUN}.work.0`);
  mkdirSync(session, { recursive: true });
  writeFileSync(join(session, "out.spool"), `before\n${JSON.stringify({ said: LEAKED })}\nafter\n`);
  writeFileSync(join(folder, "prepared"), "");
}

async function main(folder: string): Promise<void> {
  process.env["HOLDFAST_ANCHOR"] = join(folder, "anchors");
  const system = await openSystem({
    store: `sqlite:${join(folder, "journal.db")}`,
    settings: hostSettingsSchema.parse({ supervisor: { scanMs: 20 } }),
    functions: new Map([["returns", () => "done"]]),
  });
  await prepare(system, folder);
  await system.scrubRun(
    { run: SCRUBBED_RUN, by: "test", remover: valueRemover(LEAKED), remove: true },
    { log: join(folder, "supervisor.log"), archive: join(folder, "archive") },
  );
  if ((await system.loadRun(SCRUBBED_RUN))?.status !== "completed")
    await system.supervisor({ only: SCRUBBED_RUN }).work();
  await system.close();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename)) await main(folder);
