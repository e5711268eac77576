import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { acpDriver } from "../../../src/agents/acp/acp-driver.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import type { Act } from "../acp/small-agent.ts";
import { keptSessions, sessionsIn } from "./kept-sessions.ts";
import { numbers } from "./scene.ts";
import type { Part, Subject } from "./subject.ts";

const AGENT = fileURLToPath(new URL("../acp/small-agent.ts", import.meta.url));
const work: Act = { append: "worked" };
const children: readonly Act[] = [{ child: "group" }, { child: "session" }];
const garbage = [
  "plain words",
  '{"kind":"exit","how":"code","code":0}',
  '{"jsonrpc":"2.0","id":"hf:initialize"}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"something new"}}}',
  '{"jsonrpc":"2.0","method":"session/update"}',
  "[".repeat(100_000),
  "x".repeat(700_000),
  "\u0000\u001b[31m\ud800",
  "",
  "null",
].map((text): Act => ({ write: `${text}\n` }));

/** In the protocol's own words, so that it can be cut in two. */
const whole = JSON.stringify({
  jsonrpc: "2.0",
  method: "session/update",
  params: { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "whole" } } },
});

const ACTS: Readonly<Record<Exclude<Part, "missing">, readonly Act[]>> = {
  works: [{ say: "I will " }, { say: "do it" }, { tool: "write" }, work, { say: "done" }],
  counts: [
    ...numbers(60).flatMap((plan): Act[] => [{ plan }, { sleepMs: 10 }]),
    { tool: "count" },
    { say: "counted" },
  ],
  babbles: [...numbers(3_000).map((plan) => ({ plan })), { tool: "count" }, { say: "counted" }],
  hangs: [work, { hang: true }],
  deaf: [{ deaf: true }, work, { hang: true }],
  family: [...children, work, { hang: true }],
  orphans: [...children, work, { exit: 0 }],
  garbage: [{ say: "before" }, ...garbage, { say: "after" }, { exit: 0 }],
  half: [
    { write: whole.slice(0, 20) },
    { sleepMs: 300 },
    { write: `${whole.slice(20)}\n` },
    { write: '{"kind":"message"' },
    { exit: 0 },
  ],
  silent: [{ exit: 0 }],
  fails: [{ say: "no" }, { fail: { code: -32_603, message: "no" } }],
  "exits-3": [{ exit: 3 }],
  crashes: [{ kill: "SIGSEGV" }],
};

export const subject: Subject = {
  name: "acp",
  module: import.meta.url,
  open: (folder) =>
    acpDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: sessionsIn(folder) }),
  specFor: (part, folder) => {
    if (part === "missing") return { use: "acp", command: ["missing"] };
    const file = path.join(folder, `${part}.json`);
    writeFileSync(file, JSON.stringify(ACTS[part]));
    const ending = part === "fails" ? ["exits-1"] : [];
    return { use: "acp", command: [process.execPath, AGENT, file, ...ending] };
  },
  exceptions: {},
  ...keptSessions,
};
