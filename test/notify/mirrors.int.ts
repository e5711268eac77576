import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EMPTY_FILE, mirrorStatus, mirrorTasks, sectionOf } from "../../src/notify/file-mirrors.ts";
import type { MirrorOutcome, OpenTask } from "../../src/notify/notifier.ts";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import type { Update } from "./mirroring-process.ts";

const limit = { timeout: 60_000 };
const world = realWorld();
/** Memory instead of a disk where there is one: what is tested is which bytes are there when, not the disk. */
const quick = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(quick, "holdfast-mirror-"));
  file = path.join(folder, "HUMAN_TASKS.md");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const task = (id: string): OpenTask => ({
  id,
  title: `task ${id}`,
  detail: "",
  reason: null,
  owner: null,
  command: null,
  since: 0,
});

const update = (run: string, ids: readonly string[], inWorld: World = world): Promise<MirrorOutcome> =>
  mirrorTasks(inWorld, { file, run, tasks: ids.map(task) });

const text = (): string => readFileSync(file, "utf8");
const others = (): readonly string[] => readdirSync(folder).filter((name) => name !== path.basename(file));

function failure(outcome: MirrorOutcome): string {
  assert.ok(outcome.kind === "failed", outcome.kind);
  return outcome.text;
}

async function mirrorElsewhere(
  updates: readonly Update[],
  env: Record<string, string> = {},
): Promise<NodeJS.Signals | number | null> {
  const program = fileURLToPath(new URL("./mirroring-process.ts", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(updates)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  assert.doesNotMatch(said, /failed/);
  return signal ?? code;
}

test("G5 the file comes with the first task and goes with the last", limit, async () => {
  assert.deepEqual(await update("run_1", []), { kind: "unchanged" });
  assert.ok(!existsSync(file));
  assert.deepEqual(await update("run_1", ["esc_1"]), { kind: "written" });
  assert.equal(text(), `${EMPTY_FILE}${sectionOf("run_1", [task("esc_1")])}`);
  assert.deepEqual(await update("run_1", ["esc_1"]), { kind: "unchanged" });
  await update("run_2", ["esc_2"]);
  await update("run_1", []);
  assert.equal(text(), `${EMPTY_FILE}${sectionOf("run_2", [task("esc_2")])}`);
  assert.deepEqual(await update("run_2", []), { kind: "removed" });
  assert.ok(!existsSync(file));
  assert.deepEqual(others(), []);
});

test(
  "G5 a person's own file is kept byte by byte, with its mode, and stays when no task is left",
  limit,
  async () => {
    const own = Buffer.concat([
      Buffer.from("\ufeffmine\r\nno UTF-8: "),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from("\n\n"),
    ]);
    writeFileSync(file, own);
    chmodSync(file, 0o640);
    await update("run_1", ["esc_1"]);
    const after = readFileSync(file);
    assert.ok(after.subarray(0, own.length).equals(own));
    assert.equal(after.subarray(own.length).toString(), sectionOf("run_1", [task("esc_1")]));
    assert.equal(statSync(file).mode & 0o777, 0o640);
    writeFileSync(file, Buffer.concat([after, Buffer.from("and below\n")]));
    await update("run_1", []);
    assert.ok(readFileSync(file).equals(Buffer.concat([own, Buffer.from("and below\n")])));
    writeFileSync(file, "");
    await update("run_1", ["esc_1"]);
    assert.deepEqual(await update("run_1", []), { kind: "written" });
    assert.equal(text(), "");
  },
);

test("G5 words written into a file that Holdfast made keep it there", limit, async () => {
  await update("run_1", ["esc_1"]);
  writeFileSync(file, `${text()}I am on it. Ada\n`);
  assert.deepEqual(await update("run_1", []), { kind: "written" });
  assert.equal(text(), `${EMPTY_FILE}I am on it. Ada\n`);
});

test("G5 what a person saves while the file is being written is not lost", limit, async () => {
  await update("run_1", ["esc_1"]);
  let saves = 0;
  const busy: World = {
    ...world,
    crashPoint: (name) => {
      if (name === "mirror.draft.after" && (saves += 1) <= 2)
        writeFileSync(file, `${text()}save ${String(saves)}\n`);
    },
  };
  assert.deepEqual(await update("run_1", ["esc_2"], busy), { kind: "written" });
  assert.equal(text(), `${EMPTY_FILE}${sectionOf("run_1", [task("esc_2")])}save 1\nsave 2\n`);
  const endless: World = {
    ...world,
    crashPoint: (name) => {
      if (name === "mirror.draft.after") writeFileSync(file, `${text()}more\n`);
    },
  };
  assert.match(failure(await update("run_1", ["esc_3"], endless)), /changed by others each time/);
  assert.deepEqual(others(), []);
});

test("G5 processes that update different runs at once lose nothing", limit, async () => {
  const rounds = [1, 2, 3, 4, 5, 6];
  const runs = ["run_a", "run_b", "run_c"];
  const ends = await Promise.all(
    runs.map((run) =>
      mirrorElsewhere(rounds.map((round) => ({ file, run, tasks: [task(`${run}_${String(round)}`)] }))),
    ),
  );
  assert.deepEqual(ends, [0, 0, 0]);
  for (const run of runs) assert.ok(text().includes(sectionOf(run, [task(`${run}_6`)])), run);
  await Promise.all(runs.map((run) => update(run, [])));
  assert.deepEqual(readdirSync(folder), []);
});

for (const point of ["mirror.lock.after", "mirror.draft.before", "mirror.draft.after", "mirror.rename.after"])
  test(`G5 a process killed at ${point} leaves a whole file, and holds up nobody`, limit, async () => {
    writeFileSync(file, "mine\n");
    await update("run_1", ["esc_1"]);
    const before = text();
    const ended = await mirrorElsewhere([{ file, run: "run_1", tasks: [task("esc_2")] }], {
      HOLDFAST_CRASH_AT: `${point}#1`,
    });
    assert.equal(ended, "SIGKILL");
    const after = `mine\n${sectionOf("run_1", [task("esc_2")])}`;
    assert.equal(text(), point === "mirror.rename.after" ? after : before);
    await Promise.all([update("run_1", ["esc_3"]), update("run_2", ["esc_4"]), update("run_3", ["esc_5"])]);
    for (const [run, id] of [
      ["run_1", "esc_3"],
      ["run_2", "esc_4"],
      ["run_3", "esc_5"],
    ] as const)
      assert.ok(text().includes(sectionOf(run, [task(id)])), run);
    assert.ok(text().startsWith("mine\n"));
    assert.deepEqual(others(), []);
  });

test(
  "G5 the lock of a process that died in removing a dead one's lock is removed as well",
  limit,
  async () => {
    const lock = path.join(folder, ".HUMAN_TASKS.md.lock");
    const dead = (nonce: string): string => JSON.stringify({ ...world.self, pid: 2 ** 22 + 5, nonce });
    writeFileSync(lock, dead("lock_one"));
    writeFileSync(`${lock}.lock_one`, dead("lock_two"));
    writeFileSync(`${lock}.lock_one.lock_two`, dead("lock_three"));
    assert.deepEqual(await update("run_1", ["esc_1"]), { kind: "written" });
    assert.deepEqual(others(), []);
  },
);

test(
  "G5 the lock of a process that may live is waited for, and then reported with what to do",
  limit,
  async () => {
    let now = 0;
    const hasty: World = { ...world, now: () => (now += 1_000) };
    const lock = path.join(folder, ".HUMAN_TASKS.md.lock");
    writeFileSync(lock, JSON.stringify({ host: "elsewhere", pid: 77, startedAt: "x", nonce: "lock_x" }));
    assert.match(
      failure(await update("run_1", ["esc_1"], hasty)),
      /held by process 77 on elsewhere; if that is gone, remove the file/,
    );
    writeFileSync(lock, "");
    assert.match(failure(await update("run_1", ["esc_1"], hasty)), /is no lock that can be read; remove it/);
    assert.ok(!existsSync(file));
  },
);

test("P3 a link is followed within the folder and not out of it", limit, async () => {
  const outside = mkdtempSync(path.join(tmpdir(), "holdfast-outside-"));
  try {
    writeFileSync(path.join(outside, "secret"), "theirs\n");
    symlinkSync(path.join(outside, "secret"), file);
    assert.match(failure(await update("run_1", ["esc_1"])), /leads out of its folder/);
    assert.match(failure(await mirrorStatus(world, { file, document: {} })), /leads out of its folder/);
    assert.equal(readFileSync(path.join(outside, "secret"), "utf8"), "theirs\n");
    assert.deepEqual(readdirSync(outside), ["secret"]);
    rmSync(file);
    symlinkSync("nowhere", file);
    assert.match(failure(await update("run_1", ["esc_1"])), /ENOENT/);
    rmSync(file);
    mkdirSync(path.join(folder, "docs"));
    writeFileSync(path.join(folder, "docs", "tasks.md"), "mine\n");
    symlinkSync(path.join("docs", "tasks.md"), file);
    assert.deepEqual(await update("run_1", ["esc_1"]), { kind: "written" });
    assert.equal(text(), `mine\n${sectionOf("run_1", [task("esc_1")])}`);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("P3 a draft that somebody put in our way is replaced, not written through", limit, async () => {
  const victim = path.join(folder, "victim");
  writeFileSync(victim, "theirs\n");
  symlinkSync(victim, path.join(folder, ".HUMAN_TASKS.md.draft"));
  await update("run_1", ["esc_1"]);
  assert.equal(readFileSync(victim, "utf8"), "theirs\n");
  assert.ok(text().includes("esc\\_1"));
});

test("G5 what is no file, too large, or nowhere is reported, and nothing is done to it", limit, async () => {
  mkdirSync(file);
  assert.match(failure(await update("run_1", ["esc_1"])), /is no ordinary file/);
  rmSync(file, { recursive: true });
  writeFileSync(file, Buffer.alloc(4 * 1_024 * 1_024 + 1));
  assert.match(failure(await update("run_1", ["esc_1"])), /expected at most 4194304/);
  assert.equal(statSync(file).size, 4 * 1_024 * 1_024 + 1);
  file = path.join(folder, "none", "HUMAN_TASKS.md");
  assert.match(failure(await update("run_1", ["esc_1"])), /ENOENT/);
});

test("O3 a status document is there whole, no matter who writes it and who is killed", limit, async () => {
  const status = path.join(folder, "status.json");
  const document = (name: string): { name: string; rows: string[] } => ({
    name,
    rows: Array.from({ length: 500 }, () => `\u202e${name}`),
  });
  const read = (): unknown => JSON.parse(readFileSync(status, "utf8"));
  assert.deepEqual(await mirrorStatus(world, { file: status, document: document("a") }), { kind: "written" });
  assert.deepEqual(await mirrorStatus(world, { file: status, document: document("a") }), {
    kind: "unchanged",
  });
  assert.deepEqual(read(), document("a"));
  assert.doesNotMatch(readFileSync(status, "utf8"), /\u202e/);
  linkSync(status, path.join(folder, "old"));
  for (const point of ["mirror.draft.before", "mirror.draft.after"]) {
    const ended = await mirrorElsewhere([{ file: status, document: document("b") }], {
      HOLDFAST_CRASH_AT: `${point}#1`,
    });
    assert.equal(ended, "SIGKILL");
    assert.deepEqual(read(), document("a"), point);
  }
  await Promise.all(
    ["c", "d", "e"].map((name) => mirrorStatus(world, { file: status, document: document(name) })),
  );
  assert.ok(["c", "d", "e"].includes((read() as { name: string }).name));
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder, "old"), "utf8")), document("a"));
  assert.deepEqual(readdirSync(folder).sort(), ["old", "status.json"]);
});

test("P5 files that Holdfast makes for people are for their owner alone, unless they are to be shared", async () => {
  const umask = process.umask(0o022);
  try {
    const modeOf = (one: string): number => statSync(one).mode & 0o777;
    const status = path.join(folder, "run_1.json");
    await update("run_1", ["a"]);
    await mirrorStatus(world, { file: status, document: {} });
    assert.deepEqual([modeOf(file), modeOf(status)], [0o600, 0o600]);
    const shared = path.join(folder, "run_2.json");
    const tasks = path.join(folder, "OTHER.md");
    await mirrorTasks(world, { file: tasks, run: "run_2", tasks: [task("a")], shared: true });
    await mirrorStatus(world, { file: shared, document: {}, shared: true });
    assert.deepEqual([modeOf(tasks), modeOf(shared)], [0o644, 0o644]);
  } finally {
    process.umask(umask);
  }
});
