import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { filesOn, git } from "../../cli/mission/made-repository.ts";
import { noBrowser } from "../browser.ts";
import { layoutProblems } from "../layout-problems.ts";
import { MissionsStage } from "./missions-stage.ts";
import { unreachable } from "../reached-by-keys.ts";
import { seriousFindings } from "../serious-findings.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(5);

const stage = new MissionsStage();
const options = { skip: noBrowser, timeout: 300_000 };
const WAIT = { timeout: 90_000 };

before(async () => {
  if (noBrowser !== false) return;
  await stage.begin();
});
after(() => stage.close());

const panel = (page: Page, name: string): Locator => page.getByRole("region", { name });
const node = (page: Page, name: string): Locator =>
  page.locator(".graph-node", { has: page.locator("strong", { hasText: new RegExp(`^${name}$`) }) });
const row = (page: Page, id: string): Locator =>
  panel(page, "Workstreams").locator("tbody tr", {
    has: page.getByRole("button", { name: id, exact: true }),
  });
const stands = (page: Page, id: string, status: string): Promise<void> =>
  row(page, id).locator(".status-word", { hasText: status }).waitFor(WAIT);
const headSays = (page: Page, status: string): Promise<void> =>
  page.locator(".run-head .status-word", { hasText: status }).waitFor(WAIT);
const problemsOf = async (page: Page): Promise<string[]> => [
  ...(await seriousFindings(page)),
  ...(await layoutProblems(page)),
  ...(await unreachable(page)),
];

test(
  "O2 G15 the screens of missions have no finding of axe-core, overlap nothing, and are reached by keys, before anything is launched",
  options,
  async () => {
    const found: string[] = [];
    for (const size of ["desktop", "phone", "zoomed"] as const) {
      const page = await stage.page("/", { size, theme: size === "phone" ? "dark" : "light" });
      for (const address of ["/missions", "/missions/shop"]) {
        await stage.goTo(page, address);
        await page.locator(".graph, .line").first().waitFor();
        for (const one of await problemsOf(page)) found.push(`${size} ${address}: ${one}`);
      }
      await page.close();
    }
    assert.deepEqual(found, []);
  },
);

test(
  "O2 G15 the graph of a mission and its tables say the same: each workstream with its repository, needs and state, each barrier with its condition",
  options,
  async () => {
    const page = await stage.page("/missions");
    await page.locator(".line", { hasText: "0 of 4 done" }).getByRole("link", { name: "shop" }).click();
    await page.waitForURL(/\/missions\/shop$/);
    await page.locator(".graph").waitFor();
    assert.deepEqual((await page.locator(".graph-group-name").allInnerTexts()).sort(), ["api", "web"]);
    const nodes: string[] = [];
    for (const one of await page.locator(".graph-node").all())
      nodes.push((await one.locator("strong, .status-word").allTextContents()).join(": "));
    const rows: string[][] = [];
    for (const one of await panel(page, "Workstreams").locator("tbody tr").all())
      rows.push(await one.locator("th, td").allTextContents());
    assert.deepEqual(
      rows.map(([id, status, repository, needs]) => [id, status?.slice(1), repository, needs]),
      [
        ["schema", "ready", "api", "nothing"],
        ["server", "waits for others", "api", "schema"],
        ["page", "waits for others", "web", "designed"],
        ["docs", "waits for others", "web", "page, reviewed"],
      ],
    );
    assert.deepEqual(nodes, [
      ...rows.map(([id, status]) => `Workstream ${id ?? ""}: ${status?.slice(1) ?? ""}`),
      "Barrier designed: closed",
      "Barrier reviewed: closed",
    ]);
    await panel(page, "Barriers").getByText("one of them is done; a person lets it pass").waitFor();
    // What stands in a box stands in the box of its repository.
    const box = async (one: Locator) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    for (const [id = "", , repository = ""] of rows) {
      const [inner, outer] = [
        await box(node(page, `Workstream ${id}`)),
        await box(page.locator(".graph-group", { hasText: repository })),
      ];
      const within =
        inner.x >= outer.x &&
        inner.y >= outer.y &&
        inner.x + inner.width <= outer.x + outer.width &&
        inner.y + inner.height <= outer.y + outer.height;
      assert.ok(within, `${id} in ${repository}: ${JSON.stringify([inner, outer])}`);
    }
    assert.equal(await page.evaluate("window.ran"), undefined);
    await page.close();
  },
);

test(
  "O2 G15 a workstream is launched, retried and a barrier passed by button, each with its command; every try stays visible",
  options,
  async () => {
    const page = await stage.page("/missions/shop");
    await node(page, "Workstream schema").click();
    const detail = panel(page, "Workstream schema");
    await detail.getByText("holdfast mission launch shop --workstream schema", { exact: true }).waitFor();
    await detail.getByRole("button", { name: "Launch", exact: true }).click();
    await stands(page, "schema", "done");
    await page.getByLabel("Go on with what does not need a failed workstream").check();
    const autopilot = panel(page, "Autopilot");
    await autopilot.getByText("holdfast mission autopilot shop --continue-on-failure").waitFor();
    await autopilot.getByRole("button", { name: "Start the autopilot" }).click();
    await stands(page, "server", "failed");
    await stands(page, "page", "done");
    const next = panel(page, "What comes next");
    await next.getByText(/The autopilot has stopped/).waitFor(WAIT);
    await next.getByRole("button", { name: "Retry it" }).waitFor();
    // Refused for the same reason as on the command line.
    await row(page, "docs").getByRole("button").click();
    const docs = panel(page, "Workstream docs");
    await docs.getByText("<img src=x onerror=window.ran=1> tell of it").waitFor();
    assert.equal(await docs.getByRole("button", { name: "Launch", exact: true }).count(), 0);
    stage.letServerPass();
    await next.getByRole("button", { name: "Retry it" }).hover();
    await next.getByText("holdfast mission launch shop --workstream server --retry").waitFor();
    await next.getByRole("button", { name: "Retry it" }).click();
    await stands(page, "server", "done");
    const tries = panel(page, "History of tries").locator("tbody tr", { hasText: "shop.server." });
    assert.deepEqual((await tries.locator('[data-label="Run"]').allTextContents()).sort(), [
      "shop.server.1",
      "shop.server.2retry",
    ]);
    await node(page, "Barrier reviewed").click();
    const barrier = panel(page, "Barrier reviewed");
    await barrier.getByText("holdfast mission pass reviewed --mission shop").waitFor();
    await barrier.getByRole("button", { name: "Let it pass" }).click();
    await barrier.locator(".status-word", { hasText: "open" }).waitFor();
    await node(page, "Workstream docs").click();
    await panel(page, "Workstream docs").getByRole("button", { name: "Launch", exact: true }).click();
    await stands(page, "docs", "done");
    await headSays(page, "ready to accept");
    assert.equal(await page.evaluate("window.ran"), undefined);
    await page.close();
  },
);

test(
  "O2 G15 the difference of a mission and a repository has a command to copy, and all work is approved at once with its diffs",
  options,
  async () => {
    const web = stage.folder("web");
    git(web, "switch", "--quiet", "--create", "aside");
    const page = await stage.page("/missions/shop");
    const differences = panel(page, "The mission and its repositories differ");
    await differences.getByText("branch switched").waitFor(WAIT);
    const copy = differences.getByRole("button", { name: /^Copy: git -C / });
    assert.match((await copy.getAttribute("data-command")) ?? "", /^git -C \S+web switch main$/);
    git(web, "switch", "--quiet", "main");
    await page.reload();
    await page.locator(".graph").waitFor();
    await differences.waitFor({ state: "detached", ...WAIT });
    const approval = panel(page, "One approval for all of it");
    for (const [id, file] of [
      ["schema", "schema.txt"],
      ["server", "server.txt"],
      ["page", "page.txt"],
      ["docs", "docs.txt"],
    ] as const)
      await approval
        .getByRole("region", { name: `Workstream ${id}` })
        .getByText(`+${file} of the shop`)
        .waitFor();
    const found: string[] = [];
    for (const size of ["desktop", "phone", "zoomed"] as const) {
      const other = await stage.page("/missions/shop", { size, theme: size === "phone" ? "light" : "dark" });
      await other.locator(".diff").first().waitFor();
      for (const one of await problemsOf(other)) found.push(`${size}: ${one}`);
      await other.close();
    }
    assert.deepEqual(found, []);
    writeFileSync(path.join(web, "draft.txt"), "mine\n");
    await approval.getByText(/holdfast mission approve shop --digest [0-9a-f]+/).waitFor();
    await approval.getByRole("button", { name: "Approve all of it" }).click();
    const blocks = panel(page, "What blocks it");
    await blocks.getByText("repository dirty in web").waitFor(WAIT);
    assert.deepEqual(filesOn(stage.folder("api")), ["README.md"], "nothing has moved");
    rmSync(path.join(web, "draft.txt"));
    await approval.getByRole("button", { name: "Go on with the acceptance" }).click();
    await headSays(page, "ended");
    assert.deepEqual(filesOn(stage.folder("api")), ["README.md", "schema.txt", "server.txt"]);
    assert.deepEqual(filesOn(web), ["README.md", "docs.txt", "page.txt"]);
    await stands(page, "docs", "accepted");
    assert.equal(
      await page
        .locator(".run-head")
        .getByRole("button", { name: /Pause|Stop|Resume/ })
        .count(),
      0,
    );
    await page.close();
  },
);

test("O2 no screen of missions breaks its policy, asks anything of another server, or fails", options, () => {
  stage.browser.assertClean(stage.url);
});
