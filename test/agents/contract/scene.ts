import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  CURSOR_START,
  type AgentDriver,
  type SessionRef,
  type SignalBatch,
  type StartOrder,
} from "../../../src/agents/agent-driver.ts";
import { readAllProcesses } from "../../../src/agents/process-table.ts";
import { signalSchema, type Signal } from "../../../src/model/agent/signals.ts";
import type { Part, Subject } from "./subject.ts";

/** One test's stage: a folder, drivers on it, and the proof that nothing is left running when it is struck. */
export class Scene {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-contract-")));
  readonly subject: Subject;
  readonly driver: AgentDriver;
  private readonly opened: AgentDriver[] = [];

  constructor(subject: Subject) {
    this.subject = subject;
    // Inherited by everything started from here, however it detaches itself: its name is one that is passed on.
    process.env["NODE_SCENE_OF_TEST"] = this.folder;
    this.driver = this.open();
  }

  open(): AgentDriver {
    const driver = this.subject.open(this.folder);
    this.opened.push(driver);
    return driver;
  }

  order(part: Part, session = `run.${part}.1`): StartOrder {
    const spec = this.subject.specFor(part, this.folder);
    return {
      session,
      spec,
      run: "run",
      step: part,
      attempt: `${part}#1`,
      number: 1,
      task: "do it",
      cwd: this.folder,
    };
  }

  async begin(part: Part): Promise<StartOrder> {
    const order = this.order(part);
    assert.equal((await this.driver.start(order)).kind, "started");
    return order;
  }

  /** How often agents of this scene did their work. */
  workDone(): number {
    try {
      return readFileSync(path.join(this.folder, "work.log"), "utf8").split("\n").length - 1;
    } catch {
      return 0;
    }
  }

  async strike(): Promise<void> {
    for (const driver of this.opened) await driver.close();
    const left = await waitFor(() => (processesOf(this.folder).length === 0 ? true : undefined), 1_000);
    const pids = processesOf(this.folder);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
    assert.ok(left === true, `left running: pid ${pids.join(", ")}`);
  }
}

/** Titles, and what happens under them. */
export type ContractTests = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

/** Everything that was started, directly or not, while the scene stood. */
export function processesOf(folder: string): number[] {
  const rows = readAllProcesses();
  assert.ok(rows !== "unknown");
  return rows
    .filter(
      (row) =>
        !row.zombie &&
        row.pid !== process.pid &&
        environmentOf(row.pid).includes(`NODE_SCENE_OF_TEST=${folder}`),
    )
    .map((row) => row.pid);
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/environ`, "latin1");
  } catch {
    return "";
  }
}

export async function waitFor<Value>(
  look: () => Value | undefined,
  limitMs = 10_000,
): Promise<Value | undefined> {
  for (let waitedMs = 0; ; waitedMs += 10) {
    const value = look();
    if (value !== undefined || waitedMs >= limitMs) return value;
    await delay(10);
  }
}

export const delay = (delayMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, delayMs));

export interface Received {
  readonly signals: Signal[];
  /** The cursor after each batch, and how many signals came before it. */
  readonly cursors: { readonly cursor: string; readonly count: number }[];
}

/** However slow the machine is. */
const HEAR_LIMIT_MS = 60_000;

/** Listens until the exit, and checks what every driver promises of every batch. */
export async function receiveAll(
  driver: AgentDriver,
  ref: SessionRef,
  cursor = CURSOR_START,
): Promise<Received> {
  const received: Received = { signals: [], cursors: [] };
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`no exit was heard: ${JSON.stringify(received)}`)),
      HEAR_LIMIT_MS,
    );
    driver.listen(ref, cursor, async (batch) => {
      try {
        takeBatch(received, batch);
      } catch (error) {
        clearTimeout(limit);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      if (batch.signals.at(-1)?.kind !== "exit") return;
      clearTimeout(limit);
      resolve();
    });
  });
  return received;
}

function takeBatch(received: Received, batch: SignalBatch): void {
  assert.ok(Buffer.byteLength(batch.cursor) <= 200);
  assert.ok(batch.signals.length > 0 && batch.signals.length <= 201);
  for (const signal of batch.signals) signalSchema.parse(signal);
  received.signals.push(...batch.signals);
  received.cursors.push({ cursor: batch.cursor, count: received.signals.length });
}

export const kinds = (signals: readonly Signal[]): string[] => signals.map((signal) => signal.kind);

/** How far it says it is, by whatever means it has for saying so. */
export const progressOf = (signals: readonly Signal[]): string[] =>
  signals.flatMap((signal) => {
    const counts = signal.kind === "progress" || (signal.kind === "message" && /^\d+$/.test(signal.text));
    return counts ? [signal.text] : [];
  });

export const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index + 1));
