import { keyOf, recordName, type RecordKind } from "../../model/values/program-key.ts";
import { scopeAt, type ProgramRecord, type ProgramScope } from "../../model/state/program-state.ts";
import { Fault } from "../../model/fault.ts";
import { AskedNames } from "./asked-names.ts";
import { divergedFault } from "../life/program-error.ts";
import type { OpenScope } from "./open-scope.ts";
import { checkInside } from "./scope-guard.ts";

/** What was asked for, and what the journal knows of it. */
export interface AskedFor {
  readonly kind: RecordKind;
  readonly name: string;
  readonly key: string;
  readonly recorded: string;
  readonly record: ProgramRecord | undefined;
}

/**
 * How long the code of a scope may take, without asking for anything, from one recorded thing to the next: only what
 * it awaits outside of steps can take time, since everything recorded is answered at once. It is waited for in parts,
 * so that a process without processor time, or at work without a pause, is not treated as one that asks for nothing.
 */
const REPLAY_PAUSE_PARTS = 10;
const REPLAY_PAUSE_PART_MS = 500;

const NAMED_KINDS = ["step", "spawn", "loop", "wait"] as const;

/** What waits for the scope around. */
export interface Gate {
  mustHold(): boolean;
  hold(): Promise<void>;
}

interface Held {
  readonly asked: AskedFor;
  readonly go: () => void;
  readonly refuse: (why: Error) => void;
}

/**
 * The names of one scope: those recorded before this life, and those asked for in it.
 *
 * States: replaying, while a name that was recorded before this life has not been asked for; caught up. While
 * replaying, what is recorded is answered, and what is not is held, before anything is done for it: code that runs
 * side by side asks in another order than it ended in. If nothing more is asked for, the code has changed: it diverged,
 * and the history knows of no effect that it did not have before. Code that does again what had failed may take
 * another way than the recorded one; there nothing is held.
 */
export class ScopeNames {
  readonly #open: OpenScope;
  readonly #around: Gate | null;
  readonly #names = new AskedNames();
  /** How many names were recorded before this life and have not been asked for yet: beyond them nothing can differ. */
  #left: number;
  readonly #isLoose: boolean;
  #held: Held[] = [];
  #cancelPause: () => void = () => undefined;

  constructor(open: OpenScope, known: ProgramScope | undefined, around: Gate | null = null) {
    this.#open = open;
    this.#around = around;
    this.#isLoose = known?.loose === true;
    this.#left = known === undefined ? 0 : Object.keys(known.records).length;
  }

  /** `within` is this scope, or where it cleans up. */
  ask(kind: RecordKind, name: string, within: OpenScope = this.#open): AskedFor {
    const { path } = this.#open;
    within.check();
    checkInside(path, kind, name);
    const recorded = recordName(kind, name);
    if (this.#names.isAsked(recorded))
      throw new Fault(
        "usage",
        `the name "${name}" is used twice for a ${kind} in one scope of ${this.#run}; names identify what is recorded: use another`,
      );
    const isSeen = !this.#names.isNew(recorded);
    this.#names.ask(recorded);
    const records = this.#records();
    const record = records[recorded];
    if (record !== undefined && !isSeen) this.#answered();
    else if (this.#left > 0) this.#checkKind(kind, name, records);
    return { kind, name, key: keyOf(path, recorded), recorded, record };
  }

  askNumbered(kind: RecordKind): AskedFor {
    return this.ask(kind, String(this.#names.next(kind)));
  }

  /** Whether something that the journal does not know has to wait until the rest was asked for. */
  mustHold({ record }: AskedFor): boolean {
    if (record !== undefined) return false;
    return (this.#left > 0 && !this.#isLoose) || this.#around?.mustHold() === true;
  }

  /**
   * A loop of which nothing is recorded may be one that failed before its first iteration was committed. So it is
   * entered, and what is not recorded waits inside of it, as does its first commit.
   */
  gate(asked: AskedFor): Gate | null {
    if (!this.mustHold(asked)) return null;
    return { mustHold: () => this.mustHold(asked), hold: () => this.hold(asked) };
  }

  /** Waits until everything recorded was asked for; rejects if the code has changed. */
  async hold(asked: AskedFor): Promise<void> {
    if (this.#around?.mustHold() === true) await this.#around.hold();
    if (this.#left > 0 && !this.#isLoose) await this.#heldUntilAsked(asked);
  }

  #heldUntilAsked(asked: AskedFor): Promise<void> {
    const held = new Promise<void>((go, refuse) => {
      this.#held.push({ asked, go, refuse });
    });
    this.#watch();
    return this.#open.race(held);
  }

  /** Answered by other ways than by being asked for. */
  see(recorded: string): void {
    if (!this.#names.isNew(recorded)) return;
    this.#names.see(recorded);
    if (this.#records()[recorded] !== undefined) this.#answered();
  }

  /** The code does not ask for it any more, no matter what it was. */
  retire(name: string): void {
    for (const kind of NAMED_KINDS) this.see(recordName(kind, name));
  }

  get isReplaying(): boolean {
    return this.#leftName() !== undefined;
  }

  /** Recorded names that the workflow function did not ask for this time: it took another way. */
  checkAllAsked(): void {
    const left = this.#isLoose ? undefined : this.#leftName();
    if (left !== undefined)
      throw this.#diverged(left, `"${left.replace(":", " ")}"`, "ended without asking for it");
  }

  get #run(): string {
    return this.#open.life.run;
  }

  #records(): Readonly<Record<string, ProgramRecord>> {
    return scopeAt(this.#open.life.root, this.#open.path)?.records ?? {};
  }

  #answered(): void {
    this.#left -= 1;
    if (this.#held.length === 0) return;
    if (this.#left > 0) {
      this.#watch();
      return;
    }
    this.#cancelPause();
    const held = this.#held;
    this.#held = [];
    for (const { go } of held) go();
  }

  #watch(parts = REPLAY_PAUSE_PARTS): void {
    this.#cancelPause();
    const pause = this.#open.life.delay(REPLAY_PAUSE_PART_MS);
    this.#cancelPause = pause.cancel;
    void pause.over.then(() => {
      if (parts > 1) this.#watch(parts - 1);
      else this.#refuseHeld();
    });
  }

  #refuseHeld(): void {
    const left = this.#leftName();
    const [first] = this.#held;
    if (left === undefined || first === undefined) return;
    const { kind, name } = first.asked;
    const why = this.#diverged(
      left,
      `"${left.replace(":", " ")}"`,
      `asks for ${kind} "${name}", which is not recorded; nothing was done for it`,
    );
    for (const { refuse } of this.#held.splice(0)) refuse(why);
  }

  /** The same name, recorded for something else that was not asked for: the workflow function has changed. */
  #checkKind(kind: RecordKind, name: string, records: Readonly<Record<string, ProgramRecord>>): void {
    for (const other of NAMED_KINDS) {
      const recorded = recordName(other, name);
      if (other !== kind && Object.hasOwn(records, recorded) && this.#names.isNew(recorded))
        throw this.#diverged(recorded, `${other} "${name}"`, `asks for ${kind} "${name}"`);
    }
  }

  /** The one that catches it goes no further. */
  #diverged(recorded: string, known: string, asked: string): Fault {
    const { life, path } = this.#open;
    return life.diverge(divergedFault(this.#run, { key: keyOf(path, recorded), recorded: known, asked }));
  }

  /** One that is recorded and was not asked for. */
  #leftName(): string | undefined {
    return Object.keys(this.#records()).find((name) => this.#names.isNew(name));
  }
}
