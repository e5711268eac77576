/**
 * A workflow function that uses everything, to be killed: steps, steps that must happen once in all three ways of
 * doubt, children with budgets of their own (one of which always fails), a step that is tried again, a loop, sleeps, a
 * signal, spending.
 *
 * Usage: proof-program.ts FOLDER STEPS CHILDREN ITERATIONS. Appends to `done` every step that was really carried out,
 * to `posted` what must happen once, to `doubted` each key that was found in doubt; writes `result` at the end.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStarted } from "../built-program.ts";
import type { Run, StepContext, StepOptions } from "../../src/loop/workflow-function.ts";
import type { Holdfast } from "../../src/loop/holdfast.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { openHoldfast } from "../../src/open-holdfast.ts";
import { openStore } from "../../src/open-store.ts";
import { realWorld } from "../../src/real-world.ts";
import { loadRun } from "../../src/runtime/load-run.ts";

export const PROOF_RUN = "proof";
/** Every so many steps one must happen once. */
const ONCE_EVERY = 10;
const DOUBTS = ["recover", "ask", "retry"] as const;
/** Kept apart from the events that name it. */
const LARGE = 100_000;
type Doubt = (typeof DOUBTS)[number];

interface Scale {
  readonly steps: number;
  readonly children: number;
  readonly iterations: number;
}

class Program {
  readonly #folder: string;
  readonly #scale: Scale;

  constructor(folder: string, scale: Scale) {
    this.#folder = folder;
    this.#scale = scale;
  }

  readonly body = async (run: Run): Promise<unknown> => {
    const { steps, children, iterations } = this.#scale;
    for (let n = 0; n < steps; n += 1) {
      if (n % ONCE_EVERY === ONCE_EVERY - 1) await this.#once(run, n);
      else await run.step(`s${String(n)}`, () => this.#did(`step ${String(n)}`));
      run.budget.spend({ tokens: 1 });
    }
    const settled = await run.spawnAll(
      Array.from({ length: children }, (_, n) => ({
        name: `child/${String(n)}`,
        child: this.#child,
        input: n,
        budget: { tokens: 100 },
      })),
      { onFailure: "collect" },
    );
    const ends = settled.map((child) => ("error" in child ? child.error.message : child.value));
    await run.sleep(5);
    const end = await run.loop("kernel", { words: [] as string[] }, async (state, i, it) => ({
      state: { words: [...state.words, await it.step("think", () => this.#did(`think ${String(i)}`))] },
      done: i === iterations - 1,
    }));
    const large = await run.step("large", () => this.#did("large").padEnd(LARGE, "x"));
    const flaky = await run.step("flaky", () => this.#flaky(), { retries: { attempts: 5, backoff: "1ms" } });
    const kept = await run.loop("large", { texts: [] as string[] }, (state, i) => ({
      state: { texts: [...state.texts, large, `${String(i)}${large}`] },
      done: i === 1,
    }));
    const answer = await run.waitFor<string>("go", { timeout: "1h" });
    const { spent } = run.budget;
    const drawn = [typeof run.now(), typeof run.random(), typeof run.id()];
    return {
      ends,
      flaky,
      words: end.words.length,
      large: [large.length, ...kept.texts.map((text) => text.length)],
      answer,
      drawn,
      tokens: spent.tokens,
      iterations: spent.iterations,
    };
  };

  readonly #child = async (run: Run, n: number): Promise<number> => {
    await Promise.all(
      ["a", "b", "c"].map((name) => run.step(name, () => this.#did(`child ${String(n)} ${name}`))),
    );
    run.budget.spend({ tokens: n });
    await run.sleep(2);
    if (n === 1) throw new Error("this child always fails");
    return n * n;
  };

  #did(what: string): string {
    appendFileSync(join(this.#folder, "done"), `${what}\n`);
    return what;
  }

  /** Fails twice, in whichever process, and then succeeds. */
  #flaky(): string {
    const file = join(this.#folder, "tried");
    appendFileSync(file, "x");
    if (readFileSync(file, "utf8").length <= 2) throw new Error("not yet");
    return this.#did("flaky");
  }

  async #once(run: Run, n: number): Promise<void> {
    const doubt = DOUBTS[Math.floor(n / ONCE_EVERY) % DOUBTS.length] ?? "retry";
    const post = ({ key }: StepContext): void => {
      appendFileSync(join(this.#folder, "posted"), `${key}\n`);
    };
    await run.step(`once ${doubt} ${String(n)}`, post, { effect: "once", inDoubt: this.#inDoubt(doubt) });
  }

  #inDoubt(doubt: Doubt): NonNullable<StepOptions<void>["inDoubt"]> {
    if (doubt !== "recover") return doubt;
    return (key) => {
      this.#doubted(key);
      return this.#isPosted(key) ? { done: undefined } : "retry";
    };
  }

  #doubted(key: string): void {
    appendFileSync(join(this.#folder, "doubted"), `${key}\n`);
  }

  #isPosted(key: string): boolean {
    const file = join(this.#folder, "posted");
    return existsSync(file) && readFileSync(file, "utf8").split("\n").includes(key);
  }

  /** The person who is asked: looks whether it was done, and says so. */
  async answerDoubts(hf: Holdfast, journal: Journal, over: AbortSignal): Promise<void> {
    for (; !over.aborted; await delay(10)) {
      const blocked = (await loadRun(journal, PROOF_RUN))?.blocked ?? null;
      const key = blocked?.reason === "in_doubt" ? blocked.step : undefined;
      if (key === undefined || over.aborted) continue;
      this.#doubted(`${PROOF_RUN}/${key}`);
      const outcome = this.#isPosted(`${PROOF_RUN}/${key}`) ? ({ done: null } as const) : ("again" as const);
      // Somebody who looked twice in a hurry is refused the second time.
      await hf.settle(PROOF_RUN, key, outcome).catch(() => undefined);
    }
  }
}

async function main(folder: string, scale: Scale): Promise<void> {
  const program = new Program(folder, scale);
  const store = `sqlite:${join(folder, "agents.db")}`;
  const hf = await openHoldfast({ store });
  const working = hf.run(PROOF_RUN, program.body, { budget: { tokens: 1_000_000 } });
  // Handled here, so that a failure before it is awaited is not a stray one.
  working.catch(() => undefined);
  const over = new AbortController();
  const { journal } = await openStore(store, realWorld());
  const answering = program.answerDoubts(hf, journal, over.signal);
  await signalOnce(folder, hf);
  writeFileSync(join(folder, "result"), JSON.stringify(await working));
  over.abort();
  await answering;
  await journal.close();
  await hf.close();
}

/** Sent once; perhaps again, if the process died before it noted that it was: the workflow function takes one. */
async function signalOnce(folder: string, hf: Holdfast): Promise<void> {
  const noted = join(folder, "signalled");
  if (existsSync(noted)) return;
  for (let sent = false; !sent; await delay(5))
    sent = await hf.signal(PROOF_RUN, "go", "yes").then(
      () => true,
      () => false,
    );
  writeFileSync(noted, "");
}

const delay = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

const [folder, ...numbers] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename)) {
  const [steps = 0, children = 0, iterations = 0] = numbers.map(Number);
  void main(folder, { steps, children, iterations });
}
