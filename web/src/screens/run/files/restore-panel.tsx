import { useEffect, useRef, type ReactElement } from "react";
import { useAct } from "../../../data/use-act.ts";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { ActionButton } from "../../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../../ui/commands/action-group.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";

interface RestoreProps {
  readonly run: string;
  readonly checkpoint: string;
  readonly last: string;
  readonly onClose: () => void;
}

interface Changes {
  readonly changes: readonly { readonly path: string; readonly kind: string }[];
  readonly count: number;
}

/** What a restore does to the files, what it removes first; nothing happens before it is pressed. */
export function RestorePanel({ run, checkpoint, last, onClose }: RestoreProps): ReactElement {
  const { ask, isAsking } = useAct();
  const isSame = checkpoint === last;
  const { data } = useApi("diffCheckpoints", isSame ? null : { params: { run, from: checkpoint, to: last } });
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const command = `holdfast restore ${run} ${checkpoint}`;
  const restore = (): void => {
    const input = { params: { run }, body: { kind: "restore", checkpoint } } as const;
    void ask({ route: "ask", input, command, title: `restore ${run} ${checkpoint}` }).then(onClose);
  };
  const { changes } = (data as unknown as Changes | undefined) ?? { changes: [] };
  const of = (...kinds: readonly string[]): readonly string[] =>
    changes.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  return (
    <Panel title={en.run.files.restoreTitle(checkpoint)} className="restore">
      <div className="panel-body stack" ref={box} tabIndex={-1}>
        {!isSame && data === undefined && <Skeleton />}
        {changes.length === 0 && (isSame || data !== undefined) && <p>{en.run.files.nothing}</p>}
        <Paths title={en.run.files.removes} paths={of("added", "created")} tone="status-blocked" shape="−" />
        <Paths title={en.run.files.returns} paths={of("deleted", "removed")} tone="status-done" shape="+" />
        <Paths
          title={en.run.files.reverts}
          paths={of("modified", "changed", "type", "mode")}
          tone="status-waiting"
          shape="↺"
        />
        <p className="muted">{en.run.files.restoreText(last)}</p>
        <ActionGroup first={command}>
          <ActionButton command={command} tone="main" isBusy={isAsking} onPress={restore}>
            {en.run.files.restoreSure}
          </ActionButton>
          <ActionButton command={command} onPress={onClose}>
            {en.run.files.restoreNot}
          </ActionButton>
        </ActionGroup>
      </div>
    </Panel>
  );
}

interface PathsProps {
  readonly title: string;
  readonly paths: readonly string[];
  readonly tone: string;
  readonly shape: string;
}

function Paths({ title, paths, tone, shape }: PathsProps): ReactElement | null {
  if (paths.length === 0) return null;
  return (
    <div className="stack-tight">
      <h3 className={tone}>
        {title} ({paths.length})
      </h3>
      <ul className="paths">
        {paths.map((path) => (
          <li key={path}>
            <span className={tone} aria-hidden="true">
              {shape}{" "}
            </span>
            <Untrusted text={path} isLine isMono />
          </li>
        ))}
      </ul>
    </div>
  );
}
