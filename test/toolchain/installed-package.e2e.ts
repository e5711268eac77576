import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { restsToday } from "../day-sample.ts";

/**
 * The package as it is published, unpacked where somebody would have installed it: in no repository, beside its
 * dependencies, without the sources.
 */
const repository = path.resolve(import.meta.dirname, "../..");
const root = mkdtempSync(path.join(tmpdir(), "holdfast-installed-"));
const modules = path.join(root, "node_modules");
const installed = path.join(modules, "holdfast");
const work = path.join(root, "work");
const { version, dependencies } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
  version: string;
  dependencies: Record<string, string>;
};

/** Of the packed file. */

const env = {
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"] ?? ""}`,
  HOME: path.join(root, "home"),
  HOLDFAST_WATCHDOG: "off",
};

function start(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, env, encoding: "utf8", timeout: 120_000 });
  assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
const holdfast = (...args: string[]): string =>
  start(process.execPath, [path.join(installed, "bin/holdfast.js"), ...args], work);

before(() => {
  for (const folder of [modules, work, env.HOME]) mkdirSync(folder);
  start("npm", ["pack", "--silent", "--pack-destination", root], repository);
  const [packed = ""] = readdirSync(root).filter((name) => name.endsWith(".tgz"));
  start("tar", ["-xzf", packed], root);
  start("mv", ["package", installed], root);
  for (const name of Object.keys(dependencies))
    symlinkSync(path.join(repository, "node_modules", name), path.join(modules, name));
});
after(() => {
  rmSync(root, { recursive: true, force: true });
});

test("O6 the package is small, and holds no source maps, whose sources it does not hold", () => {
  const names = readdirSync(installed, { recursive: true, encoding: "utf8" });
  assert.deepEqual(
    names.filter((name) => name.endsWith(".map")),
    [],
  );
  // Its documents and pages apart: the viewer is the same pages in one file.
  const { stdout } = spawnSync(
    "tar",
    ["-cz", "--exclude=./docs", "--exclude=./dist/web", "--exclude=./dist/viewer", "-C", installed, "."],
    {
      maxBuffer: 2 ** 26,
    },
  );
  assert.ok(stdout.length > 2 ** 16, "everything else was packed");
  assert.ok(stdout.length <= 2 * 2 ** 20, `${String(stdout.length)} bytes`);
});

test("O6 the types of the package name nothing that it does not hold", () => {
  const dist = path.join(installed, "dist");
  const types = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".d.ts"),
  );
  assert.ok(types.includes("index.d.ts") && types.includes(path.join("api", "client", "client.d.ts")));
  for (const name of types)
    for (const [, other = ""] of readFileSync(path.join(dist, name), "utf8").matchAll(
      /"(\.\.?\/[^"]+)\.[jt]s"/g,
    ))
      assert.ok(existsSync(path.join(dist, path.dirname(name), `${other}.d.ts`)), `${name}: ${other}`);
});

test("O2 the package holds the dashboard, compressed too, and each file that its page names", () => {
  const web = path.join(installed, "dist", "web");
  const page = readFileSync(path.join(web, "index.html"), "utf8");
  const named = [...page.matchAll(/"\/assets\/([\w.-]+)"/g)].map(([, name = ""]) => name);
  assert.ok(named.length >= 2, page);
  for (const name of named) assert.ok(existsSync(path.join(web, name)), name);
  const script = named.find((name) => name.startsWith("main-")) ?? "";
  for (const encoding of ["br", "gz"])
    assert.ok(existsSync(path.join(web, `${script}.${encoding}`)), encoding);
  assert.ok(!existsSync(path.join(installed, "dist", ".web-metafile.json")));
});

test("O8 O2 an installed package serves its API and its dashboard", async () => {
  const server = spawn(
    process.execPath,
    [path.join(installed, "bin/holdfast.js"), "serve", "--listen", "127.0.0.1:0", "--json"],
    { cwd: work, env, stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    const [first] = (await once(server.stdout, "data")) as [Buffer];
    const { url } = JSON.parse(String(first)) as { url: string };
    const health = await fetch(`${url}/api/v1/health`);
    assert.equal(health.status, 200, await health.text());
    const page = await fetch(url, { headers: { accept: "text/html" } });
    const [, styles = ""] = /href="(\/assets\/styles-[^"]+)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(`${url}${styles}`)).headers.get("content-type"), "text/css; charset=utf-8");
  } finally {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  }
});

test("O1 an installed package knows its version, its ready-made flows and its own agent, outside of any repository", () => {
  assert.equal(holdfast("--version").trim(), version);
  const ran = holdfast("run", "say hello", "--agent", "demo", "--flow", "single-goal");
  assert.match(ran, /completed/);
  assert.match(holdfast("status"), /completed/);
  assert.ok(readdirSync(work).includes("hello.txt"));
});

/** As somebody installs it: npm brings the dependencies; its cache is the one of the user who runs the tests. */
function npm(command: string, ...args: string[]): string {
  const home = process.env["HOME"] ?? "";
  const done = spawnSync(command, args, {
    cwd: work,
    env: { ...process.env, PATH: env.PATH, HOME: home, npm_config_prefer_offline: "true" },
    encoding: "utf8",
    timeout: 300_000,
  });
  assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

const packedFile = (): string => {
  const [packed] = readdirSync(root).filter((name) => name.endsWith(".tgz"));
  assert.ok(packed !== undefined, "the package was packed");
  return path.join(root, packed);
};

const TYPED_FLOW = `import { defineFlow } from "holdfast";

export default defineFlow((goal: string) => ({
  name: "typed",
  steps: [{ name: "hello", task: goal, agent: "demo" }],
}));
`;

const skip = restsToday(0, 2);

test(
  "O6 npm i -g of the package brings a command that runs a flow in TypeScript where nothing else is installed",
  { skip },
  () => {
    const prefix = path.join(root, "global");
    npm("npm", "install", "--global", "--prefix", prefix, packedFile());
    const command = path.join(prefix, "bin/holdfast");
    const folder = path.join(root, "typed");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "typed.ts"), TYPED_FLOW);
    assert.equal(start(command, ["--version"], folder).trim(), version);
    assert.match(start(command, ["run", "say hello", "--flow", "./typed.ts"], folder), /completed/);
  },
);

test("O6 npx runs the package from its file without installing it", { skip }, () => {
  assert.equal(
    npm("npx", "--yes", `--package=${packedFile()}`, "--", "holdfast", "--version").trim(),
    version,
  );
});

/** A Node that is too old, if the machine has one. */
function oldNode(): string | undefined {
  const places = ["/usr/bin", "/usr/local/bin", ...(process.env["PATH"] ?? "").split(path.delimiter)];
  return places
    .map((folder) => path.join(folder, "node"))
    .find((file) => {
      const asked = existsSync(file) ? spawnSync(file, ["--version"], { encoding: "utf8" }) : null;
      const major = Number(/^v(\d+)\./.exec(asked?.stdout ?? "")?.[1] ?? 99);
      return major >= 20 && major < 24;
    });
}

const importing = (node: string, flags: readonly string[], what: string) =>
  spawnSync(node, [...flags, "--input-type=module", "-e", `await import("${what}")`], {
    cwd: installed,
    env,
    encoding: "utf8",
  });

test("P4 importing the package on a Node that looks too old names the Node it needs", () => {
  const looksOld = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } });`,
  )}`;
  const done = importing(process.execPath, ["--import", looksOld], "holdfast");
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /this is Node 20\.11\.0, and Holdfast needs Node 24 or newer/);
});

test("P4 importing the package and starting its command on a real Node that is too old name the Node they need", (t) => {
  const node = oldNode();
  if (node === undefined) {
    t.skip("this machine has no Node of 20 to 23");
    return;
  }
  const done = importing(node, [], "holdfast");
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /this is Node 2\d\.\d+\.\d+, and Holdfast needs Node 24 or newer/);
  const started = spawnSync(node, [path.join(installed, "bin/holdfast.js"), "status"], {
    env,
    encoding: "utf8",
  });
  assert.equal(started.status, 2);
  assert.match(started.stderr, /needs Node 24 or newer/);
});

test("J5 a program beside an installed package imports it, and its run is answered from the journal the second time", () => {
  const program = path.join(root, "loop.mjs");
  writeFileSync(
    program,
    `import { openHoldfast } from "holdfast";
import { durable } from "holdfast/ai";
const hf = await openHoldfast({ store: "sqlite:runs.db" });
let done = 0;
const value = await hf.run("once", (run) => run.step("count", () => (done += 1)));
await hf.close();
console.log(JSON.stringify({ value, done, ai: typeof durable }));
`,
  );
  const lives = [1, 2].map(() => JSON.parse(start(process.execPath, [program], work)) as unknown);
  assert.deepEqual(lives, [
    { value: 1, done: 1, ai: "function" },
    { value: 1, done: 0, ai: "function" },
  ]);
});

/** Another version as far as names go: whatever a process loads late under the old ones is not there any more. */
function installAnother(): void {
  const dist = path.join(installed, "dist");
  const names = readdirSync(dist).filter((name) => /-[0-9A-Z]{8}\.js$/.test(name));
  assert.ok(names.length > 10, "the package holds parts with names of their own");
  const texts = readdirSync(dist)
    .filter((name) => name.endsWith(".js"))
    .map((name): [string, string] => [name, readFileSync(path.join(dist, name), "utf8")]);
  for (const [name] of texts) rmSync(path.join(dist, name));
  const renamed = (text: string): string =>
    text.replaceAll(/[\w-]+-[0-9A-Z]{8}\.js/g, (name) => (names.includes(name) ? `other-${name}` : name));
  for (const [name, text] of texts) writeFileSync(path.join(dist, renamed(name)), renamed(text));
}

const FLOW = `name: replaced
steps:
  - { name: first, task: the first thing, agent: waits, phase: make }
  - { name: second, task: the second thing, agent: demo, phase: make, checks: [{ run: test -e second.txt }] }
  - { name: third, task: the third thing, agent: loses, phase: out }
phases:
  - { name: make, gate: { name: seen, kind: approval } }
  - { name: out }
`;

/** Outside of the tree, or it would be a change of what is approved. */
const reported = path.join(root, "told");
const CONFIG = `agents:
  waits: { use: demo, script: waits.json }
  demo: { use: demo, script: works.json }
  loses: { use: demo, script: loses.json }
backoff: { baseMs: 1 }
mirrors: { humanTasks: true, status: true }
`;
/** The user's own, in the XDG configuration folder. */
const HOST = `supervisor: { idleExitMs: 300, scanMs: 100 }
notify:
  channels: { ops: { use: command, command: [sh, -c, "cat >>${reported}"] } }
`;

const claimed = { do: "claim", ok: true, text: "done" };
const SCRIPTS = {
  "waits.json": {
    attempts: [[{ do: "append", file: "begun.txt", line: "begun" }, { do: "wait", file: "go.txt" }, claimed]],
  },
  "works.json": { attempts: [[{ do: "append", file: "second.txt", line: "done" }, claimed]] },
  // The first try ends without a word, and the second works: a retry is part of what has to go on.
  "loses.json": {
    attempts: [[{ do: "exit", code: 1 }], [{ do: "append", file: "third.txt", line: "done" }, claimed]],
  },
};

test("O1 a supervisor whose package is replaced while it works brings its run to the end, and receives the new commands", async () => {
  const own = path.join(env.HOME, ".config", "holdfast");
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, "holdfast.yaml"), HOST);
  const files = { "flow.yaml": FLOW, "holdfast.yaml": CONFIG };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(work, name), text);
  for (const [name, script] of Object.entries(SCRIPTS))
    writeFileSync(path.join(work, name), JSON.stringify(script));
  const pid = Number(
    /pid (\d+)/.exec(
      holdfast("run", "three things", "--flow", "flow.yaml", "--id", "r", "--trust", "--detach"),
    )?.[1],
  );
  await until("the first step is at work", () => existsSync(path.join(work, "begun.txt")));
  installAnother();
  writeFileSync(path.join(work, "go.txt"), "");
  await until("it asks whether to go on", () => statusOf("r") === "awaiting_approval");
  process.kill(pid, 0);
  holdfast("approve", "r", "seen");
  await until("it has ended", () => statusOf("r") === "completed");
  assert.equal(readFileSync(path.join(work, "third.txt"), "utf8"), "done\n");
  assert.match(readFileSync(reported, "utf8"), /approval|completed/);
});

const statusOf = (run: string): string =>
  (JSON.parse(holdfast("status", run, "--json")) as { status: string }).status;

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !holds(); await delay(100))
    assert.ok(Date.now() < end, `never: ${what}; ${holdfast("status", "r")}`);
}
