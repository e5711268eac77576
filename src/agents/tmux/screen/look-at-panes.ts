import { type Lit, readCapture } from "./read-capture.ts";
import { targetOf, type TmuxClient } from "../tmux-client.ts";

export interface PaneRow {
  readonly dead: boolean;
  readonly pid: number;
  readonly title: string;
  readonly cursor?: Cursor;
}

/** What is shown of one pane. */
export interface Shown {
  readonly lines: readonly string[];
  /** What is drawn in reverse. */
  readonly lit: readonly Lit[];
}

/** Said of a program whose pane is on no list any more. */
export const TERMINAL_GONE = "its terminal is gone: the tmux server ended";

/** `unknown`: tmux did not answer, so nothing is known of any pane. */
export interface PanesSeen {
  readonly panes: ReadonlyMap<string, PaneRow> | "unknown";
  /** By session: the screens that were asked for and could be had. */
  readonly screens: ReadonlyMap<string, Shown>;
}

const CURSOR = "#{cursor_x},#{cursor_y},#{cursor_flag}";
const COLUMNS = `#{session_name}\t#{pane_dead}\t#{pane_pid}\t${CURSOR}\t#{pane_title}`;
/** No screen holds it: it is drawn again for each look. */
const cutOf = (nonce: string): string => `hf-cut-${nonce.replaceAll(/[^a-z0-9]/gi, "")}`;
/** tmux refuses a command of more than 16 KB. Who is left out has its turn in the next round. */
const CAPTURES_MAX = 64;

/** One tmux process for all panes, and for the screens of those that have changed. */
export async function lookAtPanes(
  tmux: TmuxClient,
  sessions: readonly string[],
  nonce: string,
): Promise<PanesSeen> {
  const cut = cutOf(nonce);
  const asked = sessions.slice(0, CAPTURES_MAX);
  const captures = asked.flatMap((session) => [
    ...[";", "display-message", "-p", "-t", targetOf(session), cut],
    ...[";", "capture-pane", "-p", "-e", "-t", targetOf(session)],
  ]);
  const answer = await tmux.run(["list-panes", "-a", "-F", COLUMNS, ...captures]);
  if (answer.kind === "failed") return { panes: "unknown", screens: new Map() };
  if (answer.kind === "absent") return absent(tmux, sessions);
  const [list = "", ...screens] = answer.out.split(`${cut}\n`);
  return {
    panes: rowsOf(list),
    screens: new Map(asked.map((session, index) => [session, readCapture(screens[index] ?? "")])),
  };
}

/** One pane that went away while it was asked for hides the others: then they are listed without screens. */
async function absent(tmux: TmuxClient, sessions: readonly string[]): Promise<PanesSeen> {
  const answer = sessions.length === 0 ? undefined : await tmux.run(["list-panes", "-a", "-F", COLUMNS]);
  if (answer?.kind === "failed") return { panes: "unknown", screens: new Map() };
  return { panes: rowsOf(answer?.kind === "done" ? answer.out : ""), screens: new Map() };
}

function rowsOf(list: string): Map<string, PaneRow> {
  const rows = list.split("\n").filter((line) => line !== "");
  return new Map(
    rows.map((line) => {
      const [name = "", dead = "", pid = "", cursor = "", ...title] = line.split("\t");
      return [name, { dead: dead === "1", pid: Number(pid), title: title.join("\t"), ...cursorOf(cursor) }];
    }),
  );
}

function cursorOf(text: string): { readonly cursor?: Cursor } {
  const [x, y, shown] = text.split(",").map(Number);
  return Number.isInteger(x) && Number.isInteger(y)
    ? { cursor: { x: x ?? 0, y: y ?? 0, shown: shown === 1 } }
    : {};
}

/** One screen, looked at now; undefined if it cannot be seen. */
export async function lookAtOne(tmux: TmuxClient, session: string): Promise<Screen | undefined> {
  const target = targetOf(session);
  const answer = await tmux.run([
    ...["display-message", "-p", "-t", target, `${CURSOR} #{pane_title}`, ";"],
    ...["capture-pane", "-p", "-e", "-t", target],
  ]);
  if (answer.kind !== "done") return undefined;
  const [first = "", ...rows] = answer.out.split("\n");
  const space = first.indexOf(" ");
  return {
    title: first.slice(space + 1),
    ...readCapture(rows.join("\n")),
    ...cursorOf(first.slice(0, space)),
  };
}

export interface Cursor {
  readonly x: number;
  readonly y: number;
  /** Some programs hide it and draw their own. */
  readonly shown: boolean;
}

export interface Screen {
  readonly title: string;
  readonly lines: readonly string[];
  readonly cursor?: Cursor;
  /** What is drawn in reverse. */
  readonly lit?: readonly Lit[];
}
