import { runProgram } from "../../kill/killed-process.ts";
import { VARIANTS } from "./kill-variants.ts";

export interface AllOrder {
  /** The program that plays one variant. */
  readonly program: string;
  /** Kills of all variants together. */
  readonly kills: number;
  readonly seed: number;
  readonly atOnce: number;
}

/** A variant that hangs is ended; what it did until then is printed. */
const LIMIT_MS_PER_KILL = 120_000;

/** Plays every variant that this machine can, one after the other, to a total of kills. Answers the exit code. */
export async function playAll({ program, kills, seed, atOnce }: AllOrder): Promise<number> {
  const playable = Object.entries(VARIANTS).filter(([name, { missing }]) => {
    const why = missing();
    if (why !== null) console.log(`SKIPPED: the variant ${name} cannot be played here: ${why}`);
    return why === null;
  });
  let [killed, broken, failed] = [0, 0, 0];
  for (const [nth, [name]] of playable.entries()) {
    // What is left is shared by those that are left: a variant may kill one or two more than it was asked to.
    const share = Math.ceil(Math.max(0, kills - killed) / (playable.length - nth));
    if (share === 0) break;
    const words = ["--variant", name, "--times", String(share)];
    const chosen = ["--seed", String(seed), "--at-once", String(atOnce)];
    const limitMs = Math.max(600_000, share * LIMIT_MS_PER_KILL);
    const { output, code } = await runProgram(program, [...words, ...chosen], { limitMs });
    const [, count = "0", bad = "0"] = /(\d+) kills in \d+ runs: (\d+) violations/.exec(output) ?? [];
    killed += Number(count);
    broken += Number(bad);
    if (code !== 0) {
      failed += 1;
      console.error(output);
    }
    console.log(`${name}: ${count} kills, ${bad} violations${code === 0 ? "" : `, exit ${String(code)}`}`);
  }
  console.log(
    `${String(killed)} kills over ${String(playable.length)} variants: ${String(broken)} violations`,
  );
  return failed === 0 && broken === 0 ? 0 : 1;
}
