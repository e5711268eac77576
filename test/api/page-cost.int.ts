import assert from "node:assert/strict";
import { test } from "node:test";
import { streamStage } from "./stream/stream-once.ts";

/** The best of several turns, taken in turns: what the machine does beside counts for both. */
async function ratioOf(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  const best = [Infinity, Infinity];
  for (let round = 0; round < 15; round += 1)
    for (const [at, work] of [one, other].entries()) {
      const began = performance.now();
      await work();
      best[at] = Math.min(best[at] ?? Infinity, performance.now() - began);
    }
  return (best[1] ?? 0) / (best[0] ?? 1);
}

test(
  "O8 a page of a long run holds its own part alone (PAGE_EVENTS=1000000 prints what it costs against one of a short run)",
  { timeout: 300_000 },
  async () => {
    const stage = await streamStage();
    const long = Number(process.env["PAGE_EVENTS"] ?? 5_000);
    try {
      await stage.append("short", 1_000);
      for (let written = 0; written < long; written += 5_000) await stage.append("long", 5_000);
      const pages = {
        "its end": (run: string, head: number) =>
          stage.client.listEvents({ params: { run }, query: { before: head + 1, limit: 200 } }),
        "its middle": (run: string, head: number) =>
          stage.client.listEvents({ params: { run }, query: { after: Math.floor(head / 2), limit: 200 } }),
        timeline: (run: string) => stage.client.getTimeline({ params: { run }, query: { limit: 200 } }),
        transcript: (run: string) => stage.client.getTranscript({ params: { run }, query: { limit: 200 } }),
      };
      const isMeasured = process.env["PAGE_EVENTS"] !== undefined;
      for (const [name, read] of Object.entries(isMeasured ? pages : {})) {
        const ratio = await ratioOf(
          () => read("short", 1_000),
          () => read("long", long),
        );
        process.stdout.write(`${name}: ${ratio.toFixed(2)}\n`);
      }
      const { events, head, before } = await stage.client.listEvents({
        params: { run: "long" },
        query: { before: long + 1, limit: 200 },
      });
      assert.deepEqual([events.length, events[0]?.seq, head, before], [200, long - 199, long, long - 199]);
    } finally {
      await stage.close();
    }
  },
);
