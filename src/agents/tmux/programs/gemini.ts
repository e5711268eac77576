import type { Program } from "./program.ts";

/** As seen with Gemini CLI 0.61.0. */
export const geminiProgram: Program = {
  name: "gemini",
  voice: "screen",
  queues: true,
  pastes: true,
  titleBusy: /^✦/u,
  titleDialog: /^✋/u,
  // While it still loads it keeps what was sent to it, and its line of input is empty again.
  busy: [/\(esc to cancel, \d+/, /^ {2}Queued \(press . to edit\):/u],
  input: /^ [>*!] {1,3}(.*)$/,
  inputEmpty: /^(?:\s*Type your message or @path\/to\/file)?\s*$/,
  pastedMark: /\[Pasted Text: \d+/,
  dialogs: [
    {
      kind: "permission",
      shows: [/1\. Allow once|● 1\. Yes/u, /\d\. No/],
      from: /^[│ ]*\?/u,
    },
    { kind: "limit", shows: [/quota|usage limit|capacity/i, /● \d\. /u], from: /quota|limit|capacity/i },
    { kind: "question", shows: [/● \d\. /u], from: /^[╭┌]/u },
    { kind: "question", shows: [/Press Enter to (?:confirm|continue|select)/i], from: /\?/ },
  ],
  limits: [/^.*(?:exceeded your current quota|usage limit reached|RESOURCE_EXHAUSTED).*/i],
  failures: [/^✕ (.*)$/u, /^ℹ (A potential loop was detected.*)$/u],
  words: { from: /^✦ /u, until: /^\S|^ {20,}\S|^ Shift\+Tab /u, call: /^╭/u },
  keys: {
    clear: ["C-u"],
    interrupt: ["Escape"],
    allow: ["{digit}"],
    deny: ["Escape"],
    allowLine: /(\d)\. (?:Allow once|Yes)/,
    denyLine: /(\d)\. No/,
  },
  conversation: {
    begin: (id) => ["--session-id", id],
    goOn: (id) => ["--resume", id],
    decided: /^(?:-r|--resume|--session-id|--)(?:=|$)/,
    shown: /^(?:✦ | > \S)/u,
  },
};
