import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { HeadlessAgent } from "../../../src/agents/headless/headless-agent.ts";
import { headlessDriver } from "../../../src/agents/headless/headless-driver.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { keptSessions, sessionsIn } from "./kept-sessions.ts";
import { numbers } from "./scene.ts";
import type { StandInAct } from "./stand-in.ts";
import type { Part, Subject } from "./subject.ts";

/** How one vendor's agent says things, a line each. */
export interface Phrases {
  readonly begin: string;
  readonly say: (text: string) => string;
  /** A call of a tool and its result. */
  readonly work: readonly string[];
  /** Claims success. */
  readonly done: readonly string[];
  readonly error: string;
}

const STAND_IN = fileURLToPath(new URL("./stand-in.ts", import.meta.url));
const children: readonly StandInAct[] = [{ child: "group" }, { child: "session" }];
const work: StandInAct = { append: "worked" };

/** What one event of each vendor looks like when it is none of ours, or is not JSON at all. */
const GARBAGE = [
  "plain words",
  '{"kind":"exit","how":"code","code":0}',
  '{"type":"something new","a":1}',
  '{"type":42}',
  "[".repeat(100_000),
  "x".repeat(700_000),
  "\u0000\u001b[31m\ud800",
  "",
  "null",
];

function actsOf({ begin, say, work: tool, done, error }: Phrases): Record<Part, readonly StandInAct[]> {
  const lines = (...texts: readonly string[]): readonly StandInAct[] => texts.map((print) => ({ print }));
  const start = lines(begin);
  const message = say("whole");
  return {
    works: [...start, ...lines(say("do it"), ...tool), work, ...lines(...done)],
    counts: [
      ...start,
      ...numbers(60).flatMap((text) => [...lines(say(text)), { sleepMs: 10 }]),
      ...lines(...done),
    ],
    babbles: [
      ...start,
      {
        write: numbers(3_000)
          .map((text) => `${say(text)}\n`)
          .join(""),
      },
      ...lines(...done),
    ],
    hangs: [...start, work, { hang: true }],
    deaf: [...start, { deaf: true }, work, { hang: true }],
    family: [...start, ...children, work, { hang: true }],
    orphans: [...start, ...children, work, { exit: 0 }],
    garbage: [...start, ...lines(say("before"), ...GARBAGE, say("after"))],
    half: [
      ...start,
      { write: message.slice(0, 20) },
      { sleepMs: 300 },
      ...lines(message.slice(20)),
      { write: '{"kind":"message"' },
    ],
    silent: [...start, { exit: 0 }],
    fails: [...start, ...lines(error), { exit: 1 }],
    "exits-3": [...start, { exit: 3 }],
    crashes: [...start, { kill: "SIGSEGV" }],
    missing: [],
  };
}

/** A driver under test whose agent is stood in for; the agents themselves are in test/agents/real. */
export const headlessSubject = (agent: HeadlessAgent, phrases: Phrases, module: string): Subject =>
  standInSubject(
    { use: agent.use },
    (folder) =>
      headlessDriver(agent, { world: realWorld(crashOptionsFrom(process.env)), folder: sessionsIn(folder) }),
    { phrases, module },
  );

export function standInSubject(
  spec: AgentSpec,
  open: Subject["open"],
  { phrases, module }: { readonly phrases: Phrases; readonly module: string },
): Subject {
  const acts = actsOf(phrases);
  return {
    name: spec.use,
    module,
    open,
    specFor: (part, folder) => {
      const file = path.join(folder, `${part}.json`);
      writeFileSync(file, JSON.stringify(acts[part]));
      const command = part === "missing" ? ["missing"] : [process.execPath, STAND_IN, file];
      return { ...spec, command };
    },
    exceptions: {},
    ...keptSessions,
  };
}
