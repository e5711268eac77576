// Writes docs/detection.md: how soon each behaviour of the zoo is recognised, as it is measured now.
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HEALTH_ZOO } from "../../sim/agents/health-zoo.ts";
import { recognise } from "../../sim/checkers/watch-behaviour.ts";
import { COUNTS_FILE, type AllCounts, type Counts } from "../house/score-corpus.ts";

const DAY_MS = 24 * 3_600_000;

const time = (ms: number): string =>
  ms < 120_000 ? `${String(ms / 1_000)} s` : `${String(Math.round(ms / 6_000) / 10)} min`;

const troubles = HEALTH_ZOO.filter(({ pattern }) => pattern !== null).map((behaviour) => {
  const { name, does, pattern, withinMs } = behaviour;
  const found = recognise(behaviour, DAY_MS);
  const seen = found === null ? "never" : time(found.afterMs);
  return `| ${name} | ${does} | \`${found?.pattern ?? pattern ?? ""}\` | ${seen} | ${time(withinMs)} |`;
});

const healthy = HEALTH_ZOO.filter(({ pattern }) => pattern === null).map((behaviour) => {
  const found = recognise(behaviour, DAY_MS);
  return `| ${behaviour.name} | ${behaviour.does} | ${found === null ? "never called stuck" : `called \`${found.pattern ?? ""}\` after ${time(found.afterMs)}`} |`;
});

const { now, without } = JSON.parse(readFileSync(COUNTS_FILE, "utf8")) as AllCounts;
const counted = (
  [
    ["runs that people call stuck: found in time", "stuck runs found", "stuck runs"],
    ["runs that people call healthy: flagged", "healthy runs flagged", "healthy runs"],
    ["runs that solved their task: flagged at any time", "solved runs flagged", "solved runs"],
    ["scenarios on which other detectors agree: right", "scenarios right", "scenarios"],
    ["lines that state a limit: found", "limits found", "limits"],
    ["lines that look like it: treated as one", "look-alikes taken for limits", "look-alikes"],
  ] as const
).map(([what, part, all]) => `| ${what} | ${String(now[part])} of ${String(now[all])} |`);

/** What each rule is for, by its name in the counts. */
const RULES: readonly (readonly [name: string, finds: string, spares: string])[] = [
  [
    "errors in a row",
    "8 errors of an agent or its provider in a row, all different (`health.errorsInARow`)",
    "errors with calls between them that succeed",
  ],
  [
    "unmarked failures",
    "8 results in a row that read like failures, though none is marked as one (`health.unmarkedFailures`)",
    "files and searches that speak of failures",
  ],
  [
    "calls far apart",
    "a model that takes 4 minutes or more for each of its last 4 calls: degraded (`health.callApartMs`)",
    "time in tools, and while people are asked",
  ],
  [
    "results unseen",
    "a recording without results waits for its last call; it has not said its last word",
    "a recording that ends in a message",
  ],
  [
    "says it stops",
    "an agent that says it stops is in no loop any more",
    "“I stop the server”; the same call after it is a loop again",
  ],
  [
    "broken stream",
    "calls that come again because a provider's stream broke count once",
    "a loop with a broken stream in it is one; errors that come again are an error loop",
  ],
  [
    "limit: overload",
    "a model or provider without capacity",
    "overloaded functions, busy servers under test",
  ],
  [
    "limit: state line",
    "an agent's own state line: `● rate-limited (resets 3pm)`",
    "fields of configuration",
  ],
  [
    "limit: countdown",
    "a countdown to the next try, alone on its line",
    "retries of connections, tests, downloads",
  ],
  ["limit: choice", "a choice to wait for a limit in a dialog", "numbered lists"],
  [
    "limit: other service",
    "is none: the limit of a code host, a registry, a website",
    "addresses of pages that providers name in their messages",
  ],
];

function effectOf(name: string): string {
  const changes = Object.entries(without[name] ?? {}) as [keyof Counts, number][];
  if (changes.length === 0) return "no count";
  return changes.map(([column, then]) => `${column}: ${String(then)} → ${String(now[column])}`).join("; ");
}
const rules = RULES.map(
  ([name, finds, spares]) => `| ${name.replace("limit: ", "")} | ${finds} | ${spares} | ${effectOf(name)} |`,
);

export const detectionDocument = (): string =>
  `# How soon trouble is recognised

Measured by \`npm run docs\` on simulated time, with the default settings, and compared by a test. Each behaviour (\`sim/agents/health-zoo.ts\`) begins after a minute of honest work and makes a call or says something about every ten seconds; the time counts from its beginning. \`stops-early\` and \`hung-behind-a-spinner\` are told by screens, which only recordings have; live terminals are read by their driver ([health.md](health.md#what-is-observed-live)).

| behaviour | what it does | recognised as | after | at the latest |
|---|---|---|---|---|
${troubles.join("\n")}

## Healthy, and suspicious

Each goes on for a day.

| behaviour | what it does | in a day |
|---|---|---|
${healthy.join("\n")}

## On recorded runs

\`npm run corpus\` counts verdicts on recordings of real agents that people have labelled, as they are and without each rule (\`--write\` keeps the counts, from which this page is made; a test compares them where the recordings are). \`HOLDFAST_CORPUS\` names the folder of the recordings, which are not part of the repository.

| what | counted |
|---|---|
${counted.join("\n")}

Of all ${String(now["runs flagged"])} recorded runs that are flagged at some time none solved its task.

### What each rule changes

The rules that were added to this set, with what looks alike and stays healthy (\`test/views/verdict-rules.unit.ts\`, \`test/model/text/limit-text.unit.ts\`). Where no count changes, these recordings do not hold the case.

| rule | finds | spares | on these recordings |
|---|---|---|---|
${rules.join("\n")}
`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", "detection.md"), detectionDocument());
