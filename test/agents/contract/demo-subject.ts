import { writeFileSync } from "node:fs";
import path from "node:path";
import { demoDriver } from "../../../src/agents/demo/demo-driver.ts";
import type { DemoScriptInput } from "../../../src/agents/demo/demo-script.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { keptSessions, sessionsIn } from "./kept-sessions.ts";
import { numbers } from "./scene.ts";
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

export const subject: Subject = {
  name: "demo",
  module: import.meta.url,
  open: (folder) =>
    demoDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: sessionsIn(folder) }),
  specFor: (part, folder) => {
    const file = path.join(folder, `${part}.json`);
    if (part !== "missing") writeFileSync(file, JSON.stringify({ attempts: [ACTS[part]] }));
    return { use: "demo", script: part === "missing" ? "missing" : file };
  },
  exceptions: {},
  ...keptSessions,
};
