// Makes the pictures of docs/dashboard.md, from a store that is the same each time: `npm run pictures`. With a folder as
// its argument it writes there, to be looked at: every screen in every window and theme, and with `--all` also a store of
// 5,000 runs, hostile texts everywhere, an empty store, continuous sessions, missions, hosts, and errors; `--many`, `--hostile`, `--empty`, `--sessions`, `--missions`, `--hosts` and `--errors` make
// these alone. Words after the folder are parts of the names that are wanted: `npm run pictures -- /tmp/p phone-dark journal`.
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { RUN_TABS, STORE_SCREENS } from "./dashboard-stage.ts";
import type { PageOrder } from "./browser.ts";
import { takeLive } from "./live-pictures.ts";
import { layoutProblems } from "./layout-problems.ts";
import { PICTURE_FORMS } from "./picture-forms.ts";
import { StoryStage } from "./story/story-stage.ts";

const OPTIONS = Object.fromEntries(
  Object.keys(PICTURE_FORMS).map((form) => [form, { type: "boolean" as const }]),
);

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

/** Where the runs of the stories stand, besides the one that is looked at in full. */
const MORE = [
  "/runs/flaky-checkout/now",
  "/runs/release-4.2/now",
  "/runs/docs-search/now",
  "/runs/csv-import/now",
  "/inbox?item=release-4.2",
  "/inbox?item=migrate-orders",
  "/compare?way=diff&a=invoice-totals&b=email-templates",
  "/compare?way=replay&a=invoice-totals",
  "/compare?way=open",
  "/doctor?part=config",
  "/doctor?part=tokens",
  "/doctor?part=page",
];

/** Everything, for somebody who looks at it. */
const whole = (): Picture[] =>
  (["desktop", "wide", "phone", "zoomed"] as const).flatMap((size) =>
    (["light", "dark", "contrast", "forced"] as const).flatMap((theme) =>
      [...STORE_SCREENS, ...RUN_TABS.map((tab) => `${RUN}/${tab}`), ...MORE].map((address) => ({
        name: `${size}-${theme}${address.replaceAll(/[^a-z]+/g, "-")}`,
        address,
        order: { size, theme },
      })),
    ),
  );

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean" }, ...OPTIONS },
});
const wanted: Readonly<Record<string, unknown>> = values;
const [given, ...parts] = positionals;
const forms = Object.keys(PICTURE_FORMS).filter((form) => wanted["all"] === true || wanted[form] === true);
const isWanted = (name: string): boolean => parts.length === 0 || parts.some((part) => name.includes(part));
const folder = given ?? path.join(import.meta.dirname, "..", "..", "docs", "dashboard");
const take = async (name: string, page: Page): Promise<void> => {
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  for (const problem of await layoutProblems(page)) process.stdout.write(`${name}: ${problem}\n`);
};

async function takeStories(): Promise<void> {
  const stage = new StoryStage();
  const root = path.join(tmpdir(), "holdfast-pictures");
  try {
    await stage.open(root);
    for (const { name, address, order, press } of given === undefined ? PICTURES : whole()) {
      if (!isWanted(name)) continue;
      const page = await stage.look(address, order);
      await press?.(page);
      await take(name, page);
    }
  } finally {
    await stage.close();
    rmSync(root, { recursive: true, force: true });
  }
}

mkdirSync(folder, { recursive: true });
if (forms.length === 0 || wanted["all"] === true) await takeStories();
if (forms.length === 0 && given === undefined) await takeLive(take, isWanted);
for (const form of forms)
  await PICTURE_FORMS[form]?.(async (name, page) => {
    if (isWanted(`${form}-${name}`)) await take(`${form}-${name}`, page);
  });
process.exit();
