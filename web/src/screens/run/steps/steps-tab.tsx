import { useMemo, type ReactElement } from "react";
import type { AnswerOf } from "../../../../../src/api/client/client.ts";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Graph } from "../../../ui/graph/graph.tsx";
import { layoutGraph, NODE } from "../../../ui/graph/layout-graph.ts";
import { Money, countText } from "../../../ui/money.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { StatusMark } from "../../../ui/status-mark.tsx";
import type { StatusKind } from "../../../ui/status-of.ts";
import { useNarrow } from "../../../ui/use-media.ts";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";
import { useSelection } from "../use-selection.ts";

type Step = AnswerOf<"listSteps">["steps"][number];
const DRAWN_MAX = 300;

/** The steps as a graph: what each needs, how it stands, and what it cost. */
export function StepsTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { data, error, refresh } = useApi("listSteps", { params: { run: run.run } });
  const steps = useMemo(() => (data?.steps ?? []).slice(0, DRAWN_MAX), [data]);
  const shape = steps.map(({ name, needs }) => `${name}<${needs.join()}`).join(" ");
  const isNarrow = useNarrow();
  const layout = useMemo(() => layoutGraph(steps, isNarrow ? "down" : "right"), [shape, isNarrow]);
  const { search, select } = useSelection();
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  if (steps.length === 0) return <EmptyState title={en.run.steps.empty}>{en.run.steps.none}</EmptyState>;
  const byName = new Map(steps.map((step) => [step.name, step]));
  return (
    <section className="panel" aria-label={en.run.steps.label}>
      {data.count > steps.length && (
        <p className="panel-head muted">{en.run.steps.more(steps.length, data.count)}</p>
      )}
      <Graph label={en.run.steps.label} layout={layout}>
        {layout.nodes.map(({ name, x, y }) => {
          const step = byName.get(name);
          return step === undefined ? null : (
            <StepNode
              key={name}
              step={step}
              x={x}
              y={y}
              isChosen={search.attempt?.startsWith(`${name}#`) === true}
              onChoose={() => select({ attempt: `${name}#${String(Math.max(1, step.attempts))}` })}
            />
          );
        })}
      </Graph>
    </section>
  );
}

interface NodeProps {
  readonly step: Step;
  readonly x: number;
  readonly y: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const KINDS: Readonly<Record<string, StatusKind>> = {
  pending: "queued",
  running: "running",
  checking: "running",
  succeeded: "done",
  failed: "failed",
  skipped: "cancelled",
  dropped: "cancelled",
};

function StepNode({ step, x, y, isChosen, onChoose }: NodeProps): ReactElement {
  const { name, status, attempts, agent, needs, why, usd, tokens, live, waitsFor } = step;
  const kind = live.length > 0 ? "running" : waitsFor !== null ? "waiting" : (KINDS[status] ?? "queued");
  const said = [why, needs.length === 0 ? null : `${en.run.steps.needs}: ${needs.join(", ")}`].filter(
    (text) => text !== null,
  );
  return (
    <button
      type="button"
      className={`graph-node graph-${kind}`}
      style={{ left: x, top: y, width: NODE.width, height: NODE.height }}
      title={said.join("\n")}
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      <span className="row">
        <StatusMark kind={kind} isShort />
        <strong className="clip">
          <Untrusted text={name} isLine />
        </strong>
      </span>
      <span className="row small muted">
        <span className="clip">
          <Untrusted text={agent} isLine />
        </span>
        <span className="grow" />
        {attempts > 0 && <span className="num">{en.run.steps.attempts(attempts)}</span>}
      </span>
      <span className="row small muted num">
        {attempts > 0 && (
          <>
            <Money usd={usd} />
            <span>{countText(tokens)} tok</span>
          </>
        )}
        <span className="grow" />
        <span className="clip">{waitsFor ?? status}</span>
      </span>
    </button>
  );
}
