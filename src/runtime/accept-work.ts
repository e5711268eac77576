import type { Effect, EffectOutcome } from "../model/effects.ts";
import type { WorkspaceFacts } from "../model/workspace-effects.ts";
import { lockedText } from "./commit-work.ts";
import { freeTree, holdTree } from "./hold-tree.ts";
import type { Rooms } from "./rooms.ts";

const FILES_NAMED_MAX = 100;

const done = (place: WorkspaceFacts): EffectOutcome => ({ kind: "done", place });

/** Takes the run's branch into the user's, while no other run works in the user's tree. */
export async function acceptWork(
  rooms: Rooms,
  { project, commit, branch, message, author, at }: Extract<Effect, { kind: "AcceptWork" }>,
  { run, key, signal }: { readonly run: string; readonly key: string; readonly signal: AbortSignal },
): Promise<EffectOutcome> {
  const held = await holdTree(rooms, { run, tree: project, wait: false }, signal);
  const place = held.kind === "done" ? held.place : undefined;
  const epoch = place?.kind === "held" ? place.epoch : null;
  const order = { key: `${run}/${key}`, project, commit, message, author, atMs: at };
  // Another run may have the tree since this one has finished there and died.
  const taken = await rooms.workspace.takeIn(epoch === null ? { ...order, answerOnly: true } : order);
  if (epoch !== null) await freeTree(rooms, { tree: project, epoch });
  switch (taken.kind) {
    case "taken": {
      const { into, how, files } = taken;
      const told = { files: files.slice(0, FILES_NAMED_MAX), count: files.length };
      return done({ kind: "accepted", commit: taken.commit, into, how, ...told });
    }
    case "unknown":
      return unaccepted(
        "refused",
        [],
        `${place?.kind === "busy" ? place.by : "another run"} works in ${project}; accept again when it has ended`,
      );
    case "conflict":
      return unaccepted(
        "conflict",
        taken.files,
        `${branch} and your branch changed the same${named(taken.files)}; merge them yourself`,
      );
    case "dirty":
      return unaccepted(
        "dirty",
        taken.files,
        `your own changes in ${project} are in the way${named(taken.files)}; commit them or set them aside`,
      );
    case "filtered":
      return unaccepted(
        "refused",
        taken.files,
        `a filter of yours decides how files are checked out, and none is run here${named(taken.files)}; merge ${branch} yourself`,
      );
    case "locked":
      return unaccepted("refused", [], lockedText(taken.file));
    case "moved":
      return unaccepted(
        "moved",
        [],
        `${project} is on no branch, or its branch has just moved; accept again`,
      );
  }
}

const FILES_TOLD_MAX = 5;

const named = (files: readonly string[]): string => {
  const more = files.length - FILES_TOLD_MAX;
  const first = files.slice(0, FILES_TOLD_MAX).join(", ");
  return files.length === 0 ? "" : ` (${first}${more > 0 ? ` and ${String(more)} more` : ""})`;
};

const unaccepted = (
  cause: Extract<WorkspaceFacts, { kind: "unaccepted" }>["cause"],
  files: readonly string[],
  why: string,
): EffectOutcome => done({ kind: "unaccepted", cause, files: files.slice(0, FILES_NAMED_MAX), why });
