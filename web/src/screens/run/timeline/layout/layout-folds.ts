import type { Extent, Lasting, Mark } from "./layout-items.ts";

/** A stretch in which no agent works, made short on the axis. */
export interface Fold extends Extent {
  /** What was waited for; null where nothing is recorded. */
  readonly reason: string | null;
  readonly kind: Lasting["kind"] | "idle";
}

const FOLD_MS_MIN = 30_000;
/** A gap is folded where it would take more of the axis than this. */
const SHARE_MIN = 0.08;
const MARK_PAD_MS = 2_000;

/** Where nothing worked and nothing happened for long enough to squash what did. */
export function foldsOf(lasting: readonly Lasting[], marks: readonly Mark[], extent: Extent): Fold[] {
  const busy = merged([
    ...lasting.filter(({ kind }) => kind === "attempt").map((one) => within(one, extent)),
    ...marks.map(({ at }) => ({ from: at - MARK_PAD_MS, to: at + MARK_PAD_MS })),
  ]);
  const busyMs = busy.reduce((sum, { from, to }) => sum + (to - from), 0);
  const least = Math.max(FOLD_MS_MIN, busyMs * SHARE_MIN);
  return gapsOf(busy, extent)
    .filter(({ from, to }) => to - from >= least)
    .map((gap) => ({ ...gap, ...whyOf(gap, lasting, extent) }));
}

const within = ({ from, to }: Lasting, extent: Extent): Extent => ({
  from: from ?? extent.from,
  to: to ?? extent.to,
});

/** Stretches that touch become one; in order of time. */
export function merged(spans: readonly Extent[]): Extent[] {
  const found: Extent[] = [];
  for (const span of [...spans].sort((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last !== undefined && span.from <= last.to)
      found[found.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else found.push(span);
  }
  return found;
}

function gapsOf(busy: readonly Extent[], { from, to }: Extent): Extent[] {
  const gaps: Extent[] = [];
  let at = from;
  for (const span of busy) {
    if (span.from > at) gaps.push({ from: at, to: Math.min(span.from, to) });
    at = Math.max(at, span.to);
  }
  if (at < to) gaps.push({ from: at, to });
  return gaps;
}

const STRENGTH: Readonly<Record<string, number>> = { blocked: 3, paused: 2, wait: 1 };

/** What covers most of the gap; of equals what stops the whole run. */
function whyOf(gap: Extent, lasting: readonly Lasting[], extent: Extent): Pick<Fold, "reason" | "kind"> {
  let best: { readonly one: Lasting; readonly rank: number } | null = null;
  for (const one of lasting) {
    if (one.kind === "attempt") continue;
    const span = within(one, extent);
    const covered = Math.min(gap.to, span.to) - Math.max(gap.from, span.from);
    const rank = covered / (gap.to - gap.from) + (STRENGTH[one.kind] ?? 0) / 10;
    if (covered > 0 && (best === null || rank > best.rank)) best = { one, rank };
  }
  return best === null
    ? { reason: null, kind: "idle" }
    : { reason: best.one.outcome ?? best.one.text, kind: best.one.kind };
}
