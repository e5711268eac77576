import { spawn } from "node:child_process";
import { lstatSync } from "node:fs";
import path from "node:path";
import { unsafeFolder } from "../../files/own-folder.ts";
import { errorText } from "../../model/fault.ts";
import { textDigest } from "../to-signal.ts";

/**
 * Holdfast's own tmux server for one folder of sessions. tmux interprets much of what it is given (a trailing `;`,
 * `#(…)`, `%`), so nothing from outside is ever an argument: names are digests, texts go through its stdin.
 */
export interface TmuxClient {
  readonly socket: string;
  run(args: readonly string[], more?: RunMore): Promise<TmuxAnswer>;
}

export interface RunMore {
  readonly stdin?: string;
  /** New panes begin there: not an argument, since tmux would expand it. */
  readonly cwd?: string;
}

export type TmuxAnswer =
  | { readonly kind: "done"; readonly out: string }
  /** tmux itself said that there is no such server, session or pane. */
  | { readonly kind: "absent"; readonly text: string }
  /** Nothing was learnt: tmux is not installed, did not answer in time, or refused. */
  | { readonly kind: "failed"; readonly text: string; readonly missing: boolean };

const ANSWER_LIMIT_MS = 10_000;
const OUT_BYTES_MAX = 16 * 1024 * 1024;

/** The address of a socket has room for 107 bytes, and tmux begins with another name beside it. */
const SOCKET_BYTES_MAX = 100;

/**
 * The server's socket. Two stores never meet in one server. It lies among the sessions of its store, where nobody else
 * can go; a path that is too long for a socket has a folder of its own, which must be ours alone.
 */
export function socketOf(sessions: string): string {
  const inside = path.join(path.resolve(sessions), "tmux.socket");
  if (Buffer.byteLength(inside) <= SOCKET_BYTES_MAX) return inside;
  return path.join("/tmp", `holdfast-${String(process.getuid?.() ?? 0)}`, digestOf(sessions));
}

const digestOf = (sessions: string): string => textDigest(path.resolve(sessions)).slice(0, 20);

/** The words by which tmux finds the server: where a server of an earlier version still works, that one. */
export function serverWords(sessions: string): readonly string[] {
  const before = `holdfast-${digestOf(sessions)}`;
  const socket = `/tmp/tmux-${String(process.getuid?.() ?? 0)}/${before}`;
  const found = lstatSync(socket, { throwIfNoEntry: false });
  if (found?.isSocket() === true && found.uid === process.getuid?.()) return ["-L", before];
  return ["-S", socketOf(sessions)];
}

/** Fixed characters, one length, and matched exactly: no name is the beginning of another. */
export const paneNameOf = (session: string): string => `hf-${textDigest(session)}`;
/** The one pane of the session of exactly this name. */
export const targetOf = (session: string): string => `=${paneNameOf(session)}:`;

export function tmuxClient(sessions: string, program = "tmux"): TmuxClient {
  const socket = socketOf(sessions);
  return {
    socket,
    run: (args, more = {}) => {
      const unsafe = unsafeFolder(path.dirname(socket));
      if (unsafe !== undefined) return Promise.resolve(failure(unsafe));
      return runTmux(program, ["-u", ...serverWords(sessions), "-f", "/dev/null", ...args], more);
    },
  };
}

/** The server outlives the one that began it, so it is given nothing of them: no credentials, no other tmux. */
export const tmuxEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG: LANG ?? "C.UTF-8", TERM: "xterm-256color", SHELL: "/bin/sh" };
};

function runTmux(program: string, args: readonly string[], { stdin, cwd }: RunMore): Promise<TmuxAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: tmuxEnvironment(), stdio: ["pipe", "pipe", "pipe"] });
    let [out, err, late] = ["", "", false];
    const limit = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, ANSWER_LIMIT_MS);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (out.length < OUT_BYTES_MAX) out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err = (err + text).slice(0, 2_000)));
    // A tmux that refuses does not read what it is given; its exit shows.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin ?? "");
    child.once("error", (error) => {
      clearTimeout(limit);
      const missing = "code" in error && error.code === "ENOENT";
      resolve({ kind: "failed", text: missing ? MISSING : errorText(error), missing });
    });
    child.once("close", (code) => {
      clearTimeout(limit);
      if (late) resolve(failure(`tmux did not answer within ${String(ANSWER_LIMIT_MS)} ms`));
      else resolve(code === 0 ? { kind: "done", out } : refusal(err.trim(), code));
    });
  });
}

const MISSING = "tmux was not found on the PATH; expected tmux 3.2 or later: install it (apt install tmux)";
const failure = (text: string): TmuxAnswer => ({ kind: "failed", text, missing: false });

/** A socket that is not there proves nothing: a cleaner of temporary files removes it under a server that lives. */
const refusal = (text: string, code: number | null): TmuxAnswer =>
  /^(no server running|can't find|no current|server exited|no sessions)/.test(text)
    ? { kind: "absent", text }
    : failure(text === "" ? `tmux ended with ${String(code)}` : text);
