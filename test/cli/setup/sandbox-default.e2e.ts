import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { waitFor } from "../../agents/contract/scene.ts";
import { noSandbox } from "../../agents/sandbox/sandbox-stage.ts";
import { CliBench } from "../cli-process.ts";

const bench = new CliBench({});
after(() => bench.close());

const OUTSIDE = path.join(bench.root, "outside");

/** Works until it is asked to end, after a try to write beside its workspace. */
const SCRIPT = `#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s"}'
touch ${OUTSIDE} 2>/dev/null
while ! test -e over; do sleep 0.1; done
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s"}'
`;
const PROGRAM = path.join(bench.cwd, "agent");
writeFileSync(PROGRAM, SCRIPT);
chmodSync(PROGRAM, 0o755);

/** Leaves processes behind that have no tie to it: no parent, session, group, environment or open file of its own. */
const DAEMONS = `setsid env -i sleep 308 </dev/null >/dev/null 2>&1 &
(setsid nohup sleep 309 </dev/null >/dev/null 2>&1 &)
touch begun; while :; do sleep 0.1; done`;
const agents = {
  dev: { use: "claude", command: [PROGRAM] },
  daemons: { use: "command", command: ["sh", "-c", DAEMONS] },
};
bench.write("holdfast.json", JSON.stringify({ agents }));

interface Shown {
  readonly sandboxes: readonly { step: string; attempt: number; active: boolean; text: string | null }[];
}

/** Of a run that has begun, as `status` shows it twice; then it is ended. */
async function shownBy(run: string, env: Readonly<Record<string, string>>): Promise<[Shown, string]> {
  rmSync(path.join(bench.cwd, "over"), { force: true });
  const begun = await bench.call(["run", "it", "--agent", "dev", "--detach", "--id", run], { env });
  assert.equal(begun.code, 0, begun.stdout + begun.stderr);
  let shown: Shown = { sandboxes: [] };
  for (const until = Date.now() + 20_000; shown.sandboxes.length === 0 && Date.now() < until;)
    shown = await bench.json<Shown>(["status", run]);
  const { stdout } = await bench.call(["status", run]);
  writeFileSync(path.join(bench.cwd, "over"), "");
  await bench.reaches(run, "completed");
  await bench.call(["down"]);
  return [shown, stdout];
}

/** Of processes and of memory, what is limited and what is not. */
const LIMITS_SAID =
  /at most (\d+ processes and )?\d+ MB|no limit of (processes and )?memory, ended before others/;

test(
  "P6 an agent that works without asking runs in a sandbox without any setting, and status and doctor say so, with its limits",
  { skip: noSandbox },
  async () => {
    const [{ sandboxes }, text] = await shownBy("inside", {});
    assert.equal(sandboxes.length, 1);
    assert.equal(sandboxes[0]?.active, true);
    assert.match(sandboxes[0].text ?? "", /^in a sandbox \(bubblewrap .*network: all/);
    assert.match(text, /^sandbox +work, attempt 1: in a sandbox \(bubblewrap/m);
    assert.match(text, LIMITS_SAID);
    const { stdout } = await bench.call(["doctor"]);
    assert.match(stdout, new RegExp(`sandbox.*(${LIMITS_SAID.source})`));
    assert.equal(existsSync(OUTSIDE), false, "it wrote beside its workspace");
  },
);

/** Of this machine, no matter who started them. */
const sleepers = (): number =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && /^sleep\0(308|309)\0$/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      return false;
    }
  }).length;

test("P6 A5 T27 nothing of an agent in a sandbox survives `cancel`", { skip: noSandbox }, async () => {
  const begun = await bench.call(["run", "it", "--agent", "daemons", "--detach", "--id", "left"]);
  assert.equal(begun.code, 0, begun.stdout + begun.stderr);
  assert.ok(await waitFor(() => sleepers() === 2 || undefined, 30_000), "its processes are not there");
  const cancelled = await bench.call(["cancel", "left"]);
  assert.equal(cancelled.code, 0, cancelled.stdout + cancelled.stderr);
  await bench.reaches("left", "cancelled");
  assert.ok(await waitFor(() => sleepers() === 0 || undefined, 30_000), "processes outlived it");
  await bench.call(["down"]);
});

test("P6 where no sandbox is possible the same agent works, and its start, status and doctor say why", async () => {
  const bin = path.join(bench.root, "bin");
  mkdirSync(bin);
  for (const name of readdirSync("/usr/bin"))
    if (name !== "bwrap") symlinkSync(path.join("/usr/bin", name), path.join(bin, name));
  const env = { PATH: bin };
  const why = /without a sandbox: bwrap was not found on PATH \(apt install bubblewrap\)/;
  const [{ sandboxes }, text] = await shownBy("outside", env);
  assert.equal(sandboxes[0]?.active, false);
  assert.match(sandboxes[0].text ?? "", why);
  assert.match(text, why);
  assert.ok(existsSync(OUTSIDE), "it was not kept from writing beside its workspace");
  const front = await bench.call(["run", "it", "--agent", "dev", "--id", "front"], { env });
  assert.match(front.stdout + front.stderr, why);
  const doctor = await bench.call(["doctor"], { env });
  assert.match(doctor.stdout, /sandbox.*not possible here: bwrap was not found on PATH.*auto/);
  assert.match(doctor.stdout, /apt install bubblewrap/);
});
