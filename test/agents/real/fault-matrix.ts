/**
 * `npm run test:agents` ends with this: every fault of the provider, with every real agent, through the command line.
 * Writes docs/agents-under-faults.md (docs/other-agents-under-faults.md) and ends with exit 1 where a promise was broken.
 *
 * Usage: node test/agents/real/fault-matrix.ts [--agent PART] [--fault PART] [--at-once 6] [--limit-min 50] [--story] [--again] [--others]
 * With --others it plays the agents that have no driver of their own, which have a document of their own.
 * What was played is kept; with --again only what broke a promise then, or was not played, is played. The document is
 * written once every cell was played; until then, and where only a part was asked for, it is printed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseWords } from "../../../sim/people/parse-words.ts";
import { ATTEMPT_LIMIT_MS, SILENCE_LIMIT_MS, decided, playCell, type Cell } from "./faults/fault-cell.ts";
import { faultTable } from "./faults/fault-table.ts";
import { OTHER_PERFORMERS, PERFORMERS } from "./performers.ts";
import { PROVIDER_FAULTS } from "./faults/provider-faults.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const KNOWN = { performers: PERFORMERS, name: "agents-under-faults" } as const;
const UNKNOWN = { performers: OTHER_PERFORMERS, name: "other-agents-under-faults" } as const;

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
const { performers, name: document } = values.others ? UNKNOWN : KNOWN;
const PLAYED = path.join(ROOT, `.test-results/${document}.json`);
const agents = performers.filter(({ name }) => name.includes(values.agent));
const faults = PROVIDER_FAULTS.filter(({ name }) => name.includes(values.fault));
for (const { name, missing } of agents) if (missing !== false) console.error(`SKIPPED ${name}: ${missing}`);
const wanted = faults.flatMap((fault) =>
  agents.filter(({ missing }) => missing === false).map((agent) => ({ agent, fault })),
);

const before: Cell[] =
  values.again && existsSync(PLAYED) ? (JSON.parse(readFileSync(PLAYED, "utf8")) as Cell[]) : [];
const isPlayed = (agent: string, fault: string, among: readonly Cell[]): boolean =>
  among.some((cell) => cell.agent === agent && cell.fault === fault);
const isWanted = (cell: Cell): boolean =>
  wanted.some(({ agent, fault }) => agent.name === cell.agent && fault.name === cell.fault);
const cells: Cell[] = before.filter((cell) => decided(cell).violations.length === 0 || !isWanted(cell));
const toPlay = wanted.filter(({ agent, fault }) => !isPlayed(agent.name, fault.name, cells));
const total = cells.length + toPlay.length;
let next = 0;
// The one that breaks it off keeps what was played, and leaves no agent behind; a second time it ends at once.
process.once("SIGINT", () => {
  next = toPlay.length;
  console.error("no further run is begun; those under way are waited for");
});
const isPart = values.agent !== "" || values.fault !== "";
const order = ({ agent, fault }: Cell): number =>
  PROVIDER_FAULTS.findIndex(({ name }) => name === fault) * performers.length +
  performers.findIndex(({ name }) => name === agent);
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
      if (!isPart || values.again) keep();
      const bad = decided(cell)
        .violations.map((violation) => ` VIOLATION ${violation}`)
        .join("");
      console.error(
        `${String(cells.length)}/${String(total)} ${cell.agent} | ${cell.fault} | ${cell.diagnosis} | ${cell.end} | ${String(cell.seconds)} s${bad}`,
      );
      if (values.story) console.error(cell.story);
    }
  }),
);

function broken(agent: string, fault: string, error: unknown): Cell {
  const why = [`the run could not be played: ${String(error).slice(0, 300)}`];
  const unknown = { did: "", told: "", outcome: "", diagnosis: "", end: "unknown", found: null, story: "" };
  return { agent, fault, ...unknown, seconds: 0, broken: why };
}

const missing = performers.flatMap((agent) =>
  PROVIDER_FAULTS.filter((fault) => !isPlayed(agent.name, fault.name, cells)).map(
    (fault) => `${agent.name} under “${fault.name}”`,
  ),
);
const limits = { attemptMs: ATTEMPT_LIMIT_MS, silenceMs: SILENCE_LIMIT_MS };
const text = faultTable(sorted(), limits, missing);
if (missing.length === 0) writeFileSync(path.join(ROOT, `docs/${document}.md`), text);
else console.log(text);
const violations = cells.flatMap((cell) => decided(cell).violations);
console.error(`${String(cells.length)} of ${String(total)} played, ${String(violations.length)} violations`);
process.exitCode = violations.length === 0 && cells.length === total ? 0 : 1;
