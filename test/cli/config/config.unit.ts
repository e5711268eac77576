import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { checkConfig, loadConfig as load, type LoadedConfig } from "../../../src/cli/config/load-config.ts";
import { readFlow } from "../../../src/cli/config/load-flow.ts";
import { isFault } from "../../../src/model/fault.ts";

let root = "";
before(() => {
  root = mkdtempSync(path.join(tmpdir(), "holdfast-config-"));
});
after(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
/** A folder of its own with the files given. */
function folder(files: Record<string, string>): string {
  folders += 1;
  const at = path.join(root, String(folders));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
    writeFileSync(path.join(at, name), text);
  }
  return at;
}

/** The configuration of a folder, beside a file of the user's own where there is one in `home`. */
const loadConfig = (cwd: string, warn?: (text: string) => void): Promise<LoadedConfig> =>
  load({ cwd, hostFolder: path.join(cwd, "home"), ...(warn === undefined ? {} : { warn }) });

const invalid = (message: RegExp) => (error: unknown) => {
  assert.ok(isFault(error, "config_invalid"), String(error));
  assert.match(error.message, message);
  return true;
};

/** What is wrong, and the words that must tell of it. */
const WRONG: [value: unknown, message: RegExp][] = [
  [
    { atempts: {} },
    /holdfast\.yaml is not a valid configuration: atempts is not a key here; did you mean "attempts"\?/,
  ],
  [{ attempts: { perstep: 2 } }, /attempts\.perstep is not a key here; did you mean "perStep"\?/],
  [{ perStep: 2 }, /perStep is not a key here; did you mean "attempts\.perStep"\?/],
  [{ zebra: 1 }, /zebra is not a key here; the keys here are agents, attempts, /],
  [{ attempts: { perStep: "five" } }, /attempts\.perStep is "five"; expected a number/],
  [{ attempts: { perStep: 99 } }, /attempts\.perStep is 99; expected at most 10/],
  [{ attempts: { perStep: 1.5 } }, /attempts\.perStep is 1\.5; expected a whole number/],
  [
    { agents: { dev: { use: "dmo" } } },
    /agents\.dev\.use is "dmo"; expected one of demo, function.*did you mean "demo"\?/,
  ],
  [{ agents: { dev: {} } }, /agents\.dev\.use is missing; expected one of/],
  [{ agents: { "a b": { use: "demo" } } }, /agents\.a b: a name begins with a letter or digit/],
  [{ agents: [1, 2] }, /agents is a list of 2; expected a mapping of names to values/],
  ["text", /the whole file is "text"; expected a mapping of keys to values/],
  [{ lease: { ms: 10n } }, /lease\.ms is 10n; expected milliseconds, or a time such as 90s/],
];

test("P4 a wrong setting is reported with its file, its path, the value seen, what was expected and the nearest key", () => {
  for (const [value, message] of WRONG)
    assert.throws(() => checkConfig(value, "/x/holdfast.yaml"), invalid(message));
});

test("P4 bad YAML and bad JSON name the file and the line", async () => {
  const yaml = folder({ "holdfast.yaml": "attempts:\n  perStep: [1\nagents: {}\n" });
  await assert.rejects(
    loadConfig(yaml),
    invalid(/holdfast\.yaml is not YAML, line 3, column 1: .*\n.*agents: \{\}/s),
  );
  const json = folder({ "holdfast.json": '{\n  "attempts": {,}\n}' });
  await assert.rejects(loadConfig(json), invalid(/holdfast\.json is not JSON.*(line 2|position)/s));
  const twice = folder({ "holdfast.yaml": "lease: { ms: 1 }\nlease: { ms: 2 }\n" });
  await assert.rejects(loadConfig(twice), invalid(/line 2.*duplicated mapping key/s));
  const binary = folder({});
  mkdirSync(binary, { recursive: true });
  writeFileSync(path.join(binary, "holdfast.yaml"), Buffer.from([0xff, 0xfe, 0x00]));
  await assert.rejects(loadConfig(binary), invalid(/is not UTF-8 text/));
});

test("P4 T25 YAML that would blow up is refused", async () => {
  const deep = folder({ "holdfast.yaml": `agents: ${"[".repeat(5_000)}${"]".repeat(5_000)}` });
  await assert.rejects(loadConfig(deep), invalid(/is not YAML/));
  const laughs = [
    "a0: &a0 [x]",
    ...Array.from(
      { length: 200 },
      (_, i) => `a${String(i + 1)}: &a${String(i + 1)} [*a${String(i)}, *a${String(i)}]`,
    ),
  ];
  await assert.rejects(loadConfig(folder({ "holdfast.yaml": laughs.join("\n") })), invalid(/alias/));
});

test("P4 T25 few aliases that stand for very many values, and an alias of what it stands in, are refused", async () => {
  const nine = (part: string): string => `[${Array.from({ length: 9 }, () => part).join(", ")}]`;
  const laughs = Array.from(
    { length: 9 },
    (_, at) => `a${String(at)}: &a${String(at)} ${nine(at === 0 ? "x" : `*a${String(at - 1)}`)}`,
  );
  await assert.rejects(
    loadConfig(folder({ "holdfast.yaml": laughs.join("\n") })),
    invalid(/has too many values; expected at most 200000, where each alias counts/),
  );
  const endless = folder({ "holdfast.yaml": "agents: &a { x: { use: *a } }" });
  await assert.rejects(loadConfig(endless), invalid(/nested deeper than 100 levels, or has an alias/));
  const deep = folder({ "holdfast.json": `{"agents":${"[".repeat(200)}${"]".repeat(200)}}` });
  await assert.rejects(loadConfig(deep), invalid(/nested deeper than 100 levels/));
});

test("P4 T25 of very many wrong keys the first ten are reported and the others counted, and a long one is cut", async () => {
  const keys = Array.from({ length: 20_000 }, (_, at) => `k${String(at)}: 1`).join("\n");
  await assert.rejects(
    loadConfig(folder({ "holdfast.yaml": keys })),
    invalid(/k9 is not a key.*and 19990 more/s),
  );
  const long = `${"k".repeat(100_000)}: 1`;
  await assert.rejects(
    loadConfig(folder({ "holdfast.yaml": long })),
    (error: Error) => error.message.length < 5_000,
  );
});

test("O1 the configuration is looked for from here up to the root of the repository, and not beyond", async () => {
  const repository = folder({ ".git/HEAD": "", "holdfast.yml": "backoff: { baseMs: 5 }", "a/b/c.txt": "" });
  assert.equal((await loadConfig(path.join(repository, "a/b"))).config.backoff.baseMs, 5);
  const outside = folder({ "holdfast.yaml": "backoff: { baseMs: 5 }", "a/b.txt": "", "a/.git/none": "" });
  assert.equal((await loadConfig(path.join(outside, "a"))).file, null);
  assert.equal((await loadConfig(outside)).config.backoff.baseMs, 5);
});

test("O1 configuration may be YAML or JSON; an empty file is all defaults; two files are an error", async () => {
  const json = await loadConfig(folder({ "holdfast.json": '{"backoff":{"baseMs":6}}' }));
  assert.equal(json.config.backoff.baseMs, 6);
  const empty = await loadConfig(folder({ "holdfast.yaml": "# nothing\n\n" }));
  assert.equal(empty.config.backoff.baseMs, 2_000);
  const both = folder({ "holdfast.yaml": "", "holdfast.json": "{}" });
  await assert.rejects(loadConfig(both), invalid(/2 configurations in one folder/));
});

test("O1 G4 configuration as code is read where it is named, and only there; otherwise it is said that it was not run", async () => {
  const at = folder({
    "holdfast.ts": "const ms: number = 7;\nexport default { backoff: { baseMs: ms } };\n",
  });
  const said: string[] = [];
  const found = await loadConfig(at, (text) => said.push(text));
  assert.deepEqual([found.file, found.config.backoff.baseMs], [null, 2_000]);
  assert.match(said.join(), /holdfast\.ts is code and was not run; .*holdfast run … --config holdfast\.ts/);
  const named = path.join(at, "holdfast.ts");
  assert.equal((await load({ cwd: at, hostFolder: at, named })).config.backoff.baseMs, 7);
  const broken = path.join(folder({ "mine.ts": "export const a = 1;" }), "mine.ts");
  await assert.rejects(load({ cwd: at, hostFolder: at, named: broken }), invalid(/no default export/));
});

test("O1 G4 settings of the host come from the user's own file; in a repository they are valid, ignored and named", async () => {
  const written = {
    "holdfast.yaml":
      "lease: { ms: 5 }\nnotify: { channels: { x: { use: command, command: [touch, x] } } }\nbudget: { usd: 3, day: { usd: 900 } }\n",
  };
  const said: string[] = [];
  const { config } = await loadConfig(folder(written), (text) => said.push(text));
  assert.deepEqual([config.lease.ms, config.notify.channels, config.budget.day], [30_000, {}, undefined]);
  assert.equal(config.budget.usd, 3, "what a run may spend is the repository's");
  assert.match(
    said.join(),
    /holdfast\.yaml: warning: lease\.ms, notify\.channels, budget\.day are settings of the host, ignored in a repository; put them into .*home\/holdfast\.yaml/,
  );
  const own = folder({
    ...written,
    "home/holdfast.yaml": "lease: { ms: 9 }\nbudget: { day: { usd: 50 } }\n",
  });
  const { config: mine } = await loadConfig(own);
  assert.deepEqual([mine.lease.ms, mine.budget.day], [9, { usd: 50 }]);
  await assert.rejects(
    loadConfig(folder({ "home/holdfast.yaml": "lese: { ms: 9 }\n" })),
    invalid(/home\/holdfast\.yaml is not a valid configuration of the host: .*lese .*did you mean "lease"\?/),
  );
});

test("O1 paths of agents in a configuration are meant from its file, wherever the command is called", async () => {
  const at = folder({
    ".git/HEAD": "",
    "holdfast.yaml":
      "agents:\n  a: { use: function, module: ./agent.ts }\n  b: { use: demo, script: hello }\n  c: { use: demo, script: ./s.json }\n",
    "deep/x.txt": "",
  });
  const { agents } = (await loadConfig(path.join(at, "deep"))).config;
  assert.deepEqual(agents, {
    a: { use: "function", module: path.join(at, "agent.ts") },
    b: { use: "demo", script: "hello" },
    c: { use: "demo", script: path.join(at, "s.json") },
  });
});

test("P4 a flow that is not valid names the file, the step and what was expected", () => {
  const at = folder({
    "f.yaml": "name: f\nsteps:\n  - { name: a, task: x, agnet: demo }\n",
    "empty.yaml": "name: f\nsteps: []\n",
    "good.yaml": "name: f\nsteps:\n  - { name: a, task: x }\n  - { name: b, task: y, agent: other }\n",
  });
  const read = (name: string, agent?: string) =>
    readFlow(path.join(at, name), { agent, configured: [] }).flow;
  assert.throws(
    () => read("f.yaml"),
    invalid(/f\.yaml is not a valid flow: .*steps\[0\]\.agnet is not a key here; did you mean "agent"\?/),
  );
  assert.throws(() => read("empty.yaml"), invalid(/steps is a list of 0; expected at least 1 entries/));
  assert.throws(() => read("good.yaml"), invalid(/steps\[0\]\.agent is missing.*--agent/));
  assert.throws(
    () => read("none.yaml"),
    invalid(/the flow .*none\.yaml cannot be read: there is no such file/),
  );
  assert.deepEqual(
    read("good.yaml", "demo").steps.map((step) => step.agent),
    ["demo", "other"],
  );
});
