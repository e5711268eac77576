/**
 * Stands in for an agent's program in the mechanical clauses of the contract: prints the lines it is told to, and
 * misbehaves as it is told to. Usage: stand-in ACTS.json [whatever the agent itself would be given]
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export type StandInAct =
  | { readonly print: string }
  | { readonly write: string }
  | { readonly sleepMs: number }
  | { readonly append: string }
  | { readonly child: "group" | "session" }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals }
  | { readonly deaf: true }
  | { readonly hang: true };

async function perform(act: StandInAct): Promise<void> {
  if ("print" in act) process.stdout.write(`${act.print}\n`);
  else if ("write" in act) process.stdout.write(act.write);
  else if ("sleepMs" in act) await sleep(act.sleepMs);
  else if ("append" in act) appendFileSync("work.log", `${act.append}\n`);
  else if ("child" in act) {
    const detached = act.child === "session";
    spawn("sleep", ["1000"], { stdio: "ignore", detached }).unref();
  } else if ("exit" in act) process.exit(act.exit);
  else if ("kill" in act) process.kill(process.pid, act.kill);
  else if ("deaf" in act) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  else await new Promise(() => setInterval(() => undefined, 1_000));
}

for (const act of JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as StandInAct[]) await perform(act);
