import { lstat, mkdir, readlink } from "node:fs/promises";
import path from "node:path";
import {
  FINDINGS_SHOWN_MAX,
  REPOSITORY_LOST,
  trustedListSchema,
  type GuardReport,
  type TrustedEntry,
} from "../../model/flow/protected.ts";
import { errorText, Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { inTree, pathOfText, textOfPath } from "../snapshot/tree-path.ts";
import type { Guard, GuardOrder } from "../guard.ts";
import { differences, type Difference } from "./protected-findings.ts";
import { FILE_BYTES_MAX, readOnce, rulesFor, scanProtected, type Scan } from "./protected-scan.ts";
import { undoDifferences } from "./protected-undo.ts";
import { ProtectedWatch } from "./protected-watch.ts";
import { RepositoryCopy } from "./repository-copy.ts";
import { TrustedStore } from "../snapshot/trusted-store.ts";
import { writeWhole } from "../worktree/write-whole.ts";

/** Undoing one thing can uncover another (a locked folder); an agent that writes faster than we undo is a failure. */
const ROUNDS_MAX = 4;

/** Guards protected files with copies in a folder of Holdfast's own. */
export function fileGuard({ world, folder }: { readonly world: World; readonly folder: string }): Guard {
  const store = new TrustedStore(folder);
  return {
    async check(order) {
      const gone = await lostRepository({ world, folder }, order);
      if (gone !== null) return reportOf(store, { ...gone, entries: await trustedOf(store, order) });
      const scan = await scanOf(order);
      if (order.trusted === null) return reportOf(store, await keepAll(store, order.tree, scan));
      const trusted = await listOf(store, order.trusted);
      const found = differences(trusted, scan);
      const limit = scan.limit === undefined ? {} : { limit: scan.limit };
      const findings = found.map(({ at, act }) => ({ path: textOfPath(at), act }));
      const answer = { entries: restamped(trusted, scan), findings, undone: found.length === 0 };
      const done =
        order.undo && found.length > 0 ? await undone({ world, store, trusted }, order, found) : answer;
      return reportOf(store, { ...done, ...limit });
    },
    async returnFiles({ tree, rules, trusted, files }) {
      for (const { path: name, found } of files) await putFile(store, inTree(tree, pathOfText(name)), found);
      const { entries } = await keepAll(store, tree, await scanOf({ tree, rules }));
      const isReturned = new Set(files.map((one) => one.path));
      const before = trusted === null ? [] : await listOf(store, trusted);
      const all = [
        ...before.filter((entry) => !isReturned.has(entry.path)),
        ...entries.filter((entry) => isReturned.has(entry.path) || isAbove(entry, isReturned)),
      ];
      const unique = [...new Map(all.map((entry) => [entry.path, entry])).values()];
      return { trusted: await store.keep(Buffer.from(JSON.stringify(unique))), paths: unique.length };
    },
    async bringRepository(tree) {
      const copy = new RepositoryCopy(world, folder, tree);
      return (await copy.isSound()) || !(await copy.isKept()) ? null : copy.bringBack();
    },
    pack: (trusted) => packList(store, trusted),
    async unpack({ tree, rules, trusted, copies }) {
      for (const bytes of copies) await store.keep(Buffer.from(bytes));
      const entries = restamped(await listOf(store, trusted), await scanOf({ tree, rules }));
      return store.keep(Buffer.from(JSON.stringify(entries)));
    },
    watch(order, stirred) {
      const watched = new ProtectedWatch(order, stirred);
      return () => watched.close();
    },
    async compare(before, after) {
      // A list that is gone has nothing to compare with: all of it is new.
      const kept = before === null ? null : await store.read(before);
      const trusted = kept === null ? [] : readList(kept);
      const now = await listOf(store, after);
      const entries = new Map(now.map((entry) => [pathOfText(entry.path), entry]));
      return Promise.all(
        differences(trusted, { entries, limit: undefined }).map(async ({ at, act, trusted: was, found }) => ({
          path: textOfPath(at),
          act,
          before: await bytesOf(store, was),
          after: await bytesOf(store, found),
        })),
      );
    },
  };
}

async function packList(
  store: TrustedStore,
  trusted: string,
): Promise<{ readonly digest: string; readonly bytes: Uint8Array }[]> {
  const entries = await listOf(store, trusted);
  const digests = new Set([trusted, ...entries.map(({ copy, digest }) => copy ?? digest ?? "")]);
  const packed: { digest: string; bytes: Uint8Array }[] = [];
  for (const digest of digests) {
    const bytes = await store.read(digest);
    if (bytes !== null) packed.push({ digest, bytes });
  }
  return packed;
}

/**
 * The repository that agents work in is kept while it is sound. Where it is gone or damaged, a person is asked: what
 * stands in its place may be theirs.
 */
async function lostRepository(
  { world, folder }: { readonly world: World; readonly folder: string },
  { tree, rules, trusted }: GuardOrder,
): Promise<Omit<Checked, "entries"> | null> {
  if (!rules.includes(".git")) return null;
  const copy = new RepositoryCopy(world, folder, tree);
  const isFolder = (await lstat(path.join(tree, ".git")).catch(() => null))?.isDirectory() === true;
  if (isFolder && (await copy.isSound())) {
    await copy.keep();
    return null;
  }
  if (trusted === null || !(await copy.isKept())) return null;
  const findings = [{ path: ".git", act: isFolder ? "edited" : "removed" } as const];
  return { findings, undone: false, failure: `${path.join(tree, ".git")} ${REPOSITORY_LOST}` };
}

const trustedOf = (store: TrustedStore, { trusted }: GuardOrder): Promise<TrustedEntry[]> =>
  trusted === null ? Promise.resolve([]) : listOf(store, trusted);

/** A folder that a file stands in. */
const isAbove = ({ kind, path: name }: TrustedEntry, files: ReadonlySet<string>): boolean =>
  kind === "folder" && [...files].some((file) => file.startsWith(`${name}/`));

/** A file that is there keeps its mode. */
async function putFile(store: TrustedStore, file: Buffer, found: string): Promise<void> {
  const bytes = await store.read(found);
  if (bytes === null)
    throw new Fault("not_found", `what was found (${found}) is kept no more; expected its bytes`);
  const at = file.toString();
  const mode = (await lstat(at).catch(() => null))?.mode ?? 0o644;
  await mkdir(path.dirname(at), { recursive: true });
  await writeWhole(at, bytes, { mode: mode & 0o777 });
}

const bytesOf = (store: TrustedStore, entry: TrustedEntry | null): Promise<Buffer | null> =>
  entry === null ? Promise.resolve(null) : store.read(entry.copy ?? entry.digest ?? "");

interface Checked {
  readonly entries: readonly TrustedEntry[];
  readonly findings: GuardReport["findings"];
  readonly undone: boolean;
  readonly failure?: string;
  readonly limit?: GuardReport["limit"];
}

async function reportOf(
  store: TrustedStore,
  { entries, findings, ...checked }: Checked,
): Promise<GuardReport> {
  const trusted = await store.keep(Buffer.from(JSON.stringify(entries)));
  const first = findings.slice(0, FINDINGS_SHOWN_MAX);
  return { ...checked, trusted, paths: entries.length, findings: first, count: findings.length };
}

/** The list names its digest in the journal: one that somebody has changed is none. */
async function listOf(store: TrustedStore, digest: string): Promise<TrustedEntry[]> {
  const bytes = await store.read(digest);
  if (bytes === null)
    throw new Error(`the list of what is trusted (${digest}) is gone or changed; trust the files again`);
  return readList(bytes);
}

const readList = (bytes: Buffer): TrustedEntry[] =>
  trustedListSchema.parse(JSON.parse(bytes.toString("utf8")));

const scanOf = ({ tree, rules }: Pick<GuardOrder, "tree" | "rules">): Promise<Scan> =>
  scanProtected(tree, rulesFor(tree, rules));

/**
 * The bytes are kept before they are called trusted. A file too large for that is reported; it may not change either,
 * but cannot be brought back.
 */
async function keepAll(store: TrustedStore, tree: string, { entries, limit }: Scan): Promise<Checked> {
  const kept: TrustedEntry[] = [];
  let reached = limit;
  for (const [at, entry] of entries) {
    const bytes =
      entry.kind === "file"
        ? await readOnce(inTree(tree, at))
        : entry.kind === "link"
          ? await readlink(inTree(tree, at), "buffer")
          : undefined;
    const copy = bytes === undefined ? undefined : await store.keep(bytes);
    if (entry.kind === "file" && bytes === undefined) {
      const detail = `${entry.path} has no trusted copy: it is too large or cannot be read`;
      reached ??= { what: "bytes of a protected file", bound: FILE_BYTES_MAX, detail };
    }
    kept.push(copy === undefined || copy === entry.digest ? entry : { ...entry, copy });
  }
  return { entries: kept, findings: [], undone: true, ...(reached === undefined ? {} : { limit: reached }) };
}

/** The same bytes and modes as trusted, with what the files look like from outside by now. */
const restamped = (trusted: readonly TrustedEntry[], { entries }: Scan): TrustedEntry[] =>
  trusted.map((entry) => {
    const found = entries.get(pathOfText(entry.path));
    if (found?.kind !== entry.kind || found.digest !== entry.digest) return entry;
    const { names, stamp } = found;
    return {
      ...entry,
      ...(names === undefined ? {} : { names }),
      ...(stamp === undefined ? {} : { stamp }),
    };
  });

interface Undoing {
  readonly world: World;
  readonly store: TrustedStore;
  readonly trusted: readonly TrustedEntry[];
}

async function undone(
  { world, store, trusted }: Undoing,
  order: GuardOrder,
  first: readonly Difference[],
): Promise<Checked> {
  const findings = new Map<string, GuardReport["findings"][number]>();
  let entries: TrustedEntry[] = [...trusted];
  let left = first;
  let failure = "the files change faster than they are brought back";
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    for (const { at, act } of left) if (!findings.has(at)) findings.set(at, { path: textOfPath(at), act });
    try {
      for (const finding of await undoDifferences({ world, store, tree: order.tree }, left))
        findings.set(pathOfText(finding.path), { ...findings.get(pathOfText(finding.path)), ...finding });
    } catch (error) {
      failure = errorText(error);
    }
    const scan = await scanOf(order);
    left = differences(trusted, scan).filter(({ act }) => act !== "rewritten");
    entries = restamped(trusted, scan);
    if (left.length === 0) return { entries, findings: [...findings.values()], undone: true };
  }
  const still = left.map(({ at }) => textOfPath(at)).join(", ");
  return { entries, findings: [...findings.values()], undone: false, failure: `${still}: ${failure}` };
}
