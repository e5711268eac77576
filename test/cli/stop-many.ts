import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { STORE_RESOURCE } from "../../src/model/host/resource-address.ts";
import type { CliBench } from "./cli-process.ts";

/** `deaf` of them ignore every request to end. */
interface Many {
  readonly runs: number;
  readonly deaf: number;
  readonly name: string;
  /** Of each run; the usual ones where absent. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Several runs of one supervisor, each with an agent at work for ever. */
export async function beginMany(
  bench: CliBench,
  { runs, deaf, name, settings = {} }: Many,
): Promise<string[]> {
  const ids = Array.from({ length: runs }, (_, nth) => `${name}-${String(nth)}`);
  for (const [nth, id] of ids.entries()) {
    const hangs = [...(nth < deaf ? [{ do: "deaf" }] : []), { do: "say", text: "at work" }, { do: "hang" }];
    // A folder each: runs in one folder wait for each other.
    const cwd = path.join(bench.cwd, id);
    mkdirSync(cwd);
    writeFileSync(path.join(cwd, "script.json"), JSON.stringify({ attempts: [hangs] }));
    bench.configure(path.join(cwd, "holdfast.json"), JSON.stringify(settings));
    const order = ["run", "work", "--id", id, "--agent", "demo:./script.json", "--detach"];
    const { code, stderr } = await bench.call(order, { cwd });
    assert.equal(code, 0, stderr);
  }
  for (const id of ids) await bench.receives(id, "at work");
  return ids;
}

interface StoppedMany {
  readonly sessions: number;
  readonly left: readonly string[];
  /** From the recorded stop to the recorded end of each run's attempt, in milliseconds. */
  readonly endedMs: readonly number[];
}

export async function stopMany(bench: CliBench, runs: readonly string[]): Promise<StoppedMany> {
  const { sessions, left } = await bench.json<StoppedMany>(["stop", "--all"]);
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  const { journal } = system.ports;
  const [stop] = (await journal.read(STORE_RESOURCE, { after: 0, limit: 100 })).filter(
    ({ type }) => type === "StoreStopped",
  );
  const endedMs: number[] = [];
  for (const run of runs) {
    const events = await journal.read(run, { after: 0, limit: 10_000 });
    const end = events.find(({ type }) => type === "AttemptEnded");
    if (end !== undefined) endedMs.push(end.at - (stop?.at ?? 0));
  }
  await system.close();
  return { sessions, left, endedMs };
}
