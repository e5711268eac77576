// Which files of tests are meant: all of them, tiers, or those whose path contains a word.
import { readdirSync } from "node:fs";
import path from "node:path";
import { repository } from "./pinned-node.mjs";

const tiers = ["unit", "contract", "int", "sim", "e2e", "page"];

/** The arguments of `npm test`; ends the process where they cannot be understood. */
export function readTestArguments(args) {
  const wantedTiers = [];
  const filters = [];
  let again = false;
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] === "--tier") wantedTiers.push(...(args[(i += 1)] ?? "").split(","));
    else if (args[i] === "--again") again = true;
    else if (args[i].startsWith("-")) usage(`${args[i]} is not an option`);
    else filters.push(args[i].replace(/^\.\//, ""));
  }
  const unknown = wantedTiers.find((tier) => !tiers.includes(tier));
  if (unknown !== undefined) usage(`"${unknown}" is not a tier`);
  const everything = wantedTiers.length === 0 && filters.length === 0;
  return {
    everything,
    again: again || everything,
    wantedTiers: wantedTiers.length === 0 ? tiers : wantedTiers,
    filters,
  };
}

/**
 * In this order they are started: what judges most in little time first, then the tiers whose files take long, so that
 * at the end no long one is left alone on an idle machine.
 */
const startedFirst = ["unit", "page", "e2e", "sim", "contract", "int"];

/** Absolute paths, in the order in which they are started. */
export function filesOfTests({ wantedTiers, filters }) {
  const suffix = new RegExp(`\\.(${wantedTiers.join("|")})\\.ts$`);
  return readdirSync(path.join(repository, "test"), { recursive: true })
    .map((name) => path.join("test", name))
    .filter((file) => suffix.test(file) && !file.includes("/fixtures/"))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort((a, b) => tierOf(a) - tierOf(b) || a.localeCompare(b))
    .map((file) => path.join(repository, file));
}

function tierOf(file) {
  return startedFirst.findIndex((tier) => file.endsWith(`.${tier}.ts`));
}

function usage(reason) {
  process.stderr.write(
    `test: ${reason}; usage: npm test -- [--tier ${tiers.join("|")}] [--again] [PART-OF-PATH]...\n`,
  );
  process.exit(2);
}
