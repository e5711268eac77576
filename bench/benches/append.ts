import path from "node:path";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { NO_RATES, ratesOf, type Side } from "../harness/rounds.ts";
import { ratioOf } from "../harness/statistics.ts";
import { bareFile, fileWithRoom } from "../sides/bare-file.ts";
import { bareSqlite } from "../sides/bare-sqlite.ts";
import { appendAlone, appendTogether, RunWriter } from "../sides/journal-writer.ts";
import {
  appendFigures,
  appendPlan,
  appendRatios,
  CONCURRENT_RUNS,
  rateFigure,
  roundsText,
} from "./append-sides.ts";

const BARE = "bare node:sqlite insert";
const GROWING = "bare write + fdatasync";
const WRITTEN_OVER = "bare write + fdatasync over what is there";

export const appendBench: Bench = { name: "append", title: "Append on SQLite", run };

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const plan = appendPlan(quick);
  const sides = await openSides(folder);
  progress(`up to ${String(plan.rounds)} rounds of ${String(sides.length)} sides`);
  const [file = NO_RATES, room = NO_RATES, bare = NO_RATES, alone = NO_RATES, together = NO_RATES] =
    await ratesOf(sides, plan);
  for (const side of sides) await side.close();
  const rates = { bare, alone, together };
  return {
    says: `One event of about 200 bytes per append, answered when it is on disk. The bare sides write the same text: \`write\` and \`fdatasync\` on a file that grows and on one that is written over, which is the physical limit, and one \`node:sqlite\` insert per transaction (WAL, synchronous=FULL), without owner, position, chain of hashes or listing. A busy or slow disk flatters the ratio, because both sides mostly wait for it: where a sync takes a tenth of a millisecond, the ratio of the best turns is the one to expect. ${roundsText(alone)}`,
    figures: [
      rateFigure(GROWING, file.whole),
      rateFigure(WRITTEN_OVER, room.whole),
      ...appendFigures(BARE, rates),
    ],
    ratios: [
      { what: `${WRITTEN_OVER} / ${GROWING}`, spread: ratioOf(room.whole, file.whole) },
      { what: `append alone / ${GROWING}`, spread: ratioOf(alone.whole, file.whole) },
      ...appendRatios(BARE, rates, { aloneAtLeast: 0.8, togetherAtLeast: 5 }),
    ],
  };
}

async function openSides(folder: string): Promise<Side[]> {
  const open = (name: string) => openSqliteJournal({ file: path.join(folder, name), world });
  const one = await open("append-one.db");
  return [
    bareFile(path.join(folder, "append-bare.log")),
    fileWithRoom(path.join(folder, "append-room.log")),
    bareSqlite(path.join(folder, "append-bare.db")),
    appendAlone(one, await RunWriter.create(one, "run_alone")),
    await appendTogether(await open("append-many.db"), CONCURRENT_RUNS),
  ];
}
