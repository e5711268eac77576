import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { World } from "../../model/world.ts";
import type { HostFence } from "../agent-driver.ts";
import {
  fencedName,
  fenceFolder,
  forget,
  frozenSince,
  makeFence,
  namesIn,
  runOf,
  writePermit,
} from "./fence-folder.ts";
import { livesOn, overSince, thawSession } from "./freeze-sessions.ts";
import { hasGuard } from "./one-guard.ts";

/** A session that was noted so lately may be about to begin. */
const SWEEP_MS = 120_000;

export function hostFence(sessions: string, world: World): HostFence {
  const fence = fenceFolder(sessions);
  const noted = new Set<string>();
  let isOpen = false;
  let held: number | null = null;
  const letGo = (): void => {
    if (held !== null) closeSync(held);
    held = null;
  };
  return {
    open() {
      makeFence(fence);
      isOpen = true;
    },
    hold(isHeld) {
      if (!isHeld) letGo();
      // With both ends open it does not wait for a guard.
      else if (isOpen) held ??= openSync(fence.held, constants.O_RDWR | constants.O_NONBLOCK);
    },
    permit(untilMs) {
      const clock = world.steady?.().clock;
      if (isOpen && clock !== undefined) writePermit(fence, { clock, untilMs }, world.id("draft"));
    },
    guard(session, run) {
      const name = fencedName(fence, session);
      if (!isOpen || noted.has(name)) return;
      writeFileSync(path.join(fence.guarded, name), `${run}\n`, { mode: 0o600 });
      noted.add(name);
    },
    frozen: () =>
      (isOpen ? namesIn(fence.frozen) : []).map((name) => ({
        name,
        run: runOf(fence, name),
        since: frozenSince(fence, name),
      })),
    thaw: (name) => thawSession(fence, name),
    forget(name) {
      noted.delete(name);
      forget(fence, name);
    },
    lives: (name) => livesOn(fence, name),
    sweep() {
      for (const name of overSince(fence, SWEEP_MS)) {
        noted.delete(name);
        forget(fence, name);
      }
    },
    hasGuard: () => hasGuard(fence, world),
    close: letGo,
  };
}
