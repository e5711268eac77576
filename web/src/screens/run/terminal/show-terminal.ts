import { Terminal } from "@xterm/xterm";
import { strictDocument } from "./strict-document.ts";
import { en } from "../../../text/en.ts";

export interface ShownTerminal {
  readonly write: (bytes: Uint8Array) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly focus: () => void;
  readonly end: () => void;
}

export interface TerminalUse {
  readonly onTyped: (text: string) => void;
  /** The person wants to go on outside of the terminal, which takes all other keys. */
  readonly onLeave: () => void;
  readonly mayType: () => boolean;
}

const SCROLLBACK = 5_000;
const LEAVE_KEY = "F6";

/** A terminal in the page. What the program says may draw, and nothing else: no clipboard, no links of its own, no answers. */
export function showTerminal(box: HTMLElement, { onTyped, onLeave, mayType }: TerminalUse): ShownTerminal {
  const strict = strictDocument(document);
  const terminal = new Terminal({
    allowProposedApi: false,
    documentOverride: strict,
    disableStdin: false,
    cursorBlink: false,
    scrollback: SCROLLBACK,
    fontSize: 13,
    fontFamily: getComputedStyle(box).getPropertyValue("--mono") || "monospace",
    screenReaderMode: true,
    linkHandler: {
      activate: (_, url) => openLink(url),
      allowNonHttpProtocols: false,
    },
  });
  // The server leaves these out already; a page that is fed by another one must not obey them either.
  for (const osc of [4, 7, 9, 10, 11, 12, 52, 777, 1337]) terminal.parser.registerOscHandler(osc, () => true);
  for (const final of ["c", "n", "t", "x"]) terminal.parser.registerCsiHandler({ final }, () => true);
  for (const prefix of [">", "=", "?"])
    for (const final of ["c", "n", "q", "u"])
      terminal.parser.registerCsiHandler({ prefix, final }, () => true);
  terminal.parser.registerCsiHandler({ intermediates: "$", final: "p" }, () => true);
  terminal.parser.registerCsiHandler({ prefix: "?", intermediates: "$", final: "p" }, () => true);
  terminal.parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => true);
  terminal.parser.registerDcsHandler({ intermediates: "+", final: "q" }, () => true);
  openWith(strict, () => terminal.open(box));
  terminal.onData(onTyped);
  terminal.attachCustomKeyEventHandler((event) => {
    // Who only looks on goes on with Tab as everywhere.
    if (event.key === "Tab" && !mayType()) return false;
    if (event.key !== LEAVE_KEY) return true;
    event.preventDefault();
    if (event.type === "keydown") onLeave();
    return false;
  });
  return {
    write: (bytes) => terminal.write(bytes),
    resize: (columns, rows) => terminal.resize(columns, rows),
    focus: () => terminal.focus(),
    end: () => terminal.dispose(),
  };
}

/** Parts of the library ask the page's own document for elements, which is as strict as the other one meanwhile. */
function openWith(strict: Document, open: () => void): void {
  Object.defineProperty(document, "createElement", {
    value: (name: string) => strict.createElement(name),
    configurable: true,
  });
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}

/** A program names any address that it likes: only the web's, and only after the person has read it. */
function openLink(url: string): void {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) return;
  if (window.confirm(en.run.terminal.link(parsed.href)))
    window.open(parsed.href, "_blank", "noopener,noreferrer");
}
