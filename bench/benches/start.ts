import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { wholeLifeMs } from "../harness/child.ts";
import { inTurns } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { createRuns } from "../sides/journal-writer.ts";

const REPOSITORY = path.join(import.meta.dirname, "..", "..");
const LAUNCHER = path.join(REPOSITORY, "bin", "holdfast.js");
const EVENTS = 50;

export const startBench: Bench = { name: "start", title: "Start of the command line", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const rounds = quick ? 5 : 31;
  const says = `A process from its start to its end: Node with nothing to do, \`holdfast --version\`, and \`holdfast status\` of a store with one run of ${String(EVENTS)} events. ${String(rounds)} rounds, after one that is not counted.`;
  if (!existsSync(path.join(REPOSITORY, "dist", "main.js")))
    return { says, figures: [], ratios: [], skipped: "there is no `dist/`, run `npm run build` first" };
  const file = path.join(folder, "start.db");
  await writeStore(file);
  progress("starting processes");
  const env = { HOLDFAST_HOME: path.join(folder, "home") };
  // As after the first run: what Node made of the program of `status` is kept there by the round that is not counted.
  mkdirSync(env.HOLDFAST_HOME);
  const sides = [
    ["-e", "0"],
    [LAUNCHER, "--version"],
    [LAUNCHER, "status", "--store", `sqlite:${file}`],
  ];
  const measured = await inTurns(
    sides.map((args) => () => wholeLifeMs(args, env)),
    rounds + 1,
  );
  const [node = [], version = [], status = []] = measured.map((ms) => ms.slice(1));
  return {
    says,
    figures: [
      { what: "`node -e 0`", unit: "ms", spread: spreadOf(node) },
      { what: "`holdfast --version`", unit: "ms", spread: spreadOf(version) },
      { what: "`holdfast status`", unit: "ms", spread: spreadOf(status) },
    ],
    ratios: [
      {
        what: "`holdfast --version` / `node -e 0`",
        spread: ratioOf(version, node),
        target: { atMost: 1.6 },
      },
      { what: "`holdfast status` / `node -e 0`", spread: ratioOf(status, node), target: { atMost: 2.5 } },
    ],
  };
}

async function writeStore(file: string): Promise<void> {
  const journal = await openSqliteJournal({ file, world });
  const [writer] = await createRuns(journal, "run", 1);
  await writer?.growTo(EVENTS, EVENTS);
  await journal.close();
}
