import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { typeable } from "../../../src/agents/tmux/plain-text.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { nastyTexts } from "./nasty-texts.ts";

const RECORDER = fileURLToPath(new URL("./recorder.mjs", import.meta.url));

/** Delivers so many random texts to a recording program, and proves that each arrived exactly, and once. */
export async function deliverTexts(
  count: number,
  tell: (done: number) => void = () => undefined,
): Promise<void> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-deliver-")));
  const canary = path.join(folder, "canary");
  const record = path.join(folder, "record");
  const driver = tmuxDriver({ world: realWorld(), folder: path.join(folder, "sessions") });
  const spec = { use: "tmux" as const, command: [process.execPath, RECORDER, record], prompt: "^> " };
  const ref = { session: "s", spec };
  try {
    const order = { ...ref, run: "r", step: "s", attempt: "a", number: 1, task: "the task", cwd: folder };
    assert.equal((await driver.start(order)).kind, "started");
    const texts = nastyTexts(count, canary);
    for (const [index, text] of texts.entries()) {
      const told = typeable(text).text !== "";
      const outcome = await driver.send(ref, { key: `k${String(index)}`, text });
      assert.equal(
        outcome.kind,
        told ? "sent" : "failed",
        `${JSON.stringify(text.slice(0, 200))}: ${JSON.stringify(outcome)}`,
      );
      if (told && typeable(text).removed > 0)
        assert.match(JSON.stringify(outcome), /control characters were left out/);
      if (index % 10 === 0) await driver.send(ref, { key: `k${String(index)}`, text });
      tell(index + 1);
    }
    const received = readFileSync(record, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as string);
    assert.deepEqual(
      received.filter((text) => text !== "the task"),
      texts.map((text) => typeable(text).text).filter((text) => text !== ""),
    );
    assert.equal(existsSync(canary), false, "a text was executed");
    assert.deepEqual(await driver.end(ref, 1_000), { kind: "ended" });
  } finally {
    await driver.end(ref, 200);
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
