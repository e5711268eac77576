import type { Journal } from "../src/journal/journal.ts";
import type { RunRequest } from "../src/model/requests.ts";
import type { SimMachine } from "./sim-process.ts";

const WHIMS: readonly RunRequest[] = [
  { kind: "pause" },
  { kind: "pause" },
  { kind: "resume" },
  { kind: "resume" },
  { kind: "retry" },
  { kind: "retry", step: "s0" },
  { kind: "cancel" },
  { kind: "reopen" },
];

/** People who ask for things: at random while faults are on, and afterwards only what gets a run moving. */
export class SimPeople {
  readonly #machine: SimMachine;
  readonly #journal: Journal;
  #asked = 0;

  constructor(machine: SimMachine, journal: Journal) {
    this.#machine = machine;
    this.#journal = journal;
    this.#live();
    this.#help();
  }

  #live(): void {
    const { time, chance, faults } = this.#machine;
    const meanMs = faults().meanRequestMs;
    const delayMs = Number.isFinite(meanMs) ? -Math.log(1 - chance()) * meanMs : 10 * 60_000;
    time.schedule(delayMs, () => {
      if (Number.isFinite(faults().meanRequestMs)) void this.#whim();
      this.#live();
    });
  }

  async #whim(): Promise<void> {
    const { chance } = this.#machine;
    const listings = await this.#journal.runs();
    const listing = listings[Math.floor(chance() * listings.length)];
    const request = WHIMS[Math.floor(chance() * WHIMS.length)];
    if (listing !== undefined && request !== undefined) await this.#ask(listing.run, request);
  }

  /** Somebody reads the inbox every quarter of an hour and does what is asked of people. */
  #help(): void {
    this.#machine.time.schedule(15 * 60_000, () => {
      void this.#helpAll();
      this.#help();
    });
  }

  async #helpAll(): Promise<void> {
    for (const { run, status } of await this.#journal.runs({ statuses: ["paused", "blocked"] }))
      await this.#ask(run, status === "paused" ? { kind: "resume" } : { kind: "retry" });
  }

  async #ask(run: string, request: RunRequest): Promise<void> {
    this.#asked += 1;
    const id = `req_${String(this.#asked)}`;
    const row = { id, address: run, request, by: "people", at: this.#machine.time.now };
    await this.#journal.ask(row);
    // A person in a hurry asks the same thing twice under one id.
    if (this.#machine.chance() < 0.1) await this.#journal.ask(row);
  }
}
