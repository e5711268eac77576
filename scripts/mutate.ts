// `npm run mutate`: takes each part of each rule out of the table of rules, one at a time and in memory, and says which
// test fails then. Exit 1 if one is not missed by any: a rule whose deadline nobody would notice to be gone.
import { killedByCase, killedByCuts, MUTANTS } from "../test/decide/rule-mutants.ts";

const byCuts = await killedByCuts(MUTANTS);
let alive = 0;
for (const mutant of MUTANTS) {
  const killers = [killedByCase(mutant), byCuts.get(mutant.name)].filter((one) => typeof one === "string");
  if (killers.length === 0) alive += 1;
  console.log(
    `${killers.length === 0 ? "ALIVE " : "killed"} ${mutant.name.padEnd(28)} ${killers.join("; ")}`,
  );
}
console.log(
  `${String(MUTANTS.length)} mutants: ${String(MUTANTS.length - alive)} killed, ${String(alive)} alive`,
);
process.exitCode = alive === 0 ? 0 : 1;
