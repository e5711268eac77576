import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SealAct } from "../../model/requests/seal.ts";
import { runGit } from "../git/run-git.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";
import { findRepository, firstLine } from "../git/user-repository.ts";
import { type PlaceState, type RefState, type RepositoryState, stagedTree } from "./read-seal.ts";
import { type LoggedMove, readRefLog } from "./ref-log.ts";

/** What changed, and to what it is put back where that is done. */
export interface PlannedAct extends SealAct {
  readonly back: string | null;
  /** Whether nobody else has built on it: only then it is undone. */
  readonly undo: boolean;
  /** The tree whose HEAD or index it is; null for a ref. */
  readonly tree: string | null;
}

interface Compared {
  readonly repository: ShadowRepository;
  readonly before: RepositoryState;
  readonly now: RepositoryState;
  readonly email: string;
}

/**
 * What differs from the record, and what of that is proved to be the sealed agent's: git's log of the ref names it for
 * the newest move, or the object itself does where git keeps no log. Work of others below the agent's is kept: a ref
 * goes back to where the agent found it. Everything else is only reported.
 */
export async function findSealActs(compared: Compared): Promise<PlannedAct[]> {
  const { before, now } = compared;
  const names = [...new Set([...Object.keys(before.refs), ...Object.keys(now.refs)])].sort();
  const refs = names
    .filter((name) => before.refs[name]?.oid !== now.refs[name]?.oid)
    .map((name) => actOnRef(compared, name));
  const places: PlannedAct[] = [];
  for (const place of now.places) {
    const known = before.places.find(({ tree }) => tree === place.tree);
    if (known !== undefined) places.push(...(await actsOnPlace(compared, { known, place, refs })));
  }
  return [...refs, ...places, ...actsOnGoverning(compared)].sort(
    (one, other) => Number(other.proved) - Number(one.proved),
  );
}

const named = ({ name, email }: LoggedMove): string => `${name} <${email}>`;
const common = { undone: false, kept: null, tree: null, undo: false } as const;

function actOnRef({ repository, before, now, email }: Compared, what: string): PlannedAct {
  const was: RefState | undefined = before.refs[what];
  const is: RefState | undefined = now.refs[what];
  const facts = { what, before: was?.oid ?? null, after: is?.oid ?? null, ...common };
  if (is === undefined) return { ...facts, by: null, proved: false, back: facts.before };
  const log = readRefLog(repository.commonDir, what);
  const newest = log.at(-1);
  if (newest?.after !== is.oid) {
    const proved = is.email === email;
    return { ...facts, by: proved ? `<${email}>` : null, proved, undo: proved, back: facts.before };
  }
  const by = named(newest);
  // The address is this agent's alone: a line of it anywhere is a breach, and what others did after it stays.
  const proved = log.some((move) => move.email === email);
  if (newest.email !== email) return { ...facts, by, proved, back: facts.before };
  const others = log.findLastIndex((move) => move.email !== email);
  return { ...facts, by, proved: true, undo: true, back: log[others + 1]?.before ?? null };
}

/** Git keeps no log of its configuration and hooks: who changed them is not known, and they are left as they are. */
function actsOnGoverning({ before: { governing: was }, now: { governing: is } }: Compared): PlannedAct[] {
  if (was === undefined || is === undefined) return [];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return names
    .filter((name) => was[name] !== is[name])
    .map((name) => {
      const facts = { what: `.git/${name}`, before: was[name] ?? null, after: is[name] ?? null };
      return { ...common, ...facts, by: null, proved: false, back: null };
    });
}

interface ComparedPlace {
  readonly known: PlaceState;
  readonly place: PlaceState;
  readonly refs: readonly PlannedAct[];
}

async function actsOnPlace(
  { repository, email }: Compared,
  { known, place, refs }: ComparedPlace,
): Promise<PlannedAct[]> {
  const { tree } = place;
  const acts: PlannedAct[] = [];
  if (known.head !== place.head) {
    const gitDir = findRepository(tree)?.gitDir ?? repository.gitDir;
    const switched = readRefLog(gitDir, "HEAD").findLast(({ message }) => message.startsWith("checkout:"));
    const proved = switched?.email === email;
    const by = switched === undefined ? null : named(switched);
    const facts = { what: "HEAD", before: known.head, after: place.head, back: known.head };
    acts.push({ ...common, ...facts, by, proved, undo: proved, tree });
  }
  if (known.index !== place.index) {
    const proved = known.index !== null && (await isOfUndone(repository, place.index, refs));
    const facts = { what: "index", before: known.index, after: place.index, back: known.index };
    acts.push({ ...common, ...facts, by: null, proved, undo: proved, tree });
  }
  return acts;
}

/** What is staged is exactly what the sealed agent has committed. */
async function isOfUndone(
  { shadow }: ShadowRepository,
  index: string | null,
  refs: readonly PlannedAct[],
): Promise<boolean> {
  for (const { undo, after } of refs) {
    if (!undo || after === null || index === null) continue;
    const args = ["rev-parse", "--verify", "--quiet", `${after}^{tree}`];
    const { output } = await runGit({ gitDir: shadow, args, answers: [1, 128] });
    if (output.toString().trim() === index) return true;
  }
  return false;
}

/** Puts HEAD or the index of a tree back, only from what was seen; false where that is not how it stands any more. */
export async function undoInPlace(
  { shadow }: ShadowRepository,
  { what, after, back }: PlannedAct,
  tree: string,
): Promise<boolean> {
  const gitDir = findRepository(tree)?.gitDir;
  if (gitDir === undefined || back === null) return false;
  if (what === "HEAD") return putHead(path.join(gitDir, "HEAD"), { after, back });
  const index = path.join(gitDir, "index");
  const staged = await stagedTree(shadow, index);
  if (staged === back) return true;
  if (staged !== after) return false;
  const { code } = await runGit({ gitDir: shadow, index, args: ["read-tree", back], answers: [1, 128] });
  return code === 0;
}

/** Under git's own lock, so that no git moves it meanwhile. */
function putHead(
  file: string,
  { after, back }: { readonly after: string | null; readonly back: string },
): boolean {
  const lock = `${file}.lock`;
  if (firstLine(file) === back) return true;
  try {
    writeFileSync(lock, `${back}\n`, { flag: "wx", flush: true });
  } catch {
    // A git is at work there, or one died there.
    return false;
  }
  const isSame = firstLine(file) === after;
  if (isSame) renameSync(lock, file);
  else rmSync(lock, { force: true });
  return isSame;
}
