// Makes the golden journals of this release, `test/golden/VERSION/`: exports of real runs, each with the state it
// came to. What is there already is left alone: an old journal is a promise (see test/golden/README.md).
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { exportedRuns, openSystem } from "../../src/main.ts";
import { hostSettingsSchema } from "../../src/model/settings/settings.ts";
import { isoTime } from "../../src/model/text/iso-time.ts";
import { loadKnownRun } from "../../src/runtime/load-run.ts";
import { runSummary } from "../../src/views/runs/run-summary.ts";
import { REFERENCE_RUN } from "../../test/kill/reference-run.ts";

const repository = path.join(import.meta.dirname, "..", "..");
const { version } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
  version: string;
};
const golden = path.join(repository, "test", "golden", version);
/** Paths stand in journals; this one says nothing about the machine. */
const work = path.join(tmpdir(), "holdfast-golden");

/** The same host name wherever the runs were made, in every process that takes part. */
const NAMELESS = `import os from "node:os"; import { syncBuiltinESMExports } from "node:module";
os.hostname = () => "host"; syncBuiltinESMExports();`;
const nameless = `--import=data:text/javascript,${encodeURIComponent(NAMELESS)}`;

/** Runs a program of the repository on this Node, from source. */
function play(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [path.join(repository, file), ...args], {
    cwd: work,
    env: { ...process.env, NODE_OPTIONS: nameless, TMPDIR: work, ...env },
    encoding: "utf8",
  });
}

/** The reference run of the kill matrix, killed once on the way. */
function playReference(): string {
  const program = "test/kill/reference-run.ts";
  play(program, [work], { HOLDFAST_CRASH_AT: "effect.EndAgent.after#1" });
  play(program, [work]);
  return `sqlite:${path.join(work, "journal.db")}`;
}

/** The run of the demo: an agent that crashes, a supervisor that is killed, another that brings it home. */
function playDemo(): string {
  const { stdout } = play("test/cli/run-cli.ts", ["demo", "--json"]);
  const { repository: played } = JSON.parse(stdout) as { repository: string };
  return `sqlite:${path.join(path.dirname(played), "holdfast.db")}`;
}

async function keep(name: string, run: string, playRun: () => string): Promise<void> {
  const file = path.join(golden, `${name}.jsonl`);
  if (existsSync(file)) {
    process.stdout.write(`${file} is there already and is left as it is\n`);
    return;
  }
  const system = await openSystem({ store: playRun(), settings: hostSettingsSchema.parse({}) });
  try {
    const { journal, world } = system.ports;
    const head = await journal.head(run);
    if (head === null) throw new Error(`the run ${run} was not made`);
    mkdirSync(golden, { recursive: true });
    const order = { run, head, exportedAt: isoTime(world.now()) };
    await exportedRuns.write(file, exportedRuns.lines(journal, order));
    const summary = runSummary(await loadKnownRun(journal, run));
    writeFileSync(path.join(golden, `${name}.state.json`), `${JSON.stringify(summary, null, 2)}\n`);
    process.stdout.write(`${file}: ${String(head.seq)} events, ${summary.status}\n`);
  } finally {
    await system.close();
  }
}

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
await keep("reference", REFERENCE_RUN, playReference);
await keep("demo", "demo", playDemo);
rmSync(work, { recursive: true, force: true });
