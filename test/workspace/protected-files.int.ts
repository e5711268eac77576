import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test, type TestContext } from "node:test";
import { realWorld } from "../../src/real-world.ts";
import { fileGuard } from "../../src/workspace/protect/file-guard.ts";
import type { Guard } from "../../src/workspace/guard.ts";
import { ASIDE } from "../../src/workspace/protect/protected-undo.ts";
import { ACTS, picture, plantProtected, RULES } from "./tamper-acts.ts";

interface Bench {
  readonly tree: string;
  readonly copies: string;
  readonly guard: Guard;
}

/** Copies are by digest, so most benches share them. */
const shared = mkdtempSync(join(tmpdir(), "holdfast-copies-"));
after(() => rmSync(shared, { recursive: true, force: true }));

function bench(t: TestContext, own: "own copies" | "shared copies" = "shared copies"): Bench {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-protected-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tree = join(folder, "tree");
  const copies = own === "own copies" ? join(folder, "copies") : shared;
  plantProtected(tree);
  return { tree, copies, guard: fileGuard({ world: realWorld({}), folder: copies }) };
}

const trust = async ({ guard, tree }: Bench): Promise<string> =>
  (await guard.check({ tree, rules: RULES, trusted: null, undo: false })).trusted;

describe("W9 protected files", () => {
  for (const [name, act] of Object.entries(ACTS))
    test(`W9 an agent that ${name} is found by the next check and undone`, async (t) => {
      const it = bench(t);
      const { tree, guard } = it;
      const trusted = await trust(it);
      const before = picture(tree);
      act(tree);
      const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
      assert.ok(report.findings.length > 0, "nothing was found");
      assert.equal(report.undone, true, report.failure);
      const after = picture(tree);
      assert.deepEqual(
        before.filter((line) => !after.includes(line)),
        [],
      );
      const again = await guard.check({ tree, rules: RULES, trusted: report.trusted, undo: true });
      assert.deepEqual(again.findings, []);
    });

  test("W9 there are at least forty acts", () => {
    assert.ok(Object.keys(ACTS).length >= 40, String(Object.keys(ACTS).length));
  });

  test("W9 what was found in the place of a protected file is kept, or moved aside", async (t) => {
    const it = bench(t);
    const { tree, copies, guard } = it;
    const trusted = await trust(it);
    writeFileSync(join(tree, "AGENTS.md"), "three hours of work\n");
    unlinkSync(join(tree, ".mcp.json"));
    mkdirSync(join(tree, ".mcp.json"));
    writeFileSync(join(tree, ".mcp.json/deep"), "more work\n");
    const { findings } = await guard.check({ tree, rules: RULES, trusted, undo: true });
    const found = findings.find(({ path }) => path === "AGENTS.md")?.found ?? "";
    assert.equal(readFileSync(join(copies, found), "utf8"), "three hours of work\n");
    const [aside = ""] = readdirSync(join(tree, ASIDE));
    assert.equal(readFileSync(join(tree, ASIDE, aside, "deep"), "utf8"), "more work\n");
  });

  test("W9 nothing is written or removed through a link that stands in for a folder", async (t) => {
    const it = bench(t);
    const { tree, guard } = it;
    const trusted = await trust(it);
    const outside = join(tree, "..", "outside");
    renameSync(join(tree, ".claude"), outside);
    writeFileSync(join(outside, "settings.json"), "somebody else's\n");
    symlinkSync(outside, join(tree, ".claude"));
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    assert.equal(report.undone, true, report.failure);
    assert.equal(readFileSync(join(outside, "settings.json"), "utf8"), "somebody else's\n");
  });

  test("W9 a change that cannot be undone is reported with its reason, and not tried for ever", async (t) => {
    const it = bench(t, "own copies");
    const { tree, copies, guard } = it;
    const trusted = await trust(it);
    const list = readFileSync(join(copies, trusted));
    rmSync(copies, { recursive: true });
    mkdirSync(copies);
    writeFileSync(join(copies, trusted), list);
    writeFileSync(join(tree, "AGENTS.md"), "be evil\n");
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    assert.equal(report.undone, false);
    assert.match(report.failure ?? "", /AGENTS\.md: the trusted copy of AGENTS\.md .* is gone or changed/);
  });

  test("W9 a trusted copy that was changed is not brought back", async (t) => {
    const it = bench(t, "own copies");
    const { tree, copies, guard } = it;
    const trusted = await trust(it);
    for (const entry of readdirSync(copies, { withFileTypes: true }))
      if (entry.isFile() && entry.name !== trusted) writeFileSync(join(copies, entry.name), "poisoned\n");
    writeFileSync(join(tree, "AGENTS.md"), "be evil\n");
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    assert.equal(report.undone, false);
    assert.equal(readFileSync(join(tree, "AGENTS.md"), "utf8").includes("poisoned"), false);
  });

  test("W9 a list of what is trusted that was changed is not believed", async (t) => {
    const it = bench(t, "own copies");
    const trusted = await trust(it);
    writeFileSync(join(it.copies, trusted), "[]");
    await assert.rejects(
      it.guard.check({ tree: it.tree, rules: RULES, trusted, undo: true }),
      /is gone or changed; trust the files again/,
    );
  });

  test("W9 a repository whose own folder was moved away is not rebuilt as an empty one", async (t) => {
    const it = bench(t);
    const { tree, guard } = it;
    const trusted = await trust(it);
    renameSync(join(tree, ".git"), join(tree, "git-elsewhere"));
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    assert.equal(report.undone, false);
    assert.match(report.failure ?? "", /\.git is gone or damaged; a copy of it is kept/);
    assert.equal(existsSync(join(tree, ".git")), false);
  });

  test("W9 work that is nobody's rule raises no alarm", async (t) => {
    const it = bench(t);
    const { tree, guard } = it;
    const trusted = await trust(it);
    writeFileSync(join(tree, "src/work.ts"), "export const done = true;\n");
    writeFileSync(join(tree, "package.json"), "{}\n");
    writeFileSync(join(tree, "prompts/draft-1.md"), "a draft\n");
    mkdirSync(join(tree, ".claude/worktrees/x"), { recursive: true });
    writeFileSync(join(tree, ".claude/worktrees/x/file"), "x");
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("add", "src");
    git("commit", "-qm", "work");
    git("config", "branch.main.remote", "origin");
    git("remote", "add", "origin", "https://example.invalid/x.git");
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    assert.deepEqual(report.findings, []);
  });

  test("W9 twenty deliberate changes raise no alarm once they are trusted", async (t) => {
    const it = bench(t);
    const { tree, guard } = it;
    const acts = Object.values(ACTS)
      .filter((_, at) => at % 2 === 0 && at !== 4)
      .slice(0, 20);
    assert.equal(acts.length, 20);
    for (const act of [...acts, () => writeFileSync(join(tree, "prompts/new.md"), "new\n")]) {
      rmSync(tree, { recursive: true, force: true });
      const fresh = bench(t);
      execFileSync("cp", ["-a", fresh.tree, tree]);
      const trusted = await trust(it);
      act(tree);
      const now = await trust(it);
      assert.ok((await guard.compare(trusted, now)).length > 0);
      const report = await guard.check({ tree, rules: RULES, trusted: now, undo: true });
      assert.deepEqual(report.findings, []);
    }
  });

  test("W9 a tree with more protected paths than the bound says so", async (t) => {
    const it = bench(t);
    const many = join(it.tree, ".claude/skills");
    mkdirSync(many);
    for (let n = 0; n < 2_010; n += 1) writeFileSync(join(many, String(n)), "");
    const report = await it.guard.check({ tree: it.tree, rules: RULES, trusted: null, undo: false });
    assert.equal(report.limit?.bound, 2_000);
  });
});
