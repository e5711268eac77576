import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { holdfastClient } from "../../src/api/client/client.ts";
import { LOCAL_COMMANDS } from "../../src/api/client/local-commands.ts";
import { parityTable } from "../../src/api/routes/parity.ts";
import { runCommand } from "../../src/cli/main.ts";
import { nodeFetch } from "../../src/cli/remote/node-fetch.ts";
import { Output } from "../../src/cli/print/output.ts";
import { commandTree } from "../../src/cli/shell/command-tree.ts";
import { commandNames } from "../../scripts/docs/api-doc.ts";
import { filesOn, makeRepository } from "../cli/mission/made-repository.ts";
import { ApiBench } from "./api-bench.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(1);

const bench = new ApiBench({
  "slow.json": JSON.stringify({
    attempts: [
      [
        { do: "wait", file: "go" },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  }),
  "holdfast.yaml": `supervisor: { idleExitMs: 300, scanMs: 100 }
startup: { termGraceMs: 300 }
agents:
  slow: { use: demo, script: slow.json }
`,
});
const fixture = (name: string): string => path.join(import.meta.dirname, "fixtures", name);

interface Played {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line in this process: as a program it costs half a second each time. */
async function play(
  words: readonly string[],
  env: Record<string, string> = {},
  received: (text: string) => void = () => undefined,
): Promise<Played> {
  const texts = { out: "", err: "" };
  const json = words.includes("--json");
  const stdout = { write: (text: string) => ((texts.out += text), received(texts.out), true) };
  const stderr = { write: (text: string) => ((texts.err += text), true) };
  const kept = { ...process.env };
  Object.assign(process.env, env);
  try {
    const code = await runCommand([...words], new Output({ json, stdout, stderr }));
    return { code, stdout: texts.out, stderr: texts.err };
  } finally {
    for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, kept);
  }
}

const CA = fixture("loopback.crt");
const TLS = ["--tls-cert", CA, "--tls-key", fixture("loopback.key")];

/** Over TLS, as on another machine. */
const remotely = (words: readonly string[]): Promise<Played> =>
  play(words, {
    HOLDFAST_SERVER: bench.ready.url,
    HOLDFAST_TOKEN: bench.token,
    HOLDFAST_CA_FILE: CA,
  });

const plain = (text: string): string =>
  text
    .replaceAll(` --server ${bench.ready.url}`, "")
    // What moves by itself, or with each request of a run that has ended.
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min)\b/g, "TIME")
    .replaceAll(/"(?:position|beatAgeMs|ageMs|at|updatedAt|exportedAt|cursor)": ?(?:"[^"]*"|\d+)/g, "MOVES")
    .replaceAll(/\d{4}-\d\d-\d\d[ T][\d:.]+(?:Z| \w+)?/g, "WHEN")
    .replaceAll(/[0-9a-f]{64}/g, "HASH");

before(async () => {
  const run = (...words: string[]) => bench.cli.call(["run", ...words, "--agent", "demo", "--in-place"]);
  assert.equal((await run("say hello", "--id", "hello")).code, 0);
  assert.equal((await run("ask me", "--id", "asks", "--approve", "completion")).code, 3);
  const { url } = await bench.serve(TLS);
  assert.match(url, /^https:/);
  process.env["HOLDFAST_HOME"] = bench.cli.home;
  process.chdir(bench.cli.cwd);
});
after(async () => {
  process.chdir("/");
  await bench.close();
});

/** What is played both ways, by command; it changes nothing, or is refused both times with the same words. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  status: ["hello"],
  runs: [],
  why: ["hello"],
  report: ["hello"],
  changes: ["hello"],
  checkpoints: ["hello"],
  proposals: ["hello"],
  "proposal show": ["hello.p1"],
  "proposal apply": ["hello.p1"],
  "proposal reject": ["hello.p1", "--note", "no"],
  verify: ["hello"],
  replay: ["hello", "--at", "3"],
  diff: ["hello", "asks"],
  inbox: [],
  alarms: [],
  agents: [],
  "config show": ["--origin"],
  gc: ["--dry-run", "--older-than", "0m"],
  events: ["hello", "--since", "2", "--type", "RunStarted"],
  logs: ["hello"],
  export: ["nothing"],
  wait: ["hello"],
  watch: ["--once"],
  unpause: ["account:nobody"],
  "continuous status": ["nothing"],
  "continuous list": [],
  "continuous pause": ["nothing"],
  "continuous resume": ["nothing"],
  "continuous stop": ["nothing"],
  "continuous skip": ["goal", "--session", "nothing"],
  "mission start": ["nothing.yaml"],
  "mission status": ["nothing"],
  "mission list": [],
  "mission diff": ["nothing"],
  "mission launch": ["nothing", "--workstream", "a", "--retry"],
  "mission autopilot": ["nothing", "--auto-retry", "--max-retries", "1"],
  "mission approve": ["nothing"],
  "mission pause": ["nothing"],
  "mission resume": ["nothing"],
  "mission stop": ["nothing"],
  "mission reconcile": ["nothing"],
  "mission skip": ["a", "--mission", "nothing"],
  "mission pass": ["a", "--mission", "nothing"],
  hosts: [],
  drain: ["nothing"],
  start: [],
  down: [],
  pause: ["hello"],
  resume: ["hello"],
  cancel: ["hello"],
  reopen: ["nothing"],
  retry: ["nothing"],
  approve: ["hello"],
  reject: ["hello", "--note", "no"],
  unblock: ["nothing.e1"],
  escalate: ["nothing", "--note", "help"],
  tell: ["hello", "faster"],
  alarm: ["nothing", "--in", "20m", "--note", "look"],
  signal: ["nothing", "name", "1"],
  settle: ["nothing", "key", "--again"],
  set: ["nothing", "budget.usd=4"],
  checkpoint: ["nothing"],
  restore: ["nothing"],
  handoff: ["nothing", "--to", "demo"],
  reissue: ["nothing", "--reason", "drift"],
  reconcile: ["nothing", "--accept-head"],
  accept: ["nothing"],
  commit: ["nothing"],
  fork: ["nothing", "--at", "3"],
  salvage: ["nothing"],
  "token list": [],
  "token revoke": ["nobody"],
};

/** Played below, each in its own way. */
const APART: readonly string[] = [
  "attach",
  "continuous",
  "run",
  "up",
  "stop",
  "dashboard",
  "token create",
  "assess",
  "doctor",
];

const commandsOfTree = async (): Promise<string[]> =>
  commandNames(
    await commandTree(() => () => Promise.resolve(), { out: () => undefined, err: () => undefined }),
  );

test("O8 P3 every command with a route prints the same through a server over TLS, in text and as JSON, with the same exit code", async (t) => {
  const rows = parityTable(await commandsOfTree()).filter(({ local }) => local === null);
  const missing = rows.map(({ command }) => command).filter((one) => !(one in SAME) && !APART.includes(one));
  assert.deepEqual(missing, [], "each is played");
  for (const [command, words] of Object.entries(SAME))
    for (const json of [[], ["--json"]]) {
      const argv = [...command.split(" "), ...words, ...json];
      const [here, there] = [await play(argv), await remotely(argv)];
      for (const part of ["stdout", "stderr"] as const)
        assert.equal(plain(there[part]), plain(here[part]), `${argv.join(" ")}: ${part}`);
      assert.equal(there.code, here.code, argv.join(" "));
    }
  t.diagnostic(`${String(Object.keys(SAME).length)} commands, each twice`);
});

test("O8 a command of the machine itself says so with its reason, and exits 2", async () => {
  const program: Record<string, readonly string[]> = {
    attach: ["hello"],
    init: [],
    completion: ["bash"],
    backup: ["x"],
    serve: [],
    trust: [],
  };
  for (const [command, words] of Object.entries(program)) {
    const { code, stderr } = await remotely([command, ...words]);
    assert.equal(code, 2, command);
    assert.ok(stderr.includes(LOCAL_COMMANDS[command] ?? "works on the machine itself"), stderr);
  }
  const refused = await remotely(["run", "x", "--trust"]);
  assert.deepEqual([refused.code, /--trust works on the machine itself/.test(refused.stderr)], [2, true]);
});

test("O8 a run is started and followed to its end through a server, and its events and logs come as they do locally", async () => {
  const ran = await remotely(["run", "say hello", "--agent", "demo", "--in-place", "--id", "far"]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /far · Ctrl-C leaves it/);
  assert.match(ran.stdout, /completed/);
  for (const words of [
    ["events", "far", "--follow", "--json"],
    ["logs", "far", "--follow"],
    ["events", "far", "--follow"],
  ]) {
    const [here, there] = [await play(words), await remotely(words)];
    assert.deepEqual([there.code, there.stdout], [here.code, here.stdout], words.join(" "));
  }
  const blocked = [await play(["events", "asks", "-f"]), await remotely(["events", "asks", "-f"])];
  assert.deepEqual(
    blocked.map(({ code }) => code),
    [3, 3],
  );
  assert.equal(plain(blocked[1]?.stderr ?? ""), plain(blocked[0]?.stderr ?? ""));
});

test("O8 G14 a continuous session is begun and waited for through a server, and led by the same commands", async () => {
  bench.cli.write("goals.yaml", "agent: demo\nonFailed: skip\ngoals:\n  - { id: one, goal: say hello }\n");
  const ran = await remotely(["continuous", "goals.yaml", "--in-place", "--wait"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /completed: every goal is over/);
  for (const words of [
    ["continuous", "status", "goals"],
    ["continuous", "list", "--json"],
    ["continuous", "goals.yaml", "--in-place"],
  ]) {
    const [here, there] = [await play(words), await remotely(words)];
    assert.deepEqual([there.code, plain(there.stdout)], [here.code, plain(here.stdout)], words.join(" "));
  }
});

test("O8 G15 a mission over two repositories is begun, worked, looked at and accepted through a server, as it is without one", async () => {
  const folders = ["api", "web"].map((name) => makeRepository(path.join(bench.cli.cwd, name)));
  const makes = (file: string): string =>
    JSON.stringify({
      attempts: [
        [
          { do: "append", file, line: "made" },
          { do: "claim", ok: true, text: "done" },
        ],
      ],
    });
  bench.cli.write("schema.json", makes("schema.txt"));
  bench.cli.write("page.json", makes("page.txt"));
  bench.cli.write(
    "shop.yaml",
    `repositories: { api: ./api, web: ./web }
workstreams:
  - { id: schema, repository: api, goal: design it, agent: "demo:./schema.json" }
  - { id: page, repository: web, goal: write it, agent: "demo:./page.json", needs: [schema] }
`,
  );
  const both = async (words: readonly string[]): Promise<Played> => {
    const [here, there] = [await play(words), await remotely(words)];
    const said = ({ code, stdout, stderr }: Played): unknown[] => [code, plain(stdout), plain(stderr)];
    assert.deepEqual(said(there), said(here), words.join(" "));
    return there;
  };
  const begun = await remotely(["mission", "start", "shop.yaml"]);
  assert.deepEqual([begun.code, /schema +ready/.test(begun.stdout)], [0, true], begun.stdout + begun.stderr);
  const early = await both(["mission", "launch", "shop", "--workstream", "page"]);
  assert.deepEqual([early.code, /needs: page waits for schema/.test(early.stderr)], [5, true], early.stderr);
  for (const words of [["--workstream"], []].map((more) => ["mission", "launch", "shop", ...more]))
    assert.equal((await both(words)).code, 2);
  assert.equal((await both(["mission", "autopilot", "shop", "--max-retries", "many"])).code, 2);
  const launched = await remotely(["mission", "launch", "shop", "--workstream", "schema", "--wait"]);
  assert.equal(launched.code, 0, launched.stdout + launched.stderr);
  const again = await both(["mission", "launch", "shop", "--workstream", "schema", "--retry"]);
  assert.deepEqual([again.code, again.stderr.includes("not_retryable: ")], [5, true], again.stderr);
  const worked = await remotely(["mission", "autopilot", "--wait", "--json"]);
  assert.equal(worked.code, 0, worked.stdout + worked.stderr);
  assert.equal((JSON.parse(worked.stdout) as { status: string }).status, "ready_to_accept");
  for (const words of [["status", "shop"], ["list", "--json"], ["diff"]]) await both(["mission", ...words]);
  const { stdout } = await remotely(["mission", "diff", "shop"]);
  const approve = /holdfast (mission approve shop --digest \w+) --server/.exec(stdout)?.[1] ?? "";
  const accepted = await remotely([...approve.split(" "), "--wait"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.deepEqual(
    folders.map((folder) => filesOn(folder)),
    [
      ["README.md", "schema.txt"],
      ["README.md", "page.txt"],
    ],
  );
  assert.equal((await both(["mission", "pause", "shop"])).code, 5);
});

test("O8 an approval through a server is bound to what is shown: another digest is refused, and the commands name the server", async () => {
  const wrong = await remotely(["approve", "asks", "--digest", "0123456789abcdef"]);
  assert.equal(wrong.code, 5, wrong.stderr);
  const { stdout } = await remotely(["status", "asks"]);
  assert.match(stdout, new RegExp(`holdfast approve asks .*--server ${bench.ready.url}`));
  const done = await remotely(["approve", "asks"]);
  assert.equal(done.code, 0, done.stderr);
});

test("O8 what keeps a server from being used is named with what to do", async () => {
  const at = (HOLDFAST_SERVER: string, HOLDFAST_TOKEN = bench.token) =>
    play(["runs"], { HOLDFAST_SERVER, HOLDFAST_TOKEN, HOLDFAST_CA_FILE: CA });
  const clear = createServer((_, response) => response.end("{}"));
  await new Promise<void>((resolve) => clear.listen(0, "127.0.0.1", resolve));
  const clearPort = String((clear.address() as AddressInfo).port);
  const cases: readonly [Played, number, RegExp][] = [
    [await at("http://127.0.0.1:1"), 6, /cannot be reached: .*holdfast serve/],
    [await at(bench.ready.url, "hf_wrong"), 5, /does not know the token.*holdfast token create/],
    [await at(bench.ready.url, ""), 2, /--token-file FILE or HOLDFAST_TOKEN/],
    [await at("http://192.0.2.1:80"), 2, /clear text; expected https/],
    [await at("holdfast"), 2, /no address of a server/],
    [await at(`https://127.0.0.1:${clearPort}`), 6, /does not speak TLS/],
    [await at(`${bench.ready.url}/x?token=1`), 2, /more than an address/],
  ];
  for (const [{ code, stderr }, expected, text] of cases) {
    assert.match(stderr, text);
    assert.equal(code, expected, stderr);
    assert.ok(!stderr.includes(bench.token));
  }
  clear.close();
});

test("O8 who asks a server names runs alone: a file of its machine is none", async () => {
  const { url } = bench.ready;
  const client = holdfastClient({ url, token: bench.token, fetch: nodeFetch(readFileSync(CA, "utf8")) });
  for (const run of ["/etc/passwd", "holdfast.yaml", "x.jsonl"])
    for (const method of ["getReport", "getWhy", "verifyRun", "replayRun"] as const)
      await assert.rejects(client[method]({ params: { run } }), { status: 404 }, `${method} ${run}`);
});

test(
  "O8 over TLS a command needs the authority of the server, and follows a run through an end of the server by a kill",
  { timeout: 120_000 },
  async () => {
    const { url } = bench.ready;
    const untrusted = await play(["runs"], { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: bench.token });
    assert.equal(untrusted.code, 6);
    assert.match(untrusted.stderr, /is not trusted .*--ca-file FILE/);
    const far = ["--ca-file", CA, "--token-file", bench.ready.tokenFile];
    const env = { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: "" };
    const begun = await play(
      ["run", "wait for it", "--agent", "slow", "--in-place", "--id", "slow", "--detach", ...far],
      env,
    );
    assert.equal(begun.code, 0, begun.stderr);
    const begins = Promise.withResolvers<void>();
    const following = play(["events", "slow", "--follow", "--json", ...far], env, (text) => {
      if (text.includes("work#1")) begins.resolve();
    });
    await Promise.race([begins.promise, following]);
    await bench.end("SIGKILL");
    await bench.serve([...TLS, "--listen", new URL(url).host]);
    bench.cli.write("go", "");
    const { code: ended, stdout, stderr } = await following;
    assert.equal(ended, 0, stderr);
    const seqs = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    assert.deepEqual(
      seqs,
      seqs.map((_, at) => at + 1),
    );
    assert.match(stderr, /is lost; trying again/);
    assert.match(stderr, /connected to .* again/);
  },
);
