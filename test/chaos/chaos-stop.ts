/**
 * Measures the emergency brake: many agents at work, half of them deaf to every request to end, and `stop --all`. What
 * counts is what is recorded: from the stop of the store to the end of each attempt.
 *
 * Usage: npm run chaos:stop -- [--agents 8] [--times 3]
 * Ends with exit 1 if a session was left alive, or was not ended within 15 s; bounded by its options.
 */
import { parseWords } from "../../sim/people/parse-words.ts";
import { CliBench } from "../cli/cli-process.ts";
import { beginMany, stopMany } from "../cli/stop-many.ts";

const BOUND_MS = 15_000;

const { values } = parseWords({ options: { agents: { type: "string" }, times: { type: "string" } } });
/** As many as work at once where nothing else is configured. */
const runs = Number(values.agents ?? 8);
const times = Number(values.times ?? 3);

/** In words what is wrong with one round; null where nothing is. */
async function round(nth: number): Promise<string | null> {
  const bench = new CliBench();
  try {
    // The usual time between a polite end and a firm one, so that the brake itself has to cut it short.
    const name = `stop-${String(process.pid)}-${String(nth)}`;
    const begun = await beginMany(bench, { runs, deaf: Math.floor(runs / 2), name });
    const { sessions, left, endedMs } = await stopMany(bench, begun);
    const sorted = [...endedMs].sort((one, other) => one - other);
    console.log(
      `round ${String(nth)}: ${String(sessions)} sessions, ${String(left.length)} left; ended after ${sorted.join(", ")} ms`,
    );
    if (left.length > 0) return `left alive: ${left.join("; ")}`;
    if (endedMs.length < runs) return `only ${String(endedMs.length)} ends are recorded`;
    return (sorted.at(-1) ?? 0) <= BOUND_MS ? null : "the bound was missed";
  } finally {
    await bench.close();
  }
}

let failed = 0;
for (let nth = 1; nth <= times; nth += 1) {
  const wrong = await round(nth);
  if (wrong === null) continue;
  failed += 1;
  console.error(`round ${String(nth)}: ${wrong}`);
}
console.log(`chaos:stop: ${String(times - failed)} of ${String(times)} rounds within ${String(BOUND_MS)} ms`);
process.exitCode = failed === 0 ? 0 : 1;
