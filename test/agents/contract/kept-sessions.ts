import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { identify } from "../../../src/agents/process-identity.ts";
import { waitFor } from "./scene.ts";
import type { Subject } from "./subject.ts";

export const sessionsIn = (folder: string): string => path.join(folder, "sessions");

/** One that is gone by now needs no signal: short-lived helpers of an agent come and go while it is looked at. */
function strike(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** For every driver whose agents run under a keeper. */
export const keptSessions: Required<Pick<Subject, "vanish" | "forge">> = {
  vanish: async (folder, session) => {
    const { mark } = sessionFolder(sessionsIn(folder), session);
    const members = (): readonly { readonly pid: number }[] => {
      const found = sessionMembers(mark, undefined);
      if (found === "unknown") throw new Error("the process table cannot be read");
      return found;
    };
    // First stopped, so that no keeper lives to tell of its agent's death.
    for (const { pid } of members()) strike(pid, "SIGSTOP");
    for (const { pid } of members()) strike(pid, "SIGKILL");
    await waitFor(() => (members().length === 0 ? true : undefined));
  },
  forge: (folder, session, pid) => {
    const { identity } = sessionFolder(sessionsIn(folder), session);
    const recorded = JSON.parse(readFileSync(identity, "utf8")) as { startedAt: string };
    const stranger = identify(pid);
    // Start times count in ticks of 10 ms: of two processes of one tick the record would tell the truth.
    assert.ok(
      typeof stranger === "object" && stranger.startedAt !== recorded.startedAt,
      "started in one tick",
    );
    writeFileSync(identity, `${JSON.stringify({ ...recorded, pid })}\n`);
  },
};
