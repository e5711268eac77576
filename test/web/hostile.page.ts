import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser, type Size } from "./browser.ts";
import { DashboardStage, RUN_TABS, script, settled } from "./dashboard-stage.ts";
import { HOSTILE_FILES, HOSTILE_LINE, HOSTILE_TEXTS, LONG_LINE } from "./hostile-texts.ts";
import { layoutProblems } from "./layout-problems.ts";
import { chosenOfTheDay } from "./sample-pages.ts";

const acts = [
  ...HOSTILE_TEXTS.flatMap((text) => [
    { do: "say", text },
    { do: "tool", name: text, args: text, result: text, ok: false },
    { do: "progress", text },
  ]),
  { do: "say", text: LONG_LINE },
  { do: "tool", name: "read", args: LONG_LINE, result: LONG_LINE },
  { do: "garbage", text: LONG_LINE },
  ...HOSTILE_FILES.map((file) => ({ do: "write", file, content: `${HOSTILE_LINE}\n` })),
  { do: "usage", usd: 0.5, tokensIn: 1_000, tokensOut: 10 },
  { do: "error", text: HOSTILE_LINE },
];
const stage = new DashboardStage(
  { hostile: script([...acts, { do: "blocked", reason: "needs_human", text: HOSTILE_LINE }]) },
  ["checkpoints: { when: always }"],
);
const options = { skip: noBrowser, timeout: 240_000 };

before(async () => {
  if (noBrowser !== false) return;
  const { cli } = stage.api;
  await stage.open([{ id: "hostile", goal: HOSTILE_LINE, words: ["--agent", "hostile"] }]);
  await cli.reaches("hostile", "blocked");
  for (const words of [
    ["checkpoint", "hostile", "--note", HOSTILE_LINE],
    ["alarm", "hostile", "--in", "8h", "--note", HOSTILE_LINE],
  ]) {
    const ended = await cli.call(words);
    assert.equal(ended.code, 0, `${words[0] ?? ""}: ${ended.stderr}`);
  }
  const shared = { permissions: ["clipboard-read", "clipboard-write"] };
  await (await stage.browser.context()).grantPermissions(shared.permissions);
});
after(() => stage.close());

const ADDRESSES = [
  ...["/", "/runs", "/runs?q=%3Cscript%3Ewindow.ran%3D1%3C%2Fscript%3E", "/inbox?item=hostile", "/incidents"],
  ...["/alarms", "/deliveries", "/compare?way=diff&a=hostile&b=hostile", "/compare?way=replay&a=hostile"],
  ...RUN_TABS.map((tab) => `/runs/hostile/${tab}`),
];

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
      ADDRESSES.map((address) => ({ size, address })),
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
