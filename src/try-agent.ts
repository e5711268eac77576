import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentDriver, SessionRef } from "./agents/agent-driver.ts";
import { sessionFolder } from "./agents/keeper/session-folder.ts";
import { readLearned } from "./agents/tmux/type/learn-prompt.ts";
import { terminalFolder } from "./agents/tmux/terminal-folder.ts";
import { aimAtModel } from "./aim-at-model.ts";
import { driversOn } from "./all-drivers.ts";
import { plainTextIfAny } from "./files/plain-file.ts";
import type { AgentSpec } from "./model/flow/flow.ts";
import { modelScriptSchema } from "./model/agent/model-script.ts";
import type { Signal } from "./model/agent/signals.ts";
import { crashOptionsFrom, realWorld } from "./real-world.ts";

export interface TrialOptions {
  /** Where words of the command that name files are found. */
  readonly cwd: string;
  readonly limitMs: number;
  /** Against a model on loopback that plays a script; else with the agent's own provider. */
  readonly aimed: boolean;
}

/** What one trial of an agent showed. */
export interface Trial {
  readonly aimed: boolean;
  readonly signals: readonly Signal[];
  readonly startFailure: string | null;
  readonly timedOut: boolean;
  /** Of the scripted model: how often it was asked for a turn, and the tokens that it reported. */
  readonly asked: number;
  readonly tokensSent: number;
  /** The prompt that was learned of a terminal program. */
  readonly prompt: string | null;
  /** The JSON objects among the lines it printed. */
  readonly lines: readonly unknown[];
}

const SESSION = "try.work.1";
const OUT_BYTES_MAX = 256 * 1024;
const END_GRACE_MS = 3_000;
/** A question that nobody will answer is waited for no longer. */
const QUESTION_MS = 3_000;

/** Harmless, and done by the script as much as by any model. */
const TASK = "Write the word hello into the file hello.txt in this folder, and say when it is done.";
const SCRIPT = modelScriptSchema.parse({
  turns: [
    { say: "I write it.", acts: [{ write: { file: "hello.txt", content: "hello\n" } }] },
    { say: "I look at it.", acts: [{ run: "cat hello.txt" }] },
    { say: "Done: hello.txt holds the word hello." },
  ],
});

/** Lets an agent do a harmless task in a folder of its own that is removed again, and says what was seen of it. */
export async function tryAgent(asked: AgentSpec, options: TrialOptions): Promise<Trial> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-try-")));
  const [repo, home] = [path.join(folder, "repo"), path.join(folder, "home")];
  for (const one of [repo, home]) mkdirSync(one);
  spawnSync("git", ["init", "-q", repo]);
  const { startModelServer } = await import("./chaos/model-server.ts");
  const model = await startModelServer({ script: SCRIPT });
  const driver = driversOn(realWorld(crashOptionsFrom(process.env)), path.join(folder, "sessions"), {}).get(
    asked.use,
  );
  try {
    const spec = options.aimed
      ? aimed(withFiles(asked, options.cwd), model.url, { home, repo })
      : withFiles(asked, options.cwd);
    if (driver === undefined) throw new Error(`there is no driver for "${asked.use}"`);
    const { limitMs, aimed: allow } = options;
    const played = await play(driver, { session: SESSION, spec }, { repo, limitMs, allow });
    const turns = model.requests().filter(({ as }) => as === "turn");
    return {
      ...played,
      aimed: options.aimed,
      asked: turns.length,
      tokensSent: turns.reduce((sum, { usage }) => sum + (usage?.input ?? 0) + (usage?.output ?? 0), 0),
      ...printed(path.join(folder, "sessions"), spec),
    };
  } finally {
    await driver?.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Words that name files of the folder it is configured in are found from elsewhere too. */
function withFiles(spec: AgentSpec, cwd: string): AgentSpec {
  const isFile = (word: string, nth: number): boolean =>
    !path.isAbsolute(word) && (nth > 0 || word.includes("/")) && existsSync(path.resolve(cwd, word));
  const found = (words: readonly string[]): string[] =>
    words.map((word, nth) => (isFile(word, nth) ? path.resolve(cwd, word) : word));
  return spec.command === undefined ? spec : { ...spec, command: found(spec.command) };
}

function aimed(
  spec: AgentSpec,
  url: string,
  places: { readonly home: string; readonly repo: string },
): AgentSpec {
  const { env, files } = aimAtModel(url, places);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(places.home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return { ...spec, env: { ...spec.env, ...env } };
}

async function play(
  driver: AgentDriver,
  ref: SessionRef,
  { repo, limitMs, allow }: { readonly repo: string; readonly limitMs: number; readonly allow: boolean },
): Promise<Pick<Trial, "signals" | "startFailure" | "timedOut">> {
  const order = { ...ref, run: "try", step: "work", attempt: "work#1", number: 1, task: TASK, cwd: repo };
  const started = await driver.start(order);
  if (started.kind === "failed") return { signals: [], startFailure: started.text, timedOut: false };
  const signals: Signal[] = [];
  const timedOut = await new Promise<boolean>((resolve) => {
    let limit = setTimeout(() => resolve(true), limitMs);
    const listener = driver.listen(ref, "", async (batch) => {
      signals.push(...batch.signals);
      for (const signal of batch.signals) {
        if (signal.kind === "permission")
          // The script does nothing else; what a real model wants to do is not allowed unseen.
          await driver.answer(ref, { key: signal.askId, askId: signal.askId, allow });
        if (signal.kind === "question") {
          clearTimeout(limit);
          limit = setTimeout(() => resolve(true), QUESTION_MS);
        }
        if (signal.kind !== "exit") continue;
        clearTimeout(limit);
        listener.close();
        resolve(false);
      }
    });
  });
  await driver.end(ref, END_GRACE_MS);
  return { signals, startFailure: null, timedOut };
}

function printed(sessions: string, { use }: AgentSpec): Pick<Trial, "prompt" | "lines"> {
  const learned = use === "tmux" ? readLearned(terminalFolder(sessions, SESSION)) : undefined;
  const out =
    use === "command"
      ? (plainTextIfAny(sessionFolder(sessions, SESSION).out, { bytesMax: OUT_BYTES_MAX }) ?? "")
      : "";
  return {
    prompt: learned?.state === "learned" ? learned.prompt : null,
    lines: out.split("\n").flatMap((line) => {
      const value = parsed(line);
      return typeof value === "object" && value !== null ? [value] : [];
    }),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
