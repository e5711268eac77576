import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import {
  AGENT_ACTS,
  BRANCH,
  happens,
  lockOf,
  SAME_FILES,
  TAKING_AWAY,
  USER_ACTS,
  type Acting,
} from "./acts.ts";
import { BOUNDARIES, type OrderName } from "./crash-boundaries.ts";
import { asItWas, changedOf, nothingLost, type Expected } from "./expected-own.ts";
import type { Given, OrderAnswer, OrderGiver } from "./order-giver.ts";
import { differences, usersOwn } from "./users-own.ts";

export interface Answer {
  readonly kind?: string;
  readonly fault?: string;
  readonly id?: string;
  readonly commit?: string;
  readonly from?: string;
  readonly last?: string;
  readonly files?: readonly string[];
  readonly paths?: readonly string[];
  readonly replaced?: { readonly ref: string; readonly files: readonly string[] };
  readonly changes?: readonly { readonly path: string }[];
  readonly head?: { readonly commit: string | null; readonly branch: string | null };
  readonly failure?: string;
  readonly trusted?: string;
  readonly aside?: string | null;
  readonly before?: string;
}

/** Where a story takes place. */
export type Stage = Acting & { readonly home: string };

/** Destroys something at one moment of the story: whether that is noticed is what a test wants to know. */
export type Spoiler = (moment: string, stage: Stage) => void;

/** What happened, to be counted. */
export interface Reported {
  readonly kind: string;
  readonly acts: readonly string[];
  readonly kills: readonly string[];
  /** Boundaries at which a process was held while a person acted, and then went on. */
  readonly pauses: readonly string[];
  readonly ends: readonly string[];
}

export const pick = <T>(chance: () => number, all: readonly T[]): T =>
  all[Math.floor(chance() * all.length)] as T;

export const answerOf = (given: OrderAnswer | null): Answer =>
  given?.fault === undefined ? (given?.answer ?? {}) : { fault: given.fault };

interface Carried {
  readonly answer: Answer;
  readonly expected: Expected;
}

/** These make or remove the run's tree, or need none. */
const NEEDS_NO_TREE = /^(createWorktree|mendWorktree|takeIn|removeWorktree|release)$/;
/** A person who removes the tree while it is read or written has lost it; what was kept before is all there is. */
const READS_TREE = /^(carry|snapshot|restore|commit|beginMerge|mendWorktree|createWorktree|removeWorktree)$/;

/** Gives orders of a story to processes, most of which are killed or held at boundaries while people act. */
export class StoryOrders {
  stage: Stage;
  readonly acts: string[] = [];
  readonly kills: string[] = [];
  readonly pauses: string[] = [];
  readonly ends: string[] = [];
  readonly #giver: OrderGiver;
  readonly #spoil: Spoiler;
  #times = 0;

  constructor(stage: Stage, giver: OrderGiver, spoil: Spoiler = () => undefined) {
    this.stage = stage;
    this.#giver = giver;
    this.#spoil = spoil;
  }

  get told(): Reported {
    const { acts, kills, pauses, ends } = this;
    return { kind: this.stage.kind, acts, kills, pauses, ends };
  }

  get place(): { readonly project: string; readonly tree: string } {
    return { project: this.stage.project, tree: this.stage.tree };
  }

  nextMs(): number {
    return (this.#times += 1);
  }

  spoil(moment: string): void {
    this.#spoil(moment, this.stage);
  }

  userActs(among: readonly string[] = Object.keys(USER_ACTS)): string {
    const act = pick(this.stage.chance, among);
    const happened = happens(() => USER_ACTS[act]?.(this.stage));
    this.acts.push(`user ${act}${happened ? "" : " (refused)"}`);
    return act;
  }

  agentActs(among: readonly string[] = Object.keys(AGENT_ACTS)): void {
    const act = pick(this.stage.chance, among);
    const { tree } = this.stage;
    const happened = existsSync(tree) && happens(() => AGENT_ACTS[act]?.(tree));
    this.acts.push(`agent ${act}${happened ? "" : " (refused)"}`);
  }

  /** Without any kill. */
  async ask(method: string, ...order: readonly unknown[]): Promise<Answer> {
    return answerOf(await this.#giver.give({ home: this.stage.home, method, order }));
  }

  /** Gives an order; more often than not it is killed or held once or twice, at times with an act of the user. */
  async order(method: OrderName, order: object, lastCommit?: string): Promise<Carried> {
    const { chance, home, project } = this.stage;
    const given: Given = { home, method, order: [order] };
    const own = usersOwn(project);
    let expected = asItWas(own);
    for (let life = 0.6; chance() < life; life /= 2) {
      const at = { name: pick(chance, BOUNDARIES[method]), occurrence: 1 + Math.floor(chance() * 2) };
      const acting = (among: readonly string[]): void => {
        const left = usersOwn(project);
        this.userActs(among);
        expected = { own, acted: new Map([...expected.acted, ...differences(left, usersOwn(project))]) };
      };
      if (chance() < 0.3) {
        const held = await this.#giver.give({ ...given, pauseAt: at }, () => {
          this.pauses.push(`${method} ${at.name}`);
          acting(chance() < 0.5 ? SAME_FILES : actsBeside(method));
        });
        if (held?.fault === undefined) return { answer: answerOf(held), expected };
        // What it could not do beside a person it does afterwards.
        this.ends.push(`${method} failed once`);
      } else {
        const first = await this.#giver.give({ ...given, crashAt: at });
        if (first !== null) return { answer: answerOf(first), expected };
        this.kills.push(`${method} ${at.name}`);
        this.spoil(`killed ${method}`);
        if (chance() < 0.5) acting(Object.keys(USER_ACTS));
      }
      if (lastCommit !== undefined && !NEEDS_NO_TREE.test(method)) await this.#mendQuietly(lastCommit);
    }
    const again = (await this.#giver.give(given)) ?? assert.fail("nobody has killed it");
    return { answer: answerOf(again), expected };
  }

  /** An order beside which nobody acts; it may be killed once or twice. */
  async killed(method: OrderName, order: unknown): Promise<Answer> {
    const { chance, home } = this.stage;
    const given: Given = { home, method, order: [order] };
    for (let life = 0.6; chance() < life; life /= 2) {
      const crashAt = { name: pick(chance, BOUNDARIES[method]), occurrence: 1 + Math.floor(chance() * 2) };
      const first = await this.#giver.give({ ...given, crashAt });
      if (first !== null) return answerOf(first);
      this.kills.push(`${method} ${crashAt.name}`);
      this.spoil(`killed ${method}`);
    }
    return this.ask(method, order);
  }

  /** As a supervisor does before each order that needs the tree. */
  async #mendQuietly(commit: string): Promise<void> {
    const { fault } = await this.ask("mendWorktree", {
      ...this.place,
      branch: BRANCH,
      commit,
      atMs: this.nextMs(),
    });
    assert.equal(fault, undefined);
  }

  /** An order after which all that is the user's is as they left it. */
  async leavesAll(method: OrderName, order: object, lastCommit?: string): Promise<Answer> {
    const { answer, expected } = await this.order(method, order, lastCommit);
    nothingLost(changedOf(this.stage.project, expected), `${method} changed what is the user's`);
    return answer;
  }

  unlock(): void {
    rmSync(lockOf(this.stage), { force: true });
  }
}

/** What people may do while an order is under way. They do not remove a lock that a living process holds. */
function actsBeside(method: OrderName): string[] {
  return Object.keys(USER_ACTS).filter(
    (act) => act !== "unlockAndReset" && !(READS_TREE.test(method) && TAKING_AWAY.has(act)),
  );
}
