import { useEffect, useRef, useState, type RefObject } from "react";
import type { ServerMessage } from "../../../../../src/api/terminal/messages.ts";
import { useData } from "../../../data/data-context.tsx";
import { en } from "../../../text/en.ts";
import { showTerminal, type ShownTerminal } from "./show-terminal.ts";
import { terminalSocket, type TerminalSocket } from "./terminal-socket.ts";

export type Holder = Extract<ServerMessage, { readonly kind: "holder" }>;
export type Refused = Extract<ServerMessage, { readonly kind: "refused" }>;

const NOBODY: Holder = { kind: "holder", yours: false, by: null };
const TYPED_WAIT_MS = 40;

interface Standing {
  readonly holder: Holder;
  readonly refused: Refused | null;
  readonly ended: string | null;
  readonly error: Error | null;
  readonly mayType: boolean;
}

export interface LiveTerminal extends Standing {
  readonly take: () => void;
  readonly giveBack: () => void;
  /** What is typed from now on answers the dialog that was shown. */
  readonly answerDialog: (id: string) => void;
}

const BEGINNING: Standing = { holder: NOBODY, refused: null, ended: null, error: null, mayType: false };

interface TerminalParts {
  readonly box: RefObject<HTMLElement | null>;
  /** Where the focus goes that leaves the terminal. */
  readonly head: RefObject<HTMLElement | null>;
}

/** A terminal in the box, connected for as long as it is shown. */
export function useLiveTerminal(run: string, { box, head }: TerminalParts): LiveTerminal {
  const { source } = useData();
  const [standing, set] = useState(BEGINNING);
  const socket = useRef<TerminalSocket | null>(null);
  const shown = useRef<ShownTerminal | null>(null);
  const dialog = useRef<string | undefined>(undefined);
  const isYours = useRef(false);
  isYours.current = standing.holder.yours;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const change = (part: Partial<Standing>): void => set((before) => ({ ...before, ...part }));
    const type = typing((text) => {
      if (isYours.current) socket.current?.say({ kind: "type", text, ...named(dialog.current) });
    });
    const terminal = showTerminal(element, {
      onTyped: type,
      onLeave: () => head.current?.querySelector("button")?.focus(),
      mayType: () => isYours.current,
    });
    shown.current = terminal;
    let isOver = false;
    const onClose = (): void =>
      set((before) => ({ ...before, ended: before.ended ?? en.run.terminal.ended }));
    source.call("openTerminal", { params: { run }, body: {} }).then(
      (ticket) => {
        if (isOver) return;
        change({ mayType: ticket.mayType });
        socket.current = terminalSocket(ticket, {
          onBytes: terminal.write,
          onMessage: messagesTo(terminal, change),
          onClose,
        });
      },
      (thrown: unknown) => change({ error: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
    );
    return () => {
      isOver = true;
      socket.current?.close();
      terminal.end();
    };
  }, [source, run, box, head]);
  const typeInto = (id: string | undefined): void => {
    dialog.current = id;
    set((before) => ({ ...before, refused: null }));
    shown.current?.focus();
  };
  return {
    ...standing,
    take: () => {
      typeInto(undefined);
      socket.current?.say({ kind: "take" });
    },
    giveBack: () => socket.current?.say({ kind: "give_back" }),
    answerDialog: typeInto,
  };
}

const named = (dialog: string | undefined) => (dialog === undefined ? {} : { dialog });

const messagesTo =
  (terminal: ShownTerminal, change: (part: Partial<Standing>) => void) =>
  (message: ServerMessage): void => {
    if (message.kind === "size") terminal.resize(message.columns, message.rows);
    else if (message.kind === "holder") change({ holder: message });
    else change(message.kind === "ended" ? { ended: message.text } : { refused: message });
  };

/** What is typed within a moment goes as one: each is a record of the journal. */
function typing(send: (text: string) => void): (text: string) => void {
  let kept = "";
  return (text) => {
    if (kept === "")
      setTimeout(() => {
        const all = kept;
        kept = "";
        for (let at = 0; at < all.length; at += 1_000) send(all.slice(at, at + 1_000));
      }, TYPED_WAIT_MS);
    kept += text;
  };
}
