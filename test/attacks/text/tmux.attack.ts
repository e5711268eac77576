import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { waitFor } from "../../agents/contract/scene.ts";
import { deliverTexts } from "../../agents/tmux/deliveries.ts";
import { tried, type Attack, type Outcome, type Stage } from "../attack.ts";

const MISSING: Outcome = { kind: "skipped", reason: "tmux is not installed" };
const hasTmux = (): boolean => spawnSync("tmux", ["-V"]).error === undefined;

/** Random texts, among them all that tmux is known to obey, to a program that records what it receives. */
async function deliver({ count }: Stage): Promise<Outcome> {
  if (!hasTmux()) return MISSING;
  try {
    await deliverTexts(count);
    return tried(count);
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    return tried(count, [error.message.slice(0, 400)]);
  }
}

/** What an agent tries that does not know where the server is: its environment, and tmux's own default. */
const TRIES = [
  "tmux send-keys -t 0 'touch CANARY' Enter",
  "tmux list-sessions",
  "tmux list-panes -a",
  "tmux new-window 'touch CANARY'",
  "tmux run-shell 'touch CANARY'",
  'tmux -S "${TMUX%%,*}" run-shell "touch CANARY"',
  'tmux -L default send-keys "touch CANARY" Enter',
  "tmux set-option -g default-command 'touch CANARY'",
];

async function driveOthers({ folder }: Stage): Promise<Outcome> {
  if (!hasTmux()) return MISSING;
  const canary = path.join(folder, "canary");
  const script = path.join(folder, "agent.sh");
  const record = path.join(folder, "record");
  const lines = TRIES.map(
    (line, at) =>
      `${line.replaceAll("CANARY", canary)} >/dev/null 2>&1 && echo ${String(at)} >> ${record}.worked`,
  );
  // A TMUX_TMPDIR of its own: the machine's real default server is not for tests to find.
  const text = [
    `export TMUX_TMPDIR=${folder}`,
    "env | grep -c ^TMUX= > " + record,
    ...lines,
    `touch ${record}.done`,
    "sleep 60",
  ];
  writeFileSync(script, text.join("\n"));
  const driver = tmuxDriver({ world: realWorld(), folder: path.join(folder, "sessions") });
  const ref = { session: "s", spec: { use: "tmux" as const, command: ["/bin/sh", script], prompt: "^> " } };
  try {
    const order = { ...ref, run: "r", step: "s", attempt: "a", number: 1, task: "t", cwd: folder };
    void driver.start(order).catch(() => undefined);
    await waitFor(() => existsSync(`${record}.done`) || undefined, 60_000);
    const worked = existsSync(`${record}.worked`)
      ? readFileSync(`${record}.worked`, "utf8").trim().split("\n")
      : [];
    const given = readFileSync(record, "utf8").trim();
    return tried(TRIES.length + 1, [
      ...worked.map((at) => TRIES[Number(at)] ?? at),
      ...(given === "0" ? [] : ["the agent is given TMUX"]),
      ...(existsSync(canary) ? ["a program ran in another pane"] : []),
    ]);
  } finally {
    await driver.end(ref, 200);
    await driver.close();
  }
}

// A few texts are in test/agents/tmux/delivery.int.ts in `npm test`.
export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T8", level: "any", promised: "prevented", count: { full: 10_000, short: 0 } },
    title: "texts that tmux might obey, and random ones, are typed into a pane",
    run: deliver,
  },
  {
    ...{ threat: "T9", level: "no sandbox", promised: "prevented", count: { full: 1, short: 1 } },
    title: "an agent in a pane calls tmux as its environment and tmux's defaults lead it",
    run: driveOthers,
  },
  {
    ...{ threat: "T9", level: "no sandbox", promised: "prevented", count: { full: 1, short: 1 } },
    title: "an agent looks for the socket of Holdfast's tmux server in the temporary folder of its user",
    run: async () => ({
      kind: "not yet",
      reason: "nothing hides the socket from a process of the same user but a sandbox",
    }),
  },
];
