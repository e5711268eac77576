import assert from "node:assert/strict";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(2);

/** Does something the first time, and then only says so. */
const IDLE = {
  attempts: [
    [
      { do: "append", file: "made.txt", line: "made" },
      { do: "claim", ok: true, text: "done" },
    ],
    [{ do: "claim", ok: true, text: "done, really" }],
  ],
};

const step = (name: string, need?: string): string =>
  `  - { name: ${name}, task: t, agent: talker${need === undefined ? "" : `, needs: [${need}]`} }`;

const bench = new CliBench({
  "idle.json": JSON.stringify(IDLE),
  "talk.json": JSON.stringify({ attempts: [[{ do: "claim", ok: true, text: "done" }]] }),
  "talk.yaml": ["name: talk", "steps:", step("a"), step("b", "a"), step("c", "b"), step("d", "c"), ""].join(
    "\n",
  ),
  "holdfast.yaml": [
    "agents:",
    "  idle: { use: demo, script: idle.json }",
    "  talker: { use: demo, script: talk.json }",
    "backoff: { baseMs: 1, capMs: 1 }",
    "checkpoints: { when: always }",
    "checks: { tries: 9 }",
    "",
  ].join("\n"),
});
after(() => bench.close());

interface Status {
  readonly blocked: { readonly reason: string; readonly detail: string } | null;
}

test("G6 an agent that changes nothing after a failed check is stopped early, and why says so", async () => {
  const args = ["run", "g", "--agent", "idle", "--check", "echo no way; false", "--id", "idle"];
  const { code, stdout } = await bench.call(args);
  assert.equal(code, 3);
  const { blocked } = await bench.json<Status>(["status", "idle"]);
  assert.equal(blocked?.reason, "retries_exhausted");
  assert.match(blocked.detail, /no file was changed by the last attempt/);
  const checked = (await bench.eventsOf("idle")).filter(({ type }) => type === "StepChecked");
  assert.equal(checked.length, 2, "of nine tries");
  assert.match(stdout, /holdfast retry idle/);
  assert.match((await bench.call(["why", "idle"])).stdout, /no file was changed[^]*no way/);
});

test("G6 three accepted turns with nothing to show stop the run for a person, and the printed command goes on", async () => {
  const { code, stdout } = await bench.call(["run", "g", "--flow", "talk.yaml", "--id", "talk"]);
  assert.equal(code, 3, stdout);
  const { blocked } = await bench.json<Status>(["status", "talk"]);
  assert.equal(blocked?.reason, "stuck");
  assert.match((await bench.call(["why", "talk"])).stdout, /"a", "b", "c"\) changed no file/);
  const command = /holdfast (retry talk)/.exec(stdout)?.[1];
  assert.ok(command !== undefined, stdout);
  await bench.call(command.split(" "));
  const waited = await bench.call(["wait", "talk", "--timeout", "60s"]);
  const events = await bench.eventsOf("talk");
  assert.ok(
    events.some(({ type, data }) => type === "AttemptStarted" && (data as { step: string }).step === "d"),
    waited.stdout + waited.stderr,
  );
});
