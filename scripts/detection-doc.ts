// Writes docs/detection.md: how soon each behaviour of the zoo is recognised, as it is measured now.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HEALTH_ZOO } from "../sim/health-zoo.ts";
import { recognise } from "../sim/watch-behaviour.ts";

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

export const detectionDocument = (): string =>
  `# How soon trouble is recognised

Measured by \`npm run docs\` on simulated time, with the usual settings, and compared by a test. Each behaviour (\`sim/health-zoo.ts\`) begins after a minute of honest work and makes a call or says something about every ten seconds; the time counts from its beginning. \`stops-early\` and \`hung-behind-a-spinner\` are told by screens, which only recordings have; live terminals are read by their driver ([health.md](health.md#what-is-observed-live)).

| behaviour | what it does | recognised as | after | at the latest |
|---|---|---|---|---|
${troubles.join("\n")}

## Healthy, and suspicious

Each goes on for a day.

| behaviour | what it does | in a day |
|---|---|---|
${healthy.join("\n")}
`;

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "docs", "detection.md"), detectionDocument());
