import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { noBrowser, type Size } from "./browser.ts";
import { settled } from "./dashboard-stage.ts";
import { HOSTILE_ADDRESSES, hostileStage, openHostile } from "./hostile-stage.ts";
import { layoutProblems } from "./layout-problems.ts";
import { takesTurns } from "../turns.ts";
import { chosenOfTheDay } from "./sample-pages.ts";

const { after, before, test } = takesTurns(0);
const stage = hostileStage();
const options = { skip: noBrowser, timeout: 240_000 };

before(async () => {
  if (noBrowser !== false) return;
  await openHostile(stage);
  const shared = { permissions: ["clipboard-read", "clipboard-write"] };
  await (await stage.browser.context()).grantPermissions(shared.permissions);
});
after(() => stage.close());

/** Nothing ran, nothing was drawn as an element of its own, and no text turns the direction of what follows it. */
async function isUnharmed(page: Page, address: string): Promise<void> {
  assert.equal(await page.evaluate("window.ran"), undefined, address);
  const strange = await page.evaluate(
    "[...document.querySelectorAll('#screen :is(script, iframe, form[action], link, base, style, img)')].map((node) => node.outerHTML)",
  );
  assert.deepEqual(strange, [], address);
  const text = (await page.locator("body").innerText()).replaceAll(/[\n\t]/g, " ");
  assert.doesNotMatch(text, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u, address);
}

test(
  "O2 what agents, goals, files and notes say is shown as text: nothing of it runs, draws, hides or loads anything",
  options,
  async (t) => {
    const orders = (["desktop", "phone"] as const satisfies readonly Size[]).flatMap((size) =>
      HOSTILE_ADDRESSES.map((address) => ({ size, address })),
    );
    const found: string[] = [];
    const pages = new Map<Size, Page>();
    for (const { size, address } of chosenOfTheDay(t, orders, 3)) {
      const page = pages.get(size) ?? (await stage.page("/", { size }));
      pages.set(size, page);
      await stage.goTo(page, address);
      await isUnharmed(page, address);
      for (const problem of await layoutProblems(page)) found.push(`${size} ${address}: ${problem}`);
    }
    assert.deepEqual(found, []);
    for (const page of pages.values()) await page.close();
  },
);

test("O2 everything of a hostile text can be shown, and is still only text", options, async () => {
  const page = await stage.page("/runs/hostile/conversation");
  const more = page.getByRole("button", { name: /^Show all \(/ });
  await more.first().waitFor();
  await more.first().click();
  await page.getByRole("button", { name: "Show less" }).first().waitFor();
  assert.match(await page.locator("#screen").innerText(), /<script>window\.ran=1<\/script>/);
  await isUnharmed(page, "conversation");
  await stage.goTo(page, "/runs/hostile/files");
  await page.locator(".file-diff").first().waitFor();
  await isUnharmed(page, "files");
  await page.close();
});

test("O2 a copied command is exactly the command, with what a person wrote into it", options, async () => {
  const page = await stage.page("/alarms");
  const copied = async (): Promise<unknown> => {
    await page.locator(".command-copy").first().click();
    await page.getByText("Copied").first().waitFor();
    return page.evaluate("navigator.clipboard.readText()");
  };
  await page.getByLabel("Run", { exact: true }).selectOption("hostile");
  await page.getByLabel(/^When/).fill("8h");
  await page.getByLabel("What to say then").fill('it\'s $(touch x) `y` "z" & <b>');
  const command = await page.locator(".command-copy").first().getAttribute("data-command");
  assert.equal(await copied(), command);
  assert.equal(command, "holdfast alarm hostile --in 8h --note 'it'\\''s $(touch x) `y` \"z\" & <b>'");
  await stage.goTo(page, "/runs/hostile/now");
  const shown = (await page.locator(".run-head .command-text").first().innerText()).replace(/^\$ /, "");
  assert.equal(await copied(), shown);
  assert.match(shown, /^holdfast unblock hostile/);
  await settled(page);
  await page.close();
});

test("O2 no hostile text breaks the policy of a page, opens a dialog or asks another server", options, () => {
  stage.browser.assertClean(stage.url);
});
