import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { toExcerpt, type Signal } from "../../model/agent/signals.ts";
import type { World } from "../../model/world.ts";
import { probeStarted } from "../keeper/probe-session.ts";
import { endSession } from "../keeper/end-session.ts";
import { readExitStatus, keeperOf, readIdentity, wasPrepared } from "../keeper/session-folder.ts";
import { DrawnMemory, remembered } from "./screen/drawn-memory.ts";
import { followTurn, givenOf, type Followed, type Seen } from "./follow-turn.ts";
import {
  becomeWriter,
  isWriter,
  readProgress,
  resignAsWriter,
  writeReceived,
  type Progress,
} from "./type/delivery-log.ts";
import { TERMINAL_GONE, type PaneRow } from "./screen/look-at-panes.ts";
import { Learning } from "./type/learning.ts";
import { lineSignal, PrintedMemory } from "./screen/printed-memory.ts";
import { typeable } from "./screen/plain-text.ts";
import { conversationAtEnd } from "./name-conversation.ts";
import type { Lits } from "./screen/read-capture.ts";
import { rawReader, type RawReader } from "./screen/raw-reader.ts";
import { PACE } from "./screen/watch-pace.ts";
import { recognise, type Look } from "./screen/recognise.ts";
import { mayBringTask, readSaid, TASK_KEY, type SaidRecord } from "./type/said-record.ts";
import { readOrdered, sizeOf, type TerminalFolder } from "./terminal-folder.ts";
import type { WatchedOptions } from "./screen/watched-options.ts";

/**
 * Writes down what is received from one terminal, brings it its task, and lets it go when its turn is over:
 * booting → ready → prompted → done → end; each step is on disk before the next begins.
 */
export class WatchedTerminal {
  readonly terminal: TerminalFolder;
  readonly #options: WatchedOptions;
  #progress: Progress;
  #raw: RawReader | undefined;
  #rawSize = 0;
  #changedAt: number;
  #lookedAt = 0;
  #look: Look = { state: "starting", input: undefined };
  #lines: readonly string[] = [];
  readonly #drawn: DrawnMemory;
  readonly #printed = new PrintedMemory();
  #progressReportedAt = 0;
  #workSeen = false;
  #lostSince: number | undefined;
  #overSince: number | undefined;
  #taskTries = 0;
  #writerAt = 0;
  #probedAt = 0;
  readonly #keeperOf = remembered(() => keeperOf(this.terminal.kept));
  readonly #ordered = remembered(() => readOrdered(this.terminal));
  #busyWith: Promise<unknown> | undefined;
  readonly #learning = new Learning();

  constructor(options: WatchedOptions) {
    this.#options = options;
    this.terminal = options.terminal;
    this.#drawn = new DrawnMemory(options.program, options.terminal);
    this.#progress = readProgress(options.terminal);
    this.#changedAt = options.world.now();
  }

  get ended(): boolean {
    return this.#progress.end;
  }

  /** Whether the program has its task, or will not get it. */
  get isPrompted(): boolean {
    return this.#progress.end || this.#progress.done || this.#promptedAt() !== null;
  }

  /** Reads what is new, and answers whether the screen should be looked at. */
  observe(now: number): boolean {
    const { world, terminal } = this.#options;
    if (this.#progress.end || !this.#mayWrite(now)) return false;
    this.#raw ??= rawReader(terminal, this.#progress.raw);
    const size = sizeOf(terminal.raw);
    if (size !== this.#rawSize) {
      const isAllRead = this.#raw.readSome((lines) => this.#reportLines(lines));
      this.#rawSize = isAllRead ? size : size - 1;
      this.#changedAt = now;
      if (isAllRead) this.#bound(size);
    }
    this.#noticeEnd(now, world);
    if (this.#progress.end || now - this.#lookedAt < PACE.lookApartMs) return false;
    return (
      this.#changedAt >= this.#lookedAt ||
      (this.#promptedAt() === null && this.#options.program.voice === "lines")
    );
  }

  /** A screen, or only whether there is still a pane; `unknown` says nothing. */
  see(now: number, pane: PaneRow | undefined | "unknown", screen?: readonly string[], lit?: Lits): void {
    if (this.#progress.end || this.#writerAt === 0 || pane === "unknown") return;
    this.#noticeLoss(now, pane);
    // Its parent, tmux, has not collected it, so this pid is the keeper's and no other's.
    if (pane?.dead === false && pane.pid === this.#keeperOf()?.pid) this.#probedAt = now;
    if (pane !== undefined && screen !== undefined) {
      this.#lookedAt = now;
      this.#lines = screen;
      this.#look = recognise(this.#options.program, { ...pane, lines: screen, ...(lit && { lit }) });
    }
    // A look from before the last change, or of a terminal that is gone, says nothing of now.
    const current = pane !== undefined && this.#lookedAt > 0 && this.#lookedAt >= this.#changedAt;
    if (current && this.#overSince === undefined) this.#assess(now);
  }

  /** After a look that failed, such as on a full disk: what is written counts, and what is not is received again. */
  startOver(): void {
    [this.#writerAt, this.#rawSize] = [0, 0];
  }

  resign(): void {
    resignAsWriter(this.#options.world, this.terminal);
  }

  #mayWrite(now: number): boolean {
    const { world, terminal } = this.#options;
    // Nobody takes this over from a process that lives, so it need not be asked at every look.
    if (now - this.#writerAt < PACE.writerAskedMs) return true;
    const before = this.#writerAt > 0 && isWriter(world, terminal);
    this.#writerAt = now;
    if (before) return true;
    if (!becomeWriter(world, terminal)) {
      this.#writerAt = 0;
      this.#progress = readProgress(terminal);
      if (!wasPrepared(terminal.kept)) this.#progress = { ...this.#progress, end: true };
      return false;
    }
    [this.#progress, this.#raw] = [readProgress(terminal, true), undefined];
    return true;
  }

  #assess(now: number): void {
    const { program } = this.#options;
    if (this.#look.state === "busy" && this.#promptedAt() !== null) this.#workSeen = true;
    const seen = this.#seen(now);
    if (this.#progress.ready) this.#reportDrawn(now, seen.quietMs);
    const { entries, progress } = followTurn(program, this.#progress, seen);
    this.#write(entries, progress);
    if (this.#progress.done) this.#leave();
    else if (seen.promptedMs === null && mayBringTask(program, seen, this.terminal)) this.#bringTask();
    else if (seen.promptedMs === null) this.#learn(seen);
  }

  #learn(seen: Seen): void {
    const { program, learn } = this.#options;
    if (learn === undefined || !this.#learning.isDue(program, seen, this.#rawSize)) return;
    this.#alone(async () => {
      const ask = this.#learning.question(await learn(), seen, this.#rawSize);
      if (ask !== undefined && this.#progress.ask !== ask.askId) this.#report(ask, { ask: ask.askId });
    });
  }

  #seen(now: number): Seen {
    const prompted = this.#promptedAt();
    const workSeen =
      this.#options.program.voice === "lines" ? this.#rawSize > (prompted?.raw ?? 0) : this.#workSeen;
    return {
      look: this.#look,
      lines: this.#lines,
      now,
      quietMs: now - this.#changedAt,
      promptedMs: prompted === null ? null : now - prompted.at,
      workSeen,
      ...givenOf(this.#ordered()),
    };
  }

  #prompted: Pick<SaidRecord, "at" | "raw"> | null = null;
  #promptedAt(): Pick<SaidRecord, "at" | "raw"> | null {
    if (this.#prompted !== null || this.#busyWith !== undefined) return this.#prompted;
    const record = readSaid(this.terminal, TASK_KEY);
    if (record?.state === "sent" || record?.state === "lost") this.#prompted = record;
    return this.#prompted;
  }

  #bringTask(): void {
    const task = this.#ordered()?.task;
    if (task === undefined || this.#taskTries >= PACE.taskTriesMax || this.#busyWith !== undefined) return;
    this.#taskTries += 1;
    this.#alone(async () => {
      const outcome = await this.#options.say(TASK_KEY, task);
      if (outcome.kind === "sent") return;
      const given = readSaid(this.terminal, TASK_KEY)?.state === "lost" || outcome.terminal;
      if (!given && this.#taskTries < PACE.taskTriesMax) return;
      this.#reportFailure(`its task could not be given to the program: ${outcome.text}`);
    });
  }

  /** The work is assessed by what it left, so a program that waits for its user again is let go. */
  #leave(): void {
    const { kept, left } = this.terminal;
    if (readExitStatus(kept) !== undefined) return;
    this.#alone(async () => {
      if (!existsSync(left)) writeFileSync(left, "", { mode: 0o600 });
      await endSession(this.#options.world, kept, PACE.leaveGraceMs);
    });
  }

  /** One thing at a time is done to a program. */
  #alone(work: () => Promise<unknown>): void {
    if (this.#busyWith !== undefined) return;
    this.#busyWith = work()
      .catch((error: unknown) => {
        this.#report({ kind: "error", text: toExcerpt(String(error)), terminal: false }, {});
      })
      .finally(() => (this.#busyWith = undefined));
  }

  #noticeLoss(now: number, pane: PaneRow | undefined): void {
    const [{ world }, keeper] = [this.#options, this.#keeperOf()];
    if (pane !== undefined || keeper === undefined) return void (this.#lostSince = undefined);
    this.#lostSince ??= now;
    if (now - this.#lostSince < PACE.terminalLostMs) return;
    if (probeStarted(world, this.terminal.kept).kind !== "alive" || this.#busyWith !== undefined) return;
    // Nothing can be received from it or sent to it, and the process that holds the session must not wait for it.
    this.#reportFailure(TERMINAL_GONE);
    this.#alone(() => endSession(world, this.terminal.kept, PACE.leaveGraceMs));
  }

  #noticeEnd(now: number, world: World): void {
    const { kept } = this.terminal;
    const due = now === this.#changedAt || this.#overSince !== undefined;
    if (!due && now - this.#probedAt < PACE.probeApartMs) return;
    this.#probedAt = now;
    const keeper = this.#keeperOf();
    if (keeper === undefined && readIdentity(kept).kind === "none") return;
    if (keeper !== undefined && world.liveness(keeper) === "alive") return void (this.#overSince = undefined);
    const { kind } = probeStarted(world, kept);
    if (kind !== "over" && kind !== "gone") return void (this.#overSince = undefined);
    this.#overSince ??= now;
    const complete = this.#raw?.ended() === true;
    // A keeper that was killed wrote no mark, and a server that was killed brought it nowhere.
    if (
      !complete &&
      now - Math.max(this.#overSince, this.#changedAt) < (kind === "gone" ? 500 : PACE.lastBytesMs)
    )
      return;
    const half = this.#raw?.half();
    if (half !== undefined) this.#reportLines([half]);
    const about = conversationAtEnd(this.#ordered(), this.#progress, readSaid(this.terminal, TASK_KEY));
    if (about !== undefined) this.#report(about, { named: true });
    // It may have taken the loss for a reason to leave, and calmly: what it exits with is no word about its work.
    if (kind === "over" && !complete && this.#lostSince !== undefined) this.#reportFailure(TERMINAL_GONE);
    this.#write([{ progress: { ...this.#progress, end: true } }], { ...this.#progress, end: true });
  }

  #reportLines(lines: readonly { readonly text: string; readonly end: number }[]): void {
    if (this.#options.program.voice === "screen" || lines.length === 0) return;
    const task = typeable(this.#ordered()?.task ?? "").text.trimEnd();
    const entries = lines.map(({ text, end }) => {
      this.#progress = { ...this.#progress, raw: end };
      const signal = lineSignal(this.#options.program, task, text, this.#printed);
      return { progress: this.#progress, ...(signal && { signal }) };
    });
    this.#write(entries, this.#progress);
  }

  /** Not at every flicker, but what stands still is reported before anything follows from it. */
  #reportDrawn(now: number, quietMs: number): void {
    const early = now - this.#progressReportedAt < PACE.progressApartMs && quietMs < PACE.lookApartMs;
    if (this.#options.program.voice === "lines" || early) return;
    const text = this.#drawn.news(this.#lines, this.#look);
    this.#progressReportedAt = now;
    if (text !== undefined) this.#report({ kind: "progress", text: toExcerpt(text) }, {});
  }

  /** A turn that is over was reported before, and is not taken back. */
  #reportFailure(why: string): void {
    if (this.#progress.done) return;
    const text = toExcerpt(why);
    this.#report({ kind: "error", text, terminal: false }, {});
    this.#report({ kind: "result", ok: false, text }, { done: true });
  }

  #report(signal: Signal, change: Partial<Progress>): void {
    const progress = { ...this.#progress, ...change };
    this.#write([{ signal, progress }], progress);
  }

  #write(entries: Followed["entries"], progress: Progress): void {
    writeReceived(this.terminal, entries);
    this.#progress = progress;
  }

  #bound(size: number): void {
    if (this.#options.program.voice === "lines" || size < PACE.drawnBytesMax || this.#busyWith !== undefined)
      return;
    truncateSync(this.terminal.raw, 0);
    [this.#rawSize, this.#raw] = [0, rawReader(this.terminal, 0)];
  }
}
