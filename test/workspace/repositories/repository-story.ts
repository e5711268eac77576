import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { imageDifferences, treeImage } from "../tree-image.ts";
import { AGENT_ACTS, BRANCH, happens, isLocked, lockOf, USER_ACTS, type Acting } from "./acts.ts";
import { BOUNDARIES, type OrderName } from "./crash-boundaries.ts";
import { asItWas, changedBesides, changedOf, isIn, nothingLost, type Expected } from "./expected-own.ts";
import { makeRepository } from "./made-repository.ts";
import type { OrderAnswer, OrderGiver } from "./order-giver.ts";
import { differences, gitBytes, stashOf, usersOwn } from "./users-own.ts";

const AUTHOR = { name: "a", email: "a@localhost" };

interface Answer {
  readonly kind?: string;
  readonly fault?: string;
  readonly id?: string;
  readonly commit?: string;
  readonly from?: string;
  readonly last?: string;
  readonly files?: readonly string[];
  readonly changes?: readonly { readonly path: string }[];
  readonly head?: { readonly commit: string | null; readonly branch: string | null };
  readonly replaced?: { readonly ref: string; readonly files: readonly string[] };
}

/** Destroys something at one moment of the story: whether that is noticed is what a test wants to know. */
export type Spoiler = (moment: string, story: Acting & { readonly home: string }) => void;

/** What happened, to be counted. */
export interface Told {
  readonly kind: string;
  readonly acts: readonly string[];
  readonly kills: readonly string[];
  readonly ends: readonly string[];
}

const pick = <T>(chance: () => number, all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;

/** One repository in which agents and people work at once and processes are killed. Throws with what is lost. */
export async function liveThrough(seed: number, giver: OrderGiver, spoil?: Spoiler): Promise<Told> {
  const folder = mkdtempSync(
    path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-repository-"),
  );
  try {
    const chance = seededChance(seed);
    const made = makeRepository(folder, seed, chance);
    const tree = path.join(folder, "trees", "story");
    return await new Story({ ...made, tree, home: path.join(folder, "home") }, giver, spoil).live();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Story {
  readonly #acting: Acting & { readonly home: string };
  readonly #giver: OrderGiver;
  readonly #spoil: Spoiler;
  readonly #acts: string[] = [];
  readonly #kills: string[] = [];
  readonly #ends: string[] = [];
  /** Commits that Holdfast has answered, and images of what it has kept: none of them may be lost. */
  readonly #commits = new Set<string>();
  readonly #kept = new Map<string, Map<string, string>>();
  #times = 0;

  constructor(
    acting: Acting & { readonly home: string },
    giver: OrderGiver,
    spoil: Spoiler = () => undefined,
  ) {
    this.#acting = acting;
    this.#giver = giver;
    this.#spoil = spoil;
  }

  get #place(): { readonly project: string; readonly tree: string } {
    return { project: this.#acting.project, tree: this.#acting.tree };
  }

  async live(): Promise<Told> {
    try {
      return await this.#tell();
    } catch (error) {
      const happened = [this.#acting.kind, ...this.#acts, ...this.#kills, ...this.#ends].join(", ");
      throw new Error(`${error instanceof Error ? error.message : String(error)} (${happened})`, {
        cause: error,
      });
    }
  }

  async #tell(): Promise<Told> {
    this.#userActs(["edit", "editSame", "stage", "nothing"]);
    const begun = await this.#leavesAll("createWorktree", {
      key: "w",
      ...this.#place,
      branch: BRANCH,
      goOn: true,
    });
    if (begun.fault === undefined) await this.#work(begun.from ?? "");
    else {
      assert.match(begun.fault, /has no commit yet/);
      this.#ends.push("refused");
    }
    const { kind } = this.#acting;
    return { kind, acts: this.#acts, kills: this.#kills, ends: this.#ends };
  }

  async #work(from: string): Promise<void> {
    await this.#leavesAll("carry", { key: "c", ...this.#place, onto: from, paths: [], atMs: 1 });
    await this.#mended(from);
    const first = await this.#keep("s1");
    this.#agentActs();
    this.#agentActs();
    this.#userActs();
    this.#spoil("worked", this.#acting);
    await this.#mended(from);
    const second = await this.#keep("s2");
    const tip = await this.#commitWork(first, second);
    this.#userActs();
    this.#userActs();
    this.#spoil("committed", this.#acting);
    await this.#accept(tip, from);
    this.#spoil("accepted", this.#acting);
    await this.#bringBack(tip);
    await this.#forget(first, second);
    await this.#leavesAll("removeWorktree", { key: "x", ...this.#place, atMs: 9 });
    this.#spoil("removed", this.#acting);
    this.#nothingIsLost();
  }

  #userActs(among: readonly string[] = Object.keys(USER_ACTS)): void {
    const act = pick(this.#acting.chance, among);
    const happened = happens(() => USER_ACTS[act]?.(this.#acting));
    this.#acts.push(`user ${act}${happened ? "" : " (refused)"}`);
  }

  #agentActs(): void {
    const act = pick(this.#acting.chance, Object.keys(AGENT_ACTS));
    const { tree } = this.#acting;
    const happened = existsSync(tree) && happens(() => AGENT_ACTS[act]?.(tree));
    this.#acts.push(`agent ${act}${happened ? "" : " (refused)"}`);
  }

  /** Gives an order; more often than not it is killed once or twice, at times with an act of the user in between. */
  async #order(
    method: OrderName,
    order: object,
  ): Promise<{ readonly answer: Answer; readonly expected: Expected }> {
    const { chance, home, project } = this.#acting;
    const given = { home, method, order: [order] };
    const own = usersOwn(project);
    let expected = asItWas(own);
    for (let life = 0.6; chance() < life; life /= 2) {
      const crashAt = { name: pick(chance, BOUNDARIES[method]), occurrence: 1 + Math.floor(chance() * 2) };
      const first = await this.#giver.give({ ...given, crashAt });
      if (first !== null) return { answer: answerOf(first), expected };
      this.#kills.push(`${method} ${crashAt.name}`);
      this.#spoil(`killed ${method}`, this.#acting);
      if (chance() < 0.5) {
        const left = usersOwn(project);
        this.#userActs(Object.keys(USER_ACTS).filter((act) => !/Branch$|^lock/.test(act)));
        expected = { own, acted: new Map([...expected.acted, ...differences(left, usersOwn(project))]) };
      }
    }
    const again = (await this.#giver.give(given)) ?? assert.fail("nobody has killed it");
    return { answer: answerOf(again), expected };
  }

  /** An order after which all that is the user's is as they left it. */
  async #leavesAll(method: OrderName, order: object): Promise<Answer> {
    const { answer, expected } = await this.#order(method, order);
    nothingLost(changedOf(this.#acting.project, expected), `${method} changed what is the user's`);
    return answer;
  }

  async #mended(commit: string): Promise<void> {
    const order = { ...this.#place, branch: BRANCH, commit, atMs: (this.#times += 1) };
    const { fault } = await this.#leavesAll("mendWorktree", order);
    assert.equal(fault, undefined);
  }

  async #keep(key: string): Promise<Answer> {
    const { agents } = stashOf(this.#acting.project);
    const order = { key, ...this.#place, stashApart: true, atMs: (this.#times += 1) };
    const kept = await this.#leavesAll("snapshot", order);
    assert.equal(kept.fault, undefined);
    this.#isUsersStash(agents);
    this.#kept.set(kept.id ?? "", treeImage(this.#acting.tree));
    return kept;
  }

  /** What agents have stashed is in the user's list no more, and held by refs until the end. */
  #isUsersStash(agents: readonly string[]): void {
    const { project } = this.#acting;
    const now = stashOf(project);
    nothingLost(now.agents, "an agent's entry is in the user's stash");
    const top = gitBytes(project, ["for-each-ref", "--format=%(objectname)", "refs/stash"]).trim();
    assert.equal(top, now.users.at(-1)?.split(" ", 1)[0] ?? "");
    for (const entry of agents) this.#commits.add(entry.split(" ", 1)[0] ?? "");
  }

  /** The commit that the run's branch is on afterwards. */
  async #commitWork(first: Answer, second: Answer): Promise<string> {
    const { git, home, project } = this.#acting;
    const compared = await this.#giver.give({
      home,
      method: "compare",
      order: [this.#place, first.id, second.id],
    });
    const files = (answerOf(compared).changes ?? []).map((change) => change.path);
    const at = second.head ?? { commit: null, branch: null };
    if (at.commit !== null && at.branch === BRANCH) this.#commits.add(at.commit);
    const expected = { commit: at.commit, branch: at.branch ?? BRANCH };
    const order = {
      key: "k",
      ...this.#place,
      files,
      message: "work\n",
      author: AUTHOR,
      expected,
      alone: true,
    };
    const done = await this.#leavesAll("commit", { ...order, atMs: (this.#times += 1) });
    assert.equal(done.fault, undefined);
    this.#ends.push(`commit ${done.kind ?? ""}`);
    if (done.kind === "committed") this.#isAsKept(done, second);
    if (done.kind === "committed") this.#keepsSubmodules(done.commit ?? "");
    if (done.last !== undefined) {
      this.#commits.add(done.last);
      git("update-ref", `refs/heads/${BRANCH}`, done.last);
    }
    const tip = done.commit ?? done.last ?? gitBytes(project, ["rev-parse", `refs/heads/${BRANCH}`]).trim();
    this.#commits.add(tip);
    return tip;
  }

  /** What was committed has the bytes that were kept right before. */
  #isAsKept({ commit = "", files = [] }: Answer, { id = "" }: Answer): void {
    this.#commits.add(commit);
    const image = this.#kept.get(id);
    for (const file of files) {
      if (image?.get(Buffer.from(file).toString("latin1"))?.startsWith("file ") !== true) continue;
      const bytes = gitBytes(this.#acting.project, ["cat-file", "blob", `${commit}:${file}`]);
      assert.ok(
        image.get(Buffer.from(file).toString("latin1"))?.endsWith(digest(bytes)),
        `${file} was committed`,
      );
    }
  }

  /** What is in a submodule is its own repository's to commit. */
  #keepsSubmodules(commit: string): void {
    const links = (of: string): string[] =>
      gitBytes(this.#acting.project, ["ls-tree", "-r", of])
        .split("\n")
        .filter((line) => line.startsWith("160000 "));
    assert.deepEqual(links(commit), links(`${commit}^`), "a submodule is one still");
  }

  async #accept(tip: string, base: string): Promise<void> {
    const answer = await this.#takeIn("t1", { commit: tip, base });
    if (answer.kind === "locked") {
      assert.equal(answer.kind, "locked");
      rmSync(lockOf(this.#acting), { force: true });
      await this.#takeIn("t2", { commit: tip, base });
    } else if (answer.kind === "dropped")
      await this.#takeIn("t2", { commit: tip, base, dropped: pick(this.#acting.chance, ["bring", "leave"]) });
    else if (answer.kind === "conflict") await this.#merge();
    rmSync(lockOf(this.#acting), { force: true });
  }

  async #takeIn(key: string, about: object): Promise<Answer> {
    const { project } = this.#acting;
    const order = {
      key,
      project,
      work: BRANCH,
      message: "merge\n",
      author: AUTHOR,
      atMs: (this.#times += 1),
    };
    const { answer, expected } = await this.#order("takeIn", { ...order, ...about });
    assert.equal(answer.fault, undefined);
    this.#ends.push(`accept ${answer.kind ?? ""}`);
    this.#spoil("taken", this.#acting);
    if (answer.kind !== "taken")
      nothingLost(
        changedOf(project, expected),
        `an acceptance that is ${answer.kind ?? "refused"} changed something`,
      );
    else
      nothingLost(
        changedBesides(project, expected, answer.commit ?? ""),
        "an acceptance changed something else",
      );
    return answer;
  }

  /** Both sides are put into the run's tree; the user finishes the merge another day. */
  async #merge(): Promise<void> {
    const { project, tree } = this.#acting;
    const theirs = gitBytes(project, ["rev-parse", "HEAD"]).trim();
    const merged = await this.#leavesAll("beginMerge", { project, tree, theirs, message: "both\n" });
    this.#ends.push(`merge ${merged.kind ?? merged.fault ?? ""}`);
  }

  /** Each thing that was kept comes back byte for byte, also into a tree that has to be made again. */
  async #bringBack(tip: string): Promise<void> {
    await this.#mended(tip);
    for (const [id, image] of this.#kept) {
      const order = { key: `r ${id}`, ...this.#place, snapshot: id, atMs: (this.#times += 1) };
      const { fault } = await this.#leavesAll("restore", order);
      assert.equal(fault, undefined);
      nothingLost(imageDifferences(image, treeImage(this.#acting.tree)), "what was kept did not come back");
    }
  }

  /** One that is let go leaves the other whole. */
  async #forget(one: Answer, { id }: Answer): Promise<void> {
    const { home, project } = this.#acting;
    await this.#leavesAll("release", { project, keys: ["s1"] });
    const given = { home, method: "verify", order: [this.#place, id] };
    assert.equal(answerOf(await this.#giver.give(given)).kind, "whole");
    if (one.id !== id) this.#kept.delete(one.id ?? "");
  }

  /** Git forgets all that nothing names any more: what was committed is still there. */
  #nothingIsLost(): void {
    const { project, git } = this.#acting;
    assert.ok(!isLocked(this.#acting), "the user's index is locked for ever");
    git("fsck", "--connectivity-only");
    const named = gitBytes(project, ["for-each-ref", "--format=%(objectname)"]).trim().split("\n");
    for (const commit of this.#commits)
      assert.ok(
        named.some((ref) => isIn(project, commit, ref)),
        `${commit} was committed, and no ref holds it`,
      );
  }
}

const answerOf = (given: OrderAnswer | null): Answer =>
  given?.fault === undefined ? (given?.answer ?? {}) : { fault: given.fault };

const digest = (bytes: string): string =>
  createHash("sha256").update(bytes, "latin1").digest("hex").slice(0, 16);
