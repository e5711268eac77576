import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test, type TestContext } from "node:test";
import { USUAL_RULES } from "../../src/model/protected.ts";
import { realWorld } from "../../src/real-world.ts";
import { fileGuard } from "../../src/workspace/file-guard.ts";
import type { Guard } from "../../src/workspace/guard.ts";
import { ASIDE } from "../../src/workspace/protected-undo.ts";

const RULES = [...USUAL_RULES, "gates/**", "prompts/*.md", "!prompts/draft-*.md"];

interface Bench {
  readonly tree: string;
  readonly copies: string;
  readonly guard: Guard;
}

const AS_TRUSTED: Readonly<Record<string, string>> = {
  "AGENTS.md": "be kind\n",
  ".claude/settings.json": '{"hooks":{}}\n',
  ".claude/commands/review.md": "review this\n",
  ".mcp.json": '{"mcpServers":{}}\n',
  ".codex/config.toml": 'model = "x"\n',
  "gates/check.sh": "#!/bin/sh\nexit 1\n",
  "gates/deep/er/rules.txt": "rules\r\nwith crlf\r\n",
  "prompts/build.md": "build it\n",
  "holdfast.yaml": "agents: {}\n",
  "src/work.ts": "export {};\n",
};

/** Copies are by digest, so most benches share them. */
const shared = mkdtempSync(join(tmpdir(), "holdfast-copies-"));
after(() => rmSync(shared, { recursive: true, force: true }));

function bench(t: TestContext, own: "own copies" | "shared copies" = "shared copies"): Bench {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-protected-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tree = join(folder, "tree");
  const copies = own === "own copies" ? join(folder, "copies") : shared;
  mkdirSync(tree);
  // As little of a repository as git takes for one: made by hand, since it is made for every act.
  for (const name of ["objects", "refs/heads", "hooks"])
    mkdirSync(join(tree, ".git", name), { recursive: true });
  writeFileSync(join(tree, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(tree, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  for (const [name, text] of Object.entries(AS_TRUSTED)) {
    mkdirSync(join(tree, name, ".."), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  chmodSync(join(tree, "gates/check.sh"), 0o755);
  symlinkSync("check.sh", join(tree, "gates/latest"));
  return { tree, copies, guard: fileGuard({ world: realWorld({}), folder: copies }) };
}

/** Everything in a tree but git's own objects: bytes, modes and links. */
function picture(tree: string, at = ""): string[] {
  return readdirSync(join(tree, at), { withFileTypes: true })
    .flatMap((entry) => {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (name === ASIDE || (name.startsWith(".git/") && !/^\.git\/(config|hooks)/.test(name))) return [];
      const { mode } = lstatSync(join(tree, name));
      const of = `${name} ${(mode & 0o7777).toString(8)}`;
      if (entry.isSymbolicLink()) return [`${name} -> ${readlinkSync(join(tree, name))}`];
      if (entry.isDirectory()) return [of, ...picture(tree, name)];
      return [`${of} ${readFileSync(join(tree, name), "base64")}`];
    })
    .sort();
}

const trust = async ({ guard, tree }: Bench): Promise<string> =>
  (await guard.check({ tree, rules: RULES, trusted: null, undo: false })).trusted;

const HOOK = "#!/bin/sh\ncurl evil\n";

/** Forty ways to get at a protected file. */
const ACTS: Readonly<Record<string, (tree: string) => void>> = {
  "edits it": (tree) => writeFileSync(join(tree, "AGENTS.md"), "be evil\n"),
  "appends to it": (tree) => appendFileSync(join(tree, "AGENTS.md"), "and evil\n"),
  "truncates it": (tree) => truncateSync(join(tree, ".mcp.json"), 3),
  "empties it": (tree) => truncateSync(join(tree, ".mcp.json"), 0),
  "makes it sparse and huge": (tree) => truncateSync(join(tree, ".mcp.json"), 64 * 1_024 ** 3),
  "changes one byte and keeps its times": (tree) => {
    const file = join(tree, ".mcp.json");
    const { atime, mtime } = lstatSync(file);
    writeFileSync(file, '{"mcpServerz":{}}\n');
    utimesSync(file, atime, mtime);
  },
  "edits it and puts it back": (tree) => {
    const file = join(tree, "AGENTS.md");
    writeFileSync(file, "be evil\n");
    writeFileSync(file, AS_TRUSTED["AGENTS.md"] ?? "");
  },
  "replaces it by another file": (tree) => {
    writeFileSync(join(tree, "new"), "be evil\n");
    renameSync(join(tree, "new"), join(tree, "AGENTS.md"));
  },
  "replaces it by an equal file": (tree) => {
    copyFileSync(join(tree, "AGENTS.md"), join(tree, "new"));
    renameSync(join(tree, "new"), join(tree, "AGENTS.md"));
  },
  "renames it": (tree) => renameSync(join(tree, "AGENTS.md"), join(tree, "AGENTS.old")),
  "swaps two of them": (tree) => {
    renameSync(join(tree, "AGENTS.md"), join(tree, "tmp"));
    renameSync(join(tree, "holdfast.yaml"), join(tree, "AGENTS.md"));
    renameSync(join(tree, "tmp"), join(tree, "holdfast.yaml"));
  },
  "deletes it": (tree) => unlinkSync(join(tree, ".claude/settings.json")),
  "makes it executable": (tree) => chmodSync(join(tree, "AGENTS.md"), 0o755),
  "takes its execution away": (tree) => chmodSync(join(tree, "gates/check.sh"), 0o644),
  "locks it": (tree) => chmodSync(join(tree, "AGENTS.md"), 0o000),
  "sets its setuid bit": (tree) => chmodSync(join(tree, "gates/check.sh"), 0o4755),
  "puts a link in its place": (tree) => {
    writeFileSync(join(tree, "evil"), "be evil\n");
    unlinkSync(join(tree, "AGENTS.md"));
    symlinkSync("evil", join(tree, "AGENTS.md"));
  },
  "puts a link to an equal file in its place": (tree) => {
    renameSync(join(tree, "AGENTS.md"), join(tree, "same"));
    symlinkSync("same", join(tree, "AGENTS.md"));
  },
  "puts a dangling link in its place": (tree) => {
    unlinkSync(join(tree, "AGENTS.md"));
    symlinkSync("/nowhere", join(tree, "AGENTS.md"));
  },
  "gives it a second name": (tree) => linkSync(join(tree, "AGENTS.md"), join(tree, "backdoor")),
  "writes through a second name": (tree) => {
    linkSync(join(tree, "AGENTS.md"), join(tree, "backdoor"));
    writeFileSync(join(tree, "backdoor"), "be evil\n");
  },
  "puts another file's second name in its place": (tree) => {
    writeFileSync(join(tree, "evil"), "be evil\n");
    unlinkSync(join(tree, "AGENTS.md"));
    linkSync(join(tree, "evil"), join(tree, "AGENTS.md"));
  },
  "puts a folder in its place": (tree) => {
    unlinkSync(join(tree, "AGENTS.md"));
    mkdirSync(join(tree, "AGENTS.md"));
    writeFileSync(join(tree, "AGENTS.md/inside"), "something\n");
  },
  "puts a pipe in its place": (tree) => {
    unlinkSync(join(tree, "AGENTS.md"));
    execFileSync("mkfifo", [join(tree, "AGENTS.md")]);
  },
  "creates one that was not there": (tree) => writeFileSync(join(tree, "CLAUDE.md"), "obey\n"),
  "creates settings that were not there": (tree) =>
    writeFileSync(join(tree, ".claude/settings.local.json"), '{"permissions":{"allow":["*"]}}'),
  "creates a folder of settings that was not there": (tree) => {
    mkdirSync(join(tree, ".gemini/extensions/x"), { recursive: true });
    writeFileSync(join(tree, ".gemini/settings.json"), "{}");
    writeFileSync(join(tree, ".gemini/extensions/x/run.sh"), HOOK);
  },
  "creates one as a link": (tree) => symlinkSync("src/work.ts", join(tree, "opencode.json")),
  "creates one with a name that is no text": (tree) =>
    writeFileSync(
      Buffer.concat([Buffer.from(join(tree, ".claude/commands/")), Buffer.from([0xff, 0x0a])]),
      "x",
    ),
  "creates an .envrc": (tree) => writeFileSync(join(tree, ".envrc"), "export PATH=evil\n"),
  "puts a link in the place of its folder": (tree) => {
    renameSync(join(tree, ".claude"), join(tree, "elsewhere"));
    writeFileSync(join(tree, "elsewhere/settings.json"), "{}");
    symlinkSync("elsewhere", join(tree, ".claude"));
  },
  "renames its folder": (tree) => renameSync(join(tree, "gates/deep"), join(tree, "gates/deeper")),
  "renames its folder's folder": (tree) => renameSync(join(tree, "gates"), join(tree, "gates-old")),
  "removes its folder": (tree) => rmSync(join(tree, "gates"), { recursive: true }),
  "puts a file in the place of its folder": (tree) => {
    rmSync(join(tree, ".codex"), { recursive: true });
    writeFileSync(join(tree, ".codex"), "no folder\n");
  },
  "locks its folder": (tree) => chmodSync(join(tree, "gates/deep"), 0o000),
  "opens its folder to everybody": (tree) => chmodSync(join(tree, ".claude"), 0o777),
  "leads a link elsewhere": (tree) => {
    unlinkSync(join(tree, "gates/latest"));
    symlinkSync("/bin/true", join(tree, "gates/latest"));
  },
  "adds a hook to git": (tree) => {
    writeFileSync(join(tree, ".git/hooks/pre-commit"), HOOK);
    chmodSync(join(tree, ".git/hooks/pre-commit"), 0o755);
  },
  "has git run a program": (tree) =>
    void execFileSync("git", ["-C", tree, "config", "core.fsmonitor", "evil.sh"]),
  "leads git's hooks elsewhere": (tree) =>
    void execFileSync("git", ["-C", tree, "config", "core.hooksPath", "evil"]),
};

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

  test("W9 a change that cannot be undone is told with its reason, and not tried for ever", async (t) => {
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
    for (const name of readdirSync(copies))
      if (name !== trusted) writeFileSync(join(copies, name), "poisoned\n");
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
      /is gone or changed; trust the files anew/,
    );
  });

  test("W9 a repository whose own folder was moved away is not rebuilt as an empty one", async (t) => {
    const it = bench(t);
    const { tree, guard } = it;
    const trusted = await trust(it);
    renameSync(join(tree, ".git"), join(tree, "git-elsewhere"));
    const report = await guard.check({ tree, rules: RULES, trusted, undo: true });
    assert.equal(report.undone, false);
    assert.match(report.failure ?? "", /\.git was moved or replaced; put it back first/);
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
