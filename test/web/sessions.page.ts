import assert from "node:assert/strict";
import { noBrowser } from "./browser.ts";
import { layoutProblems } from "./layout-problems.ts";
import { seriousFindings } from "./serious-findings.ts";
import { openSessions, sessionsStage } from "./sessions-stage.ts";
import { unreachable } from "./reached-by-keys.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(1);

const stage = sessionsStage();
const options = { skip: noBrowser, timeout: 240_000 };

before(async () => {
  if (noBrowser !== false) return;
  await openSessions(stage);
});
after(() => stage.close());

test(
  "O2 a continuous session says what blocks it, and goes on by the button beside that",
  options,
  async () => {
    const page = await stage.page("/continuous");
    const line = page.locator(".line", { hasText: "goals" }).first();
    await line.getByText("which port is free?").waitFor();
    await line.getByRole("link", { name: "goals", exact: true }).click();
    await page.waitForURL(/\/continuous\/goals$/);
    await page.getByRole("region", { name: "What blocks it" }).getByText("question").waitFor();
    await page.getByText("of $20.00").waitFor();
    await page.getByText("of $5.00").waitFor();
    // An answer needs words: its button leads to where there is room for them.
    await page.getByRole("link", { name: /^Answer/ }).click();
    await page.waitForURL(/\/inbox\?item=goals\.port\.1/);
    await page.locator(".inbox-detail .button-main").first().click();
    await page.getByLabel("Your answer to the agent").fill("4377");
    await page.keyboard.press("Enter");
    await stage.api.cli.reaches("goals.port.1", "completed");
    await stage.goTo(page, "/continuous/goals");
    await page.getByRole("region", { name: "What blocks it" }).waitFor({ state: "detached" });
    await page.close();
  },
);

test(
  "O2 a continuous session is paused, resumed and stopped by button, and a goal left out",
  options,
  async () => {
    const page = await stage.page("/continuous/goals");
    const head = page.locator(".run-head");
    const press = async (verb: string, status: string): Promise<void> => {
      await head.getByRole("button", { name: verb, exact: true }).hover();
      await head.getByText(`holdfast continuous ${verb.toLowerCase()} goals`).waitFor();
      await head.getByRole("button", { name: verb, exact: true }).click();
      await head.locator(".status-word", { hasText: status }).waitFor();
    };
    await press("Pause", "paused");
    await press("Resume", "running");
    await press("Stop", "stopped");
    await press("Resume", "running");
    await page.getByRole("row", { name: "tidy up" }).click();
    const goal = page.getByRole("region", { name: "Goal later" });
    await goal.getByText("holdfast continuous skip later --session goals").waitFor();
    await goal.getByRole("button", { name: "Leave this goal out" }).click();
    await goal.locator(".status-word", { hasText: "skipped" }).waitFor();
    assert.equal(await goal.getByRole("button", { name: "Leave this goal out" }).count(), 0);
    await head.locator(".status-word", { hasText: /completed|running/ }).waitFor();
    const { session, goals } = await stage.api.client.getContinuous({ params: { session: "goals" } });
    assert.equal(session, "goals");
    assert.equal(goals.find(({ id }) => id === "later")?.status, "skipped");
    assert.equal(await page.evaluate("window.ran"), undefined);
    await page.close();
  },
);

test(
  "O2 the screens of sessions have no finding of axe-core, overlap nothing, and are reached by keys",
  options,
  async () => {
    const found: string[] = [];
    for (const size of ["desktop", "phone", "zoomed"] as const) {
      const page = await stage.page("/", { size, theme: size === "phone" ? "dark" : "light" });
      for (const address of ["/continuous", "/continuous/goals"]) {
        await stage.goTo(page, address);
        for (const one of await seriousFindings(page)) found.push(`${size} ${address}: ${one}`);
        for (const one of await layoutProblems(page)) found.push(`${size} ${address}: ${one}`);
        for (const one of await unreachable(page)) found.push(`${size} ${address}: ${one}`);
      }
      await page.close();
    }
    assert.deepEqual(found, []);
  },
);

test("O2 no screen of sessions breaks its policy, asks anything of another server, or fails", options, () => {
  stage.browser.assertClean(stage.url);
});
