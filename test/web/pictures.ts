// Makes the pictures of docs/dashboard.md, from a store that is the same each time: `npm run pictures`. With a folder as
// its argument it writes there, every screen in every window and theme, to be looked at; words after that are parts of the
// names that are wanted: `npm run pictures -- /tmp/pictures phone-dark journal`.
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { RUN_TABS, STORE_SCREENS } from "./dashboard-stage.ts";
import type { PageOrder } from "./browser.ts";
import { layoutProblems } from "./layout-problems.ts";
import { StoryStage } from "./story/story-stage.ts";

interface Picture {
  readonly name: string;
  readonly address: string;
  readonly order?: PageOrder;
  readonly press?: (page: Page) => Promise<void>;
}

const RUN = "/runs/session-rotation";
const choose =
  (name: RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole("button", { name }).first().click();
    await page.locator(".inspector-part").first().waitFor();
  };

/** One of each screen; what is seen of a narrow window and of the dark theme beside them. */
const PICTURES: readonly Picture[] = [
  { name: "overview", address: "/" },
  { name: "overview-dark", address: "/", order: { theme: "dark" } },
  { name: "overview-phone", address: "/", order: { size: "phone" } },
  { name: "runs", address: "/runs" },
  { name: "inbox", address: "/inbox?item=release-4.2" },
  { name: "inbox-phone", address: "/inbox?item=migrate-orders", order: { size: "phone" } },
  { name: "incidents", address: "/incidents" },
  { name: "alarms", address: "/alarms" },
  { name: "deliveries", address: "/deliveries" },
  { name: "compare", address: "/compare?way=diff&a=invoice-totals&b=email-templates" },
  { name: "doctor", address: "/doctor" },
  { name: "run-blocked", address: "/runs/flaky-checkout/now" },
  { name: "run-timeline", address: `${RUN}/timeline`, press: choose(/^nudge/) },
  ...RUN_TABS.filter((tab) => tab !== "timeline" && tab !== "terminal").map((tab) => ({
    name: `run-${tab}`,
    address: `${RUN}/${tab}`,
  })),
];

/** Everything, for somebody who looks at it. */
const whole = (): Picture[] =>
  (["desktop", "wide", "phone", "zoomed"] as const).flatMap((size) =>
    (["light", "dark", "contrast"] as const).flatMap((theme) =>
      [...STORE_SCREENS, ...RUN_TABS.map((tab) => `${RUN}/${tab}`)].map((address) => ({
        name: `${size}-${theme}${address.replaceAll(/[^a-z]+/g, "-")}`,
        address,
        order: { size, theme },
      })),
    ),
  );

const [given, ...parts] = process.argv.slice(2);
const wanted = (given === undefined ? PICTURES : whole()).filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
const folder = given ?? path.join(import.meta.dirname, "..", "..", "docs", "dashboard");
const stage = new StoryStage();
const root = path.join(tmpdir(), "holdfast-pictures");
try {
  await stage.open(root);
  mkdirSync(folder, { recursive: true });
  for (const { name, address, order, press } of wanted) {
    const page = await stage.look(address, order);
    await press?.(page);
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
    for (const problem of await layoutProblems(page)) process.stdout.write(`${name}: ${problem}\n`);
  }
} finally {
  await stage.close();
  rmSync(root, { recursive: true, force: true });
}
process.exit();
