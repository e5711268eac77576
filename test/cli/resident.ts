import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import path from "node:path";
import { builtProgram } from "../built-program.ts";

const PROGRAM = path.join(import.meta.dirname, "resident-cli.ts");

export interface Asked {
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

export interface Answered {
  readonly code: number;
  readonly signal: null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Commands that look and change nothing. */
const LOOKS: ReadonlySet<string | undefined> = new Set([
  "status",
  "events",
  "runs",
  "inbox",
  "why",
  "report",
  "checkpoints",
]);

/** Whether a command ends by itself and leaves nothing behind, so that it needs no process of its own. */
export const isLook = ([name, ...args]: readonly string[]): boolean =>
  LOOKS.has(name) && !args.some((arg) => /^(-f|--follow|--watch|--store.*|--help|-h)$/.test(arg));

/**
 * One process for all commands that only look: starting one is most of what such a command costs. The first look of a
 * test has a process of its own all the same, and every command that does something.
 */
export class Resident {
  #child: ChildProcess | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #looks = 0;

  /** Whether this look is one of many. */
  isWorthIt(): boolean {
    this.#looks += 1;
    return this.#looks > 1;
  }

  ask(asked: Asked): Promise<Answered> {
    const answer = this.#last.then(() => this.#ask(asked));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #ask(asked: Asked): Promise<Answered> {
    const child = (this.#child ??= this.#start(asked.env));
    child.ref();
    child.channel?.ref();
    return new Promise<Answered>((resolve, reject) => {
      const over = (code: number | null): void => {
        this.#child = null;
        reject(new assert.AssertionError({ message: `${asked.args.join(" ")} ended with ${String(code)}` }));
      };
      child.once("exit", over);
      child.once("message", (answer: Answered) => {
        child.off("exit", over);
        child.unref();
        child.channel?.unref();
        resolve(answer);
      });
      child.send(asked);
    });
  }

  #start(env: Record<string, string>): ChildProcess {
    return fork(builtProgram(PROGRAM), { env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }
}
