import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { baseFiles } from "../../../src/api/stream/base-files.ts";
import type { StreamOptions } from "../../../src/api/client/follow-stream.ts";
import { baseOf } from "../../../src/api/stream/position.ts";
import { seeEachOnce, streamStage } from "./stream-once.ts";

test(
  "O8 a reader that is killed at random sees each event once, in the order of its run",
  { timeout: 120_000 },
  async () => {
    const result = await seeEachOnce({ events: 3_000, kills: 30, runs: 7, chance: Math.random });
    assert.deepEqual(result, { seen: 3_000, kills: 30, repeated: 0, missing: 0, outOfOrder: 0 });
  },
);

test(
  "O8 a cursor is good after the server has ended, and one that was changed is refused by name",
  { timeout: 60_000 },
  async () => {
    const stage = await streamStage();
    try {
      await stage.append("one", 5);
      let cursor = "";
      for await (const event of stage.client.stream({ from: "start" })) {
        cursor = event.cursor;
        if (event.seq === 3) break;
      }
      const seen: number[] = [];
      for await (const event of stage.client.stream({ after: cursor })) {
        seen.push(event.seq);
        if (event.seq === 5) break;
      }
      assert.deepEqual(seen, [4, 5]);
      await assert.rejects(async () => {
        for await (const event of stage.client.stream({ after: "bm90aGluZw" })) void event;
      }, /cursor is not known any more/);
    } finally {
      await stage.close();
    }
  },
);

test(
  "O8 filters leave out other runs and types, and a stopped reader holds no other one up",
  { timeout: 60_000 },
  async () => {
    const stage = await streamStage();
    const stopped = request(`${stage.url}/api/v1/stream?from=start`, {
      headers: { authorization: `Bearer ${stage.token}` },
    });
    try {
      // It takes the head and nothing more.
      stopped.on("response", (response) => response.pause()).on("error", () => undefined);
      stopped.end();
      const seen: string[] = [];
      const reading = (async () => {
        for await (const event of stage.client.stream({ runs: ["b"], from: "start" })) {
          seen.push(`${event.run} ${String(event.seq)}`);
          if (event.seq === 20_000) return;
        }
      })();
      for (let round = 0; round < 20; round += 1) {
        await stage.append("a", 1_000);
        await stage.append("b", 1_000);
      }
      await reading;
      assert.equal(seen.length, 20_000);
      assert.deepEqual([seen[0], seen.at(-1)], ["b 1", "b 20000"]);
    } finally {
      stopped.destroy();
      await stage.close();
    }
  },
);

test(
  "O8 G14 the stream carries continuous sessions and missions where they are asked for, and goes on behind a cursor",
  { timeout: 60_000 },
  async () => {
    const stage = await streamStage();
    const read = async (count: number, wish: StreamOptions): Promise<[string[], string]> => {
      const seen: string[] = [];
      for await (const event of stage.client.stream(wish)) {
        seen.push(`${event.run} ${String(event.seq)}`);
        if (seen.length === count) return [seen, event.cursor];
      }
      return [seen, ""];
    };
    try {
      await stage.append("continuous:night", 2);
      await stage.append("mission:shop", 1);
      await stage.append("account:one", 2);
      await stage.append("one", 2);
      const [runs] = await read(2, { from: "start" });
      assert.deepEqual(runs, ["one 1", "one 2"]);
      const [both, cursor] = await read(4, { from: "start", also: ["continuous"] });
      assert.deepEqual(both.sort(), ["continuous:night 1", "continuous:night 2", "one 1", "one 2"]);
      const [named] = await read(2, { from: "start", runs: ["continuous:night"] });
      assert.deepEqual(named, ["continuous:night 1", "continuous:night 2"]);
      const [missions] = await read(1, { from: "start", runs: ["mission:shop"] });
      assert.deepEqual(missions, ["mission:shop 1"]);
      const [all] = await read(5, { from: "start", also: ["continuous", "mission"] });
      assert.ok(all.includes("mission:shop 1"), all.join(", "));
      const next = read(1, { after: cursor, also: ["continuous"] });
      await stage.append("continuous:night", 1);
      assert.deepEqual((await next)[0], ["continuous:night 3"]);
      const wrong = await fetch(`${stage.url}/api/v1/stream?also=account`, {
        headers: { authorization: `Bearer ${stage.token}` },
      });
      assert.equal(wrong.status, 400);
      assert.match(await wrong.text(), /also is \\"account\\"; expected continuous or mission/);
    } finally {
      await stage.close();
    }
  },
);

test(
  "O8 readers that come and go leave no trail of files, and a cursor is good after hundreds of them",
  { timeout: 60_000 },
  async () => {
    const stage = await streamStage();
    const next = async (after?: string): Promise<string> => {
      const from = after === undefined ? { from: "start" as const } : { after };
      for await (const { cursor } of stage.client.stream(from)) return cursor;
      return "";
    };
    try {
      await stage.append("a", 300);
      const first = await next();
      let cursor = first;
      for (let count = 0; count < 40; count += 1) {
        await stage.append("b", 1);
        cursor = await next(cursor);
      }
      assert.ok((await next(first)).length > 0, "the oldest cursor");
      assert.ok(readdirSync(path.join(stage.folder, "api", "bases")).length <= 2);
    } finally {
      await stage.close();
    }
  },
);

test("O8 of bases those that nobody has named for longest are forgotten", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bases-"));
  try {
    const own = baseFiles(folder);
    const base = (seq: number) => baseOf([["run", seq]]);
    own.keep(base(1));
    utimesSync(path.join(folder, `${base(1).digest}.json`), 1, 1);
    for (let seq = 2; seq < 230; seq += 1) {
      own.keep(base(seq));
      if (seq === 150) assert.notEqual(baseFiles(folder).find(base(1).digest), null);
    }
    const later = baseFiles(folder);
    assert.notEqual(later.find(base(1).digest), null, "it was named meanwhile");
    assert.equal(later.find(base(2).digest), null);
    assert.ok(readdirSync(folder).length <= 201);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
