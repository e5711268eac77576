import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { noBrowser } from "./browser.ts";
import { takesTurns } from "../turns.ts";
import { DashboardStage, script, type StageRun } from "./dashboard-stage.ts";

const { after, before, test } = takesTurns(5);

const claim = { do: "claim", ok: true, text: "done" };
const stops = (reason: string, text: string): string => script([{ do: "blocked", reason, text }], [claim]);

/** Blocked for five reasons; each goes on once somebody has pressed the button that Holdfast offers. */
const BLOCKED = [
  "needs_human",
  "operator_escalation",
  "crash_loop",
  "rate_limited",
  "policy_escalation",
] as const;
const agentOf = (reason: string): string => reason.replaceAll("_", "-");
const stage = new DashboardStage({
  ...Object.fromEntries(BLOCKED.map((reason) => [agentOf(reason), stops(reason, `stopped: ${reason}`)])),
  "gives-up": script([{ do: "blocked", reason: "crash_loop", text: "it crashes" }], [claim]),
});
const options = { skip: noBrowser, timeout: 180_000 };

const run = (id: string, ...words: string[]): StageRun => ({ id, goal: `the goal of ${id}`, words });
const BULK = ["bulk-1", "bulk-2", "bulk-3"];

before(async () => {
  if (noBrowser !== false) return;
  await stage.open([
    ...BLOCKED.map((reason) => run(`by-${agentOf(reason)}`, "--agent", agentOf(reason))),
    ...BULK.map((id) => run(id, "--agent", "gives-up")),
    run("gate-clicked", "--flow", "gated.yaml"),
    run("gate-typed", "--flow", "gated.yaml"),
    run("at-work", "--agent", "busy"),
  ]);
  for (const id of [...BLOCKED.map((reason) => `by-${agentOf(reason)}`), ...BULK])
    await stage.api.cli.reaches(id, "blocked");
  for (const id of ["gate-clicked", "gate-typed"]) await stage.api.cli.reaches(id, "awaiting_approval");
});
after(() => stage.close());

const doneNotice = (page: Page) => page.locator(".notice-done");
const itemOf = (page: Page, id: string) => page.locator(".inbox-row", { hasText: id });

test("O2 a gate is approved by clicking, for the content that was shown", options, async () => {
  const page = await stage.page("/inbox?item=gate-clicked");
  const shown = await page.locator(".facts .mono").innerText();
  assert.match(shown, /^[0-9a-f]{40,64}$/);
  const asked = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/requests"),
  );
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  const body = (await asked).postDataJSON() as { kind: string; digest: string };
  assert.equal(body.kind, "approve");
  assert.ok(shown.startsWith(body.digest) && body.digest.length >= 12, `it approves ${body.digest}`);
  assert.match((await asked).headers()["idempotency-key"] ?? "", /^web-[0-9a-f]{32}$/);
  await doneNotice(page).waitFor();
  await stage.api.cli.reaches("gate-clicked", "completed");
  await itemOf(page, "gate-clicked").waitFor({ state: "detached" });
  await page.close();
});

test("O2 runs that five reasons block go on by the button that Holdfast offers", options, async () => {
  const page = await stage.page("/inbox");
  for (const reason of BLOCKED) {
    const id = `by-${agentOf(reason)}`;
    await stage.goTo(page, `/inbox?item=${id}`);
    const verbs = page.locator(".inbox-detail .action-row").first();
    const command = await page.locator(".inbox-detail .command-text").first().innerText();
    assert.match(
      command,
      new RegExp(`^\\$ holdfast \\w+ ${id}`),
      "the command is shown before it is pressed",
    );
    await verbs.locator(".button-main").click();
    if (reason === "needs_human") {
      await page.getByLabel("Your answer to the agent").fill("take the replica");
      await page.keyboard.press("Enter");
    }
    await stage.api.cli.reaches(id, "completed");
    await itemOf(page, id).waitFor({ state: "detached" });
  }
  const events = JSON.stringify(await stage.api.cli.eventsOf("by-needs-human"));
  assert.match(events, /take the replica/, "the answer is in the journal");
  await page.close();
});

test("O2 three runs are tried again at once from the list, and the list shows it", options, async () => {
  const page = await stage.page("/runs?status=blocked&q=bulk");
  for (const id of BULK)
    await page.getByRole("row", { name: id }).getByRole("checkbox", { name: "Select" }).check();
  const bulk = page.getByRole("region", { name: "For the selected runs" });
  await bulk.getByRole("button", { name: "Retry 3 runs" }).click();
  for (const id of BULK) await stage.api.cli.reaches(id, "completed");
  await page.getByText("No run fits these filters").waitFor();
  await page.close();
});

test(
  "O2 filters stand in the address and survive a reload, and can be kept under a name",
  options,
  async () => {
    const page = await stage.page("/runs");
    await page.getByRole("button", { name: "running", exact: true }).click();
    await page.getByLabel("Name or goal").fill("at-work");
    await page.waitForURL(/status=running.*q=at-work/);
    await page.reload();
    await page.getByRole("row", { name: "at-work" }).waitFor();
    assert.equal(await page.locator(".grid-row").count(), 1);
    assert.equal(await page.getByLabel("Name or goal").inputValue(), "at-work");
    assert.equal(
      await page.getByRole("button", { name: "running", exact: true }).getAttribute("aria-pressed"),
      "true",
    );
    await page.getByRole("button", { name: "Save filter" }).click();
    await page.getByLabel("Name of the filter").fill("busy ones");
    await page.keyboard.press("Enter");
    await stage.goTo(page, "/runs");
    await page.getByRole("link", { name: "busy ones" }).click();
    await page.waitForURL(/status=running.*q=at-work/);
    await page.close();
  },
);

test("O2 the list says what a run waits for, and agrees with the run's own answer", options, async () => {
  const page = await stage.page("/runs?waits=person");
  const row = page.getByRole("row", { name: "gate-typed" });
  await row.waitFor();
  assert.equal(await page.getByRole("row", { name: "at-work" }).count(), 0, "nobody is asked for it");
  const { runs } = await stage.api.client.listRuns({ query: { limit: 500 } });
  for (const listed of runs) {
    const own = await stage.api.client.getRun({ params: { run: listed.run } });
    assert.equal(own.status, listed.status, listed.run);
    assert.equal(own.blocked?.reason ?? null, listed["blockedBy"], listed.run);
  }
  await page.close();
});

test("O2 an alarm is set and cancelled, with the command that does the same", options, async () => {
  const page = await stage.page("/alarms");
  await page.getByLabel("Run", { exact: true }).selectOption("at-work");
  await page.getByLabel(/^When/).fill("8h");
  await page.getByLabel("What to say then").fill("it's time");
  const command = await page.locator(".command-copy").first().getAttribute("data-command");
  assert.match(command ?? "", /^holdfast alarm at-work --in 8h --note 'it'\\''s time'/);
  await page.getByRole("button", { name: "Set the alarm" }).click();
  const alarm = page.locator(".line", { hasText: "it's time" });
  await alarm.waitFor();
  await alarm.getByRole("button", { name: "Cancel the alarm" }).click();
  await alarm.waitFor({ state: "detached" });
  const { alarms } = await stage.api.client.listAlarms({});
  assert.deepEqual(alarms, []);
  await page.close();
});

test("O2 the inbox is worked with the keyboard alone", options, async () => {
  const page = await stage.page("/");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard" });
  await help.waitFor();
  await page.keyboard.press("Escape");
  // Until it is closed its keys are its own.
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.waitForURL(/\/inbox/);
  await itemOf(page, "gate-typed").waitFor();
  for (let at = 0; at < 20; at += 1) {
    if ((await page.locator('[data-item][aria-current="true"]').innerText()).includes("gate-typed")) break;
    await page.keyboard.press("j");
  }
  await page.keyboard.press("r");
  await page.keyboard.type("name the version");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByLabel("What to change").count(), 0, "nothing was sent");
  await page.keyboard.press("e");
  await page.keyboard.type("looks right");
  await page.keyboard.press("Enter");
  await stage.api.cli.reaches("gate-typed", "completed");
  assert.match(JSON.stringify(await stage.api.cli.eventsOf("gate-typed")), /looks right/);
  await page.close();
});

test("O2 what is not wanted now is hidden in this browser, and comes back", options, async () => {
  await stage.start(run("some-day", "--agent", "gives-up"));
  await stage.api.cli.reaches("some-day", "blocked");
  const page = await stage.page("/inbox?item=some-day");
  await itemOf(page, "some-day").waitFor();
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "in 4 hours" }).click();
  await itemOf(page, "some-day").waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: /not now$/ }).click();
  await itemOf(page, "some-day").click();
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Show now" }).click();
  await page.getByText("hidden until").waitFor({ state: "detached" });
  await page.close();
});

test("O2 no screen breaks its policy, asks anything of another server, or fails", options, () => {
  stage.browser.assertClean(stage.url);
});
