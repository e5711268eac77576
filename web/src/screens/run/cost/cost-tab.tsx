import { useMemo, type ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { countText, moneyText } from "../../../ui/money.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { spanText } from "../../../ui/time-text.ts";
import type { RunDocument } from "../run-document.ts";
import { useChunks, useChunkWindow } from "../use-chunks.ts";
import { contextSeries, costSeries, type ContextSeries, type CostSeries } from "./cost-series.ts";
import { LineChart, type Line } from "./line-chart.tsx";

const SIZE = 2_000;
const MOST = 6;
const TOKENS = ["--accent", "--done", "--needs-you", "--waiting", "--blocked", "--muted"];

interface Spent {
  readonly usd: number;
  readonly tokens: number;
}

/** What was spent, against its limits, and how full the agents' contexts were. */
export function CostTab({ run }: { readonly run: RunDocument }): ReactElement {
  const view = useChunkWindow(run.position, { size: SIZE, most: MOST });
  const { loaded, error } = useChunks("getSeries", {
    run: run.run,
    head: run.position,
    size: SIZE,
    range: view.range,
  });
  const spent = (run.budget as { readonly spent?: Spent }).spent ?? { usd: 0, tokens: 0 };
  const limit = (run.budget as { readonly usd?: number | null }).usd ?? null;
  if (error !== null && loaded.length === 0) return <Problem error={error} />;
  if (loaded.length === 0) return <Skeleton />;
  return (
    <div className="cost">
      <Amounts run={run} spent={spent} limit={limit} />
      {view.range.first > 0 && (
        <div>
          <button type="button" className="button button-normal" onClick={view.earlier}>
            {en.run.earlier}
          </button>
        </div>
      )}
      <Charts parts={loaded} spent={spent} limit={limit} />
    </div>
  );
}

interface ChartsProps {
  readonly parts: Parameters<typeof contextSeries>[0];
  readonly spent: Spent;
  readonly limit: number | null;
}

function Charts({ parts, spent, limit }: ChartsProps): ReactElement {
  const key = parts.map(({ toSeq }) => toSeq).join(" ");
  const cost = useMemo(() => costSeries(parts, spent), [key]);
  const context = useMemo(() => contextSeries(parts), [key]);
  const costLines = useMemo(() => costLinesOf(cost.usd, limit), [cost, limit]);
  const tokenLines = useMemo(() => tokenLinesOf(cost), [cost]);
  const contextLines = useMemo(() => contextLinesOf(context), [context]);
  return (
    <>
      {cost.at.length === 0 && context.at.length === 0 && (
        <EmptyState title={en.run.cost.empty}>{en.run.cost.emptyHint}</EmptyState>
      )}
      {cost.at.length > 0 && (
        <>
          <Panel title={en.run.cost.cost}>
            <LineChart
              label={`${en.run.cost.cost}: ${moneyText(spent.usd)}`}
              at={cost.at}
              lines={costLines}
              format={moneyText}
            />
          </Panel>
          <Panel title={en.run.cost.tokens}>
            <LineChart
              label={`${en.run.cost.tokens}: ${countText(spent.tokens)}`}
              at={cost.at}
              lines={tokenLines}
              format={countText}
            />
          </Panel>
        </>
      )}
      {context.at.length > 0 && (
        <Panel title={en.run.cost.context}>
          <LineChart label={en.run.cost.context} at={context.at} lines={contextLines} format={percent} />
        </Panel>
      )}
    </>
  );
}

const tokenLinesOf = ({ tokensIn, tokensOut }: CostSeries): readonly Line[] => [
  { label: en.run.cost.tokensIn, token: "--accent", values: tokensIn },
  { label: en.run.cost.tokensOut, token: "--done", values: tokensOut },
];
const contextLinesOf = ({ byAttempt }: ContextSeries): readonly Line[] =>
  byAttempt.map(({ attempt, usedPct }, at) => ({
    label: attempt,
    token: TOKENS[at] ?? "--muted",
    values: usedPct,
  }));

const percent = (value: number): string => `${String(Math.round(value))} %`;

function costLinesOf(usd: readonly number[], limit: number | null) {
  const spent = { label: en.run.cost.cost, token: "--accent", values: usd };
  return limit === null
    ? [spent]
    : [spent, { label: en.run.cost.limit, token: "--blocked", values: usd.map(() => limit), isDashed: true }];
}

interface AmountsProps {
  readonly run: RunDocument;
  readonly spent: Spent;
  readonly limit: number | null;
}

function Amounts({ run, spent, limit }: AmountsProps): ReactElement {
  return (
    <dl className="amounts">
      <div>
        <dt>{en.run.cost.spent}</dt>
        <dd className="num">
          {moneyText(spent.usd)} {limit !== null && <span className="muted">/ {moneyText(limit)}</span>}
        </dd>
      </div>
      <div>
        <dt>{en.run.cost.tokens}</dt>
        <dd className="num">{countText(spent.tokens)}</dd>
      </div>
      {run.limits.map(({ of, usedMs, limitMs, usedPct, pressed }) => (
        <div key={of}>
          <dt>{of}</dt>
          <dd className={`num ${pressed ? "status-waiting" : ""}`}>
            {spanText(usedMs)}{" "}
            <span className="muted">
              / {spanText(limitMs)} ({percent(usedPct)})
            </span>
          </dd>
        </div>
      ))}
      {run.budgetText !== null && !/^\$[\d.,]+ of \$[\d.,]+$/.test(run.budgetText) && (
        <div className="amount-text">
          <dt>{en.run.cost.limits}</dt>
          <dd>{run.budgetText}</dd>
        </div>
      )}
    </dl>
  );
}
