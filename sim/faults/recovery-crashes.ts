/**
 * `npm run sim:recovery -- [--points 300]`: lets a supervisor die at durable boundaries inside recovery, spread over
 * every trouble and every remedy, and checks what the journal and the world outside say afterwards. Exit 1 if a promise
 * was broken.
 */
import { realpathSync } from "node:fs";
import { parseWords } from "../people/parse-words.ts";
import { evolve } from "../../src/fold/evolve.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { whyUnfit } from "../../src/decide/ladder/ladder.ts";
import { REMEDIES } from "../../src/model/agent/ladder.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { LIVE_TROUBLES, troubleName } from "./live-troubles.ts";
import { liveCell, type Cell } from "./recovery-cell.ts";
import { triageIsKept, TRIAGED_CELLS } from "./triaged-cells.ts";
import { remediesInOrder } from "../checkers/watch-ladder.ts";

/** What speaks against the order of the remedies in a journal. */
export function remediesAreKept(events: readonly Recorded[]): string[] {
  const said: string[] = [];
  const watcher = remediesInOrder();
  let state: RunState | null = null;
  for (const event of events) {
    const was: RunState["status"] | null = state?.status ?? null;
    state = evolve(state, event, event);
    watcher.see({ event, was, state, turnEnds: false }, (text) => said.push(text));
  }
  return said;
}

export interface Crashes {
  readonly points: number;
  readonly deaths: number;
  readonly bad: readonly string[];
}

/** So many crash points, spread evenly over the boundaries of every cell. */
export async function crashPoints(count: number): Promise<Crashes> {
  const plain = LIVE_TROUBLES.flatMap((trouble) =>
    REMEDIES.filter((cure) => whyUnfit(cure, trouble) === null).map((cure): Cell => ({ trouble, cure })),
  );
  const headless = LIVE_TROUBLES.filter(({ cause }) => cause === "agent").map((trouble): Cell => ({
    trouble,
    cure: trouble.pattern === "resource_exhaustion" ? "restart" : "nudge",
    use: "claude",
  }));
  const cells = [...plain, ...TRIAGED_CELLS, ...headless];
  const bad: string[] = [];
  let deaths = 0;
  const known = new Map<string, number>();
  for (let point = 0; point < count; point += 1) {
    // A step that has no divisor in common with the number of cells: few points still see many of them.
    const cell = cells[(point * 23) % cells.length];
    if (cell === undefined) continue;
    const name = `${troubleName(cell.trouble)} × ${cell.cure}${cell.use === undefined ? "" : ` × ${cell.use}`}${cell.judge === undefined ? "" : ` × ${cell.judge}`}`;
    const boundaries = known.get(name) ?? (await liveCell(cell)).boundaries;
    known.set(name, boundaries);
    const dieAt = 1 + (Math.floor((((point * 0.618) % 1) + 1) * boundaries) % boundaries);
    const found = await problems(cell, dieAt);
    deaths += found.deaths;
    bad.push(...found.said.map((text) => `${name}, dead at boundary ${String(dieAt)}: ${text}`));
  }
  return { points: count, deaths, bad };
}

async function problems(
  cell: Cell,
  dieAt: number,
): Promise<{ readonly said: string[]; readonly deaths: number }> {
  const seen = await liveCell({ ...cell, dieAt });
  const { events, status, doubled, deaths, told } = seen;
  const said = [
    ...remediesAreKept(events),
    ...(cell.judge === undefined ? [] : triageIsKept(seen)),
    ...doubled.map((session) => `${session} was started beside another`),
  ];
  if (status !== "completed") said.push(`the run is ${status}`);
  const intended = events.filter(
    ({ type, data }) => type === "EffectIntended" && data.effect.kind === "TellAgent",
  ).length;
  if (told.length > intended) said.push("the agent was told more than was intended");
  return { said, deaths };
}

if (realpathSync(process.argv[1] ?? "") === import.meta.filename) {
  const { values } = parseWords({ options: { points: { type: "string" } } });
  const { points, deaths, bad } = await crashPoints(Number(values.points ?? 300));
  for (const text of bad) console.log(text);
  console.log(
    `${String(points)} crash points, ${String(deaths)} deaths, ${String(bad.length)} broken promises`,
  );
  process.exitCode = bad.length === 0 && deaths === points ? 0 : 1;
}
