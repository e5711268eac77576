import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EventData, EventType, Recorded } from "../../../src/model/events/events.ts";
import { noSandbox } from "../../agents/sandbox/sandbox-stage.ts";
import { CALLS, GATE_FILES, HIDDEN } from "../../attacks/gates/gate-attackers.ts";
import { ApiBench } from "../api-bench.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(3);

/** Agents that know the owner's token, or look for it: what they ask of a server that runs as the same user. */
const skip = process.platform === "linux" ? false : "processes are followed by /proc";
const ENDED_WITHIN_MS = 120_000;

const files: Readonly<Record<string, string>> = {
  ...GATE_FILES,
  "holdfast.yaml": [
    "agents:",
    "  dev: { use: demo, script: script.json }",
    "  bad: { use: acp, command: [sh, ATTACK] }",
    "  boxed: { use: acp, sandbox: required, command: [sh, BOXED] }",
    "supervisor: { idleExitMs: 300, scanMs: 100 }",
    "",
  ].join("\n"),
};
const bench = new ApiBench(files);
after(() => bench.close());

const only = <Type extends EventType>(events: readonly Recorded[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

let digest = "";
before(async () => {
  if (skip !== false) return;
  for (const [flow, id] of [
    ["plain", "open-victim"],
    ["closed", "closed-victim"],
  ] as const) {
    const { code, stderr } = await bench.cli.call(["run", "--flow", `${flow}.yaml`, "--id", id]);
    assert.equal(code, 3, stderr);
  }
  await bench.serve();
  const status = await bench.client.getRun({ params: { run: "open-victim" } });
  digest = /"digest":"([0-9a-f]{8,64})"/.exec(JSON.stringify(status))?.[1] ?? "";
  assert.notEqual(digest, "");
});

interface Call {
  readonly name: string;
  readonly way: string;
  readonly target: string;
  readonly body: unknown;
  readonly headers?: readonly string[];
  readonly isSocket?: boolean;
}

const approve = (victim: string, more: Partial<Call> & Pick<Call, "name" | "way">): Call => ({
  target: `/runs/${victim}/requests`,
  body: { kind: "approve", digest },
  ...more,
});

/** Shell that makes each call with the owner's token, all at once, and notes what was answered. */
const script = (calls: readonly Call[]): string =>
  [
    ...calls.map(({ name, way, target, body, headers = [], isSocket = false }) => {
      const file = path.join(bench.cli.cwd, `${name}.call`);
      const url = isSocket ? "http://localhost" : bench.ready.url;
      const words = [
        `curl -s -m 60 -o ${file}.out -w '%{http_code}' ${isSocket ? `--unix-socket ${bench.ready.socket}` : ""}`,
        `-H "Authorization: Bearer $(cat ${bench.ready.tokenFile})" -H 'Content-Type: application/json'`,
        ...headers.map((header) => `-H '${header}'`),
        `-d '${JSON.stringify(body)}' ${url}/api/v1${target} > ${file}.code.part; mv ${file}.code.part ${file}.code`,
      ].join(" ");
      return [
        `cat > ${file} <<'END'`,
        "#!/bin/sh",
        words,
        "END",
        `chmod +x ${file}`,
        `${(CALLS[way] ?? "").replaceAll("CALL", file)} &`,
      ].join("\n");
    }),
    "wait",
    "sleep 300",
    "",
  ].join("\n");

const read = (name: string): string => {
  const file = path.join(bench.cli.cwd, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

async function play(
  calls: readonly Call[],
  run: string,
): Promise<Map<string, { code: string; out: string }>> {
  bench.cli.write("ATTACK", script(calls));
  await bench.cli.json(["run", "attack", "--agent", "bad", "--id", run, "--in-place", "--detach"]);
  const open = (): string[] =>
    calls.map(({ name }) => name).filter((name) => read(`${name}.call.code`) === "");
  for (const until = Date.now() + ENDED_WITHIN_MS; open().length > 0; await delay(100))
    assert.ok(Date.now() < until, `not ended: ${open().join(", ")}`);
  await bench.cli.call(["cancel", run]);
  return new Map(
    calls.map(({ name }) => [name, { code: read(`${name}.call.code`), out: read(`${name}.call.out`) }]),
  );
}

test(
  "O8 P3 an agent with the owner's token is found by its process: every write is refused, and its run's journal says who asked",
  { skip, timeout: 300_000 },
  async () => {
    const found = Object.keys(CALLS).filter((way) => !HIDDEN.includes(way));
    const named = (way: string): string => way.replace(" ", "-");
    const calls: Call[] = [
      ...found.map((way) => approve("open-victim", { name: `tcp-${named(way)}`, way })),
      approve("open-victim", { name: "socket", way: "emptied", isSocket: true }),
      approve("open-victim", {
        name: "named",
        way: "openly",
        headers: ["Holdfast-Agent: attacker work%231"],
      }),
      approve("closed-victim", { name: "closed", way: "unset" }),
      { name: "token", way: "emptied", target: "/tokens", body: { name: "x", role: "admin" } },
      { name: "login", way: "emptied", target: "/logins", body: {} },
      { name: "brake", way: "emptied", target: "/store/stop", body: {} },
      { name: "create", way: "emptied", target: "/runs", body: { goal: "g", agent: "demo" } },
      {
        name: "bulk",
        way: "emptied",
        target: "/requests",
        body: { runs: ["open-victim"], request: { kind: "approve", digest } },
      },
    ];
    const answers = await play(calls, "attacker");
    for (const [name, { code, out }] of answers) {
      if (name === "bulk") assert.match(out, /"status":409/);
      else assert.equal(code, "409", `${name}: ${code} ${out}`);
      assert.match(out, /is an agent/, name);
    }
    const events = await bench.cli.eventsOf("open-victim");
    assert.deepEqual(only(events, "GateApproved"), []);
    const asked = only(events, "RequestHeard").filter(({ request }) => request.kind === "approve");
    // Each way by TCP, the socket and the bulk; who says to be an agent is refused before.
    assert.equal(asked.length, found.length + 2);
    for (const { principal } of asked) {
      assert.deepEqual([principal?.kind, principal?.proof], ["agent", "process"]);
      assert.match(principal?.name ?? "", /^agent:(attacker\/)?/);
      assert.match(principal?.via ?? "", /by the owner's token from a process of .*: principal not proven$/);
    }
    assert.deepEqual(only(await bench.cli.eventsOf("closed-victim"), "GateApproved"), []);
    assert.deepEqual((await bench.client.listTokens({})).tokens, []);
  },
);

test(
  "O8 P3 one that hides every trace is a person who is not proven, and opens no credentialed gate",
  { skip, timeout: 300_000 },
  async () => {
    const calls = [
      approve("closed-victim", { name: "hidden-closed", way: "hidden" }),
      approve("open-victim", { name: "hidden-open", way: "hidden" }),
    ];
    const answers = await play(calls, "hider");
    assert.equal(answers.get("hidden-closed")?.code, "409", answers.get("hidden-closed")?.out);
    assert.equal(answers.get("hidden-open")?.code, "200", answers.get("hidden-open")?.out);
    const closed = await bench.cli.eventsOf("closed-victim");
    assert.deepEqual(only(closed, "GateApproved"), []);
    const last = only(closed, "RequestHeard").at(-1)?.principal;
    assert.deepEqual([last?.kind, last?.proof], ["person", "none"]);
    const report = await bench.cli.call(["report", "open-victim"]);
    assert.match(report.stdout, /principal not proven/);
  },
);

test(
  "O8 P3 an agent in a sandbox finds no token and no socket, and reaches no write",
  { skip: skip === false ? noSandbox : skip, timeout: 300_000 },
  async () => {
    const { url, socket, tokenFile } = bench.ready;
    const out = (name: string): string => path.join(bench.cli.cwd, `boxed-${name}`);
    const post = `-s -m 20 -w '%{http_code}' -o /dev/null -H 'Content-Type: application/json' -d '{"kind":"pause"}'`;
    const standing = JSON.stringify(await bench.cli.eventsOf("closed-victim"));
    const lines = [
      `cat ${tokenFile} > ${out("token")} 2>&1`,
      `grep -rs 'hf_' ${path.dirname(path.dirname(tokenFile))} /proc/*/environ /proc/*/cmdline > ${out("grep")} 2>&1`,
      `curl ${post} ${url}/api/v1/runs/closed-victim/requests > ${out("tcp")}`,
      `curl ${post} -H "Authorization: Bearer $(cat ${tokenFile} 2>/dev/null)" ${url}/api/v1/runs/closed-victim/requests > ${out("guess")}`,
      `curl ${post} --unix-socket ${socket} http://localhost/api/v1/runs/closed-victim/requests > ${out("socket")}`,
      `echo done > ${out("done")}`,
      "sleep 300",
    ];
    bench.cli.write("BOXED", `${lines.join("\n")}\n`);
    await bench.cli.json(["run", "attack", "--agent", "boxed", "--id", "boxed", "--in-place", "--detach"]);
    for (const until = Date.now() + ENDED_WITHIN_MS; !existsSync(out("done")); await delay(100))
      assert.ok(Date.now() < until, "the agent never came to its end");
    await bench.cli.call(["cancel", "boxed"]);
    assert.match(readFileSync(out("token"), "utf8"), /No such file|Permission denied/);
    assert.ok(!readFileSync(out("grep"), "utf8").includes(bench.token));
    for (const name of ["tcp", "guess"])
      assert.match(readFileSync(out(name), "utf8"), /^(401|429|000)$/, name);
    assert.equal(readFileSync(out("socket"), "utf8"), "000", "there is no socket to connect to");
    assert.equal(JSON.stringify(await bench.cli.eventsOf("closed-victim")), standing);
  },
);
