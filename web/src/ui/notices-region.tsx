import { useSyncExternalStore, type ReactElement } from "react";
import { useData } from "../data/data-context.tsx";
import type { Notice, NoticeState } from "../data/notices.ts";
import { en } from "../text/en.ts";
import { CommandText } from "./commands/command-text.tsx";
import { Untrusted } from "./untrusted.tsx";

const SHAPES: Readonly<Record<NoticeState, string>> = {
  asking: "…",
  done: "✓",
  queued: "◷",
  refused: "✕",
  lost: "✕",
};

/** What became of what was asked for: never modal, and read out. */
export function NoticesRegion(): ReactElement {
  const { notices } = useData();
  const all = useSyncExternalStore(
    (listener) => notices.listen(listener),
    () => notices.all,
  );
  return (
    <div className="notices" role="status" aria-label={en.act.region}>
      {all.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} onDismiss={() => notices.dismiss(notice.id)} />
      ))}
    </div>
  );
}

function NoticeCard(props: { readonly notice: Notice; readonly onDismiss: () => void }): ReactElement {
  const { notice, onDismiss } = props;
  const { state, title, text, problem, again } = notice;
  return (
    <div className={`notice notice-${state}`}>
      <div className="row">
        <span aria-hidden="true" className="notice-shape">
          {SHAPES[state]}
        </span>
        <strong className="grow clip">
          <Untrusted text={title} isLine />
        </strong>
        <span className="notice-state">{en.act[state]}</span>
        <button type="button" className="link" onClick={onDismiss} aria-label={`${en.act.dismiss}: ${title}`}>
          {en.act.dismiss}
        </button>
      </div>
      {text !== "" && <Untrusted text={text} charsMax={600} />}
      {typeof problem?.command === "string" && <CommandText command={problem.command} />}
      {again !== null && (
        <button type="button" className="button button-normal" onClick={again}>
          {en.act.again}
        </button>
      )}
    </div>
  );
}
