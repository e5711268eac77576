import { useMemo, type ReactElement } from "react";
import { en } from "../../text/en.ts";
import { Graph } from "../../ui/graph/graph.tsx";
import { layoutGraph, NODE, type GraphNode, type Placed } from "../../ui/graph/layout-graph.ts";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { StatusKind } from "../../ui/status-of.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { visibleLine } from "../../ui/untrusted-text.ts";
import {
  barrierMark,
  barrierWord,
  isThere,
  opensIf,
  workMark,
  workWord,
  type Mission,
} from "./mission-words.ts";

const { missions: words } = en;
const BARRIER = { width: 200, height: 48 } as const;

export interface Choice {
  readonly chosen: string | null;
  readonly choose: (name: string | null) => void;
}

const nodesOf = ({ workstreams, barriers }: Mission): GraphNode[] => [
  ...workstreams.map(({ id, needs, repository }) => ({ name: id, needs, group: repository, size: NODE })),
  ...barriers.map(({ name, of }) => ({ name, needs: of, size: BARRIER })),
];

/** Workstreams in boxes of their repositories, barriers between them, and what each needs. */
export function MissionGraph({ mission, choice }: { readonly mission: Mission; readonly choice: Choice }) {
  const isNarrow = useNarrow();
  const nodes = nodesOf(mission);
  const shape = JSON.stringify(nodes);
  const layout = useMemo(() => layoutGraph(nodes, isNarrow ? "down" : "right"), [shape, isNarrow]);
  const parts = partsOf(mission);
  return (
    <Panel title={words.graphTitle}>
      <p className="panel-body small muted graph-hint">
        {words.graphHint} {words.chooseHint}
      </p>
      <Graph label={words.graph} layout={layout} isThere={(from) => parts.get(from)?.isThere ?? false}>
        {layout.nodes.map((box) => {
          const part = parts.get(box.name);
          return part === undefined ? null : <Node key={box.name} box={box} part={part} choice={choice} />;
        })}
      </Graph>
    </Panel>
  );
}

interface Part {
  readonly kind: StatusKind;
  readonly word: string;
  readonly about: string;
  readonly isBarrier: boolean;
  readonly isThere: boolean;
}

const partsOf = ({ workstreams, barriers }: Mission): ReadonlyMap<string, Part> =>
  new Map<string, Part>([
    ...workstreams.map(({ id, status, goal }): [string, Part] => [
      id,
      {
        ...{ kind: workMark(status), word: workWord(status), about: goal },
        ...{ isBarrier: false, isThere: isThere(status) },
      },
    ]),
    ...barriers.map((barrier): [string, Part] => [
      barrier.name,
      {
        ...{ kind: barrierMark(barrier), word: barrierWord(barrier), about: opensIf(barrier).join(", ") },
        ...{ isBarrier: true, isThere: barrier.open },
      },
    ]),
  ]);

interface NodeProps {
  readonly box: Placed;
  readonly part: Part;
  readonly choice: Choice;
}

function Node({ box, part, choice: { chosen, choose } }: NodeProps): ReactElement {
  const { name, x, y, width, height } = box;
  const { kind, word, about, isBarrier } = part;
  const isChosen = chosen === name;
  return (
    <button
      type="button"
      className={`graph-node graph-${kind} ${isBarrier ? "graph-barrier" : ""}`}
      style={{ left: x, top: y, width, height }}
      title={visibleLine(about, 300)}
      aria-pressed={isChosen}
      onClick={() => choose(isChosen ? null : name)}
    >
      <span className="row">
        <strong className="clip">
          <span className="visually-hidden">{isBarrier ? words.barrierIs : words.workstreamIs} </span>
          {name}
        </strong>
        <span className="grow" />
        <span className="small graph-word">
          <StatusMark kind={kind} word={word} />
        </span>
      </span>
      <span className="small muted clip">{visibleLine(about, 120)}</span>
    </button>
  );
}
