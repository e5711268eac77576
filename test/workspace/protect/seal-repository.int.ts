import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { sealedEmail, sealedEnvironment } from "../../../src/model/requests/seal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { SEALED_ACTS } from "../../attacks/agents/sealed-acts.ts";
import { actAs, gitIn, pictureOf, realRepository } from "../../attacks/agents/sealed-stage.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-seal-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

let nth = 0;

class Stage {
  readonly real = path.join(folder, `real-${String((nth += 1))}`);
  readonly home = path.join(folder, `home-${String(nth)}`);
  readonly git = gitIn(this.real);
  readonly place = {
    key: `run_${String(nth)}/fix#1`,
    project: this.real,
    tree: this.real,
    atMs: 1,
    files: true,
  };
  readonly env = sealedEnvironment(this.place.key, { name: "adviser" });
  readonly email = sealedEmail(this.place.key);

  constructor() {
    realRepository(this.real);
  }

  workspace() {
    return gitWorkspace({ home: this.home, world: realWorld({}) });
  }

  /** In a process of its own; answers whether a kill ended it. */
  killed(act: "seal" | "open", point: string): boolean {
    const program = path.join(import.meta.dirname, "..", "sealing-process.ts");
    const order = JSON.stringify({ ...this.place, email: this.email });
    const env = { ...process.env, HOLDFAST_CRASH_AT: `${point}#1` };
    return spawnSync(process.execPath, [program, this.home, act, order], { env }).signal === "SIGKILL";
  }

  async opened(act: () => void) {
    const workspace = this.workspace();
    await workspace.seal(this.place);
    act();
    const report = await workspace.openSeal({ ...this.place, email: this.email });
    await workspace.close();
    return report;
  }
}

for (const [name, act] of Object.entries(SEALED_ACTS))
  test(`G16 an agent that may not write ${name}: it is proved, kept aside and put back`, async () => {
    const stage = new Stage();
    const before = pictureOf(stage.real);
    const report = await stage.opened(() => {
      actAs(act, stage.real, stage.env);
      assert.notEqual(pictureOf(stage.real), before, "the act has its effect");
    });
    assert.equal(pictureOf(stage.real), before, JSON.stringify(report, null, 1));
    const proved = report.acts.filter((one) => one.proved);
    assert.ok(proved.length > 0);
    assert.ok(proved.every(({ undone }) => undone));
    for (const { kept, after: was } of proved)
      if (kept !== null) assert.equal(stage.git("rev-parse", kept), was);
  });

test("G16 what people commit, tag and edit meanwhile is no breach, and nothing of it is undone", async () => {
  const stage = new Stage();
  let wanted = "";
  const report = await stage.opened(() => {
    stage.git("commit", "-qam", "by Ada");
    stage.git("tag", "-f", "v1");
    stage.git("checkout", "-q", "-b", "mine");
    writeFileSync(path.join(stage.real, "new.txt"), "by Ada\n");
    wanted = pictureOf(stage.real);
  });
  assert.equal(pictureOf(stage.real), wanted);
  assert.deepEqual(
    report.acts.filter((one) => one.proved || one.undone),
    [],
  );
  assert.match(report.acts.find(({ what }) => what === "refs/heads/main")?.by ?? "", /Ada/);
  assert.deepEqual(report.files?.files, ["new.txt"]);
});

test("G16 a person's commit below the agent's is kept, and one on top of it leaves everything alone", async () => {
  const below = new Stage();
  let mine = "";
  await below.opened(() => {
    below.git("commit", "-qam", "by Ada");
    mine = below.git("rev-parse", "main");
    actAs('cd "$REAL" && git commit -q --allow-empty -m evil', below.real, below.env);
  });
  assert.equal(below.git("rev-parse", "main"), mine);
  const above = new Stage();
  let top = "";
  const report = await above.opened(() => {
    actAs('cd "$REAL" && git commit -q --allow-empty -m evil', above.real, above.env);
    above.git("commit", "-qam", "by Ada");
    top = above.git("rev-parse", "main");
  });
  assert.equal(above.git("rev-parse", "main"), top);
  const [act] = report.acts;
  assert.deepEqual([act?.what, act?.proved, act?.undone], ["refs/heads/main", true, false]);
  assert.match(act?.by ?? "", /Ada/);
});

test("G16 a deleted branch is kept by a hidden ref although nobody is proved to have deleted it", async () => {
  const stage = new Stage();
  stage.git("branch", "old", "v1");
  const was = stage.git("rev-parse", "old");
  const report = await stage.opened(() => {
    actAs('cd "$REAL" && git branch -qD old', stage.real, stage.env);
  });
  const [act] = report.acts;
  assert.deepEqual([act?.what, act?.before, act?.proved], ["refs/heads/old", was, false]);
  assert.equal(stage.git("rev-parse", act?.kept ?? ""), was);
});

const POINTS = [
  "workspace.seal.recorded",
  "workspace.seal.planned",
  "workspace.seal.kept",
  "workspace.seal.undone",
  "workspace.seal.answered",
];

for (const name of POINTS)
  test(`G16 J4 a process that dies at ${name} leaves nothing half done: the same order again gives the same answer`, async () => {
    const stage = new Stage();
    const before = pictureOf(stage.real);
    const order = { ...stage.place, email: stage.email };
    const isAtSeal = name === "workspace.seal.recorded";
    assert.equal(stage.killed("seal", name), isAtSeal);
    actAs(SEALED_ACTS["commits to the user's branch"] ?? "", stage.real, stage.env);
    const next = stage.workspace();
    // What is sealed again after the act keeps the first record.
    await next.seal(stage.place);
    if (!isAtSeal) assert.equal(stage.killed("open", name), true);
    const report = await next.openSeal(order);
    assert.deepEqual(await next.openSeal(order), report);
    await next.close();
    assert.equal(pictureOf(stage.real), before);
    assert.ok(report.acts.some(({ what, undone }) => what === "refs/heads/main" && undone));
    assert.deepEqual(report.files?.files, ["evil.txt"]);
  });
