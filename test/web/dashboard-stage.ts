import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ApiBench } from "../api/api-bench.ts";
import { WebBrowser, type PageOrder } from "./browser.ts";

export const RUN_TABS = [
  "now",
  "timeline",
  "steps",
  "conversation",
  "terminal",
  "files",
  "cost",
  "why",
  "journal",
] as const;
export const STORE_SCREENS = [
  "/",
  "/runs",
  "/inbox",
  "/incidents",
  "/hosts",
  "/continuous",
  "/missions",
  "/alarms",
  "/deliveries",
  "/compare",
  "/doctor",
] as const;
/** Parts of screens, which have addresses of their own. */
export const SCREEN_PARTS = [
  ...["/doctor?part=config", "/doctor?part=tokens", "/doctor?part=page"],
  ...["/compare?way=replay", "/compare?way=open"],
] as const;
export const screensOf = (run: string): string[] => [
  ...STORE_SCREENS,
  ...SCREEN_PARTS,
  ...RUN_TABS.map((tab) => `/runs/${encodeURIComponent(run)}/${tab}`),
];

const claim = { do: "claim", ok: true, text: "done" };
export const script = (...attempts: readonly (readonly unknown[])[]): string => JSON.stringify({ attempts });

const SCRIPTS: Readonly<Record<string, string>> = {
  "works.json": script([
    { do: "say", text: "reading the task" },
    { do: "usage", usd: 0.42, tokensIn: 41_000, tokensOut: 900 },
    { do: "tool", name: "read", args: "notes.md", result: "three lines" },
    { do: "write", file: "notes.md", content: "1\n2\n" },
    claim,
  ]),
  "crashes.json": script([{ do: "say", text: "about to crash" }, { do: "crash" }], [claim]),
  "fails.json": script([
    { do: "say", text: "the tests do not pass" },
    { do: "claim", ok: false, text: "two tests fail" },
  ]),
  "busy.json": script([{ do: "say", text: "at work" }, { do: "wait", file: "go.txt" }, claim]),
  "limited.json": script(
    [
      { do: "limit", text: "rate limit exceeded, try again in 2 hours", retryAfterMs: 7_200_000 },
      { do: "error", text: "429 rate limit exceeded", status: 429 },
      { do: "exit", code: 1 },
    ],
    [claim],
  ),
  "gated.yaml": `name: gated
steps:
  - { name: build, task: build it, agent: works, phase: make }
  - { name: ship, task: ship it, agent: works, phase: out }
phases:
  - { name: make, gate: { name: release, kind: approval } }
  - { name: out }
`,
};
const agents = ["works", "crashes", "fails", "busy", "limited"];

const config = (extra: readonly string[], more: readonly string[]): string =>
  [
    "supervisor: { idleExitMs: 60000, scanMs: 100 }",
    "startup: { termGraceMs: 300 }",
    "backoff: { baseMs: 10 }",
    "workspace: { isolation: none }",
    "agents:",
    ...[...agents, ...extra].map((name) => `  ${name}: { use: demo, script: ${name}.json }`),
    ...more,
    "",
  ].join("\n");

export interface StageRun {
  readonly id: string;
  readonly goal: string;
  /** Arguments of `run` besides. */
  readonly words: readonly string[];
}

/** A run in each state that a person meets. */
export const RUNS: readonly StageRun[] = [
  { id: "docs-done", goal: "write the notes", words: ["--agent", "works"] },
  { id: "crash-once", goal: "survive a crash", words: ["--agent", "crashes"] },
  { id: "tests-fail", goal: "mend the tests", words: ["--agent", "fails"] },
  { id: "release-asks", goal: "release version 2", words: ["--flow", "gated.yaml"] },
  { id: "at-work", goal: "work until told", words: ["--agent", "busy"] },
  { id: "limit-waits", goal: "wait for a limit", words: ["--agent", "limited"] },
];

/** A store with runs, a real server and a real supervisor of it, and a browser that is logged in. */
export class DashboardStage {
  readonly api: ApiBench;
  readonly browser = new WebBrowser();
  readonly #loggedIn = new Set<unknown>();

  /** `scripts`: of agents besides, by name; `more`: lines of the configuration, first those of other agents. */
  constructor(scripts: Readonly<Record<string, string>> = {}, more: readonly string[] = []) {
    const files = Object.entries(scripts).map(([name, text]) => [`${name}.json`, text]);
    this.api = new ApiBench({
      ...SCRIPTS,
      ...(Object.fromEntries(files) as Record<string, string>),
      "holdfast.yaml": config(Object.keys(scripts), more),
    });
  }

  get url(): string {
    return this.api.ready.url;
  }

  async open(runs: readonly StageRun[] = RUNS): Promise<void> {
    await Promise.all([this.api.serve(), this.browser.launch()]);
    for (const run of runs) await this.start(run);
  }

  async start({ id, goal, words }: StageRun): Promise<void> {
    const ended = await this.api.cli.call(["run", goal, "--id", id, "--detach", ...words]);
    assert.equal(ended.code, 0, `${id}: ${ended.stdout}${ended.stderr}`);
  }

  /** A page of a browser that is logged in by a login URL, as a person's is. */
  async page(address: string, order: PageOrder = {}): Promise<Page> {
    const context = await this.browser.context(order);
    const page = await context.newPage();
    if (this.#loggedIn.has(context)) await page.goto(`${this.url}${address}`);
    else {
      this.#loggedIn.add(context);
      const { loginUrl } = await this.api.client.createLogin({ body: {} });
      await page.goto(`${loginUrl}?to=${encodeURIComponent(address)}`);
    }
    await settled(page);
    return page;
  }

  async goTo(page: Page, address: string): Promise<void> {
    await page.goto(`${this.url}${address}`);
    await settled(page);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.api.close();
  }
}

/** The screen is there, and no part of it is still being read. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector("#screen :is(h1, h2, p, table)", { state: "attached" });
  // The policy of the page refuses to evaluate text, so that no function is waited for.
  await page.locator(".skeleton").first().waitFor({ state: "detached", timeout: 60_000 });
}
