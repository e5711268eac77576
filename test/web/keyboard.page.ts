import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { noTmux } from "../agents/contract/tmux-subject.ts";
import { noBrowser } from "./browser.ts";
import { DashboardStage, screensOf, script, settled } from "./dashboard-stage.ts";
import { unreachable } from "./reached-by-keys.ts";
import { takesTurns } from "../turns.ts";
import { chosenOfTheDay } from "./sample-pages.ts";

const { after, before, test } = takesTurns(3);

const program = path.resolve(import.meta.dirname, "..", "api", "terminal", "terminal-program.mjs");
const terminal = { use: "tmux", command: [process.execPath, program], prompt: "^> $" };
const stage = new DashboardStage(
  {
    asks: script([
      { do: "write", file: "kept.txt", content: "as it was\n" },
      { do: "tool", name: "edit", args: "kept.txt", result: "written" },
      { do: "blocked", reason: "needs_human", text: "is this right?" },
    ]),
  },
  [`  term: ${JSON.stringify(terminal)}`, "checkpoints: { when: always }"],
);
const options = { skip: noBrowser, timeout: 240_000 };

before(async () => {
  if (noBrowser !== false) return;
  await stage.open([{ id: "asks-one", goal: "ask", words: ["--agent", "asks"] }]);
  await stage.api.cli.reaches("asks-one", "blocked");
  assert.equal((await stage.api.cli.call(["checkpoint", "asks-one"])).code, 0);
});
after(() => stage.close());

/** Presses Tab until what has the focus has that name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 150; step += 1) {
    const at = await page.evaluate(
      "((node) => (node.labels?.[0]?.innerText ?? node.getAttribute('aria-label') ?? node.innerText ?? '').trim())(document.activeElement)",
    );
    if (name.test(String(at))) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never comes to ${String(name)}`);
}

const goByKeys = async (page: Page, key: string, address: RegExp): Promise<void> => {
  await page.keyboard.press("Escape");
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("g");
  await page.keyboard.press(key);
  await page.waitForURL(address);
  await settled(page);
};

test(
  "O2 Tab and the keys of lists reach everything that can be pressed, and show where they are",
  options,
  async (t) => {
    const page = await stage.page("/");
    const found: string[] = [];
    for (const address of chosenOfTheDay(t, screensOf("asks-one"), 3)) {
      await stage.goTo(page, address);
      await page.locator(".top-needs").waitFor();
      await page.locator(".top-today").waitFor();
      for (const problem of await unreachable(page)) found.push(`${address}: ${problem}`);
    }
    assert.deepEqual(found, []);
    await page.close();
  },
);

test("O2 an alarm is set without a mouse", options, async () => {
  const page = await stage.page("/");
  await goByKeys(page, "a", /\/alarms/);
  await tabTo(page, /^When/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("8h");
  await tabTo(page, /^What to say then/);
  await page.keyboard.type("look again");
  await tabTo(page, /^Set the alarm$/);
  await page.keyboard.press("Enter");
  await page.locator(".line", { hasText: "look again" }).waitFor();
  await page.close();
});

test("O2 a run is found and its checkpoint restored without a mouse", options, async () => {
  const { cli } = stage.api;
  cli.write("kept.txt", "changed\n");
  const page = await stage.page("/");
  await page.keyboard.press("/");
  await page.keyboard.type("asks-one");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\?q=asks-one/);
  await page.getByRole("row", { name: "asks-one" }).waitFor();
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("j");
  await page.locator("main [data-row]:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/asks-one/);
  await settled(page);
  await page.keyboard.press("]");
  await page.waitForURL(/\/timeline/);
  await page.locator(".mark-checkpoint").first().waitFor();
  await tabTo(page, /^Timeline of the run$/);
  const verb = page.locator(".inspector").getByRole("button", { name: /^Restore c\d+/ });
  for (let step = 0; step < 30 && (await verb.count()) === 0; step += 1) {
    await page.keyboard.press("ArrowLeft");
    await page.locator(".inspector-part").first().waitFor();
  }
  await tabTo(page, /^Restore c\d+$/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^Put the files back$/);
  await page.keyboard.press("Enter");
  await page.locator(".notice-done").waitFor();
  assert.equal(readFileSync(path.join(cli.cwd, "kept.txt"), "utf8"), "as it was\n");
  await page.close();
});

test(
  "O2 a terminal is taken over, typed into, left and given back without a mouse",
  { ...options, skip: noBrowser === false ? noTmux : noBrowser },
  async () => {
    const { cli } = stage.api;
    await stage.start({ id: "typed", goal: "begin", words: ["--agent", "term"] });
    await cli.receives("typed", "working");
    const page = await stage.page("/runs/typed/terminal");
    await tabTo(page, /^Show the terminal$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Take over" }).waitFor();
    await tabTo(page, /^Take over$/);
    await page.keyboard.press("Enter");
    await page.getByText("You have taken this terminal over").waitFor();
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await page.locator(".xterm-accessibility-tree").getByText("heard: by keys").waitFor();
    await page.keyboard.press("F6");
    await tabTo(page, /^Give back$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Take over" }).waitFor();
    assert.equal((await cli.call(["cancel", "typed"])).code, 0);
    await page.close();
  },
);

test("O2 no page breaks its policy or fails while keys are pressed", options, () => {
  stage.browser.assertClean(stage.url);
});
