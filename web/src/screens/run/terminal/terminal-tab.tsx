import { lazy, Suspense, useState, type ReactElement } from "react";
import { useSource } from "../../../data/data-context.tsx";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";

const LiveView = lazy(async () => ({ default: (await import("./live-view.tsx")).LiveView }));

/** The agent's terminal: its screen as text, and live when it is asked for. */
export function TerminalTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { kind } = useSource();
  const [isOpen, open] = useState(false);
  const { data, error } = useApi("getScreen", kind === "file" ? null : { params: { run: run.run } });
  if (kind === "file") return <EmptyState title={en.run.terminal.file} />;
  if (isOpen)
    return (
      <Suspense fallback={<Skeleton />}>
        <LiveView run={run.run} onClose={() => open(false)} />
      </Suspense>
    );
  if (data === undefined)
    return error === null ? (
      <Skeleton />
    ) : (
      <EmptyState title={en.run.terminal.none}>
        <p>{en.run.terminal.noneHint}</p>
      </EmptyState>
    );
  return (
    <Panel
      title={`${en.run.terminal.screen} ${data.agent}`}
      actions={
        <button type="button" className="button button-main" onClick={() => open(true)}>
          {en.run.terminal.open}
        </button>
      }
    >
      <div className="panel-body">
        <Untrusted text={data.lines.join("\n").trimEnd()} isMono charsMax={20_000} />
      </div>
    </Panel>
  );
}
