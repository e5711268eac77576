// `npm run chaos:terminals`: every terminal program of the family, one after the other, in a real tmux. Each is given its
// task exactly once, or a person is asked; no dialog is answered.
import { ASKING, asksPerson, deliversOnce, refusesInDialog, WITH_PROMPT } from "./family.ts";

const plays: readonly (readonly [string, () => Promise<void>])[] = [
  ...WITH_PROMPT.map((name) => [`${name}: its task once`, () => deliversOnce(name)] as const),
  ...ASKING.map((name) => [`${name}: a person is asked`, () => asksPerson(name)] as const),
  ["asksLater: a message is refused", refusesInDialog],
];

let failed = 0;
for (const [what, play] of plays) {
  const problem = await play().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem !== undefined) failed += 1;
  console.log(`${problem === undefined ? "✔" : "✖"} ${what}${problem === undefined ? "" : `: ${problem}`}`);
}
console.log(`${String(plays.length - failed)} of ${String(plays.length)} terminal programs`);
process.exitCode = failed === 0 ? 0 : 1;
