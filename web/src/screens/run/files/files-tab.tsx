import { useState, type ReactElement } from "react";
import { useSource } from "../../../data/data-context.tsx";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { codeText } from "../../../ui/reason-text.ts";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";
import { useSelection } from "../use-selection.ts";
import { FileDiffs } from "./file-diffs.tsx";
import { RestorePanel } from "./restore-panel.tsx";

export interface Checkpoint {
  readonly id: string;
  readonly at: string;
  readonly cause: string;
  readonly note: string | null;
  readonly files: number;
  readonly position: number;
  readonly skipped: number;
}

/** What the run can be put back to, what changed between two of them, and the way back. */
export function FilesTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { search, select } = useSelection();
  const { data, error, refresh } = useApi("listCheckpoints", { params: { run: run.run } });
  const [restoring, restore] = useState<string | null>(null);
  const { kind } = useSource();
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const { checkpoints } = data as unknown as { readonly checkpoints: readonly Checkpoint[] };
  const last = checkpoints.at(-1);
  if (last === undefined)
    return (
      <EmptyState title={en.run.files.empty} command={`holdfast checkpoint ${run.run}`}>
        {en.run.files.emptyHint}
      </EmptyState>
    );
  const is = (id: string | undefined): id is string => checkpoints.some((one) => one.id === id);
  const from = is(search.from) ? search.from : (checkpoints[0]?.id ?? last.id);
  const to = is(search.to) ? search.to : last.id;
  return (
    <div className="files">
      <Panel title={en.run.files.checkpoints} count={checkpoints.length} className="checkpoint-list">
        <ol>
          {checkpoints.toReversed().map((one) => (
            <CheckpointItem
              key={one.id}
              one={one}
              isChosen={one.id === from || one.id === to}
              onSelect={select}
              onRestore={kind === "live" ? () => restore(one.id) : null}
            />
          ))}
        </ol>
      </Panel>
      <div className="stack">
        {restoring !== null && (
          <RestorePanel
            key={restoring}
            run={run.run}
            checkpoint={restoring}
            last={last.id}
            onClose={() => restore(null)}
          />
        )}
        <FileDiffs key={`${from} ${to}`} run={run.run} from={from} to={to} />
      </div>
    </div>
  );
}

interface ItemProps {
  readonly one: Checkpoint;
  readonly isChosen: boolean;
  readonly onSelect: (change: { readonly from?: string; readonly to?: string }) => void;
  readonly onRestore: (() => void) | null;
}

function CheckpointItem({ one, isChosen, onSelect, onRestore }: ItemProps): ReactElement {
  return (
    <li className="checkpoint" aria-current={isChosen}>
      <span className="row row-wrap">
        <code>◇ {one.id}</code> <span className="muted">{codeText(one.cause)}</span>
        <span className="grow" />
        <Time at={one.at} />
      </span>
      {one.note !== null && <Untrusted text={one.note} isLine />}
      <span className="row row-wrap small">
        <span className="muted num">
          {one.files} {en.run.files.count}
          {one.skipped > 0 && `, ${en.run.files.skipped(one.skipped)}`}
        </span>
        <span className="grow" />
        <button type="button" className="link" onClick={() => onSelect({ from: one.id })}>
          {en.run.files.from}
        </button>
        <button type="button" className="link" onClick={() => onSelect({ to: one.id })}>
          {en.run.files.to}
        </button>
        {onRestore !== null && (
          <button type="button" className="link" onClick={onRestore}>
            {en.run.files.restore}
          </button>
        )}
      </span>
    </li>
  );
}
