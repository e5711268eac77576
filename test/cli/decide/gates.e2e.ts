import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(3);

const SCRIPT = {
  attempts: [
    [
      { do: "append", file: "work.txt", line: "{attempt}" },
      { do: "append", file: "told.txt", line: "{task}" },
      { do: "claim", ok: true, text: "done" },
    ],
  ],
};

const FLOW = (gate: string): string => `name: release
steps:
  - { name: build, task: build it, agent: dev, phase: make }
  - { name: ship, task: ship it, agent: dev, phase: out }
phases:
  - name: make
    gate: ${gate}
  - name: out
`;

const bench = new CliBench({
  "script.json": JSON.stringify(SCRIPT),
  "holdfast.yaml": [
    "agents: { dev: { use: demo, script: script.json } }",
    "supervisor: { idleExitMs: 300, scanMs: 100 }",
    "mirrors: { humanTasks: true, status: true }",
    "",
  ].join("\n"),
});
after(() => bench.close());

/** Outside of the tree: what is mended there is no change of what was approved. */
const open = path.join(bench.root, "open");
bench.write("gated.yaml", FLOW(`{ name: release, kind: approval, action: { run: 'test -e "${open}"' } }`));
bench.write("plain.yaml", FLOW("{ name: release, kind: approval, rework: [build] }"));
bench.write("closed.yaml", FLOW("{ name: release, kind: approval, credentialed: true }"));

interface Inbox {
  readonly inbox: readonly {
    readonly run: string;
    readonly gate: string;
    readonly digest: string;
    readonly command: string;
  }[];
}

const asked = async (run: string): Promise<Inbox["inbox"][number]> => {
  const { inbox } = await bench.json<Inbox>(["inbox"]);
  return inbox.find((entry) => entry.run === run) ?? assert.fail(`${run} asks nothing`);
};

test("G4 what changes between the yes and the gate is asked again; an action that fails keeps approve as its remedy", async () => {
  const ended = await bench.call(["run", "--flow", "gated.yaml", "--id", "gated"]);
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  const first = await asked("gated");
  assert.equal(first.gate, "release");
  assert.match(first.command, new RegExp(`approve gated release --digest ${first.digest.slice(0, 12)}`));
  const shown = (await bench.call(["status", "gated"])).stdout;
  assert.ok(shown.includes(`release: asked (${first.digest.slice(0, 12)})`), shown);

  // Somebody changes the work while it waits: the yes was to something else.
  writeFileSync(path.join(bench.cwd, "work.txt"), "changed by hand\n");
  assert.equal((await bench.call(pasted(first.command))).code, 0);
  await bench.receives("gated", '"again":true');
  await bench.reaches("gated", "awaiting_approval");
  const second = await asked("gated");
  assert.notEqual(second.digest, first.digest);
  const old = await bench.call(["approve", "gated", "--digest", first.digest.slice(0, 12)]);
  assert.equal(old.code, 5, old.stdout);
  assert.ok(old.stderr.includes(second.digest.slice(0, 12)), old.stderr);

  assert.equal((await bench.call(pasted(second.command))).code, 0);
  await bench.reaches("gated", "blocked");
  const status = await bench.json<{ blocked: { reason: string; command: string } }>(["status", "gated"]);
  assert.equal(status.blocked.reason, "gate_action_failed");
  writeFileSync(open, "");
  assert.equal((await bench.call(pasted(status.blocked.command))).code, 0);
  await bench.reaches("gated", "completed");
  const events = await bench.eventsOf("gated");
  const passed = events.findIndex(({ type }) => type === "GatePassed");
  const shipped = events.findIndex((event) => event.type === "AttemptStarted" && event.data.step === "ship");
  assert.ok(passed !== -1 && passed < shipped, "ship began before its gate was passed");
});

test("G4 fifty clicks on one approval have one effect, from five processes' worth of stores, and none counts for the next gate", async () => {
  assert.equal(
    (await bench.call(["run", "--flow", "plain.yaml", "--id", "clicked", "--approve", "completion"])).code,
    3,
  );
  const { gate, digest } = await asked("clicked");
  const systems = await Promise.all(
    Array.from({ length: 5 }, () =>
      openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) }),
    ),
  );
  try {
    const clicks = Array.from({ length: 10 }, (_, at) =>
      systems.map((system, of) =>
        system.requests.ask(
          "clicked",
          { kind: "approve", gate, digest, who: `person-${String(at)}-${String(of)}` },
          { by: "test", waitMs: 60_000 },
        ),
      ),
    ).flat();
    const texts = (await Promise.all(clicks)).map((outcome) =>
      outcome.kind === "answered" && outcome.answer.kind === "done" ? outcome.answer.text : "not answered",
    );
    assert.equal(texts.filter((text) => text.startsWith("approved: ")).length, 1, texts.join("\n"));
    assert.equal(texts.filter((text) => text.startsWith("approved already: ")).length, 49);
  } finally {
    await Promise.all(systems.map((system) => system.close()));
  }
  await bench.json(["up", "--detach"]);
  await bench.receives("clicked", "approval_completion");
  const events = await bench.eventsOf("clicked");
  assert.equal(events.filter(({ type }) => type === "GateApproved").length, 1);
  assert.equal((await bench.call(["cancel", "clicked"])).code, 0);
});

test("G4 a refusal sends the work back with the note, and the next approval is of what was made then", async () => {
  assert.equal((await bench.call(["run", "--flow", "plain.yaml", "--id", "again"])).code, 3);
  const first = await asked("again");
  assert.equal(
    (await bench.call(["reject", "again", "release", "--note", "the error is not handled"])).code,
    0,
  );
  await bench.receives("again", '"attempt":"build#2"');
  await bench.reaches("again", "awaiting_approval");
  const second = await asked("again");
  assert.notEqual(second.digest, first.digest);
  const agent = await bench.call(["approve", "again", "other"]);
  assert.equal(agent.code, 5, agent.stdout);
  assert.equal((await bench.call(["approve", "again"])).code, 0);
  await bench.reaches("again", "completed");
  const twice = await bench.call(["approve", "again", "release", "--digest", second.digest]);
  assert.equal(twice.code, 0, twice.stderr);
  assert.match(twice.stdout, /approved already/);
});

test("G4 a credentialed gate is not opened by an agent that calls the command", async () => {
  assert.equal((await bench.call(["run", "--flow", "closed.yaml", "--id", "closed"])).code, 3);
  const tried = await bench.call(["approve", "closed"], { env: { HOLDFAST_ATTEMPT: "build#1" } });
  assert.equal(tried.code, 5, tried.stdout);
  assert.match(tried.stderr, /is an agent; only people and their programs may/);
  assert.ok(existsSync(path.join(bench.cwd, "work.txt")));
  assert.equal((await bench.call(["cancel", "closed"])).code, 0);
});

test("G4 a run is completed only after a yes where that is asked for, and words that mean nothing are refused", async () => {
  const args = ["run", "do it", "--agent", "dev", "--approve"];
  assert.equal((await bench.call([...args, "completion", "--id", "last"])).code, 3);
  assert.equal((await bench.call(["approve", "last"])).code, 0);
  await bench.reaches("last", "completed");
  const wrong = await bench.call([...args, "lunch"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /expected plan, completion or plan,completion/);
});
