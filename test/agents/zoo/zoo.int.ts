import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import {
  readExitStatus,
  sessionFolder,
  type SessionFolder,
} from "../../../src/agents/keeper/session-folder.ts";
import { readAllProcesses } from "../../../src/agents/process-table.ts";
import { realWorld } from "../../../src/real-world.ts";
import { processesOf, waitFor } from "../contract/scene.ts";
import { ZOO, type Beast } from "./zoo.ts";

const world = realWorld();
const GRACE_MS = 400;
const LIMIT_MS = 60_000;
let folder = "";
let scene: string | undefined;

before(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-zoo-")));
  scene = process.env["NODE_SCENE_OF_TEST"];
  // Inherited by everything that is started here, however it detaches itself.
  process.env["NODE_SCENE_OF_TEST"] = folder;
});
after(() => {
  if (scene === undefined) delete process.env["NODE_SCENE_OF_TEST"];
  else process.env["NODE_SCENE_OF_TEST"] = scene;
  rmSync(folder, { recursive: true, force: true });
});

async function begin(beast: Beast): Promise<SessionFolder> {
  const session = sessionFolder(path.join(folder, "sessions"), beast.name);
  const started = await launchSession(world, { session, command: beast.command, cwd: folder, order: {} });
  assert.equal(started.kind, "started", beast.name);
  return session;
}

/** Waits until it has shown what it is: said its words, and ended if it ends by itself. */
async function showsItself(beast: Beast, session: SessionFolder): Promise<void> {
  const said = await waitFor(
    () =>
      beast.says === undefined || beast.says.test(readFileSync(session.out, "latin1")) ? true : undefined,
    LIMIT_MS,
  );
  assert.ok(said, `${beast.name} never said ${String(beast.says)}`);
  if (beast.ends === null) return;
  const status = await waitFor(() => readExitStatus(session), LIMIT_MS);
  assert.equal(status, beast.ends, beast.name);
}

const descriptors = (): number => readdirSync("/proc/self/fd").length;

/** Processes that ended below one of this scene that lives and does not ask for them. */
function zombiesBelow(folderOfScene: string): number {
  const rows = readAllProcesses();
  assert.ok(rows !== "unknown");
  const living = processesOf(folderOfScene);
  return rows.filter((row) => row.zombie && living.includes(row.parent)).length;
}

/** States of what lives of this scene, as the system tells them. */
const statesOf = (folderOfScene: string): string[] =>
  processesOf(folderOfScene).map((pid) => {
    try {
      return /^\d+ \(.*\) (\S)/s.exec(readFileSync(`/proc/${String(pid)}/stat`, "latin1"))?.[1] ?? "";
    } catch {
      return "";
    }
  });

test("every beast of the zoo has a vice, a sign and a program of its own", () => {
  const programs = readdirSync(import.meta.dirname).filter((name) => /\.(mjs|sh)$/.test(name));
  assert.deepEqual(ZOO.map(({ command }) => path.basename(command.at(-1) ?? "")).sort(), programs.sort());
  assert.equal(new Set(ZOO.map(({ vice }) => vice)).size, ZOO.length);
});

test(
  "A5 P2 T27 every misbehaving agent is ended with all its descendants, and no descriptor stays open",
  { skip: process.platform !== "linux" && "descriptors are counted in /proc" },
  async (t) => {
    const openBefore = descriptors();
    for (const beast of ZOO)
      await t.test(`A5 P2 one that ${beast.vice}`, async () => {
        const session = await begin(beast);
        await showsItself(beast, session);
        assert.deepEqual(await endSession(world, session, GRACE_MS), { kind: "ended" });
        assert.deepEqual(processesOf(folder), []);
      });
    // Keepers were let go of when they were started; they are this process's children until it knows of their end.
    const received = await waitFor(() => (descriptors() <= openBefore ? true : undefined));
    assert.ok(received, `${String(openBefore)} descriptors before, ${String(descriptors())} after`);
  },
);

test("A4 P2 signs that the system shows: a stopped process, a zombie below a living one, an orphan without its agent", async () => {
  const find = (name: string): Beast => {
    const beast = ZOO.find((one) => one.name === name);
    assert.ok(beast);
    return beast;
  };
  const stopped = await begin({ ...find("stops-itself"), name: "sign-stopped" });
  assert.ok(await waitFor(() => (statesOf(folder).includes("T") ? true : undefined), LIMIT_MS));
  assert.deepEqual(await endSession(world, stopped, GRACE_MS), { kind: "ended" });
  const parent = await begin({ ...find("zombie-child"), name: "sign-zombie" });
  assert.ok(await waitFor(() => (zombiesBelow(folder) > 0 ? true : undefined), LIMIT_MS));
  assert.deepEqual(await endSession(world, parent, GRACE_MS), { kind: "ended" });
  const orphaned = { ...find("daemon-in-own-session"), name: "sign-orphan" };
  const session = await begin(orphaned);
  await showsItself(orphaned, session);
  assert.equal(processesOf(folder).length, 1, "the orphan lives after its agent's end");
  assert.deepEqual(await endSession(world, session, GRACE_MS), { kind: "ended" });
  assert.deepEqual(processesOf(folder), []);
});

test("P2 T26 what floods and what says one huge line is whole in its spool", async () => {
  for (const [name, bytes] of [
    ["floods", 8_000 * 929],
    ["huge-line", 4 * 1_024 * 1_024],
  ] as const) {
    const beast = ZOO.find((one) => one.name === name);
    assert.ok(beast);
    const session = await begin({ ...beast, name: `bulk-${name}` });
    const full = await waitFor(() => (statSync(session.out).size >= bytes ? true : undefined), LIMIT_MS);
    assert.ok(full, `${name}: ${String(statSync(session.out).size)} bytes`);
    assert.deepEqual(await endSession(world, session, GRACE_MS), { kind: "ended" });
  }
});
