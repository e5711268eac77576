import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { CliBench } from "../cli-process.ts";

/** A first run, without configuration: a repository as it is cloned and installed, and an agent that is a program. */
class FirstRun {
  readonly bench = new CliBench();
  readonly agent: string;

  constructor(t: TestContext, files: Readonly<Record<string, string>>, agent: string) {
    t.after(() => this.bench.close());
    this.agent = path.join(this.bench.root, "agent.mjs");
    writeFileSync(this.agent, `import { existsSync, writeFileSync } from "node:fs";\n${agent}`);
    this.git("init", "-q", "-b", "main");
    for (const [name, text] of Object.entries(files)) this.put(name, text);
  }

  put(name: string, text: string): void {
    const file = path.join(this.bench.cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(name: string): string {
    return readFileSync(path.join(this.bench.cwd, name), "utf8");
  }

  git(...args: string[]): string {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
    return execFileSync("git", ["-C", this.bench.cwd, ...who, ...args], { encoding: "utf8" }).trim();
  }

  commit(): void {
    this.git("add", "-A");
    this.git("commit", "-qm", "begin");
  }

  run(check: string, ...more: string[]): ReturnType<CliBench["call"]> {
    const asked = ["run", "fix it", "--agent", `function:${this.agent}`, "--check", check, "--id", "first"];
    // Nothing was trusted before: a repository without configuration needs no such word.
    return this.bench.call([...asked, ...more], { env: { HOLDFAST_TRUST: "" } });
  }
}

interface Status {
  readonly status: string;
  readonly next: string | null;
  readonly workspace: { readonly folder: string; readonly branch: string | null };
  readonly blocked: { readonly reason: string; readonly detail: string; readonly command: string } | null;
}

const NODE = {
  "package.json": JSON.stringify({ name: "app", scripts: { test: "node test.js" } }),
  "package-lock.json": JSON.stringify({ name: "app", lockfileVersion: 3, packages: {} }),
  "test.js": 'require("node:assert").equal(require("./sum.js")(1, 2), require("three"));\n',
  "sum.js": "module.exports = (a, b) => a - b;\n",
  ".gitignore": "node_modules\n.env\n",
};
const MEND_NODE = `export default () => {
  writeFileSync("sum.js", "module.exports = (a, b) => a + b;\\n");
  return "mended";
};`;

function installNode(first: FirstRun): void {
  first.put("node_modules/three/index.js", "module.exports = 3;\n");
}

test("W1 the first run in a Node repository works on a branch of its own with the packages that are installed, and is accepted by the printed command", async (t) => {
  const first = new FirstRun(t, NODE, MEND_NODE);
  first.commit();
  installNode(first);
  first.put("notes.md", "mine\n");
  const ran = await first.run("npm test");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /copied into the worktree: notes\.md; copied too: node_modules/);
  assert.match(
    ran.stdout,
    /on branch holdfast\/first, not in your branch yet\n[^]*folder: \S+\n[^]*accept first/,
  );
  assert.match(first.read("sum.js"), /a - b/, "nothing of the user's is touched");
  const status = await first.bench.json<Status>(["status", "first"]);
  assert.equal(status.status, "completed");
  assert.equal(status.workspace.branch, "holdfast/first");
  assert.match(status.next ?? "", /accept first$/);
  const listed = await first.bench.call(["status", "first"]);
  assert.match(
    listed.stdout,
    /work +1 file changed on branch holdfast\/first, not in your branch yet\n(?:.*\n)*.*accept first\n/,
  );
  assert.equal(first.git("show", "--name-only", "--format=", "holdfast/first"), "sum.js");
  const accepted = await first.bench.call(["accept", "first"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.match(first.read("sum.js"), /a \+ b/);
  assert.equal(first.git("status", "--porcelain"), "?? notes.md");
  assert.equal(first.read("node_modules/three/index.js"), "module.exports = 3;\n");
});

test("W1 what an agent writes into packages that were carried over does not reach the user's own", async (t) => {
  const agent = `export default () => {
  writeFileSync("node_modules/three/index.js", "module.exports = 'changed';\\n");
  writeFileSync(".env", "SECRET=agent\\n");
  writeFileSync("made", "made\\n");
  return "done";
};`;
  const first = new FirstRun(t, NODE, agent);
  first.commit();
  installNode(first);
  first.put(".env", "SECRET=mine\n");
  first.put("holdfast.yaml", "workspace: { carry: [node_modules, .env, nowhere] }\n");
  const ran = await first.run("test -e made");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /copied too: node_modules, \.env; not copied: nowhere \(is not there\)/);
  assert.equal(first.read("node_modules/three/index.js"), "module.exports = 3;\n");
  assert.equal(first.read(".env"), "SECRET=mine\n");
  const { workspace } = await first.bench.json<Status>(["status", "first"]);
  assert.equal(readFileSync(path.join(workspace.folder, ".env"), "utf8"), "SECRET=agent\n");
  assert.equal((await first.bench.call(["accept", "first"])).code, 0);
  assert.equal(first.git("status", "--porcelain"), "?? holdfast.yaml");
});

test("W1 the first run in a Python repository works with a copy of its environment, and checks the worktree's own code", async (t) => {
  const first = new FirstRun(
    t,
    {
      "pyproject.toml": '[project]\nname = "app"\nversion = "1"\n',
      "src/app.py": "def three():\n    return 2\n",
      "test_app.py": "from app import three\n\nassert three() == 3\n",
      ".gitignore": ".venv\n__pycache__\n",
    },
    `export default () => {
  writeFileSync("src/app.py", "def three():\\n    return 3\\n");
  return "mended";
};`,
  );
  first.commit();
  const venv = path.join(first.bench.cwd, ".venv");
  execFileSync("python3", ["-m", "venv", "--without-pip", venv]);
  const site = execFileSync(
    path.join(venv, "bin/python"),
    ["-c", "import site; print(site.getsitepackages()[0])"],
    {
      encoding: "utf8",
    },
  ).trim();
  // As a package that is installed in place, and a program of the environment.
  writeFileSync(path.join(site, "app.pth"), `${path.join(first.bench.cwd, "src")}\n`);
  writeFileSync(
    path.join(venv, "bin/check"),
    `#!${path.join(venv, "bin/python")}\nimport runpy\nrunpy.run_path("test_app.py")\n`,
    { mode: 0o755 },
  );
  const ran = await first.run(".venv/bin/check");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /copied too: \.venv/);
  assert.match(first.read("src/app.py"), /return 2/);
  assert.equal((await first.bench.call(["accept", "first"])).code, 0);
  assert.match(first.read("src/app.py"), /return 3/);
});

const MAKE = `export default () => {
  writeFileSync("made.txt", "made\\n");
  return "made";
};`;

test("W1 the first run in a repository that holds next to nothing works, and its work is accepted", async (t) => {
  const first = new FirstRun(t, { README: "one\n" }, MAKE);
  first.commit();
  const ran = await first.run("test -e made.txt");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.ok(!existsSync(path.join(first.bench.cwd, "made.txt")));
  assert.equal((await first.bench.call(["accept", "first"])).code, 0);
  assert.equal(first.read("made.txt"), "made\n");
  assert.equal(first.git("status", "--porcelain"), "");
});

test("W1 a run in a bare repository, or in git's own folder, is refused before anything is written there; in the worktree that the printed command makes it works", async (t) => {
  const first = new FirstRun(t, { README: "one\n" }, MAKE);
  first.commit();
  const inside = path.join(first.bench.cwd, ".git/objects");
  const bare = path.join(first.bench.root, "app.git");
  first.git("clone", "-q", "--bare", ".", bare);
  const asked = ["run", "make it", "--agent", `function:${first.agent}`, "--check", "test -e made.txt"];
  const files = readdirSync(bare);
  const refused = await first.bench.call(asked, { cwd: bare });
  assert.equal(refused.code, 2, refused.stdout + refused.stderr);
  const [, command = "", tree = ""] =
    /a bare git repository, .*: (git -C .*), then run in (\S+)/.exec(refused.stderr) ?? [];
  const within = await first.bench.call(asked, { cwd: inside });
  assert.equal(within.code, 2);
  assert.match(within.stderr, new RegExp(`inside of git's own folder.* run in ${first.bench.cwd}\n`));
  assert.deepEqual(readdirSync(bare), files);
  execFileSync("sh", ["-c", command], { stdio: "ignore" });
  const ran = await first.bench.call([...asked, "--id", "bare"], { cwd: tree });
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal((await first.bench.call(["accept", "bare"], { cwd: tree })).code, 0);
  assert.equal(execFileSync("git", ["-C", bare, "show", "main:made.txt"], { encoding: "utf8" }), "made\n");
});

test("W1 a repository without a commit, a folder that git ignores and a folder in no repository are worked in place, and the first two say why", async (t) => {
  const first = new FirstRun(t, { README: "one\n", ".gitignore": "build\n" }, MAKE);
  const unborn = await first.run("test -e made.txt");
  assert.equal(unborn.code, 0, unborn.stdout + unborn.stderr);
  assert.match(unborn.stderr, /itself: \S+ has no commit yet/);
  assert.equal(first.read("made.txt"), "made\n");
  first.commit();
  const ignored = path.join(first.bench.cwd, "build");
  mkdirSync(ignored);
  const asked = ["run", "make it", "--agent", `function:${first.agent}`];
  const built = await first.bench.call([...asked, "--id", "built"], { cwd: ignored });
  assert.equal(built.code, 0, built.stdout + built.stderr);
  assert.match(built.stderr, /git ignores \S+build/);
  assert.ok(existsSync(path.join(ignored, "made.txt")));
  const plain = path.join(first.bench.root, "plain");
  mkdirSync(plain);
  const alone = await first.bench.call([...asked, "--id", "alone"], { cwd: plain });
  assert.equal(alone.code, 0, alone.stdout + alone.stderr);
  assert.doesNotMatch(alone.stderr, /itself/);
  assert.ok(existsSync(path.join(plain, "made.txt")));
});

test("W1 started in a sub-folder a run has the whole repository, and works in the same folder of its worktree", async (t) => {
  const first = new FirstRun(t, { README: "one\n", "app/main": "one\n" }, MAKE);
  first.commit();
  first.put("app/draft", "mine\n");
  first.put("beside", "mine too\n");
  const cwd = path.join(first.bench.cwd, "app");
  const asked = ["run", "make it", "--agent", `function:${first.agent}`, "--id", "first"];
  const ran = await first.bench.call([...asked, "--check", "test -e made.txt -a -e ../README"], { cwd });
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const { workspace } = await first.bench.json<Status>(["status", "first"]);
  assert.equal(path.basename(workspace.folder), "app");
  assert.ok(
    existsSync(path.join(workspace.folder, "draft")) && existsSync(path.join(workspace.folder, "../beside")),
  );
  assert.equal(first.git("show", "--name-only", "--format=", "holdfast/first"), "app/made.txt");
});

test("W1 B4 a check that passes in the user's folder and fails in the fresh worktree stops the run before an agent begins, with the command that helps", async (t) => {
  const begun = "export default () => { writeFileSync('begun', ''); return 'done'; };";
  const first = new FirstRun(t, { ...NODE, "sum.js": "module.exports = (a, b) => a + b;\n" }, begun);
  first.commit();
  installNode(first);
  first.put("holdfast.yaml", "workspace: { carry: [] }\n");
  const ran = await first.run("npm test");
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const { blocked, workspace } = await first.bench.json<Status>(["status", "first"]);
  assert.equal(blocked?.reason, "dispatch_error");
  assert.match(
    blocked?.detail ?? "",
    /`npm test` passes in \S+ and fails \(exit code 1\) in the fresh worktree/,
  );
  assert.match(blocked?.detail ?? "", /\(cd \S+ && npm ci\)/);
  assert.ok(!existsSync(path.join(workspace.folder, "begun")));
  const events = await first.bench.eventsOf("first");
  assert.ok(!events.some(({ type }) => type === "AttemptStarted"));
  mkdirSync(path.join(workspace.folder, "node_modules/three"), { recursive: true });
  writeFileSync(path.join(workspace.folder, "node_modules/three/index.js"), "module.exports = 3;\n");
  const retried = await first.bench.call(["retry", "first"]);
  assert.equal(retried.code, 0, retried.stdout + retried.stderr);
  await first.bench.reaches("first", "completed");
});

test("W1 --in-place works in the user's folder, and --worktree beside it is refused", async (t) => {
  const first = new FirstRun(t, { README: "one\n" }, MAKE);
  first.commit();
  const both = await first.run("test -e made.txt", "--in-place", "--worktree");
  assert.equal(both.code, 2);
  assert.match(both.stderr, /exclude each other/);
  const ran = await first.run("test -e made.txt", "--in-place");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.ok(statSync(path.join(first.bench.cwd, "made.txt")).isFile());
  assert.equal(first.git("branch", "--list", "holdfast/*"), "");
});
