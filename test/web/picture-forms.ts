import type { PageOrder, Size } from "./browser.ts";
import { DashboardStage, STORE_SCREENS } from "./dashboard-stage.ts";
import { HOSTILE_ADDRESSES, hostileStage, openHostile } from "./hostile-stage.ts";
import { onHosts } from "./hosts-stage.ts";
import { MissionsStage, openMissions } from "./missions/missions-stage.ts";
import { openSessions, sessionsStage } from "./sessions-stage.ts";
import { writeManyRuns } from "./long-runs.ts";
import type { Page } from "playwright-core";

/** Keeps what a page shows now under a name. */
export type Take = (name: string, page: Page) => Promise<void>;

const ORDERS: readonly PageOrder[] = [
  { size: "desktop", theme: "light" },
  { size: "phone", theme: "dark" },
  { size: "zoomed", theme: "light" },
];
const nameOf = ({ size = "desktop", theme = "light" }: PageOrder, address: string): string =>
  `${size}-${theme}${address.replaceAll(/[^a-z]+/g, "-")}`;

async function takeAll(stage: DashboardStage, addresses: readonly string[], take: Take): Promise<void> {
  for (const order of ORDERS) {
    const page = await stage.page("/", order);
    for (const address of addresses) {
      await stage.goTo(page, address);
      await take(nameOf(order, address), page);
    }
    await page.close();
  }
}

async function within(stage: DashboardStage, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } finally {
    await stage.close();
  }
}

const MANY = 5_000;

async function many(take: Take): Promise<void> {
  const stage = new DashboardStage();
  await within(stage, async () => {
    await stage.open([]);
    await writeManyRuns(stage.api.cli.store, stage.api.cli.cwd, MANY);
    await takeAll(stage, ["/", "/runs", "/inbox", "/runs?q=42"], take);
    const page = await stage.page("/runs");
    await page.getByRole("row").nth(2).getByRole("checkbox").check();
    await page.getByRole("row").nth(4).getByRole("checkbox").check();
    await take("desktop-light-selected", page);
  });
}

async function hostile(take: Take): Promise<void> {
  const stage = hostileStage();
  await within(stage, async () => {
    await openHostile(stage);
    await takeAll(stage, HOSTILE_ADDRESSES, take);
  });
}

async function empty(take: Take): Promise<void> {
  const stage = new DashboardStage();
  await within(stage, async () => {
    await stage.open([]);
    await takeAll(stage, STORE_SCREENS, take);
  });
}

async function sessions(take: Take): Promise<void> {
  const stage = sessionsStage();
  await within(stage, async () => {
    await openSessions(stage);
    await takeAll(stage, ["/continuous", "/continuous/goals"], take);
    const page = await stage.page("/continuous/goals");
    await page.getByRole("row").nth(1).click();
    await page.getByRole("region", { name: /^Goal / }).waitFor();
    await take("desktop-light-goal", page);
  });
}

async function missions(take: Take): Promise<void> {
  const stage = new MissionsStage();
  await within(stage, async () => {
    await openMissions(stage);
    await takeAll(stage, ["/missions", "/missions/shop"], take);
    const page = await stage.page("/missions/shop");
    await page.locator(".graph-node").first().click();
    await take("desktop-light-workstream", page);
    stage.letServerPass();
    await stage.mission("launch", "shop", "--workstream", "server", "--retry", "--wait");
    await stage.mission("pass", "reviewed", "--mission", "shop");
    await stage.mission("autopilot", "shop", "--wait");
    for (const order of ORDERS) {
      const ready = await stage.page("/missions/shop", order);
      await ready.locator(".diff").first().waitFor();
      await take(nameOf(order, "/ready"), ready);
      await ready.getByRole("heading", { name: "One approval for all of it" }).scrollIntoViewIfNeeded();
      await take(nameOf(order, "/approval"), ready);
    }
  });
}

async function hosts(take: Take): Promise<void> {
  const stage = new DashboardStage();
  await within(stage, () => onHosts(stage, () => takeAll(stage, ["/hosts"], take)));
}

/** No such page or run, a login that is over, and a server that is gone. */
async function errors(take: Take): Promise<void> {
  const stage = new DashboardStage();
  await within(stage, async () => {
    await stage.open([]);
    await takeAll(stage, ["/no-such-page", "/runs/no-such-run/now"], take);
    for (const size of ["desktop", "phone"] as const satisfies readonly Size[]) {
      const stranger = await stage.browser.page({ size, theme: "contrast" });
      await stranger.goto(`${stage.url}/`);
      await stranger.locator(".live-refused, .problem, main p").first().waitFor();
      await take(`${size}-contrast-logged-out`, stranger);
    }
    const pages = await Promise.all(ORDERS.map((order) => stage.page("/", order)));
    await stage.api.end("SIGKILL");
    for (const [at, page] of pages.entries()) {
      await page.locator(".live-lost").waitFor({ timeout: 60_000 });
      await take(nameOf(ORDERS[at] ?? {}, "/lost"), page);
      await page.getByRole("link", { name: "Incidents" }).first().click();
      await page.locator(".problem").waitFor({ timeout: 60_000 });
      await take(nameOf(ORDERS[at] ?? {}, "/lost-unread"), page);
    }
  });
}

/** What the stories do not show, each in a store of its own. */
export const PICTURE_FORMS: Readonly<Record<string, (take: Take) => Promise<void>>> = {
  many,
  hostile,
  empty,
  sessions,
  missions,
  hosts,
  errors,
};
