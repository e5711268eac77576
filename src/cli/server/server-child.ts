import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { ownHome } from "../supervise/detached-supervisor.ts";
import type { Invocation } from "../shell/invocation.ts";
import { ownCommand } from "../shell/invocation.ts";
import type { ServeOptions } from "./be-server.ts";

/**
 * The process that serves the API beside a supervisor.
 *
 * States: not begun, running, waiting to be started again, ended.
 * 1. Nothing of it is waited for by the supervisor, and nothing of it can end the supervisor.
 * 2. It ends with the supervisor, however that ends: the pipe between them is closed then.
 * 3. One that dies is started again, ever later; one that refuses to start says why, and is left.
 */
export interface ServerChild {
  begin(): void;
  end(): Promise<void>;
}

const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;
const STEADY_MS = 60_000;
const END_MS = 8_000;
const USAGE = 2;

export function serverChild(call: Invocation, options: ServeOptions): ServerChild {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | undefined;
  let waitMs = AGAIN_MS;
  let isOver = false;

  const start = (): void => {
    const startedAt = performance.now();
    const started = spawnServer(call, options);
    child = started;
    if (started === null) return;
    started.on("error", (error) => call.output.note(`the API cannot be served: ${error.message}`));
    started.on("close", (code) => {
      if (isOver || code === USAGE) return;
      waitMs = performance.now() - startedAt > STEADY_MS ? AGAIN_MS : Math.min(AGAIN_MS_MAX, waitMs * 2);
      call.output.note(
        `the process that serves the API has ended (${String(code)}); it is started again in ${String(waitMs / 1_000)} s, and the supervisor goes on`,
      );
      timer = setTimeout(start, waitMs);
    });
  };

  return {
    begin() {
      if (child === null && !isOver) start();
    },
    async end() {
      isOver = true;
      clearTimeout(timer);
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const left = child;
      const gone = new Promise((resolve) => left.once("close", resolve));
      left.stdin?.end();
      const kill = setTimeout(() => left.kill("SIGKILL"), END_MS);
      await gone;
      clearTimeout(kill);
    },
  };
}

function spawnServer(call: Invocation, options: ServeOptions): ChildProcess | null {
  const command = ownCommand();
  if (command === undefined) return null;
  const [program, ...args] = command;
  const json = call.output.json ? ["--json"] : [];
  const child = spawn(program, [...args, "serve", "--beside", ...json, ...wordsOf(options)], {
    cwd: call.surroundings.cwd,
    // Not among the arguments, which everybody on the machine can read: an address may hold a password.
    env: { ...process.env, ...ownHome(call), HOLDFAST_STORE: call.store.url },
    stdio: ["pipe", "pipe", "pipe"],
    // A Ctrl-C is for the supervisor, which ends this one in its own time.
    detached: true,
  });
  child.stdin?.on("error", () => undefined);
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => call.output.product(`${line}\n`));
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on("line", (line) => call.output.note(line));
  child.unref();
  return child;
}

export function wordsOf({ listen, tlsCert, tlsKey, behindProxy }: ServeOptions): string[] {
  const all = { listen, "tls-cert": tlsCert, "tls-key": tlsKey, "behind-proxy": behindProxy };
  return Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
}
