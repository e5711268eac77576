import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Run } from "../../../src/loop/workflow-function.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { isFault } from "../../../src/model/fault.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";
import { untilHolds, withLibraryStore } from "../library-store.ts";
import { JOB } from "./worker-program.ts";

const PROGRAM = join(import.meta.dirname, "worker-program.ts");

test("J10 a run is read by its id, listed by status and function, and its result awaited from another process", () =>
  withLibraryStore(async (open) => {
    const [worker, reader] = [await open(), await open()];
    const workflow = async (run: Run, n: number) => {
      await run.waitFor("go");
      return { doubled: n * 2, at: new Date(0) };
    };
    worker.define("double", workflow);
    const working = worker.run("r", workflow, { input: 4 });
    while ((await reader.get("r"))?.waitingFor[0] !== "go") await new Promise((next) => setTimeout(next, 5));
    const info = await reader.get("r");
    assert.deepEqual([info?.status, info?.body, info?.input, info?.blocked], ["running", "double", 4, null]);
    assert.equal(await reader.get("none"), null);
    await worker.run("other", () => 1);
    const ids = async (options: Parameters<typeof reader.list>[0]) =>
      (await reader.list(options)).map(({ id }) => id);
    assert.deepEqual(await ids({}), ["other", "r"]);
    assert.deepEqual(await ids({ status: "running" }), ["r"]);
    assert.deepEqual(await ids({ body: "double" }), ["r"]);
    assert.deepEqual(await ids({ limit: 1 }), ["other"]);
    await assert.rejects(reader.list({ status: "done" as never }), (error) => isFault(error, "usage"));
    const result = reader.result<{ doubled: number; at: Date }>("r");
    await reader.signal("r", "go", 1);
    assert.deepEqual(await result, { doubled: 8, at: "1970-01-01T00:00:00.000Z" });
    assert.deepEqual((await reader.get("r"))?.result, await working);
    await assert.rejects(reader.result("none"), (error) => isFault(error, "not_found"));
    await assert.rejects(
      worker.run("bad", () => Promise.reject(Object.assign(new TypeError("no"), { code: "E1" }))),
    );
    await assert.rejects(reader.result("bad"), (error) => error instanceof TypeError);
    assert.deepEqual((await reader.get("bad"))?.error, { name: "TypeError", message: "no", code: "E1" });
  }));

test("J10 events are followed live to the end of a run, and from any cursor on none is missed or given twice", () =>
  withLibraryStore(async (open) => {
    const [worker, reader] = [await open(), await open()];
    const workflow = async (run: Run) => {
      for (let n = 0; n < 12; n += 1) {
        await run.step(`s${String(n)}`, () => n);
        await run.sleep(5);
      }
    };
    const working = worker.run("r", workflow);
    while ((await reader.get("r")) === null) await new Promise((next) => setTimeout(next, 2));
    const seen: Recorded[] = [];
    // The one that follows goes away after every third event, and comes back with the last number it saw.
    for (let isOver = false; !isOver;) {
      isOver = true;
      let met = 0;
      for await (const event of reader.events("r", { after: seen.at(-1)?.seq ?? 0 })) {
        seen.push(event);
        met += 1;
        isOver = met < 3;
        if (!isOver) break;
      }
    }
    await working;
    assert.deepEqual(
      seen.map(({ seq }) => seq),
      seen.map((_, index) => index + 1),
    );
    assert.equal(seen.at(-1)?.seq, (await reader.get("r"))?.seq);
    assert.ok(seen.some(({ type }) => type === "RunCompleted"));
    // Behind the end there is nothing more.
    assert.deepEqual(await reader.events("r", { after: seen.length }).next(), {
      done: true,
      value: undefined,
    });
  }));

test("J10 following ends with its signal, and with the store", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    hf.run("r", (run) => run.waitFor("never")).catch(() => undefined);
    while ((await hf.get("r"))?.waitingFor.length !== 1) await new Promise((next) => setTimeout(next, 2));
    const stop = new AbortController();
    const aborted = hf.result("r", { signal: stop.signal });
    const closed = hf.result("r");
    stop.abort(new Error("enough"));
    await assert.rejects(aborted, /enough/);
    const closing = assert.rejects(closed, (error) => isFault(error, "closed"));
    await hf.close();
    await closing;
  }));

test("J10 a worker takes runs that were started elsewhere, within its limits, and lets waiting runs not count", () =>
  withLibraryStore(async (open) => {
    const [starter, hf] = [await open(), await open()];
    let [now, most] = [0, 0];
    let isOpen = false;
    hf.define("job", (run: Run, n: number) =>
      run.step("s", async () => {
        now += 1;
        most = Math.max(most, now);
        await untilHolds(() => isOpen);
        now -= 1;
        return n;
      }),
    );
    hf.define("waits", (run: Run) => run.waitFor("go"));
    for (const n of [1, 2]) await starter.start(`w${String(n)}`, "waits");
    for (const n of [1, 2, 3, 4, 5]) await starter.start(`j${String(n)}`, "job", { input: n });
    await starter.start("j1", "job", { input: 99 });
    await starter.start("unknown", "nobody has it");
    assert.equal((await starter.get("j1"))?.status, "queued");
    const worker = hf.serve({ concurrency: 3, perBody: { job: 2 } });
    await untilHolds(() => now === 2);
    while ((await starter.list({ status: "running", body: "waits" })).length < 2)
      await new Promise((next) => setTimeout(next, 5));
    isOpen = true;
    const results = await Promise.all([1, 2, 3, 4, 5].map((n) => starter.result(`j${String(n)}`)));
    assert.deepEqual(results, [1, 2, 3, 4, 5]);
    assert.equal(most, 2);
    assert.equal((await starter.get("unknown"))?.status, "queued");
    // Those that come later are taken too, until it is closed.
    await starter.start("late", "job", { input: 6 });
    assert.equal(await starter.result("late"), 6);
    await worker.close();
    await starter.start("too-late", "job", { input: 7 });
    assert.equal((await starter.get("too-late"))?.status, "queued");
    await assert.rejects(starter.start("x", "job", { inptu: 1 } as never), (error) =>
      isFault(error, "usage"),
    );
  }));

test("J10 a worker leaves a run that cannot go on alone for a while, and says so", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    let entered = 0;
    hf.define("forgets", (run: Run) => {
      entered += 1;
      void run.step("s", () => new Promise((resolve) => setTimeout(resolve, 20))).catch(() => undefined);
    });
    await hf.start("r", "forgets");
    const reported: unknown[] = [];
    const worker = hf.serve({ onError: (run, error) => reported.push([run, isFault(error, "usage")]) });
    await untilHolds(() => reported.length === 1);
    assert.deepEqual(reported, [["r", true]]);
    await worker.close();
    assert.equal(entered, 1);
  }));

function startWorker(folder: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, folder], { stdio: ["ignore", "inherit", "inherit"] });
}

test("J10 the runs of a worker that is killed are resumed by another one, without redoing what was committed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-worker-"));
  const workers: ChildProcess[] = [];
  const lines = (): string[] =>
    existsSync(join(folder, "done"))
      ? readFileSync(join(folder, "done"), "utf8").split("\n").filter(Boolean)
      : [];
  const seconds = (): number => lines().filter((line) => line.startsWith("second")).length;
  const hf = await openHoldfast({ store: `sqlite:${join(folder, "agents.db")}` });
  try {
    for (const n of [1, 2, 3]) await hf.start(`r${String(n)}`, JOB, { input: n });
    const first = startWorker(folder);
    workers.push(first);
    await untilHolds(() => seconds() === 3);
    workers.push(startWorker(folder));
    first.kill("SIGKILL");
    await once(first, "exit");
    await untilHolds(() => seconds() === 6);
    writeFileSync(join(folder, "go"), "");
    assert.deepEqual(await Promise.all([1, 2, 3].map((n) => hf.result(`r${String(n)}`))), [2, 4, 6]);
    assert.deepEqual(
      lines()
        .filter((line) => line.startsWith("first"))
        .sort(),
      ["first 1", "first 2", "first 3"],
    );
  } finally {
    for (const worker of workers) worker.kill("SIGKILL");
    await hf.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
