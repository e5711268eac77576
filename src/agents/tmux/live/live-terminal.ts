import { spawn, type ChildProcess } from "node:child_process";
import type { AgentSpec } from "../../../model/flow/flow.ts";
import { findProgram } from "../find-program.ts";
import { lookAtOne } from "../screen/look-at-panes.ts";
import { recognise } from "../screen/recognise.ts";
import { terminalFolder } from "../terminal-folder.ts";
import { serverWords, targetOf, tmuxClient, tmuxEnvironment } from "../tmux-client.ts";
import { withLearned } from "../type/talks.ts";
import { ControlReader, type ControlLine } from "./control-lines.ts";
import { queryFilter } from "./strip-queries.ts";

/** What a viewer of a terminal is sent. */
export interface TerminalListener {
  readonly onSize: (size: { readonly columns: number; readonly rows: number }) => void;
  /** What the program draws, queries left out. The first is everything that its terminal still holds. */
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onEnd: (why: string) => void;
}

export interface TerminalDialog {
  readonly id: string;
  readonly text: string;
}

/** A terminal that somebody looks at. Nothing is typed but by `type`. */
export interface LiveTerminal {
  /** The dialog that is open on its screen now; null for none, undefined where the screen cannot be seen. */
  dialog(): Promise<TerminalDialog | null | undefined>;
  /** Brings the bytes to the program; answers why not, or null where it has them. */
  type(bytes: Uint8Array): Promise<string | null>;
  close(): void;
}

export interface LiveTerminalOrder {
  readonly sessions: string;
  readonly session: string;
  readonly spec: AgentSpec;
  readonly redact: (text: string) => string;
}

const HISTORY_LINES = 2_000;
const FACTS = "#{pane_width},#{pane_height},#{cursor_x},#{cursor_y},#{alternate_on},#{cursor_flag}";
const DIALOG_CHARS_MAX = 2_000;

/**
 * Shows a terminal by a client of tmux in control mode, which draws nothing itself, needs no terminal of its own and
 * leaves the size alone. It is given two fixed commands and no other.
 */
export function liveTerminal(order: LiveTerminalOrder, receive: TerminalListener): LiveTerminal {
  const { sessions, session, spec, redact } = order;
  const tmux = tmuxClient(sessions);
  const target = targetOf(session);
  const client = spawn(
    "tmux",
    [
      "-u",
      "-C",
      ...serverWords(sessions),
      "-f",
      "/dev/null",
      "attach-session",
      "-f",
      "ignore-size",
      "-t",
      target,
    ],
    { env: tmuxEnvironment(), stdio: ["pipe", "pipe", "ignore"] },
  );
  follow(client, receive);
  client.stdin.on("error", () => undefined);
  client.stdin.write(
    `display-message -p -t ${target} '${FACTS}'\ncapture-pane -p -e -S -${String(HISTORY_LINES)} -t ${target}\n`,
  );
  return {
    async dialog() {
      const found = findProgram(spec);
      const screen = "problem" in found ? undefined : await lookAtOne(tmux, session);
      if (screen === undefined || "problem" in found) return undefined;
      const { dialog } = recognise(withLearned(found, spec, terminalFolder(sessions, session)), screen);
      return dialog === undefined
        ? null
        : { id: dialog.askId, text: redact(dialog.text).slice(0, DIALOG_CHARS_MAX) };
    },
    async type(bytes) {
      const keys = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
      const send = ["send-keys", "-t", target, "-H", ...keys].join(" ");
      const dead = `display-message -p ${PANE_DEAD}`;
      const answer = await tmux.run(["if-shell", "-F", "-t", target, "#{pane_dead}", dead, send]);
      if (answer.kind !== "done") return answer.text;
      return answer.out.includes(PANE_DEAD) ? "the program in the terminal has ended" : null;
    },
    close: () => void client.kill(),
  };
}

const PANE_DEAD = "holdfast-pane-dead";

/** Answers come in order: of attaching itself, the facts, the screen. Output before the screen is part of the screen. */
function follow(client: ChildProcess, { onSize, onBytes, onEnd }: TerminalListener): void {
  const reader = new ControlReader();
  const filter = queryFilter();
  const answers: string[][] = [];
  let isOver = false;
  const end = (why: string): void => {
    if (isOver) return;
    isOver = true;
    client.kill();
    onEnd(why);
  };
  const show = (text: string): void => {
    const shown = filter.take(text);
    if (shown !== "") onBytes(Buffer.from(shown, "latin1"));
  };
  const take = (line: ControlLine): void => {
    if (line.kind === "end") end(line.text || ENDED);
    else if (line.kind === "output" && answers.length >= 3) show(line.bytes);
    else if (line.kind === "size" && answers.length >= 3) onSize(line);
    else if (line.kind === "answer" && answers.length < 3) {
      if (!line.ok) return end(line.lines.join(" ") || ENDED);
      answers.push([...line.lines]);
      const [, [facts = ""] = [], screen] = answers;
      if (screen !== undefined) begin(facts, screen, { onSize, show });
    }
  };
  client.stdout?.setEncoding("latin1").on("data", (text: string) => reader.take(text).forEach(take));
  client.once("error", () => end("tmux was not found on the PATH"));
  client.once("close", () => end(ENDED));
}

const ENDED = "the terminal is not there; its program has ended, or works on another host";

interface Beginning {
  readonly onSize: TerminalListener["onSize"];
  readonly show: (text: string) => void;
}

function begin(facts: string, screen: readonly string[], { onSize, show }: Beginning): void {
  const [columns = 80, rows = 24, x = 0, y = 0, alternate = 0, cursor = 1] = facts.split(",").map(Number);
  onSize({ columns, rows });
  const lines = screen.join("\r\n");
  const place = `\u001b[${String(y + 1)};${String(x + 1)}H`;
  show(`${alternate === 1 ? "\u001b[?1049h" : ""}${lines}${place}${cursor === 0 ? "\u001b[?25l" : ""}`);
}
