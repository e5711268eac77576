import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(5);

interface Checked {
  readonly checks: readonly { name: string; state: string; text: string; remedy: string | null }[];
}
const LEASE_MS = 700;

test("L8 a stopped supervisor without a sibling is no good news: doctor reads its beats, and its command brings it back", async () => {
  const acts = [
    { do: "say", text: "at work" },
    { do: "wait", file: "go" },
    { do: "claim", ok: true, text: "ok" },
  ];
  const bench = new CliBench({
    "slow.json": JSON.stringify({ attempts: [acts] }),
    "holdfast.yaml": `supervisor: { idleExitMs: 60000 }\nlease: { ms: ${String(LEASE_MS)} }\n`,
  });
  const finding = async (code: number): Promise<Checked["checks"][number] | undefined> =>
    (await bench.json<Checked>(["doctor"], code)).checks.find(({ name }) => name === "supervisor");
  let pid = 0;
  try {
    const words = ["run", "slowly", "--agent", "demo:./slow.json", "--id", "slow", "--detach"];
    ({ pid } = (await bench.json<{ supervisor: { pid: number } }>(words)).supervisor);
    await bench.receives("slow", "at work");
    process.kill(pid, "SIGSTOP");
    await delay(LEASE_MS * 2);
    const stopped = await finding(1);
    assert.equal(stopped?.state, "fail");
    assert.match(stopped.text, /is stopped \(SIGSTOP\): last sign of life .* its sibling is gone/);
    assert.equal(stopped.remedy, `kill -CONT ${String(pid)}`);
    process.kill(pid, "SIGCONT");
    bench.write("go", "");
    await bench.reaches("slow", "completed");
    const back = await finding(0);
    assert.equal(back?.state, "ok", back?.text);
  } finally {
    if (pid !== 0) process.kill(pid, "SIGCONT");
    await bench.close();
  }
});
