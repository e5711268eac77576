import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { imageDifferences } from "../tree-image.ts";
import { BRANCH, happens } from "./acts.ts";
import { changedBesides, changedOf, nothingLost } from "./expected-own.ts";
import { InPlaceStory } from "./in-place-story.ts";
import { makeRepository } from "./made-repository.ts";
import type { OrderGiver } from "./order-giver.ts";
import {
  isAsKept,
  isCopied,
  isReplacedKept,
  keepsSubmodules,
  keptImage,
  nothingIsLost,
} from "./story-checks.ts";
import { pick, StoryOrders, type Answer, type Spoiler, type Reported } from "./story-orders.ts";
import { makeIgnored, plotOf, type Plot } from "./story-plots.ts";
import { forgetMemory, gitBytes, stashOf } from "./users-own.ts";

const AUTHOR = { name: "a", email: "a@localhost" };

/** One repository in which agents and people work at once and processes are killed. Throws with what is lost. */
export async function liveThrough(seed: number, giver: OrderGiver, spoil?: Spoiler): Promise<Reported> {
  const folder = mkdtempSync(
    path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-repository-"),
  );
  const chance = seededChance(seed);
  const made = makeRepository(folder, seed, chance);
  const tree = path.join(folder, "trees", "story");
  const orders = new StoryOrders({ ...made, tree, home: path.join(folder, "home") }, giver, spoil);
  // Without a commit there is nothing that a worktree could begin from.
  const isInPlace = made.kind === "unborn" ? chance() < 0.8 : chance() < 0.15;
  try {
    await (isInPlace ? new InPlaceStory(orders) : new Story(orders, plotOf(seed))).live();
    return orders.told;
  } catch (error) {
    const { kind, acts, kills, pauses, ends } = orders.told;
    const happened = [kind, ...acts, ...kills, ...pauses.map((at) => `held ${at}`), ...ends].join(", ");
    const said = (error instanceof Error ? error.message : String(error)).replaceAll(folder, "STORY");
    throw new Error(`${said} (${happened})`, { cause: error });
  } finally {
    forgetMemory(made.project);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run works in its own worktree, and its work is accepted. */
class Story {
  readonly #orders: StoryOrders;
  /** Commits that Holdfast has answered, and images of what it has kept: none of them may be lost. */
  readonly #commits = new Set<string>();
  readonly #kept = new Map<string, Map<string, string>>();
  /** The last commit of the run that Holdfast has answered. */
  #last = "";

  readonly #plot: Plot;

  constructor(orders: StoryOrders, plot: Plot) {
    this.#orders = orders;
    this.#plot = plot;
  }

  async live(): Promise<void> {
    if (this.#plot.paths.length > 0) makeIgnored(this.#orders.stage);
    this.#orders.userActs(this.#plot.first);
    const begun = await this.#orders.leavesAll("createWorktree", {
      ...{ key: "w", ...this.#orders.place },
      ...{ branch: BRANCH, goOn: true },
    });
    if (begun.fault === undefined) await this.#work(begun.from ?? "");
    else {
      assert.match(begun.fault, /has no commit yet/);
      this.#orders.ends.push("refused");
    }
  }

  async #work(from: string): Promise<void> {
    const orders = this.#orders;
    this.#last = from;
    const { paths } = this.#plot;
    const carried = await this.#leavesAll("carry", { key: "c", ...orders.place, onto: from, paths, atMs: 1 });
    isCopied(orders.stage, carried);
    await this.#mended();
    const first = await this.#keep("s1");
    for (const acts of this.#plot.agent) orders.agentActs(acts);
    orders.userActs(this.#plot.beside);
    orders.spoil("worked");
    await this.#mended();
    const second = await this.#keep("s2");
    await this.#emptied(second);
    const tip = await this.#commitWork(first, second);
    for (const acts of this.#plot.accepting) orders.userActs(acts);
    orders.spoil("committed");
    await this.#accept(tip, { from, second });
    orders.spoil("accepted");
    await this.#bringBack();
    await this.#forget(first, second);
    await this.#leavesAll("removeWorktree", { key: "x", ...orders.place, atMs: 9 });
    orders.spoil("removed");
    nothingIsLost(orders.stage, this.#commits);
  }

  /** A tree that is made again on the commit of its last checkpoint is as that says. */
  async #emptied({ id = "", head }: Answer): Promise<void> {
    if (this.#plot.kept.length === 0) return;
    const { stage } = this.#orders;
    this.#orders.userActs(this.#plot.kept);
    await this.#mended();
    this.#orders.spoil("remade");
    const at = gitBytes(stage.tree, ["rev-parse", "HEAD"]).trim();
    if (at !== head?.commit) return;
    const image = this.#kept.get(id) ?? assert.fail("nothing was kept");
    nothingLost(imageDifferences(image, keptImage(stage.tree)), "a tree that was made again differs");
  }

  #leavesAll(method: Parameters<StoryOrders["leavesAll"]>[0], order: object): Promise<Answer> {
    return this.#orders.leavesAll(method, order, this.#last);
  }

  async #mended(): Promise<void> {
    const { place } = this.#orders;
    const order = { ...place, branch: BRANCH, commit: this.#last, atMs: this.#orders.nextMs() };
    const { fault } = await this.#leavesAll("mendWorktree", order);
    assert.equal(fault, undefined);
  }

  async #keep(key: string): Promise<Answer> {
    const { place, stage } = this.#orders;
    const { agents } = stashOf(stage.project);
    const order = { key, ...place, stashApart: true, atMs: this.#orders.nextMs() };
    const kept = await this.#leavesAll("snapshot", order);
    assert.equal(kept.fault, undefined);
    this.#isUsersStash(agents);
    await this.#mended();
    this.#kept.set(kept.id ?? "", keptImage(stage.tree));
    return kept;
  }

  /** What agents have stashed is in the user's list no more, and held by refs until the end. */
  #isUsersStash(agents: readonly string[]): void {
    const { project } = this.#orders.stage;
    const now = stashOf(project);
    nothingLost(now.agents, "an agent's entry is in the user's stash");
    const top = gitBytes(project, ["for-each-ref", "--format=%(objectname)", "refs/stash"]).trim();
    assert.equal(top, now.users.at(-1)?.split(" ", 1)[0] ?? "");
    for (const entry of agents) this.#commits.add(entry.split(" ", 1)[0] ?? "");
  }

  /** The commit that the run's branch is on afterwards. */
  async #commitWork(first: Answer, second: Answer): Promise<string> {
    const { place, stage, ends } = this.#orders;
    const { git, project } = stage;
    const compared = await this.#orders.ask("compare", place, first.id, second.id);
    const files = (compared.changes ?? []).map((change) => change.path);
    const at = second.head ?? { commit: null, branch: null };
    if (at.commit !== null && at.branch === BRANCH) {
      this.#commits.add(at.commit);
      this.#last = at.commit;
    }
    const done = await this.#leavesAll("commit", {
      ...{ key: "k", ...place, files, message: "work\n", author: AUTHOR, alone: true },
      ...{ expected: { commit: at.commit, branch: at.branch ?? BRANCH }, atMs: this.#orders.nextMs() },
    });
    assert.equal(done.fault, undefined);
    ends.push(`commit ${done.kind ?? ""}`);
    if (done.kind === "committed") this.#isWhole(done, second);
    if (done.last !== undefined) {
      this.#commits.add(done.last);
      git("update-ref", `refs/heads/${BRANCH}`, done.last);
    }
    if (done.commit !== undefined) this.#last = done.commit;
    await this.#mended();
    const tip = done.commit ?? done.last ?? gitBytes(project, ["rev-parse", `refs/heads/${BRANCH}`]).trim();
    this.#commits.add(tip);
    this.#last = tip;
    return tip;
  }

  #isWhole(done: Answer, { id = "" }: Answer): void {
    const { project } = this.#orders.stage;
    this.#commits.add(done.commit ?? "");
    isAsKept(project, done, this.#kept.get(id));
    keepsSubmodules(project, done.commit ?? "");
  }

  async #accept(
    tip: string,
    { from: base, second }: { readonly from: string; readonly second: Answer },
  ): Promise<void> {
    const { chance } = this.#orders.stage;
    let answer = await this.#takeIn("t1", { commit: tip, base });
    if (answer.kind === "locked") {
      this.#orders.unlock();
      answer = await this.#takeIn("t2", { commit: tip, base });
    } else if (answer.kind === "dropped")
      answer = await this.#takeIn("t2", { commit: tip, base, dropped: pick(chance, ["bring", "leave"]) });
    if (answer.kind === "conflict") await this.#merge(tip, { base, second });
    this.#orders.unlock();
  }

  async #takeIn(key: string, about: object): Promise<Answer> {
    const { project } = this.#orders.stage;
    const order = {
      ...{ key, project, work: BRANCH, message: "merge\n", author: AUTHOR },
      ...{ atMs: this.#orders.nextMs(), ...about },
    };
    const { answer, expected } = await this.#orders.order("takeIn", order, this.#last);
    assert.equal(answer.fault, undefined);
    this.#orders.ends.push(`accept ${answer.kind ?? ""}${answer.replaced === undefined ? "" : " on top"}`);
    this.#orders.spoil("taken");
    isReplacedKept(project, expected.own, answer);
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

  /** Both sides are put into the run's tree; the user finishes the merge, or leaves it for another day. */
  async #merge(
    tip: string,
    { base, second }: { readonly base: string; readonly second: Answer },
  ): Promise<void> {
    const { project, tree, chance } = this.#orders.stage;
    const theirs = gitBytes(project, ["rev-parse", "HEAD"]).trim();
    await this.#mended();
    const merged = await this.#leavesAll("beginMerge", { project, tree, theirs, message: "both\n" });
    this.#orders.ends.push(`merge ${merged.kind ?? "refused"}`);
    if (merged.fault !== undefined) assert.match(merged.fault, /is on no branch/);
    if (merged.kind !== "begun") return;
    this.#orders.spoil("merging");
    assert.equal(gitBytes(tree, ["rev-parse", "MERGE_HEAD"]).trim(), theirs, "a merge is under way");
    if (chance() < 0.25) return;
    for (const file of merged.files ?? [])
      happens(() => {
        writeFileSync(path.join(tree, file), "of both\n");
      });
    await this.#commitMerge(tip, { theirs, base, second });
  }

  /** What a person made of both sides becomes one commit of both, and is accepted. */
  async #commitMerge(
    tip: string,
    { theirs, base, second }: { readonly theirs: string; readonly base: string; readonly second: Answer },
  ): Promise<void> {
    const { place, stage, ends } = this.#orders;
    const third = await this.#keep("s3");
    const compared = await this.#orders.ask("compare", place, second.id, third.id);
    const done = await this.#leavesAll("commit", {
      ...{ key: "k2", ...place, files: (compared.changes ?? []).map((change) => change.path) },
      ...{ message: "both\n", author: AUTHOR, alone: true, expected: { commit: tip, branch: BRANCH } },
      atMs: this.#orders.nextMs(),
    });
    assert.equal(done.fault, undefined);
    ends.push(`merged ${done.kind ?? ""}`);
    if (done.kind !== "committed") return;
    this.#isWhole(done, third);
    const { commit = "" } = done;
    this.#last = commit;
    const parents = gitBytes(stage.project, ["show", "-s", "--format=%P", commit]).trim();
    assert.equal(parents, `${tip} ${theirs}`, "a merge has both sides");
    this.#orders.userActs(["nothing", "edit", "tag", "commit"]);
    await this.#takeIn("t3", { commit, base });
  }

  /** Each thing that was kept comes back byte for byte, also into a tree that has to be made again. */
  async #bringBack(): Promise<void> {
    const { place, stage } = this.#orders;
    await this.#mended();
    for (const [id, image] of this.#kept) {
      const order = { key: `r ${id}`, ...place, snapshot: id, atMs: this.#orders.nextMs() };
      const { fault } = await this.#leavesAll("restore", order);
      assert.equal(fault, undefined);
      nothingLost(imageDifferences(image, keptImage(stage.tree)), "what was kept did not come back");
    }
  }

  /** One that is let go leaves the other whole. */
  async #forget(one: Answer, { id }: Answer): Promise<void> {
    const { place } = this.#orders;
    await this.#leavesAll("release", { project: place.project, keys: ["s1"] });
    assert.equal((await this.#orders.ask("verify", place, id)).kind, "whole");
    if (one.id !== id) this.#kept.delete(one.id ?? "");
  }
}
