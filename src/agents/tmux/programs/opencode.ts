import type { Program } from "./program.ts";

/** As seen with opencode 1.18.33. */
export const opencodeProgram: Program = {
  name: "opencode",
  voice: "screen",
  queues: true,
  pastes: true,
  busy: [/\besc (?:again to )?interrupt\b/, /\[retrying in /],
  input: /^\s*┃(?: {2}(.*))?$/u,
  inputAbove: { line: /^\s*┃ {2}(?:Build|Plan) · /u, by: 2 },
  inputEmpty: /^\s*(?:Ask anything….*)?$/u,
  pastedMark: /\[Pasted ~?\d+ lines?/,
  dialogs: [
    { kind: "permission", shows: [/△ Permission required/u, /Allow once/, /enter confirm/], from: /△/u },
    {
      kind: "question",
      shows: [/enter (?:confirm|submit)/, /⇆ select|↑↓ select|esc dismiss/u],
      from: /^\s*┃ {2}\S/u,
    },
  ],
  limits: [/The usage limit has been reached.*/, /rate.?limit(?:ed)? .{0,300}?\[retrying in .*/i],
  failures: [/^\s*┃ {2}(?:Error|AI_APICallError): (.*)$/u],
  words: { from: /^ {5}(?! )/u, until: /^ {0,4}\S/u, call: /^ {2}┃/u, foot: /^ {5}▣/u },
  keys: {
    clear: ["C-u"],
    interrupt: ["Escape", "Escape"],
    allow: ["Enter"],
    deny: ["Escape"],
    allowLine: /Allow once/,
    denyLine: /Reject/,
  },
};
