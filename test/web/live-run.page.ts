import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { noTmux } from "../agents/contract/tmux-subject.ts";
import { noBrowser } from "./browser.ts";
import { takesTurns } from "../turns.ts";
import { DashboardStage, script } from "./dashboard-stage.ts";

const { after, before, test } = takesTurns(0);

const claim = { do: "claim", ok: true, text: "done" };
const looks = Array.from({ length: 200 }, () => [
  { do: "tool", name: "bash", args: "cat notes.txt", result: "no such file", ok: false },
  { do: "sleep", ms: 300 },
]).flat();
const program = path.resolve(import.meta.dirname, "..", "api", "terminal", "terminal-program.mjs");
const terminal = { use: "tmux", command: [process.execPath, program], prompt: "^> $" };

const stage = new DashboardStage(
  {
    recovers: script(
      [{ do: "say", text: "I begin" }, { do: "wait", file: "begin.txt" }, { do: "crash" }],
      [{ do: "say", text: "I begin again" }, ...looks],
      [
        { do: "limit", text: "rate limit exceeded, try again in 3 seconds", retryAfterMs: 3_000 },
        { do: "error", text: "429 rate limit exceeded", status: 429 },
        { do: "exit", code: 1 },
      ],
      [{ do: "say", text: "the limit is over" }, claim],
    ),
    writes: script([
      { do: "write", file: "kept.txt", content: "as it was\n" },
      { do: "tool", name: "edit", args: "kept.txt", result: "written" },
      { do: "wait", file: "on.txt" },
      { do: "write", file: "kept.txt", content: "changed\n" },
      { do: "write", file: "new.txt", content: "new\n" },
      { do: "blocked", reason: "needs_human", text: "is this right?" },
    ]),
  },
  [
    `  term: ${JSON.stringify(terminal)}`,
    "ladder: { nudges: 1, nudgeMs: 300, strategyMs: 300, restartMs: 1000 }",
    "checkpoints: { when: always }",
  ],
);
stage.api.cli.write(
  "recovers.yaml",
  `name: recovers
steps: [{ name: build, task: build it, agent: recovers, phase: make }]
phases: [{ name: make, gate: { name: release, kind: approval } }]
`,
);
const options = { skip: noBrowser, timeout: 240_000 };

before(async () => {
  if (noBrowser === false) await stage.open([]);
});
after(() => stage.close());

/** The page is the one that was opened: what it shows came over its stream. */
const marked = (page: Page) => page.evaluate("window.opened === true");

test(
  "O2 a run is watched while it crashes, goes round, waits for a limit and asks, and is approved by clicking",
  options,
  async () => {
    await stage.start({ id: "watched", goal: "recover three times", words: ["--flow", "recovers.yaml"] });
    const page = await stage.page("/runs/watched/timeline");
    await page.evaluate("window.opened = true");
    const sees = (name: RegExp) =>
      page.locator(".timeline-chart").getByRole("button", { name }).first().waitFor({ timeout: 120_000 });
    await sees(/^attempt build#1: running/);
    stage.api.cli.write("begin.txt", "");
    await sees(/^attempt build#1: crashed/);
    await sees(/^restart/);
    await sees(/^wait .*rate limit/);
    await page.locator(".run-title .status-needs_you").waitFor({ timeout: 120_000 });
    const button = page.locator(".run-head").getByRole("button", { name: "Approve", exact: true });
    const command = await page.locator(".run-head .command-text").first().innerText();
    assert.match(command, /^\$ holdfast approve watched .*--digest [0-9a-f]{12,}/);
    await button.click();
    await page.locator(".run-title .status-done, .run-title .status-unverified").waitFor();
    await stage.api.cli.reaches("watched", "completed");
    assert.equal(await marked(page), true, "the page was never loaded again");
    await page.close();
  },
);

test("O2 a checkpoint is restored from the timeline, after what it changes was shown", options, async () => {
  const { cli } = stage.api;
  const read = (file: string): string => readFileSync(path.join(cli.cwd, file), "utf8");
  await stage.start({ id: "restored", goal: "write two files", words: ["--agent", "writes"] });
  await cli.receives("restored", "kept.txt");
  assert.equal((await cli.call(["checkpoint", "restored"])).code, 0);
  cli.write("on.txt", "");
  await cli.reaches("restored", "blocked");
  assert.equal((await cli.call(["checkpoint", "restored"])).code, 0);
  const page = await stage.page("/runs/restored/timeline");
  await page.getByRole("button", { name: /checkpoint c2/ }).click();
  await page.locator(".inspector").getByRole("button", { name: "Restore c2" }).click();
  const panel = page.locator(".restore");
  await panel.getByText("new.txt").waitFor();
  assert.equal(read("kept.txt"), "changed\n", "nothing has happened yet");
  await panel.getByRole("button", { name: "Put the files back" }).click();
  await page.locator(".notice-done").waitFor();
  assert.equal(read("kept.txt"), "as it was\n");
  assert.throws(() => read("new.txt"), /ENOENT/);
  await page.close();
});

test(
  "O2 an agent's terminal is looked at, taken over, typed into and given back, and the journal says who typed",
  { ...options, skip: noBrowser === false ? noTmux : noBrowser },
  async () => {
    const { cli } = stage.api;
    await stage.start({ id: "in-terminal", goal: "begin", words: ["--agent", "term"] });
    await cli.receives("in-terminal", "working");
    const page = await stage.page("/runs/in-terminal/terminal");
    await page.getByRole("button", { name: "Show the terminal" }).click();
    const rows = page.locator(".xterm-accessibility-tree");
    await rows.getByText("working").waitFor();
    const status = page.locator(".terminal-head [role=status]");
    assert.match(await status.innerText(), /You look on/);
    await page.locator(".xterm-screen").click();
    await page.keyboard.type("goes nowhere");
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByText("You have taken this terminal over").waitFor();
    await page.locator(".xterm-screen").click();
    await page.keyboard.type("from the page");
    await page.keyboard.press("Enter");
    await rows.getByText("heard: from the page").waitFor();
    await page.getByRole("button", { name: "Give back" }).click();
    await page.getByRole("button", { name: "Take over" }).waitFor();
    const acts = (await cli.eventsOf("in-terminal")).flatMap(({ type, data }) =>
      type === "RequestHeard" && data.request.kind === "terminal" ? [data] : [],
    );
    const typed = acts.map(({ request }) => (request.kind === "terminal" ? request.text : "")).join("");
    assert.equal(typed, "from the page\r");
    for (const { principal } of acts) assert.match(principal?.via ?? "", /http from 127\.0\.0\.1/);
    assert.equal((await cli.call(["cancel", "in-terminal"])).code, 0);
    await page.close();
  },
);

test("O2 eight tabs stay live on one stream", options, async () => {
  const pages = await Promise.all(
    Array.from({ length: 8 }, (_, at) => stage.page(at % 2 === 0 ? "/" : "/runs")),
  );
  await stage.start({ id: "seen-by-all", goal: "be seen", words: ["--agent", "works"] });
  for (const page of pages)
    await page.locator("#screen").getByText("seen-by-all").first().waitFor({ timeout: 60_000 });
  const streams = stage.browser.seen.requests.filter((url) => url.includes("/stream"));
  assert.ok(streams.length <= 8 + 1, `${String(streams.length)} streams were opened`);
  for (const page of pages) {
    assert.equal(await page.locator(".live-live").count(), 1);
    await page.close();
  }
});

test("O2 nothing of a live run breaks the policy of its pages or asks another server", options, () => {
  stage.browser.assertClean(stage.url);
});
