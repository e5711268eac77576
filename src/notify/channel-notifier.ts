import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { errorText } from "../model/fault.ts";
import type { ChannelSpec, SentNotice } from "../model/settings/notice.ts";
import { printable, printableLine } from "../model/text/printable.ts";
import type { World } from "../model/world.ts";
import { inOrder } from "./in-order.ts";
import type { DeliveryOutcome, Notifier } from "./notifier.ts";
import { deliverByWebhook, type WebhookOptions, type WebhookSpec } from "./webhook-channel.ts";

/** The real channels. */
export function channelNotifier(options: WebhookOptions): Notifier {
  return {
    async deliver(notice, channel, cwd): Promise<DeliveryOutcome> {
      try {
        return channel.use === "command"
          ? await deliverByCommand({ ...options, cwd }, notice, channel)
          : await deliverByWebhook(options, notice, placed(channel, cwd));
      } catch (error) {
        return {
          kind: "failed",
          text: printableLine(`${channel.use}: ${errorText(error)}`, 400),
          terminal: false,
        };
      }
    },
  };
}

/** The one that delivers may work in another folder than the one in which the files were named. */
function placed(spec: WebhookSpec, cwd = ""): WebhookSpec {
  const { urlFile, secretFile } = spec;
  return {
    ...spec,
    ...(urlFile === undefined ? {} : { urlFile: path.resolve(cwd, urlFile) }),
    ...(secretFile === undefined ? {} : { secretFile: path.resolve(cwd, secretFile) }),
  };
}

const SAID_CHARS_MAX = 200;
const SAID_BYTES_MAX = 1_024;
/** Between the polite end and the firm one. */
const GRACE_MS = 1_000;
const LINGER_MS = 500;
/** The system bounds what one variable may hold; the whole text comes on standard input. */
const VARIABLE_CHARS_MAX = 8_192;

interface CommandPlace {
  readonly world: World;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
}

/**
 * Runs the program with the notice as JSON on its standard input. It is the leader of a group of its own, and the
 * whole group is ended with it: what a program wants to leave running it must put into a session of its own.
 */
function deliverByCommand(
  { world, env, cwd }: CommandPlace,
  notice: SentNotice,
  spec: Extract<ChannelSpec, { use: "command" }>,
): Promise<DeliveryOutcome> {
  const [program = "", ...args] = spec.command;
  const describe = (text: string): string => printableLine(`command ${path.basename(program)}: ${text}`, 400);
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        // A folder that is gone keeps nobody from being notified.
        cwd: cwd !== undefined && existsSync(cwd) ? cwd : undefined,
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...withoutCrashes(env), ...noticeVariables(notice) },
      });
    } catch (error) {
      resolve({
        kind: "failed",
        text: describe(`could not be started: ${errorText(error)}`),
        terminal: false,
      });
      return;
    }
    const said = beginningOf([child.stdout, child.stderr]);
    let late = false;
    let stop = world.timer(spec.limitMs, () => {
      late = true;
      signalGroup(child, "SIGTERM");
      stop = world.timer(GRACE_MS, () => signalGroup(child, "SIGKILL"));
    });
    const finish = (outcome: DeliveryOutcome): void => {
      stop();
      for (const stream of child.stdio) stream?.destroy();
      resolve(outcome);
    };
    const fail = (text: string): void => finish({ kind: "failed", text: describe(text), terminal: false });
    child.on("error", (error) => fail(`could not be started: ${errorText(error)}`));
    child.on("exit", (code, signal) => {
      stop();
      signalGroup(child, "SIGKILL");
      if (late) fail(`did not end within ${String(spec.limitMs)} ms and was ended`);
      else if (code === 0) finish({ kind: "delivered", detail: describe("exited with 0") });
      // What it wrote before it failed is there by now, unless something that left its group holds its output.
      else said.ended(world, () => fail(`ended with ${String(code ?? signal)}${said.words()}`));
    });
    // A program that does not read its input may still have done its work: its exit code shows.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(`${JSON.stringify(inOrder(notice))}\n`);
  });
}

const withoutCrashes = (env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("HOLDFAST_CRASH_")));

function noticeVariables(notice: SentNotice): Record<string, string> {
  const entries = Object.entries(notice).map(([key, value]) => [
    `HOLDFAST_NOTICE_${key.toUpperCase()}`,
    printable(String(value ?? ""))
      .slice(0, VARIABLE_CHARS_MAX)
      .toWellFormed(),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

interface Beginning {
  words(): string;
  ended(world: World, then: () => void): void;
}

/** Reads everything, so that no program waits for us, and keeps the beginning. */
function beginningOf(streams: readonly (Readable | null)[]): Beginning {
  let kept = Buffer.alloc(0);
  const ends = streams.map(
    (stream) =>
      new Promise<void>((resolve) => {
        stream?.on("data", (chunk: Buffer) => {
          kept = Buffer.concat([kept, chunk.subarray(0, SAID_BYTES_MAX - kept.length)]);
        });
        stream?.on("error", () => resolve());
        stream?.on("close", () => resolve());
      }),
  );
  return {
    words() {
      const words = printableLine(kept.toString("utf8"), SAID_CHARS_MAX);
      return words === "" ? "" : ` and said: ${words}`;
    },
    ended(world, then) {
      const stop = world.timer(LINGER_MS, then);
      void Promise.all(ends).then(() => {
        stop();
        then();
      });
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
