import assert from "node:assert/strict";
import { DashboardStage, script } from "./dashboard-stage.ts";

const claim = { do: "claim", ok: true, text: "done" };
const LIST = `agent: works
concurrency: 2
budget: { usd: 20, runs: 50, day: { usd: 5 } }
goals:
  - { id: sort, goal: sort the mail, priority: 5 }
  - { id: port, goal: choose a port, priority: 10, agent: asks }
  - { id: later, goal: "<img src=x onerror=window.ran=1> tidy up", agent: busy }
`;

export const sessionsStage = (): DashboardStage =>
  new DashboardStage({
    asks: script([{ do: "blocked", reason: "needs_human", text: "which port is free?" }], [claim]),
  });

/** A continuous session with a goal that is done, one that asks, and one at work. */
export async function openSessions(stage: DashboardStage): Promise<void> {
  await stage.open([]);
  stage.api.cli.write("goals.yaml", LIST);
  const begun = await stage.api.cli.call(["continuous", "goals.yaml"]);
  assert.equal(begun.code, 0, `${begun.stdout}${begun.stderr}`);
  await stage.api.cli.reaches("goals.port.1", "blocked");
}
