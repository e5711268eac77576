import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, type Ended } from "../../cli/cli-process.ts";
import { tried, type Attack, type Tried } from "../attack.ts";

interface Head {
  run: string;
  seq: number;
  hash: string;
}

/** Commands that must refuse a store which does not hold what its anchor names. */
const COMMANDS: readonly (readonly string[])[] = [
  ["runs"],
  ["status", "first"],
  ["verify"],
  ["run", "more", "--agent", "dev"],
];

/** The store as it was before, with all that is beside it; and stores that differ from their anchor in one thing. */
async function putBack(): Promise<Tried> {
  const bench = new CliBench({
    "script.json": JSON.stringify({ attempts: [[{ do: "claim", ok: true, text: "done" }]] }),
    "holdfast.yaml": "agents: { dev: { use: demo, script: script.json } }\nsupervisor: { idleExitMs: 300 }\n",
  });
  const anchors = path.join(bench.root, "anchors");
  const call = (...args: string[]): Promise<Ended> => bench.call(args, { env: { HOLDFAST_ANCHOR: anchors } });
  const copy = path.join(bench.root, "copy");
  const succeeded: string[] = [];
  let count = 0;
  const mustRefuse = async (what: string, commands = COMMANDS): Promise<void> => {
    for (const words of commands) {
      count += 1;
      const { code } = await call(...words);
      if (code !== 6) succeeded.push(`${what}: ${words.join(" ")} ended with ${String(code)}`);
    }
  };
  try {
    assert.equal((await call("run", "g", "--agent", "dev", "--id", "first")).code, 0);
    cpSync(bench.home, copy, { recursive: true });
    assert.equal((await call("run", "g", "--agent", "dev", "--id", "second")).code, 0);
    const [name = ""] = readdirSync(anchors);
    const file = path.join(anchors, name);
    const honest = readFileSync(file, "utf8");
    const changed = (change: (head: Head) => void): string => {
      const read = JSON.parse(honest) as { heads: Head[] };
      for (const head of read.heads) if (head.run === "second") change(head);
      return JSON.stringify(read);
    };
    for (const [what, text] of Object.entries({
      "fewer events": changed((head) => (head.seq += 5)),
      "another history": changed((head) => (head.hash = "0".repeat(64))),
      "a run that is gone": changed((head) => (head.run = "third")),
      "an anchor that cannot be read": "{",
    })) {
      writeFileSync(file, text);
      await mustRefuse(what, COMMANDS.slice(0, 1));
    }
    writeFileSync(file, honest);
    assert.equal((await call("runs")).code, 0, "the honest store is accepted");
    rmSync(bench.home, { recursive: true });
    cpSync(copy, bench.home, { recursive: true });
    await mustRefuse("the store of before");
    return tried(count, succeeded);
  } finally {
    await bench.close();
  }
}

// The same are in rolled-back-store.e2e.ts in `npm test`, with crashes and with what is accepted on record.
export const attacks: readonly Attack[] = [
  {
    ...{ threat: "anchor", level: "any", promised: "prevented" },
    title: "a store is put back with everything beside it, or has lost or changed what its anchor names",
    count: { full: COMMANDS.length + 4, short: 0 },
    run: putBack,
  },
];
