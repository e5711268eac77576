import { spawn } from "node:child_process";
import { appendFileSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type {
  FunctionAgent,
  FunctionAgentContext,
  ReportableSignal,
} from "../../../src/agents/function/function-agent.ts";
import type { Part } from "./subject.ts";

/** Not the suite's own: loading the suite is most of what a process of such a function would cost. */
const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));

const work = (context: FunctionAgentContext): Promise<void> =>
  context.tool("append", "work.log", () => appendFileSync(path.join(context.cwd, "work.log"), "done\n"));

const untilEnded = (context: FunctionAgentContext): Promise<void> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new Error("told to end"));
    if (context.signal.aborted) stop();
    context.signal.addEventListener("abort", stop);
  });

/** Functions that play what the suite needs an agent to do, registered in a program. */
export const MODULE_AGENTS = {
  works: async (context) => {
    await context.emit({ kind: "message", from: "agent", text: context.task });
    await work(context);
    return { done: true };
  },
  counts: async (context) => {
    for (const text of numbers(60)) {
      await context.report(text);
      await delay(10);
    }
    return "done";
  },
  babbles: async (context) => {
    for (const text of numbers(3_000)) await context.report(text);
  },
  hangs: async (context) => {
    await work(context);
    await untilEnded(context);
  },
  deaf: async (context) => {
    await work(context);
    await new Promise(() => undefined);
  },
  garbage: async (context) => {
    await context.emit({ kind: "message", from: "agent", text: "before" });
    const garbage = [
      null,
      7,
      "text",
      { kind: "exit", how: "code", code: 0 },
      { kind: "ready" },
      { kind: "new" },
    ];
    for (const said of garbage) await context.emit(said as unknown as ReportableSignal);
    await context.emit({ kind: "message", from: "agent", text: "after" });
  },
  fails: () => {
    throw new Error("no");
  },
} satisfies Partial<Record<Part, FunctionAgent>>;

const children = (): void => {
  for (const detached of [false, true]) spawn("sleep", ["1000"], { stdio: "ignore", detached }).unref();
};

export const { works, counts, babbles, hangs, deaf, garbage, fails } = MODULE_AGENTS;

/** What only a function with a process of its own can do. */
export const family: FunctionAgent = async (context) => {
  children();
  await hangs(context);
};
export const orphans: FunctionAgent = async (context) => {
  children();
  await work(context);
};
export const half: FunctionAgent = async () => {
  writeSync(1, '{"kind":"message","from":"ag');
  await delay(300);
  writeSync(1, 'ent","text":"whole"}\n{"kind":"message"');
};
export const silent: FunctionAgent = () => undefined;
export const exits: FunctionAgent = () => process.exit(3);
export const crashes: FunctionAgent = () => {
  process.kill(process.pid, "SIGSEGV");
  return new Promise(() => undefined);
};
