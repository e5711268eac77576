import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

const program = path.join(import.meta.dirname, "..", "held-run.ts");
const IN_SPACE = ["-p", "-f", "--mount-proc", "--kill-child=SIGKILL"];
const mayUnshare = spawnSync("unshare", [...IN_SPACE, "true"], { stdio: "ignore" }).status === 0;

/** A program in a PID namespace of its own, where it is the first process; the host's name is everybody's. */
function inSpace(store: string, how: string): { process: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn("unshare", [...IN_SPACE, process.execPath, program, store, how], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { process: child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

test(
  "A2 A3 J4 of two PID namespaces with one host name neither takes a run from the other while that lives",
  { skip: mayUnshare ? false : "needs the right to make a PID namespace (unshare as root)" },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "hf-spaces-"));
    const store = `sqlite:${path.join(folder, "store.db")}`;
    const holder = inSpace(store, "hold");
    const next = async ({ lines }: { lines: AsyncIterator<string> }): Promise<string> =>
      String((await lines.next()).value);
    try {
      assert.equal(await next(holder), "began as 1");
      const heir = inSpace(store, "take");
      assert.match(await next(heir), /^refused [1-9]\d*$/);
      assert.match(
        await next(heir),
        /^r is at work in process 1 on .* when that process lets go, ends, or is silent for 1 s$/,
      );
      const died = once(holder.process, "exit");
      holder.process.kill("SIGKILL");
      await died;
      const diedAt = performance.now();
      assert.equal(await next(heir), "taken over");
      assert.ok(performance.now() - diedAt < 30_000, "an owner that is silent is taken over from");
    } finally {
      holder.process.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
