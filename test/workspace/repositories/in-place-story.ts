import assert from "node:assert/strict";
import { existsSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { REPOSITORY_LOST } from "../../../src/model/flow/protected.ts";
import { imageDifferences, treeImage } from "../tree-image.ts";
import { AGENT_ACTS } from "./acts.ts";
import { nothingLost } from "./expected-own.ts";
import { pick, type Answer, type StoryOrders } from "./story-orders.ts";
import { differences, shown, usersOwn, type UsersOwn } from "./users-own.ts";

/** How agents destroy a repository that they work in. */
const DESTROYERS: Readonly<Record<string, (git: string) => void>> = {
  all: (git) => {
    rmSync(git, { recursive: true });
  },
  objects: (git) => {
    rmSync(path.join(git, "objects"), { recursive: true });
  },
  refs: (git) => {
    rmSync(path.join(git, "refs"), { recursive: true });
  },
  head: (git) => {
    rmSync(path.join(git, "HEAD"));
  },
  index: (git) => {
    rmSync(path.join(git, "index"));
  },
  configuration: (git) => {
    rmSync(path.join(git, "config"));
  },
  replaced: (git) => {
    rmSync(git, { recursive: true });
    writeFileSync(git, "nothing\n");
  },
};
const RULES = [".git", "AGENTS.md"];

/** A run works in the user's own folder: what its agents destroy of the repository comes back, and all files do. */
export class InPlaceStory {
  readonly #orders: StoryOrders;

  constructor(orders: StoryOrders) {
    orders.stage = { ...orders.stage, tree: orders.stage.project };
    this.#orders = orders;
  }

  async live(): Promise<void> {
    const orders = this.#orders;
    orders.ends.push("in place");
    orders.userActs(["edit", "editSame", "stage", "nothing"]);
    const trusted = await this.#check(null);
    const first = await this.#keep("s1");
    const image = treeImage(orders.stage.tree);
    orders.agentActs(Object.keys(AGENT_ACTS).filter((act) => !/^remove(Folder|Link)$/.test(act)));
    orders.userActs([
      "edit",
      "editSame",
      "commit",
      "amend",
      "stage",
      "stash",
      "collect",
      "hardReset",
      "nothing",
    ]);
    const second = await this.#keep("s2");
    const later = treeImage(orders.stage.tree);
    // The copy is as the repository was at the last look.
    await this.#check(trusted.trusted ?? null);
    await this.#destroyed(trusted.trusted ?? null);
    await this.#restored(first.id ?? "", image);
    await this.#restored(second.id ?? "", later);
  }

  #check(trusted: string | null): Promise<Answer> {
    const { tree } = this.#orders.stage;
    return this.#orders.killed("check", { tree, rules: RULES, trusted, undo: false });
  }

  /** Nobody acts beside it, so that what was kept is what is there. */
  async #keep(key: string): Promise<Answer> {
    const { place, stage } = this.#orders;
    const own = usersOwn(stage.project);
    const kept = await this.#orders.killed("snapshot", { key, ...place, atMs: this.#orders.nextMs() });
    assert.equal(kept.fault, undefined);
    nothingLost(shown(differences(own, usersOwn(stage.project))), "a snapshot changed what is the user's");
    return kept;
  }

  /** Where the repository is a folder of the tree; a linked worktree's is elsewhere. */
  async #destroyed(trusted: string | null): Promise<void> {
    const { project, chance } = this.#orders.stage;
    const git = path.join(project, ".git");
    if (!lstatSync(git).isDirectory()) return;
    const own = usersOwn(project);
    const possible = Object.keys(DESTROYERS).filter(
      (how) => how !== "index" || existsSync(path.join(git, how)),
    );
    const how = pick(chance, possible);
    DESTROYERS[how]?.(git);
    this.#orders.acts.push(`agent destroys ${how}`);
    const found = await this.#check(trusted);
    assert.match(found.failure ?? "nothing was found", new RegExp(REPOSITORY_LOST));
    await this.#orders.killed("bringRepository", project);
    this.#orders.spoil("brought");
    nothingLost(shown(differences(own, withoutFound(usersOwn(project)))), "the repository did not come back");
  }

  async #restored(id: string, image: Map<string, string>): Promise<void> {
    const { place, stage } = this.#orders;
    const order = { key: `r ${id}`, ...place, snapshot: id, atMs: this.#orders.nextMs() };
    const own = gitOf(usersOwn(stage.project));
    const restored = await this.#orders.killed("restore", order);
    assert.equal(restored.fault, undefined);
    this.#orders.spoil("restored");
    nothingLost(imageDifferences(image, treeImage(stage.tree)), "what was kept did not come back");
    nothingLost(shown(differences(own, gitOf(usersOwn(stage.project)))), "a restore changed what is git's");
  }
}

/** What was put aside is kept for a person to look at. */
const withoutFound = (own: UsersOwn): UsersOwn =>
  new Map([...own].filter(([key]) => !key.startsWith("file holdfast-found")));

const gitOf = (own: UsersOwn): UsersOwn => new Map([...own].filter(([key]) => !key.startsWith("file ")));
