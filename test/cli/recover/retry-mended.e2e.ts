import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import type { StatusView } from "../../../src/views/status/status.ts";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(3);

const config = (program: string): string => `commit: { author: "Ada <ada@example.invalid>" }
agents:
  first: { use: command, sandbox: none, command: [sh, -c, "echo one > one; rm ./second"] }
  second: { use: command, sandbox: none, command: [${program}] }
`;
const bench = new CliBench({
  second: "#!/bin/sh\n",
  "flow.yaml": `name: two
steps:
  - { name: begin, task: write one, agent: first }
  - { name: end, task: write two, agent: second, needs: [begin] }
`,
  "holdfast.yaml": config("./second"),
});
after(() => bench.close());

test("G3 W6 a run blocked as dispatch_error continues by the printed retry once its configuration is mended, and says what changed", async () => {
  chmodSync(`${bench.cwd}/second`, 0o755);
  execFileSync(
    "sh",
    [
      "-c",
      "git init -q && git add -A && git -c user.name=a -c user.email=a@example.invalid commit -qm begin",
    ],
    { cwd: bench.cwd },
  );
  const ran = await bench.call(["run", "--flow", "flow.yaml", "--id", "r"]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const { blocked } = await bench.json<StatusView>(["status", "r"]);
  assert.equal(blocked?.reason, "dispatch_error");

  assert.equal((await bench.call(["escalate", "r", "--note", "who knows this program?"])).code, 0);
  const escalated = await bench.json<StatusView>(["status", "r"]);
  assert.deepEqual(
    [escalated.blocked?.reason, escalated.blocked?.command],
    ["dispatch_error", blocked.command],
    "the way out stays while an operator is asked",
  );

  bench.write("holdfast.yaml", config('sh, -c, "echo two > two"'));
  const again = await bench.call([...pasted(blocked.command), "--json"]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(
    again.stdout,
    /tried again: end; changed in its files, and used from now on: .*second.*command/,
  );
  await bench.call(["up", "--detach"]);
  await bench.reaches("r", "completed");
});

test("G3 G10 at the time limit of a run retry is refused with the command that raises it, and that command lets the run continue", async () => {
  bench.write(
    "holdfast.yaml",
    `time: { runMs: 2000 }
workspace: { isolation: none }
agents:
  slow: { use: command, sandbox: none, command: [sh, -c, "until test -e ../go; do sleep 0.1; done; echo done > slow"] }
`,
  );
  const ran = await bench.call(["run", "be slow", "--agent", "slow", "--id", "slow"]);
  assert.equal(ran.code, 3, ran.stdout + ran.stderr);
  const { blocked } = await bench.json<StatusView>(["status", "slow"]);
  assert.deepEqual(
    [blocked?.reason, blocked?.choices.map(({ command }) => command.split(" ")[1])],
    ["timeout", ["set", "cancel"]],
  );
  const refused = await bench.call(["retry", "slow"]);
  assert.equal(refused.code, 5, refused.stdout + refused.stderr);
  assert.match(refused.stderr, /the time limit of the run is reached.*expected holdfast set slow \S+=/);
  writeFileSync(`${bench.root}/go`, "");
  const raised = await bench.call(pasted(blocked?.command ?? ""));
  assert.equal(raised.code, 0, raised.stdout + raised.stderr);
  await bench.call(["up", "--detach"]);
  await bench.reaches("slow", "completed");
});
