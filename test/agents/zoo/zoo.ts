import path from "node:path";

/** Agents that misbehave in one way each. They speak JSON Lines, or plain terminal text where that is their vice. */
export interface Beast {
  readonly name: string;
  readonly vice: string;
  /** By what it should be recognised, however it is driven. */
  readonly recognisedBy: string;
  readonly command: readonly [string, ...string[]];
  /** How it ends when left alone; null: it does not. */
  readonly ends: number | null;
  /** What it has said, at the least, before it shows its vice; undefined for one that says nothing. */
  readonly says?: RegExp;
}

const node = (name: string): readonly [string, string] => [
  process.execPath,
  path.join(import.meta.dirname, `${name}.mjs`),
];
const shell = (name: string): readonly [string, string] => [
  "/bin/sh",
  path.join(import.meta.dirname, `${name}.sh`),
];

const READY = /^\{"type":"ready"\}$/m;

export const ZOO: readonly Beast[] = [
  {
    name: "mute",
    vice: "lives and says nothing",
    recognisedBy: "a living process and no voice since its start",
    command: node("mute"),
    ends: null,
  },
  {
    name: "babbler",
    vice: "talks without end and does nothing",
    recognisedBy: "messages without a tool call, a result or a change of the tree",
    command: node("babbler"),
    ends: null,
    says: /"message"/,
  },
  {
    name: "deaf",
    vice: "ignores interrupt, hang-up and TERM",
    recognisedBy: "alive after TERM and the grace; KILL ends it",
    command: node("deaf"),
    ends: null,
    says: READY,
  },
  {
    name: "daemon-in-group",
    vice: "leaves a child behind in its group",
    recognisedBy: "an exit, and a living process that bears the session's mark",
    command: shell("daemon-in-group"),
    ends: 0,
    says: READY,
  },
  {
    name: "daemon-in-own-session",
    vice: "leaves a child behind in a session of its own",
    recognisedBy: "an exit, and a living process outside of its group that bears the session's mark",
    command: node("daemon-in-own-session"),
    ends: 0,
    says: READY,
  },
  {
    name: "dies-after-ready",
    vice: "dies as soon as it is ready",
    recognisedBy: "an exit with a status other than 0 after its first word",
    command: node("dies-after-ready"),
    ends: 3,
    says: READY,
  },
  {
    name: "half-a-line",
    vice: "stops in the middle of a line",
    recognisedBy: "a spool that does not end in a newline, and no voice since",
    command: node("half-a-line"),
    ends: null,
    says: /about to s$/,
  },
  {
    name: "floods",
    vice: "says 8 MB in one breath",
    recognisedBy: "output beyond the bound on what is kept, which is recorded",
    command: node("floods"),
    ends: null,
    says: /"message"/,
  },
  {
    name: "lies-done",
    vice: "says that the work is done, and has done none",
    recognisedBy: "its own word, and no evidence: no change of the tree, no check that passes",
    command: node("lies-done"),
    ends: 0,
    says: /"done"/,
  },
  {
    name: "loops",
    vice: "calls the same tool with the same arguments for ever",
    recognisedBy: "tool, arguments and result equal, again and again",
    command: node("loops"),
    ends: null,
    says: /"tool_result"/,
  },
  {
    name: "asks",
    vice: "asks for leave and waits",
    recognisedBy: "a permission that was asked and not answered; it waits for a person and is not stuck",
    command: node("asks"),
    ends: null,
    says: /"permission"/,
  },
  {
    name: "nothing",
    vice: "ends with 0, having said and done nothing",
    recognisedBy: "an exit with 0, and neither voice nor evidence",
    command: shell("nothing"),
    ends: 0,
  },
  {
    name: "dies-at-once",
    vice: "dies before its first word",
    recognisedBy: "an exit with a status other than 0 and no voice; its last words are on stderr",
    command: shell("dies-at-once"),
    ends: 1,
  },
  {
    name: "slow-start",
    vice: "is silent at first, then works well",
    recognisedBy: "nothing: it is healthy, and must not be called stuck while it boots",
    command: node("slow-start"),
    ends: 0,
    says: /"done"/,
  },
  {
    name: "garbage",
    vice: "mixes bytes that are no text, and lines that are no JSON, into its voice",
    recognisedBy: "lines that cannot be read, counted; the good ones among them are heard",
    command: node("garbage"),
    ends: null,
    says: /"done"/,
  },
  {
    name: "closes-stdout",
    vice: "closes its voice and lives on",
    recognisedBy: "a living process and no voice; the end of its output is no exit",
    command: node("closes-stdout"),
    ends: null,
    says: READY,
  },
  {
    name: "stops-itself",
    vice: "stops as if by Ctrl-Z",
    recognisedBy: "a process in state T",
    command: node("stops-itself"),
    ends: null,
    says: READY,
  },
  {
    name: "zombie-child",
    vice: "has a child that ended and is never asked for",
    recognisedBy: "a process in state Z below it; it counts as no living descendant",
    command: shell("zombie-child"),
    ends: null,
    says: READY,
  },
  {
    name: "huge-line",
    vice: "says one line of 4 MB",
    recognisedBy: "a line beyond the bound, which is cut, and recorded as cut",
    command: node("huge-line"),
    ends: null,
    says: /y"\}$/m,
  },
  {
    name: "spinner",
    vice: "turns its spinner for ever, as if it worked",
    recognisedBy: "a screen that is the same once spinners and seconds are taken out",
    command: shell("spinner"),
    ends: null,
    says: /Working/,
  },
];
