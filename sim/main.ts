/**
 * `npm run sim -- [--seeds 1000] [--from 1] [--plant NAME] [--rules] [--advisers]`: runs the simulator over a range of seeds and prints what it found.
 * Exit 1 if a seed broke a promise; the seed alone repeats it.
 */
import { parseWords } from "./people/parse-words.ts";
import { INJECTED_BUGS, isInjectedBugName } from "./bugs/bugs.ts";
import { simulate } from "./world/simulate.ts";

const { values } = parseWords({
  options: {
    seeds: { type: "string" },
    from: { type: "string" },
    plant: { type: "string" },
    rules: { type: "boolean" },
    advisers: { type: "boolean" },
  },
});
const seeds = Number(values.seeds ?? 1_000);
const from = Number(values.from ?? 1);
const plant =
  values.plant === undefined
    ? undefined
    : isInjectedBugName(values.plant)
      ? INJECTED_BUGS[values.plant]
      : null;
if (!Number.isInteger(seeds) || !Number.isInteger(from) || plant === null) {
  console.error(
    `usage: npm run sim -- [--seeds N] [--from S] [--rules] [--advisers] [--plant ${Object.keys(INJECTED_BUGS).join("|")}]`,
  );
  process.exit(2);
}

let bad = 0;
let events = 0;
let kills = 0;
let hours = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const result = await simulate({
    seed,
    rules: values.rules === true,
    advisers: values.advisers === true,
    ...(plant === undefined ? {} : { plant }),
  });
  events += result.events;
  kills += result.kills;
  hours += result.simulatedMs / 3_600_000;
  if (result.violations.length > 0) {
    bad += 1;
    console.log(`seed ${String(seed)}: ${result.violations.slice(0, 5).join("\n  ")}`);
  }
  if ((seed - from + 1) % 500 === 0) console.log(`… ${String(seed - from + 1)} seeds, ${String(bad)} bad`);
}
console.log(
  `${String(seeds)} seeds from ${String(from)}: ${String(bad)} with violations; ${String(events)} events, ${String(kills)} deaths, ${String(Math.round(hours))} simulated hours`,
);
process.exitCode = bad === 0 ? 0 : 1;
