/**
 * Removes a value from everything that is kept of a run.
 *
 * On disk, in this order, under the run's lease:
 * 1. the anchor names the run's end as it is and as it will be (`journal/anchored-journal.ts`);
 * 2. one transaction puts cleaned events, requests and large values in the place of those that held the value, chains
 *    what follows again, drops the snapshot and appends `RunScrubbed`; then the anchor names the new end;
 * 3. stars are written over the value in the files of the run's sessions, its mirrors and the supervisor's log;
 * 4. the store's files are written again, so that nothing is left in unused parts of them;
 * 5. `ScrubFinished` is appended.
 * A process that dies before 2 has changed nothing. After it the run is whole at every instant, and `verify` says that
 * the removal is not finished; the same order again does the rest. Only the one that has the value can: it is nowhere
 * on disk.
 */
import type { Head, Journal, RunListing } from "./journal/journal.ts";
import type { StoredEvent } from "./journal/chain.ts";
import { decodeWhole, digestsIn } from "./journal/large-values.ts";
import { scrubOrder, planScrub, type ScrubPlan } from "./journal/scrub-plan.ts";
import { scrubsOf, type ScrubRecord } from "./journal/scrub-records.ts";
import { evolve } from "./fold/evolve.ts";
import { filesBelow, maskFile, type MaskedFile } from "./files/mask-file.ts";
import { errorText, Fault } from "./model/fault.ts";
import type { ValueRemover } from "./model/events/remove-value.ts";
import type { RunState } from "./model/state/run-state.ts";
import type { World } from "./model/world.ts";
import type { Leases } from "./runtime/leases.ts";
import { loadKnownRun } from "./runtime/load-run.ts";
import { runsWith, scrubSearch, type Exempt, type ScrubPlaces, type ScrubSearch } from "./scrub-search.ts";

const LEFT_NAMED_MAX = 100;
const NOTHING_EXEMPT: Exempt = { checkpoints: [], files: [] };

interface ScrubOrder {
  readonly run: string;
  readonly by: string;
  readonly remover: ValueRemover;
  /** False: nothing is changed. */
  readonly remove: boolean;
}

interface Owning {
  readonly journal: Journal;
  readonly world: World;
  readonly leases: Leases;
}

type ScrubParts = Owning & ScrubSearch;

/** How values are removed from runs of one store. */
export interface Scrubbing {
  /** Removes a value from what is kept of a run, or says where it stands. */
  scrubRun(order: ScrubOrder, places: ScrubPlaces): Promise<Scrubbed>;
  /** What a run has on record of such removals, oldest first. */
  scrubsOf(run: string): Promise<readonly ScrubRecord[]>;
}

export const scrubbing = (owning: Owning, sessionsFolder: string): Scrubbing => ({
  scrubRun: (order, places) => scrubRun({ ...owning, ...scrubSearch(sessionsFolder, places) }, order),
  scrubsOf: (run) => scrubsOf(owning.journal, run),
});

interface Scrubbed {
  readonly run: string;
  /** Events that held the value, by their number. */
  readonly events: readonly number[];
  readonly requests: number;
  readonly files: readonly MaskedFile[];
  /** How often it stood in the store's files, unused parts and other runs included; null where a server has them. */
  readonly traces: number | null;
  readonly exempt: Exempt;
  /** What was written; null where nothing was changed. */
  readonly record: { readonly seq: number; readonly before: Head; readonly after: Head } | null;
  /** What is left afterwards: in the store's files, and the runs that hold it. */
  readonly left: { readonly traces: number | null; readonly runs: readonly string[] };
}

async function scrubRun(parts: ScrubParts, order: ScrubOrder): Promise<Scrubbed> {
  const { journal, leases } = parts;
  await stateOf(journal, order.run);
  const taken = await leases.take(order.run);
  if (taken.kind === "held") throw atWork(order.run);
  try {
    return await scrubOwned(parts, order, taken.epoch);
  } finally {
    await leases.release(order.run, taken.epoch);
  }
}

/** Null for a journal that runs share, such as that of an account: it is no run, and has no files. */
const stateOf = (journal: Journal, run: string): Promise<RunState | null> =>
  isShared(run) ? Promise.resolve(null) : loadKnownRun(journal, run);

const isShared = (run: string): boolean => run.includes(":");

const listingOf = async (journal: Journal, run: string): Promise<RunListing | undefined> =>
  (await journal.runs({ shared: isShared(run) })).find((one) => one.run === run);

async function scrubOwned(parts: ScrubParts, order: ScrubOrder, epoch: number): Promise<Scrubbed> {
  const { journal, world } = parts;
  const { run, remover, remove } = order;
  const state = await stateOf(journal, run);
  const plan = await planScrub(journal, run, remover);
  const found = {
    run,
    events: plan.changed,
    requests: plan.mail.length,
    traces: await journal.traces(remover.forms),
    exempt: state === null ? NOTHING_EXEMPT : await parts.exempt(state, remover),
  };
  const files = state === null ? [] : parts.files(state);
  const seen = filesWith(files, remover, false);
  if (!remove) return { ...found, files: seen, record: null, left: await leftOf(journal, remover, found) };
  const isOpen = (await scrubsOf(journal, run)).at(-1)?.finished === false;
  const isKept = plan.changed.length > 0 || plan.mail.length > 0;
  const isFound = isKept || seen.length > 0;
  if (isFound) await checkFolds(journal, plan, state);
  const record = isFound ? await rewrite(parts, order, { plan, epoch }) : null;
  world.crashPoint("scrub.files.before");
  const masked = filesWith(files, remover, true);
  world.crashPoint("scrub.purge.before");
  if (isFound || isOpen || found.traces !== 0) await journal.purge("all");
  world.crashPoint("scrub.purge.after");
  if (record !== null || isOpen) await finish(parts, { run, epoch, masked });
  const after = { events: [], requests: 0, traces: await journal.traces(remover.forms) };
  return { ...found, files: masked, record, left: await leftOf(journal, remover, after) };
}

/** Session folders and files, each looked at on its own: one that cannot be cleaned keeps none of the others. */
const filesWith = (files: readonly string[], { forms }: ValueRemover, mask: boolean): MaskedFile[] =>
  files
    .flatMap((file) => [file, ...filesBelow(file)])
    .map((file) => maskFile(file, forms, { mask }))
    .filter(({ count, why }) => count > 0 || why !== undefined);

async function rewrite(
  { journal, world }: ScrubParts,
  { run, by, remover }: ScrubOrder,
  { plan, epoch }: { readonly plan: ScrubPlan; readonly epoch: number },
): Promise<NonNullable<Scrubbed["record"]>> {
  const listed = await listingOf(journal, run);
  if (listed === undefined) throw notChanged(run, "it was removed meanwhile");
  const { status, goal, wakeAt } = listed;
  const listing = { status, goal: remover.clean(goal), wakeAt };
  const order = scrubOrder(plan, by, { epoch, at: world.now(), listing });
  const outcome = await journal.rewrite(order);
  if (outcome.kind !== "rewritten") throw notChanged(run, "somebody else works on it now");
  const { seq } = outcome.head;
  const after = { seq: plan.head.seq, hash: plan.events.at(-1)?.hash ?? plan.head.hash };
  return { seq, before: plan.head, after };
}

async function finish(
  { journal, world }: ScrubParts,
  {
    run,
    epoch,
    masked,
  }: { readonly run: string; readonly epoch: number; readonly masked: readonly MaskedFile[] },
): Promise<void> {
  const left = masked.flatMap(({ file, why }) => (why === undefined ? [] : [{ place: file, why }]));
  const listed = await listingOf(journal, run);
  if (listed === undefined) return;
  const { status, goal, wakeAt, seq: expected } = listed;
  await journal.append({
    run,
    expected,
    epoch,
    at: world.now(),
    events: [
      {
        type: "ScrubFinished",
        data: { files: masked.length - left.length, left: left.slice(0, LEFT_NAMED_MAX) },
      },
    ],
    listing: { status, goal, wakeAt },
  });
}

/** Where the value is still: runs are looked through only if the store's files hold it, or cannot be looked at. */
async function leftOf(
  journal: Journal,
  remover: ValueRemover,
  { traces }: Pick<Scrubbed, "traces">,
): Promise<Scrubbed["left"]> {
  return { traces, runs: traces === 0 ? [] : await runsWith(journal, remover) };
}

/**
 * A value that is also a name or a state of the run would take its meaning away: the cleaned events must be events, and
 * the run must stand where it stood.
 */
async function checkFolds(journal: Journal, plan: ScrubPlan, before: RunState | null): Promise<void> {
  const first = plan.changed[0];
  if (first === undefined) return;
  const texts = new Map(plan.uses.flatMap(({ blobs }) => blobs.map(({ digest, text }) => [digest, text])));
  const know = async (stored: StoredEvent): Promise<void> => {
    const unknown = digestsIn([stored], true).filter((digest) => !texts.has(digest));
    const found = await journal.readApart(stored, unknown);
    for (const [at, digest] of unknown.entries()) texts.set(digest, found[at] ?? "");
  };
  let state: RunState | null = null;
  let seq = 0;
  try {
    const unchanged = { after: 0, limit: first - 1, leaveApart: true };
    for (const event of first === 1 || before === null ? [] : await journal.read(plan.run, unchanged))
      state = evolve(state, event, event);
    for (const stored of plan.events) {
      seq = stored.seq;
      await know(stored);
      const event = decodeWhole(stored, true, (digest) => texts.get(digest));
      if (before !== null) state = evolve(state, event, event);
    }
  } catch (error) {
    throw isNeeded(
      plan.run,
      `event ${String(seq)} would not be one any more (${errorText(error).slice(0, 300)})`,
    );
  }
  if (before !== null && (state === null || standing(state) !== standing(before)))
    throw isNeeded(plan.run, "the run would stand somewhere else without it");
}

const standing = ({ status, steps, attempts }: RunState): string =>
  JSON.stringify([
    status,
    Object.entries(steps).map(([name, step]) => [name, step.status]),
    Object.keys(attempts),
  ]);

const isNeeded = (run: string, why: string): Fault =>
  new Fault(
    "refused",
    `nothing of ${run} was changed: the value is part of what Holdfast needs of the run: ${why}; give more of the secret, exactly as it is`,
    { details: { run } },
  );

const notChanged = (run: string, why: string): Fault =>
  new Fault("refused", `nothing of ${run} was changed: ${why}; see \`holdfast status ${run}\``, {
    retry: "later",
    details: { run },
  });

const atWork = (run: string): Fault =>
  new Fault(
    "refused",
    `a supervisor works on ${run}, and nothing was changed; stop it first: \`holdfast down\` (or end the \`holdfast run\` that shows it), and then ask again`,
    { retry: "later", details: { run } },
  );
