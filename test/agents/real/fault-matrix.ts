/**
 * `npm run test:agents` ends with this: every fault of the provider, with every real agent, through the command line.
 * Writes docs/agents-under-faults.md and ends with exit 1 where a promise was broken.
 *
 * Usage: node test/agents/real/fault-matrix.ts [--agent PART] [--fault PART] [--at-once 6] [--limit-min 50] [--story] [--again] [--others]
 * With --others it plays the agents that have no driver of their own, and prints the document.
 * With a part named, or where the time did not suffice, the document is printed instead of written. What was played is
 * kept; with --again only what broke a promise then, or was not played, is played.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseWords } from "../../../sim/parse-words.ts";
import { ATTEMPT_LIMIT_MS, SILENCE_LIMIT_MS, playCell, type Cell } from "./fault-cell.ts";
import { faultTable } from "./fault-table.ts";
import { OTHER_PERFORMERS, PERFORMERS } from "./performers.ts";
import { PROVIDER_FAULTS } from "./provider-faults.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const DOCUMENT = path.join(ROOT, "docs/agents-under-faults.md");
const PLAYED = path.join(ROOT, ".test-results/faults.json");

const { values } = parseWords({
  options: {
    agent: { type: "string", default: "" },
    fault: { type: "string", default: "" },
    "at-once": { type: "string", default: "6" },
    story: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    others: { type: "boolean", default: false },
    "limit-min": { type: "string", default: "50" },
  },
});
const untilMs = Date.now() + Number(values["limit-min"]) * 60_000;
const played = values.others ? OTHER_PERFORMERS : PERFORMERS;
const agents = played.filter(({ name }) => name.includes(values.agent));
const faults = PROVIDER_FAULTS.filter(({ name }) => name.includes(values.fault));
for (const { name, missing } of agents) if (missing !== false) console.error(`SKIPPED ${name}: ${missing}`);
const wanted = faults.flatMap((fault) =>
  agents.filter(({ missing }) => missing === false).map((agent) => ({ agent, fault })),
);

const before: Cell[] =
  values.again && existsSync(PLAYED) ? (JSON.parse(readFileSync(PLAYED, "utf8")) as Cell[]) : [];
const cells: Cell[] = before.filter(({ violations }) => violations.length === 0);
const isPlayed = (agent: string, fault: string, among: readonly Cell[]): boolean =>
  among.some((cell) => cell.agent === agent && cell.fault === fault);
const toPlay = wanted.filter(({ agent, fault }) => !isPlayed(agent.name, fault.name, cells));
let next = 0;
// Whoever breaks it off keeps what was played, and leaves no agent behind; a second time it ends at once.
process.once("SIGINT", () => {
  next = toPlay.length;
  console.error("no further run is begun; those under way are waited for");
});
const isWhole = values.agent === "" && values.fault === "" && !values.others;
const order = ({ agent, fault }: Cell): number =>
  wanted.findIndex((one) => one.agent.name === agent && one.fault.name === fault);
const sorted = (): Cell[] => cells.toSorted((a, b) => order(a) - order(b));

function keep(): void {
  mkdirSync(path.dirname(PLAYED), { recursive: true });
  writeFileSync(PLAYED, JSON.stringify(sorted().map((cell) => ({ ...cell, story: "" }))));
}

await Promise.all(
  Array.from({ length: Number(values["at-once"]) }, async () => {
    while (next < toPlay.length && Date.now() < untilMs) {
      const { agent, fault } = toPlay[next++] ?? process.exit(1);
      const one = await playCell(agent, fault).catch((error: unknown) =>
        broken(agent.name, fault.name, error),
      );
      const cell: Cell = isPlayed(agent.name, fault.name, before) ? { ...one, again: true } : one;
      cells.push(cell);
      if (isWhole) keep();
      const bad = cell.violations.map((violation) => ` VIOLATION ${violation}`).join("");
      console.error(
        `${String(cells.length)}/${String(wanted.length)} ${cell.agent} | ${cell.fault} | ${cell.diagnosis} | ${cell.end} | ${String(cell.seconds)} s${bad}`,
      );
      if (values.story) console.error(cell.story);
    }
  }),
);

function broken(agent: string, fault: string, error: unknown): Cell {
  const violations = [`the run could not be played: ${String(error).slice(0, 300)}`];
  const unknown = { did: "", told: "", outcome: "", diagnosis: "", expected: "", end: "unknown", story: "" };
  return { agent, fault, ...unknown, seconds: 0, violations };
}

const whole = isWhole && cells.length === PERFORMERS.length * PROVIDER_FAULTS.length;
const text = faultTable(sorted(), { attemptMs: ATTEMPT_LIMIT_MS, silenceMs: SILENCE_LIMIT_MS });
if (whole) writeFileSync(DOCUMENT, text);
else console.log(text);
const violations = cells.flatMap(({ violations: found }) => found);
console.error(
  `${String(cells.length)} of ${String(wanted.length)} played, ${String(violations.length)} violations`,
);
process.exitCode = violations.length === 0 && cells.length === wanted.length ? 0 : 1;
