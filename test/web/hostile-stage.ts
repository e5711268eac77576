import assert from "node:assert/strict";
import { DashboardStage, RUN_TABS, script } from "./dashboard-stage.ts";
import { HOSTILE_FILES, HOSTILE_LINE, HOSTILE_TEXTS, LONG_LINE } from "./hostile-texts.ts";

const acts = [
  ...HOSTILE_TEXTS.flatMap((text) => [
    { do: "say", text },
    { do: "tool", name: text, args: text, result: text, ok: false },
    { do: "progress", text },
  ]),
  { do: "say", text: LONG_LINE },
  { do: "tool", name: "read", args: LONG_LINE, result: LONG_LINE },
  { do: "garbage", text: LONG_LINE },
  ...HOSTILE_FILES.map((file) => ({ do: "write", file, content: `${HOSTILE_LINE}\n` })),
  { do: "usage", usd: 0.5, tokensIn: 1_000, tokensOut: 10 },
  { do: "error", text: HOSTILE_LINE },
];

/** A store in which everything that somebody else may write is hostile. */
export const hostileStage = (): DashboardStage =>
  new DashboardStage(
    { hostile: script([...acts, { do: "blocked", reason: "needs_human", text: HOSTILE_LINE }]) },
    ["checkpoints: { when: always }"],
  );

export async function openHostile(stage: DashboardStage): Promise<void> {
  const { cli } = stage.api;
  await stage.open([{ id: "hostile", goal: HOSTILE_LINE, words: ["--agent", "hostile"] }]);
  await cli.reaches("hostile", "blocked");
  for (const words of [
    ["checkpoint", "hostile", "--note", HOSTILE_LINE],
    ["alarm", "hostile", "--in", "8h", "--note", HOSTILE_LINE],
  ]) {
    const ended = await cli.call(words);
    assert.equal(ended.code, 0, `${words[0] ?? ""}: ${ended.stderr}`);
  }
}

export const HOSTILE_ADDRESSES: readonly string[] = [
  ...["/", "/runs", "/runs?q=%3Cscript%3Ewindow.ran%3D1%3C%2Fscript%3E", "/inbox?item=hostile", "/incidents"],
  ...["/alarms", "/deliveries", "/compare?way=diff&a=hostile&b=hostile", "/compare?way=replay&a=hostile"],
  ...RUN_TABS.map((tab) => `/runs/hostile/${tab}`),
];
