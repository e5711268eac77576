import type { Program } from "./program.ts";

/** As seen with Codex 0.166.0. */
export const codexProgram: Program = {
  name: "codex",
  voice: "screen",
  queues: true,
  pastes: true,
  titleBusy: /^[\u2800-\u28ff]/u,
  titleDialog: /^\[ [!.] \] /,
  busy: [/esc to interrupt\)?/],
  input: /^›[ \u00a0]?(.*)$/u,
  inputEmpty: /^(?:\s*Ask Codex to do anything)?\s*$/,
  pastedMark: /\[Pasted Content \d+ chars\]/,
  dialogs: [
    {
      kind: "limit",
      shows: [/Approaching rate limits|usage limit/, /enter select · esc back|Press enter/],
      from: /usage limit|Approaching rate limits/,
    },
    {
      kind: "permission",
      shows: [/Would you like to/, /1\. Yes/, /Press enter to confirm or esc to cancel/],
      from: /Would you like to/,
    },
    {
      kind: "question",
      shows: [/Press enter to (?:confirm|continue)|enter select · esc back/],
      from: /^\s*\S.*\?/,
    },
    // A menu: its first choice stands where text is typed otherwise.
    { kind: "question", shows: [/^› ?\d\. .*\n(?:.*\n)?\s+\d\. /mu], from: /^\s*\S.*\?/ },
    { kind: "question", shows: [/enter\/esc confirm/], from: /^\s*\S.*\?/ },
  ],
  limits: [/You[’']ve hit your usage limit.*/u, /exceeded retry limit, last status: 429.*/],
  failures: [/^■ (.*)$/u],
  words: { from: /^• /u, until: /^\S|^\s+└ Tip: |^ {2}Worked for /u, call: /^\s+└ (?!Tip: )/u },
  keys: {
    clear: ["C-u"],
    interrupt: ["Escape"],
    allow: ["y"],
    deny: ["Escape"],
    allowLine: /1\. Yes/,
    denyLine: /\d\. No/,
  },
};
