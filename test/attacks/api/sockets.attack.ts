import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { noTmux } from "../../agents/contract/tmux-subject.ts";
import { TerminalStage } from "../../api/terminal/terminal-stage.ts";
import { connectViewer, TerminalViewer, type ConnectOptions } from "../../api/terminal/terminal-viewer.ts";
import { tried, type Attack, type Outcome } from "../attack.ts";

const SETTLES_MS = 300;
const TYPED = "typed by nobody\r";

/** Who asks for a terminal from a foreign page, without a ticket, or with one that was used. */
async function connect(stage: TerminalStage, succeeded: string[]): Promise<number> {
  const { bench } = stage;
  const own = stage.bearer();
  const origins = [
    "https://evil.test",
    "null",
    `http://evil.test:${String(bench.port)}`,
    "http://127.0.0.1:1",
  ];
  const cookie = { cookie: `holdfast_${String(bench.port)}=${"x".repeat(43)}` };
  const used = await stage.ticket();
  const first = await connectViewer(bench, { protocols: used, headers: own });
  assert.ok(first instanceof TerminalViewer, "a ticket is good once");
  await first.close();
  const ways: [string, ConnectOptions][] = [
    ["a used ticket", { protocols: used, headers: own }],
    ["a ticket of another token", { protocols: await stage.ticket(stage.viewer), headers: own }],
    ["a ticket alone", { protocols: await stage.ticket() }],
    ["a made up ticket", { protocols: ["holdfast.terminal.v1", `ticket.${"a".repeat(43)}`], headers: own }],
    ["no ticket", { protocols: ["holdfast.terminal.v1"], headers: own }],
    ["no protocol", { protocols: [], headers: own }],
    ["a foreign name", { protocols: await stage.ticket(), headers: { ...own, host: "evil.test" } }],
    ["a wrong cookie", { protocols: await stage.ticket(), headers: { ...cookie, origin: bench.ready.url } }],
    ["another path", { protocols: await stage.ticket(), headers: own, path: "/api/v1/stream" }],
  ];
  for (const origin of origins)
    for (const headers of [own, cookie, {}])
      ways.push([
        `the origin ${origin}`,
        { protocols: await stage.ticket(), headers: { ...headers, origin } },
      ]);
  for (const [name, options] of ways) {
    const found = await connectViewer(bench, options);
    if (typeof found === "number") continue;
    succeeded.push(`${name}: connected`);
    await found.close();
  }
  return ways.length;
}

/** Who is connected and has not taken the terminal over, or may not, types. */
async function type(stage: TerminalStage, succeeded: string[]): Promise<number> {
  for (const token of [stage.bench.token, stage.viewer]) {
    const viewer = await stage.open(token);
    if (token === stage.viewer) viewer.say({ kind: "take" });
    for (let times = 0; times < 5; times += 1) viewer.say({ kind: "type", text: TYPED });
    await viewer.sees("a refusal", (seen) => seen.of("refused").length > 0);
    await delay(SETTLES_MS);
    if (viewer.screen.includes(TYPED.trim())) succeeded.push("typed without having taken the terminal over");
    await viewer.close();
  }
  return 10;
}

async function run(): Promise<Outcome> {
  if (noTmux !== false) return { kind: "skipped", reason: noTmux };
  const stage = new TerminalStage();
  const succeeded: string[] = [];
  try {
    await stage.begin();
    const count = (await connect(stage, succeeded)) + (await type(stage, succeeded));
    const acts = await stage.recorded();
    if (acts.length > 0) succeeded.push(`${String(acts.length)} acts at the terminal were recorded`);
    return tried(count, succeeded);
  } finally {
    await stage.end();
  }
}

export const attacks: readonly Attack[] = [
  {
    // test/api/terminal has the same in `npm test`.
    ...{ threat: "T4", level: "any", promised: "prevented", count: { full: 31, short: 0 } },
    title:
      "a WebSocket of a foreign page, without a ticket or with a used one, and typing without permission",
    run,
  },
];
