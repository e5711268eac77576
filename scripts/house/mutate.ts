// `npm run mutate`: takes each part of each rule out of the table of rules, and each entry out of each registry, one at
// a time and in memory, and prints which test fails then. Exit 1 if one is missed by none. `-- --rules` plays the rules
// alone, `-- --registries [NAME…]` the registries.
import { killedByCase, killedByCuts, MUTANTS } from "../../test/decide/rule-mutants.ts";
import { killerOf, registryMutants } from "../../test/registries/registry-mutants.ts";

const atOnce = 2;
const nameWidth = 40;

const [only, ...names] = process.argv.slice(2);
const counts = { killed: 0, alive: 0 };

function report(name: string, killers: readonly string[]): void {
  const isAlive = killers.length === 0;
  counts[isAlive ? "alive" : "killed"] += 1;
  console.log(`${isAlive ? "ALIVE " : "killed"} ${name.padEnd(nameWidth)} ${killers.join("; ")}`);
}

async function mutateRules(): Promise<void> {
  const byCuts = await killedByCuts(MUTANTS);
  for (const mutant of MUTANTS) {
    const killers = [killedByCase(mutant), byCuts.get(mutant.name)];
    report(
      mutant.name,
      killers.filter((one) => typeof one === "string"),
    );
  }
}

async function mutateRegistries(): Promise<void> {
  const waiting = registryMutants().filter(
    ({ registry }) => names.length === 0 || names.includes(registry.name),
  );
  const worker = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const killer = await killerOf(mutant);
      report(`${mutant.registry.name} ${mutant.entry}`, killer === null ? [] : [killer]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

if (only !== "--registries") await mutateRules();
if (only !== "--rules") await mutateRegistries();
console.log(
  `${String(counts.killed + counts.alive)} mutants: ${String(counts.killed)} killed, ${String(counts.alive)} alive`,
);
process.exitCode = counts.alive === 0 ? 0 : 1;
