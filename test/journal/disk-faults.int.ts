import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { FaultCode } from "../../src/model/fault.ts";
import { realWorld } from "../../src/real-world.ts";
import { ofTheDay, printSample } from "../day-sample.ts";
import { makeFolder, removeFolder } from "./store-folder.ts";

/**
 * A real process writes while the system refuses one of its calls, or all from one on. Whatever it was told was
 * written must be there afterwards, and the store must go on.
 */

const RUN = "run_written";
/** Enough for the log to get room ahead. */
const APPENDS = 20;
const ROOM_BYTES = 512 * 1_024;
/** For a thorough look: as many points as there are calls. */
const pointsMax =
  process.env["DISK_FAULT_POINTS"] === undefined ? null : Number(process.env["DISK_FAULT_POINTS"]);
/** So few are always tried all. */
const FEW = 6;
const CHILDREN_AT_ONCE = 2;
const CHILD_MS_MAX = 60_000;
const TRACED = "pwrite64,fsync,fdatasync,ftruncate,link";
const writer = path.join(import.meta.dirname, "acknowledging-writer.ts");
const world = realWorld();

interface Written {
  readonly acknowledged: number[];
  readonly status: number | null;
  readonly stderr: string;
}

function runWriter(command: string[], file: string, more: readonly string[] = []): Promise<Written> {
  const [program = "", ...args] = [...command, process.execPath, writer, file, String(APPENDS), ...more];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: CHILD_MS_MAX });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      const acknowledged = stdout
        .split("\n")
        .filter((line) => line !== "")
        .map(Number);
      resolve({ acknowledged, status, stderr });
    });
  });
}

const strace = (expressions: readonly string[], output = "/dev/null"): string[] => [
  "strace",
  "-f",
  "-qq",
  "--seccomp-bpf",
  "-o",
  output,
  ...expressions.flatMap((expression) => ["-e", expression]),
];

/** Why calls cannot be refused here; null if they can. */
function whyNot(): string | null {
  const tried = spawnSync("strace", ["-f", "-qq", "--seccomp-bpf", "-e", "trace=fsync", "true"], {
    encoding: "utf8",
  });
  if (tried.error !== undefined) return `strace is not available: ${tried.error.message}`;
  return tried.status === 0 ? null : `strace does not work here: ${tried.stderr.slice(0, 200)}`;
}

interface Calls {
  /** How often an undisturbed writer makes each call. */
  readonly counts: ReadonlyMap<string, number>;
  /** Which `pwrite64` gives the log room ahead; 0 for none. */
  readonly roomAt: number;
}

async function countCalls(): Promise<Calls> {
  const folder = makeFolder("quick");
  try {
    const trace = path.join(folder, "trace");
    const calls = strace([`trace=${TRACED}`], trace);
    const undisturbed = await runWriter(calls, path.join(folder, "journal.db"));
    assert.equal(undisturbed.status, 0, undisturbed.stderr);
    const counts = new Map<string, number>();
    let roomAt = 0;
    for (const line of readFileSync(trace, "utf8").split("\n")) {
      const [call = ""] = line.replace(/^\d+ +/, "").split("(");
      counts.set(call, (counts.get(call) ?? 0) + 1);
      if (call === "pwrite64" && line.includes(`, ${String(ROOM_BYTES)}, `)) roomAt ||= counts.get(call) ?? 0;
    }
    return { counts, roomAt };
  } finally {
    removeFolder(folder);
  }
}

interface Refusal {
  readonly calls: readonly string[];
  readonly error: "ENOSPC" | "EIO" | "EROFS";
  /** Spread over the whole run; each is tried alone, and with all that follow. */
  readonly points: number;
  readonly modes: readonly ("once" | "from then on")[];
  readonly codes: readonly FaultCode[];
}

const BOTH = ["once", "from then on"] as const;
const SYNCS = ["fsync", "fdatasync"];
const REFUSALS: readonly Refusal[] = [
  { calls: ["pwrite64"], error: "ENOSPC", points: 14, modes: BOTH, codes: ["store_full", "store_failed"] },
  { calls: ["pwrite64"], error: "EIO", points: 8, modes: BOTH, codes: ["store_failed"] },
  {
    calls: ["pwrite64"],
    error: "EROFS",
    points: 4,
    modes: ["from then on"],
    codes: ["store_readonly", "store_failed"],
  },
  { calls: SYNCS, error: "EIO", points: 14, modes: BOTH, codes: ["store_failed"] },
  { calls: SYNCS, error: "ENOSPC", points: 4, modes: ["once"], codes: ["store_full", "store_failed"] },
  { calls: ["ftruncate"], error: "ENOSPC", points: 2, modes: BOTH, codes: ["store_full", "store_failed"] },
  { calls: ["link"], error: "ENOSPC", points: 1, modes: ["once"], codes: ["store_full"] },
];

interface Case {
  readonly name: string;
  readonly command: string[];
  readonly codes: readonly FaultCode[];
}

function* casesOf(refusal: Refusal, counts: ReadonlyMap<string, number>): Generator<Case> {
  const made = Math.max(...refusal.calls.map((call) => counts.get(call) ?? 0));
  const points = Math.min(pointsMax ?? refusal.points, made);
  for (let point = 0; point < points; point++) {
    const nth = 1 + Math.floor((point * made) / points);
    for (const mode of refusal.modes) {
      const when = `${String(nth)}${mode === "once" ? "" : "+"}`;
      const calls = refusal.calls.join(",");
      yield {
        name: `${calls} number ${when} gives ${refusal.error}`,
        command: strace([`trace=${calls}`, `inject=${calls}:error=${refusal.error}:when=${when}`]),
        codes: refusal.codes,
      };
    }
  }
}

/** What the writer may have done, and what must be there now that nothing is refused any more. */
async function assess(file: string, written: Written): Promise<void> {
  const last = written.acknowledged.at(-1) ?? 0;
  assert.deepEqual(
    written.acknowledged,
    Array.from({ length: last }, (_, index) => index + 1),
  );
  assert.ok(existsSync(file) || last === 0, "a store that acknowledged something is there");
  const journal = await openSqliteJournal({ file, world });
  try {
    const events = await journal.read(RUN, { after: 0, limit: 100 });
    assert.ok(events.length >= last, `acknowledged ${String(last)}, found ${String(events.length)}`);
    assert.ok(events.length <= last + 1, "at most the last append is there without having been acknowledged");
    assert.deepEqual(await journal.verify(), []);
    await goOn(journal, events.length);
  } finally {
    await journal.close();
  }
}

async function goOn(journal: Journal, expected: number): Promise<void> {
  const owner = { id: world.id("own"), process: world.self };
  const seen = await journal.lease(RUN);
  const claim = seen === null ? await journal.claim(RUN, owner) : await journal.takeOver(RUN, owner, seen);
  assert.equal(claim.kind, "claimed");
  const epoch = claim.kind === "claimed" ? claim.epoch : 0;
  const listing = { status: "running", goal: "go on", wakeAt: null } as const;
  const events = [{ type: "RunStarted", data: {} } as const];
  const outcome = await journal.append({ run: RUN, expected, epoch, at: 1, events, listing });
  assert.equal(outcome.kind, "appended");
}

const faultIn = (stderr: string): { code?: string; message?: string } =>
  JSON.parse(stderr.trim().split("\n").at(-1) ?? "{}") as { code?: string; message?: string };

async function tryCase({ name, command, codes }: Case): Promise<"stopped" | "unharmed"> {
  const folder = makeFolder("quick");
  const file = path.join(folder, "journal.db");
  try {
    const written = await runWriter(command, file);
    assert.ok(written.status === 0 || written.status === 3, `${name}: ${written.stderr}`);
    if (written.status === 3) {
      const { code, message } = faultIn(written.stderr);
      assert.ok(
        codes.some((fitting) => fitting === code),
        `${name}: ${written.stderr}`,
      );
      assert.ok(message?.includes(file), `${name}: the message names the file: ${String(message)}`);
    }
    await assess(file, written);
    assert.deepEqual(
      readdirSync(folder).filter((file) => file.includes(".new")),
      [],
      `${name}: drafts`,
    );
    return written.status === 0 ? "unharmed" : "stopped";
  } catch (error) {
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  } finally {
    removeFolder(folder);
  }
}

async function tryAll(t: TestContext, cases: readonly Case[]): Promise<void> {
  const waiting = [...cases];
  const counts = { stopped: 0, unharmed: 0 };
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await tryCase(next).then(
        (outcome) => (counts[outcome] += 1),
        (error: unknown) => failures.push(String(error)),
      );
    }
  };
  await Promise.all(Array.from({ length: CHILDREN_AT_ONCE }, work));
  t.diagnostic(
    `${String(cases.length)} cases: ${String(counts.stopped)} stopped, ${String(counts.unharmed)} unharmed`,
  );
  assert.equal(failures.length, 0, failures.slice(0, 3).join("\n"));
  assert.ok(counts.stopped > 0, "the refusals were felt");
}

const cannot = whyNot();
const { counts, roomAt } =
  cannot === null ? await countCalls() : { counts: new Map<string, number>(), roomAt: 0 };

for (const refusal of REFUSALS) {
  const what = `${refusal.calls.join(" or ")} refused with ${refusal.error}`;
  test(`P2 ${what}, at every n-th call: a clear fault, nothing acknowledged is lost, and it goes on`, async (t) => {
    if (cannot !== null) return t.skip(cannot);
    const all = [...casesOf(refusal, counts)];
    if (all.length === 0) return t.skip(`a writer makes no such call here`);
    const cases = all.length <= FEW || pointsMax !== null ? all : ofTheDay(all, 3);
    await tryAll(t, cases);
    if (cases.length < all.length)
      printSample(t, `${String(cases.length)} of ${String(all.length)} refusals`);
  });
}

test("P2 a log that is refused room ahead is written all the same", async (t) => {
  if (cannot !== null) return t.skip(cannot);
  assert.ok(roomAt > 0, "an undisturbed writer makes room");
  for (const error of ["ENOSPC", "EIO"]) {
    const inject = `inject=pwrite64:error=${error}:when=${String(roomAt)}`;
    const name = `room refused with ${error}`;
    const outcome = await tryCase({ name, command: strace(["trace=pwrite64", inject]), codes: [] });
    assert.equal(outcome, "unharmed");
  }
});

test("P2 a writer that waits for space goes on in the same place, and writes nothing twice", async (t) => {
  if (cannot !== null) return t.skip(cannot);
  const calls = counts.get("pwrite64") ?? 0;
  for (const share of [0.45, 0.6, 0.75, 0.9]) {
    const folder = makeFolder("quick");
    try {
      const when = String(Math.floor(calls * share));
      const command = strace(["trace=pwrite64", `inject=pwrite64:error=ENOSPC:when=${when}`]);
      const written = await runWriter(command, path.join(folder, "journal.db"), ["patient"]);
      assert.equal(written.status, 0, written.stderr);
      const journal = await openSqliteJournal({ file: path.join(folder, "journal.db"), world });
      const events = await journal.read(RUN, { after: 0, limit: 100 });
      await journal.close();
      assert.equal(events.length, APPENDS, `number ${when}: ${written.stderr}`);
    } finally {
      removeFolder(folder);
    }
  }
});

test("P2 a real disk that fills up, is freed, and turns read-only: named faults, and nothing lost", (t) => {
  const folder = makeFolder();
  try {
    const story = path.join(import.meta.dirname, "small-disk.ts");
    const reported = spawnSync("unshare", ["--mount", process.execPath, story, folder], {
      encoding: "utf8",
      timeout: CHILD_MS_MAX,
    });
    const noMount =
      reported.error?.message ?? /unshare: .*|Command failed: mount.*/.exec(reported.stderr)?.[0];
    if (noMount !== undefined) return t.skip(`no disk can be mounted here: ${noMount}`);
    assert.equal(reported.status, 0, reported.stderr);
    const { before, acknowledged, ...seen } = JSON.parse(reported.stdout) as Record<string, number>;
    assert.ok(before !== undefined && before > 5, `${String(before)} appends fitted`);
    assert.equal(acknowledged, before + 4);
    const expected = { full: "store_full", whileFull: before, afterwards: before + 3, damages: [] };
    assert.deepEqual(seen, { ...expected, readOnly: "store_readonly", atLast: before + 4 });
  } finally {
    removeFolder(folder);
  }
});
