import { plainTextIfAny } from "../../files/plain-file.ts";
import type { World } from "../../model/world.ts";
import { writeWhole } from "../keeper/session-folder.ts";
import type { FenceFolder } from "./fence-folder.ts";

const BYTES_MAX = 1_000;

const nameOf = ({ self }: Pick<World, "self">): string => `${String(self.pid)} ${self.startedAt}`;

const guardNow = ({ guard }: FenceFolder): string | null =>
  plainTextIfAny(guard, { bytesMax: BYTES_MAX })?.trim() ?? null;

/** From now on this process guards; the one before sees it and ends. Answers whether there is another since. */
export function replaceGuard(fence: FenceFolder, world: Pick<World, "self" | "id">): () => boolean {
  const own = nameOf(world);
  writeWhole(fence.guard, `${own}\n`, world.id("draft"));
  return () => guardNow(fence) !== own;
}

/** Whether the process that guards lives. */
export function hasGuard(fence: FenceFolder, { self, liveness }: Pick<World, "self" | "liveness">): boolean {
  const [pid, startedAt] = guardNow(fence)?.split(" ", 2) ?? [];
  return startedAt !== undefined && liveness({ ...self, pid: Number(pid), startedAt }) === "alive";
}
