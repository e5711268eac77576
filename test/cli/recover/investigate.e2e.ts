import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { MARK_VARIABLE, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(0);

const bench = new CliBench();
after(() => bench.close());

interface Investigated {
  readonly sessions: readonly {
    readonly run: string;
    readonly attempt: string;
    readonly processes: readonly { readonly pid: number; readonly program: string }[];
    readonly ended: { readonly outcome: string };
    readonly lastOutput: { readonly text: string };
  }[];
}

test(
  "A4 a session that lives although its attempt has ended is found and shown, and ended only when asked",
  { skip: process.platform === "linux" ? false : "sessions are found by the environment of processes" },
  async () => {
    assert.equal((await bench.call(["run", "say hello", "--agent", "demo", "--id", "r1"])).code, 0);
    const clean = await bench.json<Investigated>(["investigate", "r1"]);
    assert.deepEqual(clean.sessions, []);
    // What an agent left behind: it bears the mark of its session, as everything does that a session starts.
    const { mark } = sessionFolder(`${bench.store}-sessions`, "r1.work.1");
    const left = spawn("sleep", ["300"], { stdio: "ignore", env: { ...process.env, [MARK_VARIABLE]: mark } });
    const over = once(left, "exit");
    try {
      const { sessions } = await bench.json<Investigated>(["investigate"]);
      assert.deepEqual(
        sessions.map(({ run, attempt, processes, ended }) => ({
          run,
          attempt,
          processes,
          how: ended.outcome,
        })),
        [
          {
            run: "r1",
            attempt: "work#1",
            processes: [{ pid: left.pid, program: "sleep 300" }],
            how: "succeeded",
          },
        ],
      );
      assert.notEqual(sessions[0]?.lastOutput.text ?? "", "");
      const status = await bench.call(["status", "r1"]);
      assert.match(status.stdout, /a session of an ended attempt still runs: see .*investigate r1/);
      const doctor = await bench.call(["doctor"]);
      assert.match(doctor.stdout, /warn {2}sessions: .*r1\.work\.1/);
      const inbox = await bench.call(["inbox"]);
      assert.match(inbox.stdout, /r1 · investigate · for operator/);
      assert.equal(left.exitCode ?? left.signalCode, null, "looking ends nothing");
      const ended = await bench.call(["investigate", "r1", "--end"]);
      assert.equal(ended.code, 0, ended.stdout + ended.stderr);
      await over;
      assert.deepEqual((await bench.json<Investigated>(["investigate", "r1"])).sessions, []);
    } finally {
      left.kill("SIGKILL");
      await over;
    }
  },
);
