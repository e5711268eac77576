import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useSource } from "../../../data/data-context.tsx";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { RestorePanel } from "../files/restore-panel.tsx";
import type { JournalEvent } from "./explain.ts";

/** The checkpoint that an event took; null where it took none. */
export function checkpointOf(event: JournalEvent | null): string | null {
  const data = event?.data as { readonly checkpoint?: unknown } | undefined;
  const checkpoint = data?.checkpoint;
  const id =
    typeof checkpoint === "string" ? checkpoint : (checkpoint as { readonly id?: unknown } | undefined)?.id;
  return typeof id === "string" ? id : null;
}

/** What can be done with a checkpoint that was chosen on the timeline. */
export function CheckpointVerbs(props: {
  readonly run: string;
  readonly checkpoint: string;
  readonly onRestore: () => void;
}): ReactElement {
  const { run, checkpoint, onRestore } = props;
  const { kind } = useSource();
  return (
    <span className="row row-wrap">
      <Link
        to="/runs/$run/$tab"
        params={{ run, tab: "files" }}
        search={(before) => ({ ...before, from: checkpoint })}
      >
        {en.run.timeline.inspector.checkpoint}
      </Link>
      {kind === "live" && (
        <button type="button" className="button button-normal" onClick={onRestore}>
          {en.run.files.restoreTitle(checkpoint)}
        </button>
      )}
    </span>
  );
}

/** The way back to a checkpoint, below the timeline that it was chosen on. */
export function RestoreHere(props: {
  readonly run: string;
  readonly checkpoint: string;
  readonly onClose: () => void;
}): ReactElement | null {
  const { data } = useApi("listCheckpoints", { params: { run: props.run } });
  const { checkpoints } = (data ?? { checkpoints: [] }) as unknown as {
    readonly checkpoints: readonly { readonly id: string }[];
  };
  const last = checkpoints.at(-1)?.id;
  return last === undefined ? null : <RestorePanel {...props} last={last} />;
}
