import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { noTmux } from "../../agents/contract/tmux-subject.ts";
import { TerminalStage } from "../../api/terminal/terminal-stage.ts";
import { noBrowser, WebBrowser } from "../../web/browser.ts";
import { tried, type Attack, type Outcome } from "../attack.ts";
import { SEQUENCES } from "../text/terminal-sequences.ts";

const OWN = "what was in the clipboard";
const SETTLES_MS = 2_000;
const LOOK_EVERY_MS = 100;

/** A person's page on the terminal of an agent that prints every sequence, after taking the terminal over. */
async function print(): Promise<Outcome> {
  const reason = noTmux || noBrowser;
  if (reason !== false) return { kind: "skipped", reason };
  const stage = new TerminalStage(["SEQUENCES"]);
  const browser = new WebBrowser();
  const succeeded: string[] = [];
  try {
    writeFileSync(path.join(stage.bench.cli.cwd, "SEQUENCES"), SEQUENCES.join("\r\n"));
    await Promise.all([stage.begin(), browser.launch()]);
    const context = await browser.context();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { loginUrl } = await stage.bench.client.createLogin({ body: {} });
    const page = await context.newPage();
    await page.goto(`${loginUrl}?to=${encodeURIComponent("/runs/term/terminal")}`);
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(OWN)})`);
    await takeOver(page);
    await until(async () => (await stage.recorded()).length > 0, "the terminal is taken over");
    const acts = (await stage.recorded()).length;
    await page.keyboard.type("sequences");
    await page.keyboard.press("Enter");
    const rows = page.locator(".xterm-rows");
    await until(async () => (await rows.textContent())?.includes("all printed") === true, "all is printed");
    await delay(SETTLES_MS);
    const clipboard = await page.evaluate("navigator.clipboard.readText()");
    if (clipboard !== OWN) succeeded.push(`the clipboard holds ${JSON.stringify(clipboard)}`);
    if (context.pages().length !== 1) succeeded.push("a window was opened");
    if ((await page.title()).includes("evil")) succeeded.push("the title was changed");
    const typed = (await stage.recorded())
      .slice(acts)
      .flatMap(({ request }) => (request.kind === "terminal" ? [request.text ?? ""] : []))
      .join("");
    if (typed !== "sequences\r") succeeded.push(`the page typed ${JSON.stringify(typed)}`);
    const { violations, dialogs } = browser.seen;
    succeeded.push(...violations, ...dialogs);
    return tried(SEQUENCES.length, succeeded);
  } finally {
    await browser.close();
    await stage.end();
  }
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isSo()) return;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`never seen: ${what}`);
}

async function takeOver(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show the terminal" }).click();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.locator(".xterm-helper-textarea").focus();
}

export const attacks: readonly Attack[] = [
  {
    // test/api/terminal has the most telling ones in `npm test`.
    ...{ threat: "T11", level: "any", promised: "prevented", count: { full: SEQUENCES.length, short: 0 } },
    title: "an agent prints escape sequences in a terminal that is shown, and taken over, in a browser",
    run: print,
  },
];
