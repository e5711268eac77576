import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { holdersIn, lockHolder } from "../../../src/journal/sqlite/lock-holder.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { hostSettingsSchema } from "../../../src/model/settings/settings.ts";
import { realWorld } from "../../../src/real-world.ts";
import { storeLock } from "../../../src/open-store.ts";
import { owner } from "../contract/scene.ts";
import { makeFolder, removeFolder } from "../store-folder.ts";

const LEASE_MS = 1_000;

test("J1 the holder of a store's lock is read from the table of locks: the one that may write, and nobody else", () => {
  const table = [
    "1: POSIX  ADVISORY  WRITE 41 fe:00:77 120 120",
    "2: POSIX  ADVISORY  READ 42 fe:00:77 124 124",
    "2: -> POSIX  ADVISORY  WRITE 43 fe:00:77 120 120",
    "3: FLOCK  ADVISORY  WRITE 44 fe:00:77 0 EOF",
    "4: POSIX  ADVISORY  WRITE 45 fe:00:78 120 120",
    "5: POSIX  ADVISORY  WRITE 0 fe:00:77 120 120",
    "",
  ].join("\n");
  assert.deepEqual(holdersIn(table, 77), [41]);
});

test(
  "J1 A2 a stopped process that holds the store's lock is named to who waits, and ended once its lease is over",
  { skip: process.platform === "linux" ? false : "only Linux tells who holds a lock" },
  async () => {
    const folder = makeFolder("quick");
    const file = path.join(folder, "store.db");
    const connect = (name: string): DatabaseSync => new DatabaseSync(name, { timeout: 100 });
    const world = realWorld();
    const journal = await openSqliteJournal({ file, world, connect });
    const program = path.join(import.meta.dirname, "..", "stopped-writer.ts");
    const child = spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "inherit"] });
    const over = once(child, "exit");
    try {
      await once(child.stdout, "data");
      const busy: unknown = await journal.claim("run_b", owner("own_b")).catch((error: unknown) => error);
      assert.ok(isFault(busy, "store_busy"));
      const holder = lockHolder(file);
      assert.ok(holder !== null && holder.pid === child.pid && holder.stopped, JSON.stringify(holder));
      const end = `${String(holder.pid)}@${holder.startedAt}`;
      for (const part of [`process ${String(child.pid)}`, "is stopped", "kill -CONT", end])
        assert.ok(busy.message.includes(part), `${part} is missing in: ${busy.message}`);

      const settings = hostSettingsSchema.parse({ lease: { ms: LEASE_MS } });
      const lock = storeLock(`sqlite:${file}`, { world, journal, settings });
      const another = { pid: holder.pid, startedAt: `${holder.startedAt}0` };
      assert.deepEqual(await lock.endLockHolder(another), { kind: "not_held" });
      assert.equal(child.exitCode ?? child.signalCode, null, "a process with another start is not touched");
      assert.deepEqual(await lock.endLockHolder(holder), { kind: "ended", runs: ["run_a"] });
      assert.deepEqual(await over, [null, "SIGKILL"]);
      assert.equal((await journal.claim("run_b", owner("own_b"))).kind, "claimed");
    } finally {
      child.kill("SIGKILL");
      await over;
      await journal.close();
      removeFolder(folder);
    }
  },
);
