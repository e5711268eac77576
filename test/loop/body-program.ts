/**
 * The body that is killed: steps, children, a loop, a sleep, a signal and a step that must happen once.
 * Usage: body-program.ts FOLDER. Writes `done` (every step that was really carried out) and, at the end, `result`.
 */
import { appendFileSync, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../src/loop/body.ts";
import { openHoldfast } from "../../src/open-holdfast.ts";

export const BODY_RUN = "body";
const STEPS = 40;
const CHILDREN = 6;
const ITERATIONS = 20;

async function main(folder: string): Promise<void> {
  const did = (what: string): string => {
    appendFileSync(join(folder, "done"), `${what}\n`);
    return what;
  };
  const child = async (run: Run, n: number): Promise<number> => {
    const parts = await Promise.all([
      run.step("a", () => did(`child ${String(n)} a`)),
      run.step("b", () => did(`child ${String(n)} b`)),
    ]);
    await run.sleep(5);
    return parts.length * n;
  };
  const body = async (run: Run): Promise<unknown> => {
    for (let n = 0; n < STEPS; n += 1) await run.step(`s${String(n)}`, () => did(`step ${String(n)}`));
    const numbers = await Promise.all(
      Array.from({ length: CHILDREN }, (_, n) => run.spawn(`child/${String(n)}`, child, n)),
    );
    const posted = join(folder, "posted");
    await run.step("post", ({ key }) => appendFileSync(posted, `${key}\n`), {
      effect: "once",
      inDoubt: (key) =>
        existsSync(posted) && readFileSync(posted, "utf8").includes(key) ? { done: undefined } : "retry",
    });
    const end = await run.loop("kernel", { words: [] as string[] }, async (state, i, it) => ({
      state: { words: [...state.words, await it.step("think", () => did(`think ${String(i)}`))] },
      done: i === ITERATIONS - 1,
    }));
    const answer = await run.waitFor<string>("go", { timeout: "1h" });
    return { numbers, words: end.words.length, answer, drawn: typeof run.random() };
  };
  const hf = await openHoldfast({ store: `sqlite:${join(folder, "agents.db")}` });
  const working = hf.run(BODY_RUN, body);
  // The signal is sent once; it may be sent again if the process died before noting that it was.
  const noted = join(folder, "signalled");
  if (!existsSync(noted)) {
    while (!(await signalled(hf))) await new Promise((resolve) => setTimeout(resolve, 5));
    writeFileSync(noted, "");
  }
  writeFileSync(join(folder, "result"), JSON.stringify(await working));
  await hf.close();
}

async function signalled(hf: Awaited<ReturnType<typeof openHoldfast>>): Promise<boolean> {
  try {
    await hf.signal(BODY_RUN, "go", "yes");
    return true;
  } catch {
    // Not yet created: tried again in a moment.
    return false;
  }
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && realpathSync(process.argv[1] ?? "") === import.meta.filename) await main(folder);
