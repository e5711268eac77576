import assert from "node:assert/strict";
import type { CDPSession, Page } from "playwright-core";
import { PLAY_WHOLE } from "../day-sample.ts";
import { noBrowser } from "./browser.ts";
import { DashboardStage, RUN_TABS } from "./dashboard-stage.ts";
import { takesTurns } from "../turns.ts";
import { writeLongRuns } from "./long-runs.ts";

const { after, before, test } = takesTurns(2);

/** `npm run test:whole -- test/web/long-run` takes 100,000, and measures. */
const LONG = PLAY_WHOLE ? 100_000 : 12_000;
const SHORT = 100;
const stage = new DashboardStage();
const options = { skip: noBrowser, timeout: 900_000 };
const address = (run: string, tab: string): string => `/runs/${run}/${tab}`;

before(async () => {
  if (noBrowser !== false) return;
  await stage.open([]);
  await writeLongRuns(stage.api.cli.store, stage.api.cli.cwd, { short: SHORT, long: LONG });
});
after(() => stage.close());

/** From the wish to see it until its last event can be chosen by a key. */
async function opens(page: Page, run: string, count: number): Promise<number> {
  const began = performance.now();
  await page.goto(`${stage.url}${address(run, "journal")}`);
  const last = page.locator(`.event-row[aria-rowindex="${String(count)}"]`);
  await last.getByText(/SignalsHeard/).waitFor({ timeout: 120_000 });
  await last.click();
  await page.waitForURL(new RegExp(`seq=${String(count)}`));
  return performance.now() - began;
}

const heapBytes = async (session: CDPSession): Promise<number> => {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number };
  return usedSize;
};

test("O2 a long run opens at its end, and asks for no more than a short one", options, async (t) => {
  const page = await stage.page("/");
  const asked = async (run: string, count: number): Promise<{ requests: number; nodes: number }> => {
    const before = stage.browser.seen.requests.length;
    await opens(page, run, count);
    const nodes = Number(await page.evaluate("document.querySelectorAll('*').length"));
    return { requests: stage.browser.seen.requests.length - before, nodes };
  };
  await asked("short", SHORT);
  const short = await asked("short", SHORT);
  const long = await asked("long", LONG);
  assert.ok(
    long.requests <= short.requests + 2,
    `${String(long.requests)} and ${String(short.requests)} requests`,
  );
  assert.ok(long.nodes <= short.nodes + 50, `${String(long.nodes)} and ${String(short.nodes)} elements`);
  if (PLAY_WHOLE) {
    const best = { short: Infinity, long: Infinity };
    for (let round = 0; round < 9; round += 1) {
      best.short = Math.min(best.short, await opens(page, "short", SHORT));
      best.long = Math.min(best.long, await opens(page, "long", LONG));
    }
    const ratio = best.long / best.short;
    t.diagnostic(
      `${String(LONG)} events: ${best.long.toFixed(0)} ms, ${String(SHORT)} events: ${best.short.toFixed(0)} ms, ${ratio.toFixed(2)} times`,
    );
    assert.ok(ratio <= 1.5, `${ratio.toFixed(2)} times the time of a short run`);
  }
  await page.close();
});

test(
  "O2 memory and elements stay bounded while all of a long run is scrolled through",
  options,
  async (t) => {
    const page = await stage.page(address("long", "journal"));
    const session = await page.context().newCDPSession(page);
    await page.locator(`.event-row[aria-rowindex="${String(LONG)}"]`).waitFor();
    const scroll = async (share: number): Promise<number> => {
      await page.evaluate(
        `(() => { const box = document.querySelector(".event-box"); box.scrollTop = box.scrollHeight * ${String(share)}; })()`,
      );
      await page
        .locator(".event-row")
        .first()
        .getByText(/SignalsHeard|RunCreated/)
        .waitFor();
      return Number(await page.evaluate("document.querySelectorAll('*').length"));
    };
    const steps = PLAY_WHOLE ? 150 : 20;
    await scroll(0.5);
    const began = await heapBytes(session);
    let most = 0;
    for (let step = 0; step <= steps; step += 1) most = Math.max(most, await scroll(step / steps));
    const grown = (await heapBytes(session)) - began;
    t.diagnostic(`${String(most)} elements at most, the heap grew by ${(grown / 1e6).toFixed(1)} MB`);
    assert.ok(most < 1_500, `${String(most)} elements`);
    assert.ok(grown < 12_000_000, `the heap grew by ${String(grown)} bytes`);
    await page.close();
  },
);

test("O2 every view of a long run opens, and holds a part of it", options, async () => {
  const page = await stage.page("/");
  for (const tab of RUN_TABS.filter((name) => name !== "terminal")) {
    await stage.goTo(page, address("long", tab));
    const nodes = Number(await page.evaluate("document.querySelectorAll('*').length"));
    assert.ok(nodes < 8_000, `${tab}: ${String(nodes)} elements`);
  }
  await page.close();
});

test("O2 no page of a long run fails or breaks its policy", options, () => {
  stage.browser.assertClean(stage.url);
});
