import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser, type Size } from "./browser.ts";
import { DashboardStage, SCREEN_PARTS, screensOf, settled } from "./dashboard-stage.ts";
import { layoutProblems } from "./layout-problems.ts";
import { chosenOfTheDay } from "./sample-pages.ts";
import { seriousFindings } from "./serious-findings.ts";

const stage = new DashboardStage();
const options = { skip: noBrowser, timeout: 300_000 };

before(async () => {
  if (noBrowser !== false) return;
  await stage.open();
  for (const run of ["docs-done", "crash-once"]) await stage.api.cli.reaches(run, "completed");
  await stage.api.cli.reaches("tests-fail", "blocked");
});
after(() => stage.close());

test(
  "O2 no screen has a serious or critical finding of axe-core, light, dark and with more contrast",
  options,
  async (t) => {
    const found: string[] = [];
    for (const theme of ["light", "dark", "contrast"] as const) {
      const page = await stage.page("/", { theme });
      for (const address of chosenOfTheDay(t, screensOf("tests-fail"), 3)) {
        await stage.goTo(page, address);
        for (const finding of await seriousFindings(page)) found.push(`${theme} ${address}: ${finding}`);
      }
      await page.close();
    }
    assert.deepEqual(found, []);
  },
);

test(
  "O2 of tabs exactly one is open, and it is seen although a phone has no room for all",
  options,
  async () => {
    const page = await stage.page("/", { size: "phone" });
    for (const address of [...SCREEN_PARTS, "/runs/tests-fail/now", "/runs/tests-fail/journal"]) {
      await stage.goTo(page, address);
      const open = page.locator("nav [aria-current]");
      assert.equal(await page.locator(".tabs [aria-current]").count(), 1, address);
      for (const tab of await open.all()) {
        const { x = -1, width = 0 } = (await tab.boundingBox()) ?? {};
        assert.ok(x >= 0 && x + width <= 390, `${address}: ${await tab.innerText()} is out of sight`);
      }
    }
    await page.close();
  },
);

test(
  "O2 nothing overlaps, is cut off or reaches beyond the page, on a desktop, on a phone and zoomed to 200 %",
  options,
  async (t) => {
    const found: string[] = [];
    for (const size of ["desktop", "phone", "zoomed"] as const satisfies readonly Size[]) {
      const page = await stage.page("/", { size });
      for (const address of chosenOfTheDay(t, screensOf("tests-fail"), 2)) {
        await stage.goTo(page, address);
        for (const problem of await layoutProblems(page)) found.push(`${size} ${address}: ${problem}`);
      }
      await page.close();
    }
    assert.deepEqual(found, []);
  },
);

test(
  "O2 a page says that its server is gone, and is live when it is back, without a new login",
  options,
  async () => {
    const page = await stage.page("/runs");
    await page.locator(".live-live").waitFor();
    const { port } = stage.api;
    await stage.api.end("SIGKILL");
    await page.locator(".live-lost").waitFor();
    assert.match(await page.locator(".live").innerText(), /reconnecting/i);
    await stage.api.serve(["--listen", `127.0.0.1:${String(port)}`]);
    await page.locator(".live-live").waitFor({ timeout: 60_000 });
    await page.reload();
    await settled(page);
    assert.equal(await page.locator(".plain-page").count(), 0, "its session is still good");
    await page.close();
  },
);

test("O2 no page asks anything of another server, breaks its policy, or fails", options, () => {
  stage.browser.assertClean(stage.url);
});
