import assert from "node:assert/strict";
import { mkdtempSync, existsSync, readFileSync, rmSync } from "node:fs";
import { spawn, type ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { realWorld } from "../../src/real-world.ts";
import { startFakeModel, type FakeModel } from "./fake-model.ts";
import { EXAMPLES } from "./packed-holdfast.ts";

/** How many replies and how many notes the journal holds. */
export interface Committed {
  readonly replies: number;
  readonly notes: number;
}

export interface KilledExample {
  readonly program: string;
  readonly args?: readonly string[];
  readonly run: string;
  committed(events: readonly Recorded[]): Committed;
}

interface Ended {
  readonly signal: string | null;
  readonly code: number | null;
  readonly output: string;
}

const RESULT = "done: noted 0, noted 1, noted 2, noted 3, noted 4";
const REPLIES = 6;
const NOTES = 5;
const LIMIT_MS = 60_000;

/**
 * Runs the program undisturbed; then kills it in several lives, at a request or some moments after one; then lets it
 * end. Whatever was committed before a life must not be asked for or done in it.
 */
export async function killAndResume(example: KilledExample, seed: number): Promise<string> {
  const calm = await livesOf(example, () => null);
  assert.deepEqual([calm.result, calm.asked.length, calm.notes.length], [RESULT, REPLIES, NOTES]);
  const chance = seededChance(seed);
  const kills = [
    { request: 1, afterMs: 0 },
    { request: 1, afterMs: 10 + chance() * 20 },
    { request: 2, afterMs: chance() * 40 },
    { request: 1, afterMs: 15 + chance() * 10 },
    { request: 2, afterMs: chance() * 25 },
  ];
  const killed = await livesOf(example, (life) => kills[life] ?? null);
  assert.equal(killed.result, RESULT);
  assert.deepEqual([...new Set(killed.asked)].sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([...new Set(killed.notes)].sort(), ["0", "1", "2", "3", "4"]);
  assert.ok(killed.struck >= 3, `only ${String(killed.struck)} kills struck`);
  return `${String(killed.struck)} kills, ${String(killed.asked.length - REPLIES)} replies and ${String(killed.notes.length - NOTES)} notes were lost with a process and done again`;
}

interface Kill {
  readonly request: number;
  readonly afterMs: number;
}

async function livesOf(example: KilledExample, killIn: (life: number) => Kill | null) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-example-"));
  const model = await startFakeModel();
  const notesFile = path.join(folder, "notes");
  const notes = (): string[] =>
    existsSync(notesFile) ? readFileSync(notesFile, "utf8").split("\n").filter(Boolean) : [];
  let struck = 0;
  try {
    for (let life = 0; ; life += 1) {
      const kill = killIn(life);
      const before = await committedIn(example, folder);
      const [askedBefore, notesBefore] = [model.asked.length, notes().length];
      const env = { MODEL_URL: model.url, STORE: `sqlite:${folder}/agents.db`, NOTES: notesFile };
      const ended = await live(example, { env, model, kill });
      const where = `in life ${String(life)}, after ${JSON.stringify(before)}`;
      for (const position of model.asked.slice(askedBefore))
        assert.ok(position >= before.replies, `a committed reply was asked for again ${where}`);
      for (const noted of notes().slice(notesBefore))
        assert.ok(Number(noted) >= before.notes, `a committed note was made again ${where}`);
      assert.deepEqual(model.problems, []);
      if (ended.signal === "SIGKILL") struck += 1;
      else assert.equal(ended.code, 0, ended.output);
      if (kill === null)
        return { result: ended.output.trim(), asked: [...model.asked], notes: notes(), struck };
    }
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function committedIn(example: KilledExample, folder: string): Promise<Committed> {
  const file = path.join(folder, "agents.db");
  if (!existsSync(file)) return { replies: 0, notes: 0 };
  const journal = await openSqliteJournal({ file, world: realWorld() });
  try {
    assert.deepEqual(await journal.verify(), []);
    return example.committed(await journal.read(example.run, { after: 0, limit: 10_000 }));
  } finally {
    await journal.close();
  }
}

function live(
  { program, args = [] }: KilledExample,
  { env, model, kill }: { env: Record<string, string>; model: FakeModel; kill: Kill | null },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [program, ...args], {
      cwd: EXAMPLES,
      env: {
        ...process.env,
        NODE_TEST_CONTEXT: "",
        NODE_COMPILE_CACHE: path.join(tmpdir(), "holdfast-compile-cache"),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let complaint = "";
    child.stdout?.on("data", (piece: Buffer) => (output += piece.toString()));
    child.stderr?.on("data", (piece: Buffer) => (complaint = (complaint + piece.toString()).slice(-4_000)));
    const timers = [setTimeout(() => child.kill("SIGKILL"), LIMIT_MS)];
    let requests = 0;
    model.onRequest = () => {
      requests += 1;
      if (kill !== null && requests === kill.request)
        timers.push(setTimeout(() => child.kill("SIGKILL"), kill.afterMs));
    };
    child.on("error", reject);
    child.on("close", (code, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ signal, code, output: code === 0 ? output : output + complaint });
    });
  });
}

/** Of a body: steps by what their names hold. */
export const stepsNamed =
  (reply: RegExp, note: RegExp) =>
  (events: readonly Recorded[]): Committed => {
    const keys = events.flatMap((event) => (event.type === "BodyStepEnded" ? [event.data.key] : []));
    return {
      replies: keys.filter((key) => reply.test(key)).length,
      notes: keys.filter((key) => note.test(key)).length,
    };
  };
