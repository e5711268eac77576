import { useState, type ReactElement } from "react";
import { useData } from "../../data/data-context.tsx";
import { runOf, type RunDocument } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import { CommandText } from "../../ui/commands/command-text.tsx";
import { WithCode } from "../../ui/commands/with-code.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { StoodPanel } from "./stood-panel.tsx";

const { compare: words } = en;
const BYTES_MAX = 30 * 1024 * 1024;

interface Verified {
  readonly ok: boolean;
  readonly events: number;
  readonly damages?: readonly unknown[];
}
interface Part {
  readonly title: string;
  readonly lines?: readonly string[];
  readonly commands?: readonly string[];
}
type Opened =
  | { readonly kind: "nothing" | "reading" | "large" }
  | { readonly kind: "failed"; readonly error: Error }
  | {
      readonly kind: "open";
      readonly verified: Verified;
      readonly view: RunDocument;
      readonly parts: readonly Part[];
    };

/** A run out of a file: checked against its hashes and shown; nothing is stored. */
export function OpenFile(): ReactElement {
  const { source } = useData();
  const [opened, setOpened] = useState<Opened>({ kind: "nothing" });
  const read = async (file: File): Promise<void> => {
    if (file.size > BYTES_MAX) return setOpened({ kind: "large" });
    setOpened({ kind: "reading" });
    try {
      const lines = await file.text();
      const show = (what: "verify" | "replay" | "report"): Promise<unknown> =>
        source.call("importRun", { body: { lines, show: what } });
      const verified = (await show("verify")) as Verified;
      const view = runOf((await show("replay")) as Parameters<typeof runOf>[0]);
      const { parts = [] } = (await show("report")) as { readonly parts?: readonly Part[] };
      if (view !== undefined) setOpened({ kind: "open", verified, view, parts });
    } catch (error) {
      setOpened({ kind: "failed", error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  return (
    <>
      <label className="choice">
        <span className="muted small">
          <WithCode text={words.open} />
        </span>
        <input
          type="file"
          className="input"
          accept=".jsonl,.json,.ndjson"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) void read(file);
          }}
        />
      </label>
      {opened.kind === "nothing" && <EmptyState title={words.openText} command={words.openCommand} />}
      {opened.kind === "reading" && <Skeleton />}
      {opened.kind === "large" && <EmptyState title={words.tooLarge} command={words.tooLargeCommand} />}
      {opened.kind === "failed" && <Problem error={opened.error} />}
      {opened.kind === "open" && <OpenedRun {...opened} />}
    </>
  );
}

function OpenedRun({ verified, view, parts }: Extract<Opened, { kind: "open" }>): ReactElement {
  return (
    <>
      {verified.ok ? (
        <p className="status-done" role="status">
          <span aria-hidden="true">✓ </span>
          {words.verified(verified.events)}
        </p>
      ) : (
        <div className="problem" role="alert">
          <h2>{words.damaged}</h2>
          <Untrusted text={JSON.stringify(verified.damages ?? [], null, 1)} isMono />
        </div>
      )}
      <StoodPanel view={view} />
      {parts.map(({ title, lines = [], commands = [] }) =>
        lines.length + commands.length === 0 ? null : (
          <Panel key={title} title={title}>
            <div className="panel-body stack-tight">
              {lines.map((line, at) => (
                <Untrusted key={at} text={line} charsMax={1_000} />
              ))}
              {commands.map((command) => (
                <CommandText key={command} command={command} />
              ))}
            </div>
          </Panel>
        ),
      )}
    </>
  );
}
