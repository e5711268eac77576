import { namedStep, notInDoubt, openDoubts } from "../decide/budget/program-tree.ts";
import { decideRequests, isOwed } from "../decide/decide.ts";
import { isAllowed } from "../decide/recovery/state-table.ts";
import type { InboxRow, Journal } from "../journal/journal.ts";
import type { RunEvent } from "../model/events/events.ts";
import { errorText, Fault } from "../model/fault.ts";
import { claimedPrincipal, type Principal, type RequestProof } from "../model/requests/principal.ts";
import { readRequest } from "../model/requests/read-request.ts";
import type { RequestAnswer, RunRequest } from "../model/requests/requests.ts";
import { redactAll, type Redactor } from "../model/text/redact.ts";
import type { RunState } from "../model/state/run-state.ts";
import { refuseDeep } from "../model/values/nesting.ts";
import { elapsedMs, type ProcessIdentity, type World } from "../model/world.ts";
import type { Leases } from "./leases.ts";
import { loadKnownRun } from "./load-run.ts";
import type { ReadPrincipal, Ports } from "./ports.ts";
import { removedFrom, withNote } from "./removed-words.ts";
import { takeTurn, turnAppend } from "./take-turn.ts";

/** `since`: the event that the request was recorded behind; what came of it stands behind that. */
export type AskOutcome =
  | {
      readonly kind: "answered";
      readonly answer: RequestAnswer;
      readonly workFollows: boolean;
      readonly since: number;
    }
  /** It is in the inbox and will be answered by the one that owns the run. */
  | {
      readonly kind: "queued";
      readonly requestId: string;
      readonly program: AskedProgram | null;
      readonly since: number;
    };

/** The program that has to answer for a workflow function; `process` is null while none works it. */
export interface AskedProgram {
  readonly body: string | null;
  readonly process: ProcessIdentity | null;
}

export interface AskOptions {
  readonly by: string;
  /** Who that is, and how it was proved; without it the name is all that is known. */
  readonly principal?: Principal;
  /** The id under which it is asked; asked again under the same one, it is asked once, and answered as it was. */
  readonly requestId?: string;
  /** Signs what is asked, under the id that it is asked with. */
  readonly prove?: (asked: { readonly run: string; readonly requestId: string }) => RequestProof;
  readonly waitMs: number;
}

const LOOK_EVERY_MS = 250;

type RequestParts = Pick<Ports, "mirror" | "principal" | "bindings"> & {
  /** Removes secrets from people's words before they are kept. */
  readonly redact?: Redactor;
};

/** The face through which people and programs ask something of a run. They never write its state. */
export class Requests {
  readonly #journal: Journal;
  readonly #world: World;
  readonly #leases: Leases;
  readonly #mirror: Ports["mirror"];
  readonly #principal: Ports["principal"];
  readonly #bindings: Ports["bindings"];
  readonly #redact: Redactor;

  constructor(
    journal: Journal,
    world: World,
    leases: Leases,
    { mirror, principal, bindings, redact = (text) => text }: RequestParts = {},
  ) {
    this.#journal = journal;
    this.#world = world;
    this.#leases = leases;
    this.#mirror = mirror;
    this.#principal = principal;
    this.#bindings = bindings;
    this.#redact = redact;
  }

  /** Puts the request into the inbox and waits for its answer; where nobody owns the run, decides it here and lets go. */
  async ask(run: string, request: RunRequest, options: AskOptions): Promise<AskOutcome> {
    const before = await loadKnownRun(this.#journal, run);
    refuseDeep(request, `what ${request.kind} carries`);
    const requestId = options.requestId ?? this.#world.id("req");
    const asked = elapsedMs(this.#world);
    const at = this.#world.now();
    const { by, principal, prove } = options;
    const clean = this.#withoutSecrets(before, request, prove !== undefined);
    const read = "refused" in clean ? clean : { request: await this.#withBindings(before, clean.request) };
    const stamped = "refused" in read ? read : await this.#stamped(before, read.request);
    if ("refused" in stamped)
      return {
        kind: "answered",
        answer: { kind: "refused", text: stamped.refused, allowedIn: [] },
        workFollows: false,
        since: before.seq,
      };
    const proof = prove?.({ run, requestId });
    const asking = { id: requestId, address: run, request: stamped.request, by, at, principal, proof };
    const put = await this.#journal.ask(asking);
    // It was asked before: its answer may stand anywhere in the journal.
    const since = put === "put" ? before.seq : await this.#askedAt(before, requestId, stamped.request);
    let after = since;
    for (;;) {
      const outcome = await this.#answerTo(before, requestId, after);
      if (outcome.answer !== null)
        return {
          kind: "answered",
          answer: withNote(outcome.answer, removedFrom(request, clean)),
          workFollows: outcome.workFollows,
          since,
        };
      after = outcome.after;
      const program = before.kind === "supervised" ? null : await this.#programOf(run, before.program.name);
      if (program === null && (await this.#decideHere(run))) continue;
      // Only the program that holds a workflow function can answer for it: without one there is nothing to wait for.
      const isOver = elapsedMs(this.#world) - asked >= options.waitMs || program?.process === null;
      if (isOver) return { kind: "queued", requestId, program, since };
      await this.#changeOrDelay();
    }
  }

  /** What a program is sent is its own affair, and what somebody has signed cannot be changed. */
  #withoutSecrets(
    { kind }: Pick<RunState, "kind">,
    request: RunRequest,
    isSigned: boolean,
  ): { readonly request: RunRequest } | { readonly refused: string } {
    if (kind === "program") return { request };
    const clean = redactAll(request, this.#redact);
    const removed = removedFrom(request, { request: clean });
    if (!isSigned || removed.length === 0) return { request: clean };
    return {
      refused: `your words hold a secret (${removed.join(", ")}), which would be kept; say it without`,
    };
  }

  /** Another try is made as the files say now; the process that asks is the one that can read them. */
  async #withBindings({ binding: { source } }: RunState, request: RunRequest): Promise<RunRequest> {
    if (request.kind !== "retry" || source === null || this.#bindings === undefined) return request;
    try {
      return { ...request, bindings: await this.#bindings(source) };
    } catch (error) {
      // The run is tried again with what was recorded, and the answer says why.
      return { ...request, unread: this.#redact(errorText(error)) };
    }
  }

  /**
   * Of a workflow function that no process holds: a step that was begun is in doubt whether or not anybody was asked
   * about it. What is not possible is refused now, by name, and not later by a program that nobody looks at.
   */
  async #stamped(
    state: RunState,
    request: RunRequest,
  ): Promise<{ readonly request: RunRequest } | { readonly refused: string }> {
    const { run, epoch, status } = state;
    if (state.kind === "supervised" || (await this.#leases.isHeld(run))) return { request };
    if (!isAllowed(request.kind, status))
      return { refused: `${request.kind} is refused: the run is ${status}` };
    if (request.kind !== "settle") return { request };
    const open = openDoubts(state.program, epoch);
    return open.includes(namedStep(run, request.key, open))
      ? { request: { ...request, epoch } }
      : { refused: notInDoubt(run, request.key, open) };
  }

  /** Before which event a request was received that had come in already; it must have been the same one. */
  async #askedAt(
    { run, seq }: Pick<RunState, "run" | "seq">,
    requestId: string,
    request: RunRequest,
  ): Promise<number> {
    // What still waits now was not answered when the run was read.
    const waiting = await this.#waiting(run, requestId);
    if (waiting !== undefined) return sameRequest(requestId, waiting, request) ?? seq;
    const received = await this.#received(run, requestId);
    if (received !== null) return sameRequest(requestId, received.request, request) ?? received.seq;
    throw new Fault(
      "refused",
      `the request id ${requestId} was used for another run; expected one of its own`,
    );
  }

  /** What the run was asked under that id, whether or not it was answered; null for nothing. */
  async asked(run: string, requestId: string): Promise<RunRequest | null> {
    const waiting = await this.#waiting(run, requestId);
    const read = waiting === undefined ? null : readRequest({ id: requestId, request: waiting });
    if (read?.kind === "request") return read.request;
    return (await this.#received(run, requestId))?.request ?? null;
  }

  async #waiting(run: string, requestId: string): Promise<InboxRow["request"] | undefined> {
    return (await this.#journal.inbox(run)).find(({ id }) => id === requestId)?.request;
  }

  async #received(run: string, requestId: string): Promise<{ seq: number; request: RunRequest } | null> {
    for (let after = 0; ;) {
      const events = await this.#journal.read(run, { after, limit: 1_000, leaveApart: true });
      for (const { type, data, seq } of events)
        if (type === "RequestHeard" && data.requestId === requestId) return { seq, request: data.request };
      const last = events.at(-1);
      if (last === undefined) return null;
      after = last.seq;
    }
  }

  async #answerTo(
    { run, kind }: Pick<RunState, "run" | "kind">,
    requestId: string,
    after: number,
  ): Promise<{ answer: RequestAnswer | null; after: number; workFollows: boolean }> {
    const events = await this.#journal.read(run, { after, limit: 1_000 });
    for (const event of events)
      if (event.type === "RequestAnswered" && event.data.requestId === requestId)
        return {
          answer: event.data.answer,
          after: event.seq,
          workFollows: kind === "supervised" && (await this.isWorking(run)),
        };
    return { answer: null, after: events.at(-1)?.seq ?? after, workFollows: false };
  }

  /** Whether a run is worked, or still has something to be done for it. */
  async isWorking(run: string): Promise<boolean> {
    return isOwed(await loadKnownRun(this.#journal, run));
  }

  async #programOf(run: string, body: string | null): Promise<AskedProgram> {
    const lease = await this.#journal.lease(run);
    const isHeld = lease !== null && (await this.#leases.isHeld(run));
    return { body, process: isHeld ? (lease.owner?.process ?? null) : null };
  }

  /** One turn without acting: intents stay open for the supervisor that takes the run next. */
  async #decideHere(run: string): Promise<boolean> {
    const taken = await this.#leases.take(run);
    if (taken.kind === "held") return false;
    try {
      const state = await loadKnownRun(this.#journal, run);
      const rows = await this.#journal.inbox(run);
      if (rows.length === 0) return true;
      const now = this.#world.now();
      const received = rows.map((row) => requestOf(row, state, this.#principal));
      const events = takeTurn(state, received, now, decideRequests);
      const turn = { epoch: taken.epoch, now, consumed: rows.map((row) => row.id) };
      const outcome = await this.#journal.append(turnAppend(state, events, turn));
      if (outcome.kind !== "appended") return false;
      // A file that cannot be written takes nothing back: what was asked is decided.
      await this.#mirror?.(state);
      return true;
    } finally {
      await this.#leases.release(run, taken.epoch);
    }
  }

  #changeOrDelay(): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        unwatch();
        resolve();
      };
      const cancel = this.#world.timer(LOOK_EVERY_MS, end);
      const unwatch = this.#journal.watch(end);
    });
  }
}

/** What a row of the inbox says to its run: a request, or the refusal of what is none. */
export function requestOf(
  row: InboxRow,
  run: Pick<RunState, "run" | "approverKeys">,
  principalOf: ReadPrincipal = ({ principal, by }) => claimedPrincipal(principal, by),
): RunEvent {
  const read = readRequest(row);
  if (read.kind === "refused") return read.event;
  const { request } = read;
  const principal = principalOf(row, request, run);
  return { type: "RequestHeard", data: { requestId: row.id, request, by: row.by, principal } };
}

/** What was drawn or read when it was asked may differ; what was asked may not. */
function sameRequest(id: string, before: { readonly kind: string }, now: RunRequest): null {
  const plain = (request: object): string =>
    JSON.stringify({ ...request, dueAt: 0, bindings: 0, unread: 0, epoch: 0 });
  if (plain(before) === plain(now)) return null;
  throw new Fault(
    "refused",
    `the request id ${id} was used for another request (${before.kind}); expected one of its own`,
  );
}
