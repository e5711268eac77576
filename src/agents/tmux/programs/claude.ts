import type { Program } from "./program.ts";

/** As seen with Claude Code 2.1.197. */
export const claudeProgram: Program = {
  name: "claude",
  voice: "screen",
  queues: true,
  pastes: true,
  titleBusy: /^[\u2800-\u28ff] /u,
  busy: [/^\s+esc to interrupt\b/, /^[·✢✳✶✻✽*] \S+… \(/u],
  input: /^❯[ \u00a0]?(.*)$/u,
  inputEmpty: /^(?:\s*(?:Try ".*"|Press up to edit queued messages))?\s*$/,
  pastedMark: /\[Pasted text #\d+/,
  dialogs: [
    {
      kind: "limit",
      shows: [/What do you want to do\?/, /limit/i, /Enter to confirm · Esc to cancel/],
      from: /hit your limit|What do you want to do\?/,
    },
    {
      kind: "permission",
      shows: [/Do you want to [^?\n]{0,300}\?|Would you like to proceed\?/, /\d\. Yes/, /Esc to cancel/],
      from: /^─{20,}/,
    },
    { kind: "question", shows: [/Enter to (?:confirm|select|continue)/], from: /^─{20,}/ },
    { kind: "question", shows: [/Esc to cancel/, /^[ \t]*❯ \d\. /m], from: /^─{20,}/ },
    { kind: "question", shows: [/Choose the text style|Select login method/], from: /Choose|Select/ },
  ],
  noise: [/^\s*⎿\s+Tip: /u, /^[·✢✳✶✻✽*] /u, /^\s*⏵⏵ /u, /^❯/u],
  retries: /^[·✢✳✶✻✽*] (.{1,300}?) · Retrying in [^·\n]{1,60} · attempt (\d{1,6})\/\d/u,
  limits: [
    /You've hit your (?:\w+ )?limit.*/,
    /API Error: Request rejected \(429\).*/,
    /API Error.{0,300}?rate.?limit.*/i,
  ],
  failures: [
    /^\s*[●⎿]\s+(API Error.*|Credit balance (?:is )?too low.*|Prompt is too long.*|Context limit reached.*|User rejected .*|Interrupted.*)$/u,
  ],
  words: { from: /^[●⏺] /u, until: /^\S/u, call: /^[●⏺] (?:Web )?[A-Z]\w*\(|^\s+⎿(?!\s+Tip: )/u },
  keys: {
    clear: ["C-u"],
    interrupt: ["Escape"],
    allow: ["{digit}"],
    deny: ["{digit}"],
    allowLine: /(\d)\. Yes\b/,
    denyLine: /(\d)\. No\b/,
  },
  conversation: {
    begin: (id) => ["--session-id", id],
    goOn: (id) => ["--resume", id],
    decided: /^(?:-c|-r|--continue|--resume|--session-id|--fork-session|--from-pr|--)(?:=|$)/,
  },
};
