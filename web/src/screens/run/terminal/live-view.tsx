import { useRef, type ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { Problem } from "../../../ui/problem.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import { useLiveTerminal, type Holder, type Refused } from "./use-live-terminal.ts";

/** The terminal live: looked at, taken over on purpose, typed into, and given back. */
export function LiveView({
  run,
  onClose,
}: {
  readonly run: string;
  readonly onClose: () => void;
}): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const live = useLiveTerminal(run, { box, head });
  const { holder, refused, ended, error, mayType } = live;
  return (
    <section className="panel terminal" aria-label={en.run.terminal.screen}>
      <div className={`panel-head terminal-head ${holder.yours ? "terminal-yours" : ""}`} ref={head}>
        <span role="status">{ended ?? standing(holder)}</span>
        {ended === null && holder.yours && (
          <span className="muted small">
            <kbd>F6</kbd> {en.run.terminal.leave}
          </span>
        )}
        <span className="grow" />
        {ended === null && mayType && !holder.yours && holder.by === null && (
          <button type="button" className="button button-normal" onClick={live.take}>
            {en.run.terminal.take}
          </button>
        )}
        {ended === null && holder.yours && (
          <button type="button" className="button button-main" onClick={live.giveBack}>
            {en.run.terminal.giveBack}
          </button>
        )}
        <button type="button" className="button button-normal" onClick={onClose}>
          {en.help.close}
        </button>
      </div>
      {error !== null && <Problem error={error} onAgain={onClose} />}
      {refused !== null && <RefusedNote refused={refused} onDialog={live.answerDialog} />}
      <div className="terminal-box" ref={box} />
    </section>
  );
}

const standing = ({ yours, by }: Holder): string =>
  yours ? en.run.terminal.yours : by === null ? en.run.terminal.readOnly : en.run.terminal.held(by);

function RefusedNote(props: {
  readonly refused: Refused;
  readonly onDialog: (id: string) => void;
}): ReactElement {
  const { refused, onDialog } = props;
  const { dialog } = refused;
  return (
    <div className="problem" role="alert">
      <h2>{dialog === null ? en.run.terminal.refused : en.run.terminal.dialog}</h2>
      <Untrusted text={dialog === null ? refused.text : dialog.text} isMono={dialog !== null} />
      {dialog !== null && (
        <div>
          <button type="button" className="button button-normal" onClick={() => onDialog(dialog.id)}>
            {en.run.terminal.dialogType}
          </button>
        </div>
      )}
    </div>
  );
}
