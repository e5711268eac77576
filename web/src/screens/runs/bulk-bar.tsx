import { useState, type ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import type { ListedRun } from "../../data/documents.ts";
import { useAct } from "../../data/use-act.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { bulkKinds, fittingRuns, type BulkKind } from "./bulk-kinds.ts";

const { bulk } = en.runs;
const RUNS_MAX = 200;

/** The same asked of every selected run for which it makes sense; each is answered for itself. */
export function BulkBar(props: {
  readonly runs: readonly ListedRun[];
  readonly onClear: () => void;
}): ReactElement {
  const { runs, onClear } = props;
  const { isAsking, ask } = useAct();
  const store = useStoreName();
  const [isCancelling, setCancelling] = useState(false);
  const kinds = bulkKinds(runs);
  const commandOf = (kind: BulkKind): string =>
    fittingRuns(kind, runs)
      .map(({ run }) => commandText([kind, run], store))
      .join("\n");
  const send = async (kind: BulkKind): Promise<void> => {
    const names = fittingRuns(kind, runs).map(({ run }) => run);
    for (let at = 0; at < names.length; at += RUNS_MAX) {
      const some = names.slice(at, at + RUNS_MAX);
      await ask({
        route: "askMany",
        input: { body: { runs: some, request: { kind } } },
        command: null,
        title: bulk.title(bulk.verbs[kind], some.length),
      });
    }
    setCancelling(false);
    onClear();
  };
  const [first] = kinds;
  return (
    <section className="bulk" aria-label={bulk.label}>
      <div className="row">
        <strong role="status">{en.grid.selected(runs.length)}</strong>
        <button type="button" className="link" onClick={onClear}>
          {bulk.clear}
        </button>
      </div>
      <ActionGroup first={first === undefined ? null : commandOf(first)}>
        {kinds.map((kind) => (
          <ActionButton
            key={kind}
            command={commandOf(kind)}
            tone={kind === "cancel" ? "danger" : "normal"}
            isBusy={isAsking}
            onPress={() => (kind === "cancel" ? setCancelling(true) : void send(kind))}
          >
            {bulk.title(bulk.verbs[kind], fittingRuns(kind, runs).length)}
          </ActionButton>
        ))}
      </ActionGroup>
      {isCancelling && (
        <ConfirmCancel
          count={fittingRuns("cancel", runs).length}
          onCancel={() => void send("cancel")}
          onKeep={() => setCancelling(false)}
        />
      )}
    </section>
  );
}

function ConfirmCancel(props: {
  readonly count: number;
  readonly onCancel: () => void;
  readonly onKeep: () => void;
}): ReactElement {
  const { count, onCancel, onKeep } = props;
  return (
    <div className="row row-wrap" role="alert">
      {bulk.confirm(count)}
      <button type="button" className="button button-danger" autoFocus onClick={onCancel}>
        {bulk.title(bulk.verbs.cancel, count)}
      </button>
      <button type="button" className="button button-normal" onClick={onKeep}>
        {bulk.keep}
      </button>
    </div>
  );
}
