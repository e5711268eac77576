import { recordsIn } from "../../decide/budget/program-tree.ts";
import { recoveryArguments, recoveryOf } from "../../decide/recovery/recovery.ts";
import { keyText, splitKey } from "../../model/values/program-key.ts";
import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { withdrawnFiles, withdrawnText } from "./withdrawn-files.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { proofAsked } from "../status/status-gates.ts";
import { openQuestions } from "../status/open-questions.ts";
import { supervisedRun, supervisionOf, type Looked } from "../status/supervision.ts";
import { choicesView, type StatusChoice } from "../status/status-choices.ts";
import type { StatusSupervision } from "../status/status-supervision.ts";
import { undeliveredNotices, type StatusNotice } from "./undelivered.ts";
import { unreceivedWords, type StatusWords } from "./unreceived-words.ts";

/** One thing that waits for a person. */
export interface InboxEntry {
  /** Null where nothing could be recorded: the journal itself is damaged. */
  readonly id: string | null;
  readonly run: string;
  readonly reason: string;
  readonly owner: string;
  readonly detail: string;
  /** The gate it is about, and the digest of what is to be approved; null where it is about none. */
  readonly gate: string | null;
  readonly digest: string | null;
  /** What opens that gate beside the command: whose passphrase or token. Absent where a name is enough. */
  readonly proof?: string;
  readonly since: string;
  /** The safe one of the choices. */
  readonly command: string;
  /** Every way out of a blocked run, the safe one first; absent where the command is the only one. */
  readonly choices?: readonly StatusChoice[];
  readonly advice: string;
  /** Notices about it that have not arrived. */
  readonly undelivered: readonly StatusNotice[];
  /** What people said to the agents of the run and no agent has received. */
  readonly messages: readonly StatusWords[];
  /** Present where nobody supervises the run although something is due, with the command that changes it. */
  readonly supervision?: StatusSupervision;
}

/** What a run asks of people; empty where it asks nothing. `store` is named in commands when it is not the default. */
export function inboxEntries(state: RunState, store: string | null): InboxEntry[] {
  const { blocked } = state;
  const withdrawn = withdrawnEntries(state, store);
  if (blocked === null)
    return [...questionEntries(state, store), ...signalEntries(state, store), ...withdrawn];
  const { owner, advice } = recoveryOf(blocked.reason);
  const [open] = Object.values(state.escalations);
  const proof = proofAsked(state);
  return [
    {
      id: open?.id ?? null,
      run: state.run,
      reason: blocked.reason,
      owner: blocked.owner ?? owner,
      detail: blocked.detail,
      gate: blocked.gate ?? null,
      digest: blocked.digest ?? null,
      ...(proof === null ? {} : { proof }),
      since: isoTime(open?.raisedAt ?? state.blockedAt),
      command: commandText(recoveryArguments(state, blocked), store),
      choices: choicesView(state, blocked, store),
      advice,
      undelivered: undeliveredNotices(state),
      messages: unreceivedWords(state),
    },
    ...withdrawn,
  ];
}

/** Files that a person may have made beside an agent at work. Of a run that has ended nobody is asked. */
const withdrawnEntries = (state: RunState, store: string | null): InboxEntry[] =>
  isEnded(state.status)
    ? []
    : withdrawnFiles(state, store).map((one) => ({
        id: null,
        run: state.run,
        reason: "withdrawn_file",
        owner: "human",
        detail: withdrawnText(one),
        gate: null,
        digest: null,
        since: one.at,
        command: one.command,
        advice: `return it if it is yours; else: ${commandText(["trust", state.run, "--undo"], store)}`,
        undelivered: [],
        messages: [],
      }));

const questionEntries = (state: RunState, store: string | null): InboxEntry[] =>
  openQuestions(state, store).map(({ attempt, text, since, command, advice }) => ({
    id: null,
    run: state.run,
    reason: "question",
    owner: "human",
    detail: `${attempt} asks: ${text}`,
    gate: null,
    digest: null,
    since,
    command,
    advice,
    undelivered: [],
    messages: unreceivedWords(state),
  }));

/** Signals that a program waits for: somebody, or something, has to send them. */
const signalEntries = (state: RunState, store: string | null): InboxEntry[] =>
  state.kind === "supervised" || state.status !== "running"
    ? []
    : recordsIn(state.program.root).flatMap(([key, record]): InboxEntry[] =>
        record.kind === "waiting"
          ? [
              {
                id: null,
                run: state.run,
                reason: "signal",
                owner: "human",
                detail: `${waitedFor(key)} waits for the signal "${record.name}"${record.until === null ? "" : ` until ${isoTime(record.until)}`}`,
                gate: null,
                digest: null,
                since: isoTime(record.since ?? state.at),
                command: commandText(["signal", state.run, record.name, "true"], store),
                advice: "send it, with any JSON as its value",
                undelivered: [],
                messages: [],
              },
            ]
          : [],
      );

const waitedFor = (key: string): string => {
  const { scope } = splitKey(key);
  return scope.length === 0 ? "the program" : keyText(scope.join("/"));
};

/** The same, and where a run has nobody although it works or has a deadline, that too. */
export function supervisedInbox(state: RunState, looked: Looked): InboxEntry[] {
  const entries = inboxEntries(state, looked.store);
  const supervision = supervisionOf(supervisedRun(state, looked.now), looked);
  if (supervision?.state !== "none" || supervision.command === null) return entries;
  if (entries.length > 0) return entries.map((entry) => ({ ...entry, supervision }));
  return [notSupervised(state, supervision, supervision.command)];
}

const notSupervised = (state: RunState, supervision: StatusSupervision, command: string): InboxEntry => ({
  id: null,
  run: state.run,
  reason: "not_supervised",
  owner: "operator",
  detail: supervision.text,
  gate: null,
  digest: null,
  since: isoTime(state.at),
  command,
  advice: "start a supervisor",
  undelivered: [],
  messages: unreceivedWords(state),
});
