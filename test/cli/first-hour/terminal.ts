import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const COLUMNS = 160;
const ROWS = 60;
const LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 40;
const PRESS_AGAIN_MS = 2_000;

export interface Shown {
  readonly text: string;
  readonly code: number;
}

/** A shell in a real terminal of tmux, on a server of its own: what is typed into it, and what a person then sees. */
export class Terminal {
  readonly #socket: string;
  #prompts = 0;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  static async open(folder: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Terminal> {
    const terminal = new Terminal(path.join(folder, "tmux"));
    const start = path.join(folder, "bashrc");
    // The number of the prompt tells a new prompt from the last; the code is that of the command before it.
    writeFileSync(start, `PROMPT_COMMAND='code=$?; n=$((n+1)); PS1="<$n:$code> "'\nset +o history\n`);
    await terminal.#tmux(
      ...["-f", "/dev/null", "new-session", "-d", "-s", "hour", "-x", String(COLUMNS), "-y", String(ROWS)],
      ...["-c", cwd, "env", "-i", ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      ...["bash", "--noprofile", "--rcfile", start, "-i"],
    );
    await terminal.#tmux("set-option", "-g", "history-limit", "20000");
    await terminal.#prompt();
    return terminal;
  }

  /** Types a line, and answers what it left on the screen once the shell asks for the next. */
  async does(line: string): Promise<Shown> {
    await this.begins(line);
    return this.ends();
  }

  /** Types a line, and does not wait for its end. */
  async begins(line: string): Promise<void> {
    // Only what this line shows is on the screen and above it.
    await this.#tmux("send-keys", "-t", "hour", "C-l");
    await delay(LOOK_EVERY_MS);
    await this.#tmux("clear-history", "-t", "hour");
    await this.types(line);
    await this.keys("Enter");
  }

  types(text: string): Promise<void> {
    return this.#tmux("send-keys", "-t", "hour", "-l", text);
  }

  keys(...names: string[]): Promise<void> {
    return this.#tmux("send-keys", "-t", "hour", ...names);
  }

  /** Answers once the screen shows the words; a key may be pressed again until it does. */
  async shows(words: RegExp, key?: string): Promise<void> {
    const from = Date.now();
    let pressed = 0;
    for (const until = Date.now() + LIMIT_MS; !words.test(await this.screen()); await delay(LOOK_EVERY_MS)) {
      if (Date.now() > until)
        throw new Error(`the terminal never showed ${String(words)}:\n${await this.screen()}`);
      if (key === undefined || Date.now() - from < (pressed + 1) * PRESS_AGAIN_MS) continue;
      pressed += 1;
      await this.keys(key);
    }
  }

  async ends(): Promise<Shown> {
    const { lines, code } = await this.#prompt();
    return { text: lines.slice(1).join("\n"), code };
  }

  /** All that the terminal shows and has kept, broken lines joined. */
  async screen(): Promise<string> {
    const args = ["-S", this.#socket, "capture-pane", "-p", "-J", "-S", "-", "-t", "hour"];
    return (await run("tmux", args, { maxBuffer: 1 << 26 })).stdout;
  }

  close(): void {
    execFileSync("tmux", ["-S", this.#socket, "kill-server"], { stdio: "ignore" });
  }

  /** Waits for a prompt with a number that was not there before. */
  async #prompt(): Promise<{ lines: string[]; code: number }> {
    for (const until = Date.now() + LIMIT_MS; Date.now() < until; await delay(LOOK_EVERY_MS)) {
      const lines = (await this.screen())
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd());
      const [, number, code] = /^<(\d+):(\d+)>$/.exec(lines.at(-1) ?? "") ?? [];
      if (number === undefined || Number(number) <= this.#prompts) continue;
      this.#prompts = Number(number);
      return { lines: lines.slice(0, -1), code: Number(code) };
    }
    throw new Error(`no prompt came back:\n${await this.screen()}`);
  }

  async #tmux(...args: string[]): Promise<void> {
    await run("tmux", ["-S", this.#socket, ...args]);
  }
}
