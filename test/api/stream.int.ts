import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { seeEachOnce, streamStage } from "./stream-once.ts";

test(
  "O8 a reader that is killed at random sees each event once, in the order of its run",
  { timeout: 120_000 },
  async () => {
    const { kills, ...seen } = await seeEachOnce({ events: 3_000, kills: 30, runs: 7, chance: Math.random });
    assert.deepEqual(seen, { seen: 3_000, repeated: 0, missing: 0, outOfOrder: 0 });
    // On a busy machine the last events can come all at once.
    assert.ok(kills >= 10, `${String(kills)} kills`);
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
