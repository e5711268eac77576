import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { readExitStatus, readIdentity, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { realWorld } from "../../../src/real-world.ts";
import { waitFor } from "../contract/scene.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-priority-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const world = realWorld();

/** The priority that an agent and its keeper have. */
async function priorities(
  name: string,
  nice: number | undefined,
  spokenTo: boolean,
): Promise<(number | undefined)[]> {
  const session = sessionFolder(folder, name);
  const heir = { spec: { use: "acp" } as const, nice };
  const command = ["/bin/sh", "-c", "nice; sleep 60"] as const;
  await launchSession(world, { session, command, cwd: folder, order: {}, heir, spokenTo });
  const said = await waitFor(() => {
    const text = readFileSync(session.out, "utf8");
    return text.includes("\n") ? Number(text.trim()) : undefined;
  });
  const reading = readIdentity(session);
  assert.ok(reading.kind === "keeper");
  const keeper = getPriority(reading.keeper.pid);
  await endSession(world, session, 100);
  return [said, keeper];
}

const own = getPriority();
const most = (nice: number): number => Math.min(own + nice, 19);

for (const spokenTo of [false, true])
  test(`L7 an agent gives way to its supervisor and its keeper by what is configured (${spokenTo ? "spoken to" : "headless"})`, async () => {
    assert.deepEqual(await priorities(`low-${String(spokenTo)}`, 5, spokenTo), [most(5), own]);
    assert.deepEqual(await priorities(`same-${String(spokenTo)}`, undefined, spokenTo), [own, own]);
  });

test("L7 an agent that gives way ends with its own status, also where its program is missing", async () => {
  for (const [command, status] of [
    [["/bin/sh", "-c", "exit 7"], 7],
    [["/nowhere/agent"], 127],
  ] as const) {
    const session = sessionFolder(folder, `ends-${String(status)}`);
    const heir = { spec: { use: "acp" } as const, nice: 5 };
    await launchSession(world, { session, command: [...command] as [string], cwd: folder, order: {}, heir });
    assert.equal(await waitFor(() => readExitStatus(session)), status);
  }
});
