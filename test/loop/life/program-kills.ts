import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { keyText } from "../../../src/model/values/program-key.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { realWorld } from "../../../src/real-world.ts";
import { runProgram, type Ended } from "../../kill/killed-process.ts";
import { PROOF_RUN } from "../proof-program.ts";

const PROGRAM = join(import.meta.dirname, "..", "proof-program.ts");

export interface Scale {
  readonly steps: number;
  readonly children: number;
  readonly iterations: number;
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

/** One workflow function, killed as often as one likes, and everything that is known about what it did. */
export class KilledProgram {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-proof-"));
  readonly #scale: Scale;
  readonly #committed = new Set<string>();
  readonly found: string[] = [];
  kills = 0;
  /** Steps carried out more than once because no end of theirs was committed. */
  again = 0;
  #seen = 0;
  #read = 0;

  constructor(scale: Scale) {
    this.#scale = scale;
  }

  /** One life of the program. What was committed before it began must not be carried out in it. */
  async live(env: Record<string, string> = {}, killAfterMs?: number): Promise<Ended> {
    const { steps, children, iterations } = this.#scale;
    const args = [this.folder, String(steps), String(children), String(iterations)];
    const ended = await runProgram(PROGRAM, args, {
      env,
      limitMs: 120_000,
      ...(killAfterMs === undefined ? {} : { killAfterMs }),
    });
    if (ended.signal === "SIGKILL") this.kills += 1;
    else if (ended.code !== 0) this.found.push(`a life ended with ${String(ended.code)}: ${ended.output}`);
    this.#decideSteps();
    await this.#readCommits();
    return ended;
  }

  get isDone(): boolean {
    return existsSync(join(this.folder, "result"));
  }

  get result(): string {
    return readFileSync(join(this.folder, "result"), "utf8");
  }

  #decideSteps(): void {
    const done = linesOf(join(this.folder, "done"));
    const before = new Set(done.slice(0, this.#seen));
    for (const what of done.slice(this.#seen)) {
      if (this.#committed.has(what)) this.found.push(`"${what}" was committed and carried out again`);
      if (before.has(what)) this.again += 1;
    }
    this.#seen = done.length;
  }

  async #readCommits(): Promise<void> {
    for (const event of await this.#events(this.#read)) {
      this.#read = event.seq;
      if (event.type !== "BodyStepEnded" || event.data.ended.kind !== "value") continue;
      if (typeof event.data.ended.value === "string") this.#committed.add(event.data.ended.value);
    }
  }

  async #events(after: number): Promise<Recorded[]> {
    if (!existsSync(join(this.folder, "agents.db"))) return [];
    const journal = await openSqliteJournal({ file: join(this.folder, "agents.db"), world: realWorld() });
    try {
      return await journal.read(PROOF_RUN, { after, limit: 1_000_000 });
    } finally {
      await journal.close();
    }
  }

  /** What must hold when the workflow function has ended: as if nothing had happened. */
  async judge(calm: string): Promise<string[]> {
    if (!this.isDone) return [...this.found, "the body never came to its end"];
    const found = [...this.found];
    if (this.result !== calm) found.push(`the result is ${this.result}, undisturbed it is ${calm}`);
    const events = await this.#events(0);
    const keys = events.flatMap((event) => (event.type === "BodyStepEnded" ? [event.data.key] : []));
    found.push(...twice(keys).map((key) => `${keyText(key)} has two ends`));
    found.push(...this.#decideOnce(events));
    return found;
  }

  /** Once is once, except where doing it again was declared safe; doubt arose only where a life ended in between. */
  #decideOnce(events: readonly Recorded[]): string[] {
    const posted = linesOf(join(this.folder, "posted"));
    const intended = events.flatMap((event) =>
      event.type === "BodyStepIntended" ? [`${PROOF_RUN}/${event.data.key}`] : [],
    );
    const unsafe = twice(posted).filter((key) => !key.includes("once retry"));
    const missing = intended.filter((key) => !posted.includes(key));
    const strangers = linesOf(join(this.folder, "doubted")).filter((key) => !intended.includes(key));
    return [
      ...unsafe.map((key) => `${key} happened twice`),
      ...missing.map((key) => `${key} never happened`),
      ...strangers.map((key) => `${key} was in doubt although it was never begun`),
    ];
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const twice = (items: readonly string[]): string[] => [
  ...new Set(items.filter((item, index) => items.indexOf(item) !== index)),
];
