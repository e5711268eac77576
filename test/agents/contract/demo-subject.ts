import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { demoDriver } from "../../../src/agents/demo/demo-driver.ts";
import type { DemoScriptInput } from "../../../src/agents/demo/demo-script.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { identify } from "../../../src/agents/process-identity.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { numbers, waitFor } from "./scene.ts";
import type { Part, Subject } from "./subject.ts";

type Acts = DemoScriptInput["attempts"][number];

const work = { do: "append", file: "work.log", line: "{attempt}" } as const;
const done = { do: "claim", ok: true, text: "done" } as const;
const children: Acts = [{ do: "spawn-child" }, { do: "spawn-child", in: "session" }];

const ACTS: Readonly<Record<Exclude<Part, "missing">, Acts>> = {
  works: [{ do: "say", text: "{task}" }, work, { do: "usage", tokensIn: 10, usd: 0.1 }, done],
  counts: [
    ...numbers(60).flatMap((text): Acts => [
      { do: "progress", text },
      { do: "sleep", ms: 10 },
    ]),
    done,
  ],
  babbles: [...numbers(3_000).map((text) => ({ do: "progress" as const, text })), done],
  hangs: [work, { do: "hang" }],
  deaf: [{ do: "deaf" }, work, { do: "hang" }],
  family: [...children, work, { do: "hang" }],
  orphans: [...children, work, { do: "exit", code: 0 }],
  garbage: [
    { do: "say", text: "before" },
    { do: "garbage" },
    { do: "garbage", text: '{"kind":"exit","how":"code","code":0}' },
    { do: "garbage", text: '{"kind":"something new","a":1}' },
    { do: "garbage", text: '{"kind":"usage","usd":-1}' },
    { do: "garbage", text: "[".repeat(100_000) },
    { do: "garbage", text: "x".repeat(700_000) },
    { do: "garbage", text: "\u0000\u001b[31m\ud800" },
    { do: "garbage", text: "" },
    { do: "say", text: "after" },
  ],
  half: [
    { do: "half", text: '{"kind":"message","from":"ag' },
    { do: "sleep", ms: 300 },
    { do: "garbage", text: 'ent","text":"whole"}' },
    { do: "half", text: '{"kind":"message"' },
  ],
  silent: [{ do: "exit", code: 0 }],
  fails: [
    { do: "error", text: "no" },
    { do: "exit", code: 1 },
  ],
  "exits-3": [{ do: "exit", code: 3 }],
  crashes: [{ do: "crash", signal: "SIGSEGV" }],
};

const sessions = (folder: string): string => path.join(folder, "sessions");

export const subject: Subject = {
  name: "demo",
  module: import.meta.url,
  open: (folder) => demoDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: sessions(folder) }),
  specFor: (part, folder) => {
    const file = path.join(folder, `${part}.json`);
    if (part !== "missing") writeFileSync(file, JSON.stringify({ attempts: [ACTS[part]] }));
    return { use: "demo", script: part === "missing" ? "missing" : file };
  },
  exceptions: {},
  vanish: async (folder, session) => {
    const { mark } = sessionFolder(sessions(folder), session);
    const members = (): readonly { readonly pid: number }[] => {
      const found = sessionMembers(mark, undefined);
      if (found === "unknown") throw new Error("the process table cannot be read");
      return found;
    };
    // First stopped, so that no keeper lives to tell of its agent's death.
    for (const { pid } of members()) process.kill(pid, "SIGSTOP");
    for (const { pid } of members()) process.kill(pid, "SIGKILL");
    await waitFor(() => (members().length === 0 ? true : undefined));
  },
  forge: (folder, session, pid) => {
    const { identity } = sessionFolder(sessions(folder), session);
    const recorded = JSON.parse(readFileSync(identity, "utf8")) as { startedAt: string };
    const stranger = identify(pid);
    // Start times count in ticks of 10 ms: of two processes of one tick the record would tell the truth.
    assert.ok(
      typeof stranger === "object" && stranger.startedAt !== recorded.startedAt,
      "started in one tick",
    );
    writeFileSync(identity, `${JSON.stringify({ ...recorded, pid })}\n`);
  },
};
