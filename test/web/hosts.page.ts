import assert from "node:assert/strict";
import { noBrowser } from "./browser.ts";
import { DashboardStage } from "./dashboard-stage.ts";
import { layoutProblems } from "./layout-problems.ts";
import { unreachable } from "./reached-by-keys.ts";
import { seriousFindings } from "./serious-findings.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../postgres-server.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(1);

/** Hosts share a store on PostgreSQL; this machine is one of them. */
const stage = new DashboardStage();
let server: PostgresServer | null = null;
const skip = noBrowser === false ? (postgresMissing() ?? false) : noBrowser;
const options = { skip, timeout: 180_000 };
const env = (): Record<string, string> => ({ HOLDFAST_STORE: server?.url ?? "" });

before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  await stage.api.serve([], env());
  await stage.browser.launch();
  const up = await stage.api.cli.call(["up", "--detach", "--no-http"], { env: env() });
  assert.equal(up.code, 0, up.stderr);
});
after(async () => {
  if (server !== null) await stage.api.cli.call(["down", "--stop-agents"], { env: env() });
  await stage.close();
  await server?.remove();
});

test(
  "O2 a host is drained by button and takes runs again, with the command that does the same",
  options,
  async () => {
    const page = await stage.page("/hosts");
    const row = page.locator("tbody tr").first();
    const state = (word: string) =>
      row.locator(".status-word", { hasText: new RegExp(`^${word}$`) }).waitFor();
    await state("up");
    await row.getByText(/^0 of \d+$/).waitFor();
    assert.match(await row.locator('[data-label="Memory free"]').innerText(), /\d GiB$/);
    const drain = row.getByRole("button", { name: /^Drain/ });
    await drain.hover();
    assert.match(await row.locator(".command-text").innerText(), /^\$ holdfast drain \S+/);
    await drain.click();
    await state("draining");
    await row.getByText(/^asked by /).waitFor();
    await row.getByRole("button", { name: /^Take new runs again/ }).click();
    await state("up");
    await page.close();
  },
);

test(
  "O2 the screen of hosts has no finding of axe-core, overlaps nothing, and is reached by keys",
  options,
  async () => {
    const found: string[] = [];
    for (const size of ["desktop", "phone", "zoomed"] as const) {
      const page = await stage.page("/hosts", { size, theme: size === "phone" ? "dark" : "light" });
      for (const one of await seriousFindings(page)) found.push(`${size}: ${one}`);
      for (const one of await layoutProblems(page)) found.push(`${size}: ${one}`);
      for (const one of await unreachable(page)) found.push(`${size}: ${one}`);
      await page.close();
    }
    assert.deepEqual(found, []);
    stage.browser.assertClean(stage.url);
  },
);
