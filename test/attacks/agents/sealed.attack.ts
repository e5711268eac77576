import assert from "node:assert/strict";
import path from "node:path";
import {
  isBreach,
  sealedEmail,
  sealedEnvironment,
  type SealReport,
} from "../../../src/model/requests/seal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";
import { PEOPLE_ACTS, SEALED_ACTS, UNPROVED_ACTS } from "./sealed-acts.ts";
import { actAs, pictureOf, realRepository } from "./sealed-stage.ts";

interface Acted {
  readonly name: string;
  /** Refs, HEAD, index and stash before, right after the act, and after the comparison. */
  readonly pictures: readonly [before: string, acted: string, after: string];
  readonly report: SealReport;
}

const ADA = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.invalid",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.invalid",
};

/** Each act in a repository of its own, between the record and the comparison. */
async function acted(
  { folder, count, seed }: Stage,
  acts: Readonly<Record<string, string>>,
  who: "agent" | "person",
): Promise<Acted[]> {
  const done: Acted[] = [];
  for (const [at, [name, act]] of sample(Object.entries(acts), count, seed).entries()) {
    const real = path.join(folder, `real-${String(at)}`);
    realRepository(real);
    const workspace = gitWorkspace({ home: path.join(folder, `home-${String(at)}`), world: realWorld({}) });
    const order = { key: `run_${String(at)}/fix#1`, project: real, tree: real, atMs: 1, files: true };
    await workspace.seal(order);
    const before = pictureOf(real);
    actAs(act, real, who === "person" ? ADA : sealedEnvironment(order.key, { name: "adviser" }));
    const then = pictureOf(real);
    const report = await workspace.openSeal({ ...order, email: sealedEmail(order.key) });
    await workspace.close();
    done.push({ name, pictures: [before, then, pictureOf(real)], report });
  }
  return done;
}

async function breaches(stage: Stage): Promise<Tried> {
  const all = await acted(stage, SEALED_ACTS, "agent");
  for (const { name, pictures, report } of all) {
    assert.notEqual(pictures[0], pictures[1], `control: an agent that ${name} changes something`);
    assert.ok(isBreach(report), `an agent that ${name} is not found`);
  }
  const left = all.filter(({ pictures }) => pictures[2] !== pictures[0]);
  return tried(
    all.length,
    left.map(({ name }) => `an agent ${name}, and it stays`),
  );
}

/** What no log proves: it has its effect, and is in the report. */
async function unproved(stage: Stage): Promise<Tried> {
  const all = await acted(stage, UNPROVED_ACTS, "agent");
  const reported = all.filter(({ report }) => report.count > 0 || report.files !== undefined);
  return tried(
    all.length,
    all.map(({ name }) => `an agent ${name}`),
    reported.length,
  );
}

async function people(stage: Stage): Promise<Tried> {
  const all = await acted(stage, PEOPLE_ACTS, "person");
  const wrong = all.filter(({ pictures, report }) => isBreach(report) || pictures[2] !== pictures[1]);
  return tried(
    all.length,
    wrong.map(({ name }) => `false alarm after a person ${name}`),
  );
}

const size = (acts: object): { full: number; short: number } => ({
  full: Object.keys(acts).length,
  short: Math.min(3, Object.keys(acts).length),
});

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "sealed", level: "no sandbox", promised: "prevented", count: size(SEALED_ACTS) },
    title:
      "an agent that may not write commits, amends, tags, branches, switches, resets or stashes in the real repository by its path, and the comparison undoes it",
    run: breaches,
  },
  {
    ...{ threat: "sealed", level: "no sandbox", promised: "detected", count: size(UNPROVED_ACTS) },
    title:
      "an agent that may not write edits or stages files of the real tree, deletes branches, changes git's configuration and hooks, or hides its name from git",
    run: unproved,
  },
  {
    ...{ threat: "sealed", level: "any", promised: "prevented", count: size(PEOPLE_ACTS) },
    title: "a person's own commits, tags and edits beside such an agent are called a breach or undone",
    run: people,
  },
];
