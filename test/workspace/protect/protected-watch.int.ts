import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_RULES } from "../../../src/model/flow/protected.ts";
import { realWorld } from "../../../src/real-world.ts";
import { fileGuard } from "../../../src/workspace/protect/file-guard.ts";

const LIMIT_MS = 60_000;

function makeTree(t: TestContext): {
  tree: string;
  watched: (rules: readonly string[]) => { times: number };
} {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-watch-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tree = path.join(folder, "tree");
  mkdirSync(path.join(tree, ".git/hooks"), { recursive: true });
  writeFileSync(path.join(tree, "AGENTS.md"), "be kind\n");
  writeFileSync(path.join(tree, ".git/config"), "[core]\n");
  const guard = fileGuard({ world: realWorld(), folder: path.join(folder, "kept") });
  const watched = (rules: readonly string[]): { times: number } => {
    const seen = { times: 0 };
    t.after(guard.watch({ tree, rules }, () => (seen.times += 1)));
    return seen;
  };
  return { tree, watched };
}

/** Does it again and again until it is seen: a watch needs a moment before it sees anything. */
async function untilSeen(seen: { times: number }, act: () => void): Promise<void> {
  const before = seen.times;
  const until = Date.now() + LIMIT_MS;
  while (seen.times === before) {
    assert.ok(Date.now() < until, "nothing was seen");
    act();
    await delay(20);
  }
}

test("W9 edits, replacements and what comes where nothing was are seen as they happen", async (t) => {
  const { tree, watched } = makeTree(t);
  const seen = watched(DEFAULT_RULES);
  const at = (name: string): string => path.join(tree, name);
  await untilSeen(seen, () => appendFileSync(at("AGENTS.md"), "x"));
  await untilSeen(seen, () => {
    writeFileSync(at("other"), "x");
    renameSync(at("other"), at("CLAUDE.md"));
  });
  await untilSeen(seen, () => writeFileSync(at(".git/hooks/pre-commit"), "x"));
  await untilSeen(seen, () => appendFileSync(at(".git/config"), "x"));
  await untilSeen(seen, () => {
    mkdirSync(at(".claude/commands"), { recursive: true });
    writeFileSync(at(".claude/commands/evil.md"), "x");
  });
  await untilSeen(seen, () => appendFileSync(at(".claude/commands/evil.md"), "x"));
});

test("W9 what no rule names stirs nothing", async (t) => {
  const { tree, watched } = makeTree(t);
  const [one, other] = [watched(["AGENTS.md"]), watched(["notes"])];
  const write = (): void => appendFileSync(path.join(tree, "notes"), "x");
  for (let nth = 0; nth < 3; nth += 1) await untilSeen(other, write);
  assert.equal(one.times, 0);
});
