import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { realWorld } from "../../../src/real-world.ts";
import { fileGuard } from "../../../src/workspace/protect/file-guard.ts";
import { ACTS, picture, plantProtected, RULES } from "../../workspace/tamper-acts.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";

const guardOf = (folder: string) => fileGuard({ world: realWorld({}), folder: path.join(folder, "copies") });

/** Each act in a tree of its own: what was found, and whether every protected byte, mode and link came back. */
async function tamper({ folder, count, seed }: Stage): Promise<Tried> {
  const guard = guardOf(folder);
  const acts = sample(Object.entries(ACTS), count, seed);
  const succeeded: string[] = [];
  let recorded = 0;
  for (const [at, [name, act]] of acts.entries()) {
    const tree = path.join(folder, `tree-${String(at)}`);
    plantProtected(tree);
    const { trusted } = await guard.check({ tree, rules: RULES, trusted: null, undo: false });
    const before = picture(tree);
    act(tree);
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    const after = picture(tree);
    const lost = before.filter((line) => !after.includes(line));
    // An act counts as successful unless it was found, and everything is as it was.
    succeeded.push(
      ...(report.undone === true && lost.length === 0 ? [] : [`an agent ${name}: ${lost.join(", ")}`]),
    );
    recorded += report.findings.length > 0 ? 1 : 0;
  }
  assert.equal(recorded, acts.length, "an act that is not found is not undone either");
  return tried(acts.length, succeeded);
}

/** Deliberate changes, trusted afterwards: any finding then is a false alarm. */
async function legitimate({ folder, count, seed }: Stage): Promise<Tried> {
  const guard = guardOf(folder);
  const huge = "makes it sparse and huge";
  const acts = sample(
    Object.entries(ACTS).filter(([name]) => name !== huge && !name.includes("locks")),
    count,
    seed,
  );
  const alarms: string[] = [];
  for (const [at, [name, act]] of acts.entries()) {
    const tree = path.join(folder, `tree-${String(at)}`);
    plantProtected(tree);
    act(tree);
    writeFileSync(path.join(tree, "prompts", "new.md"), "new\n");
    const { trusted } = await guard.check({ tree, rules: RULES, trusted: null, undo: false });
    const { findings } = await guard.check({ tree, rules: RULES, trusted, undo: true });
    if (findings.length > 0) alarms.push(`false alarm after a person ${name}`);
  }
  return tried(acts.length, alarms);
}

const acts = Object.keys(ACTS).length;

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T16", level: "no sandbox", promised: "prevented", count: { full: acts, short: 8 } },
    title:
      "an agent edits, replaces, links, locks, deletes or creates protected files, and the next check undoes it",
    run: tamper,
  },
  {
    ...{ threat: "T16", level: "any", promised: "prevented", count: { full: 20, short: 4 } },
    title: "a person's deliberate and trusted changes raise an alarm",
    run: legitimate,
  },
];
