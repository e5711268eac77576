/** The program of the scripted agent: `demo-agent ORDER.json` plays the script it is ordered to, in the current folder. */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { actsOf, type DemoOrder } from "./demo-order.ts";
import type { Act } from "./demo-script.ts";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import type { Signal } from "../../model/agent/signals.ts";

const STDOUT = 1;

/** Synchronous, so that what was said before a crash is in the spool. */
const print = (text: string): void => {
  for (let bytes = Buffer.from(text); bytes.length > 0;) bytes = bytes.subarray(writeSync(STDOUT, bytes));
};

const printSignal = (signal: Signal): void => {
  print(`${JSON.stringify(signal)}\n`);
};

/** Does one act and reports it. */
async function perform(act: Act, order: DemoOrder): Promise<void> {
  const fill: Fill = (text) =>
    text.replaceAll(/\{(task|run|step|attempt|number)\}/g, (_, key: FilledKey) => String(order[key]));
  // The table pairs every kind with its own doer, which the compiler cannot follow through an index.
  const doer = DOERS[act.do] as (act: Act, fill: Fill) => Promise<void> | void;
  await doer(act, fill);
}

type FilledKey = Exclude<keyof DemoOrder, "script">;
type Fill = (text: string) => string;
type Doers = { [Kind in Act["do"]]: (act: Extract<Act, { do: Kind }>, fill: Fill) => Promise<void> | void };

/** The longest wait that Node knows; nobody hangs longer than somebody's patience. */
const HANG_MS = 2 ** 31 - 1;
const LOOK_EVERY_MS = 50;

const DOERS: Doers = {
  say: (act, fill) => printSignal({ kind: "message", from: "agent", text: fill(act.text) }),
  progress: ({ text, pct }, fill) =>
    printSignal({ kind: "progress", text: fill(text), ...(pct === undefined ? {} : { pct }) }),
  tool: (act, fill) => useTool(act.name, fill(act.args), { ok: act.ok, text: fill(act.result) }),
  write: (act, fill) => useFile(act.do, fill(act.file), (file) => writeFileSync(file, fill(act.content))),
  append: (act, fill) =>
    useFile(act.do, fill(act.file), (file) => appendFileSync(file, `${fill(act.line)}\n`)),
  remove: (act, fill) => useFile(act.do, fill(act.file), (file) => rmSync(file, { force: true })),
  sleep: (act) => sleep(act.ms),
  wait: async (act, fill) => {
    while (!existsSync(path.resolve(fill(act.file)))) await sleep(LOOK_EVERY_MS);
  },
  error: ({ text, terminal, status, code }, fill) =>
    printSignal({
      kind: "error",
      text: fill(text),
      terminal,
      ...(status === undefined ? {} : { status }),
      ...(code === undefined ? {} : { code }),
    }),
  limit: ({ text, retryAfterMs }, fill) =>
    printSignal({ kind: "rate_limit", text: fill(text), retryAfterMs }),
  blocked: (act, fill) => printSignal({ kind: "blocked", reason: act.reason, text: fill(act.text) }),
  usage: ({ tokensIn = 0, tokensOut = 0, usd = 0 }) =>
    printSignal({ kind: "usage", tokensIn, tokensOut, usd }),
  claim: (act, fill) => printSignal({ kind: "result", ok: act.ok, text: fill(act.text), value: act.value }),
  crash: (act) => {
    process.kill(process.pid, act.signal);
    return sleep(HANG_MS);
  },
  exit: (act) => process.exit(act.code),
  hang: () => sleep(HANG_MS),
  deaf: () => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  },
  "spawn-child": (act) => {
    spawn("sleep", ["1000"], { stdio: "ignore", detached: act.in === "session" }).unref();
  },
  garbage: (act) => print(`${act.text}\n`),
  half: (act) => print(act.text),
};

const sleep = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

let calls = 0;
function useTool(name: string, args: string, result: { ok: boolean; text: string }): void {
  calls += 1;
  const callId = String(calls);
  printSignal({ kind: "tool_call", callId, name, args });
  printSignal({ kind: "tool_result", callId, name, ...result });
}

function useFile(name: string, file: string, work: (file: string) => void): void {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  work(path.resolve(file));
  useTool(name, file, { ok: true, text: "done" });
}

const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write("usage: demo-agent ORDER.json\n");
  process.exit(2);
}
const order = JSON.parse(plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "") as DemoOrder;
printSignal({ kind: "ready" });
for (const act of actsOf(order)) await perform(act, order);
