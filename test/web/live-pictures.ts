import os from "node:os";
import { syncBuiltinESMExports } from "node:module";
import type { PageOrder } from "./browser.ts";
import { DashboardStage } from "./dashboard-stage.ts";
import { onHosts } from "./hosts-stage.ts";
import { MissionsStage, openMissions } from "./missions/missions-stage.ts";
import type { Take } from "./picture-forms.ts";
import { openSessions, sessionsStage } from "./sessions-stage.ts";
import { HOST } from "./story/story-stage.ts";

/** Pictures say nothing of the machine that they were made on. */
const NAMED = `import os from "node:os"; import { syncBuiltinESMExports } from "node:module";
os.hostname = () => "${HOST}"; syncBuiltinESMExports();`;

/** The temporary folder of the test, as the folder of a shop. */
const SHORT_PATHS = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(/\\/tmp\\/[\\w.-]+\\/work/g, "/srv/shop").replace("<img src=x onerror=window.ran=1> ", "");
})()`;

function beNamed(): void {
  process.env["NODE_OPTIONS"] = `--import=data:text/javascript,${encodeURIComponent(NAMED)}`;
  os.hostname = () => HOST;
  syncBuiltinESMExports();
}

async function within<Stage extends DashboardStage>(
  stage: Stage,
  act: (stage: Stage) => Promise<void>,
): Promise<void> {
  try {
    await act(stage);
  } finally {
    await stage.close();
  }
}

const PHONE: PageOrder = { size: "phone" };

/** The pictures of docs/dashboard.md for which something works meanwhile: the times in them are those of their day. */
export async function takeLive(takeOne: Take, isWanted: (name: string) => boolean): Promise<void> {
  beNamed();
  const take: Take = async (name, page) => {
    await page.evaluate(SHORT_PATHS);
    await takeOne(name, page);
  };
  if (isWanted("continuous"))
    await within(sessionsStage(), async (stage) => {
      await openSessions(stage);
      await take("continuous", await stage.page("/continuous/goals"));
    });
  if (isWanted("mission"))
    await within(new MissionsStage(), async (stage) => {
      await openMissions(stage);
      for (const [name, order] of [
        ["mission", {}],
        ["mission-phone", PHONE],
      ] as const) {
        const page = await stage.page("/missions/shop", order);
        await page.locator(".graph").waitFor();
        await take(name, page);
      }
    });
  if (isWanted("hosts"))
    await within(new DashboardStage(), (stage) =>
      onHosts(stage, async () => {
        const page = await stage.page("/hosts");
        await page.locator("tbody tr").first().waitFor();
        await take("hosts", page);
      }),
    );
}
