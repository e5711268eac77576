import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { crashOptionsFrom, newId, realWorld } from "../src/real-world.ts";

test("ids carry their prefix, differ, and sort by age", () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => newId("run", 1_700_000_000_000)));
  assert.equal(ids.size, 1_000);
  for (const id of ids) assert.match(id, /^run_[0-9a-hjkmnp-tv-z]{20}$/);
  assert.ok(newId("run", 1_700_000_000_000) < newId("run", 1_700_000_000_001));
});

test("A3 the world knows who it is, and that it is alive", () => {
  const world = realWorld();
  assert.equal(world.self.pid, process.pid);
  assert.equal(world.self.host, hostname());
  assert.equal(world.liveness(world.self), "alive");
  const chance = world.chance();
  assert.ok(chance >= 0 && chance < 1);
});

test("a timer fires once, not at all when cancelled, and not at once when it is very long", async () => {
  const world = realWorld();
  const fired: string[] = [];
  const cancelLong = world.timer(2 ** 40, () => fired.push("long"));
  world.timer(1, () => fired.push("cancelled"))();
  await new Promise<void>((resolve) => world.timer(20, resolve));
  world.timer(1, () => fired.push("short"));
  await new Promise<void>((resolve) => world.timer(20, resolve));
  cancelLong();
  assert.deepEqual(fired, ["short"]);
});

test("a crash point kills the process at the wanted passing and leaves a trace of all passed", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-world-"));
  const trace = path.join(folder, "trace");
  const module = new URL("../src/real-world.ts", import.meta.url).href;
  const body = `
    const { realWorld, crashOptionsFrom } = await import(${JSON.stringify(module)});
    const world = realWorld(crashOptionsFrom(process.env));
    for (const name of ["a.b.before", "a.b.after", "a.b.before", "a.b.after"]) world.crashPoint(name);
    process.stdout.write("survived");`;
  const child = spawnSync(process.execPath, ["--input-type=module", "--eval", body], {
    env: { ...process.env, HOLDFAST_CRASH_AT: "a.b.before#2", HOLDFAST_CRASH_TRACE: trace },
    encoding: "utf8",
  });
  assert.equal(child.signal, "SIGKILL");
  assert.equal(child.stdout, "");
  assert.equal(readFileSync(trace, "utf8"), "a.b.before\na.b.after\na.b.before\n");
  rmSync(folder, { recursive: true });
});

test("without being asked for, crash points do nothing, and a malformed wish is refused", () => {
  assert.deepEqual(crashOptionsFrom({}), {});
  realWorld().crashPoint("a.b.before");
  assert.throws(() => crashOptionsFrom({ HOLDFAST_CRASH_AT: "a.b.before" }), /expected NAME#OCCURRENCE/);
});
