import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import { useAct } from "../../data/use-act.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { CommandText } from "../../ui/commands/command-text.tsx";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { visibleLine } from "../../ui/untrusted-text.ts";
import { goalMark, goalWord, type Goal, type Session } from "./session-words.ts";

const { continuous: words } = en;
const OPEN: ReadonlySet<string> = new Set(["queued", "at_work", "waiting"]);

/** In a row the keys of the list lead to the goal, and from there to its run. */
export const GoalRun = (props: { readonly goal: Goal; readonly isInRow?: boolean }): ReactElement | null => {
  const { run } = props.goal;
  return run === null ? null : (
    <Link
      to="/runs/$run/$tab"
      params={{ run, tab: "now" }}
      className="clip"
      tabIndex={props.isInRow === true ? -1 : undefined}
    >
      <Untrusted text={run} isLine charsMax={80} />
    </Link>
  );
};

/** One goal in full, and leaving it out. */
export function GoalDetail(props: {
  readonly session: Session;
  readonly goal: Goal;
  readonly onClose: () => void;
}): ReactElement {
  const { session, goal, onClose } = props;
  const { id, status, priority, tries, run, notBefore, text } = goal;
  return (
    <Panel
      title={words.goal(visibleLine(id, 80))}
      actions={
        <button type="button" className="link" onClick={onClose}>
          {en.help.close}
        </button>
      }
    >
      <div className="panel-body stack">
        <div className="row row-wrap">
          <StatusMark kind={goalMark(status)} word={goalWord(status)} />
          <span className="muted num">
            {words.priority(priority)} · {words.tries(tries)}
          </span>
          {run !== null && <GoalRun goal={goal} />}
          {notBefore !== null && (
            <span className="muted">
              {words.notBefore} <Time at={notBefore} as="until" />
            </span>
          )}
        </div>
        <Untrusted text={goal.goal} charsMax={2_000} />
        {text !== null && <Untrusted text={text} charsMax={1_000} hasTimes />}
        {OPEN.has(status) && session.status !== "ended" && <Skip session={session} goal={id} />}
      </div>
    </Panel>
  );
}

function Skip({
  session: { session },
  goal,
}: {
  readonly session: Session;
  readonly goal: string;
}): ReactElement {
  const { isAsking, ask } = useAct();
  const command = commandText(["continuous", "skip", goal, "--session", session], useStoreName());
  const skip = (): void =>
    void ask({
      route: "askContinuous",
      input: { params: { session }, body: { kind: "skip", goal } },
      command,
      title: `continuous skip ${goal}`,
    });
  return (
    <div className="stack-tight">
      <span className="muted">{words.skipHint}</span>
      <span className="row row-wrap">
        <ActionButton command={command} tone="danger" isBusy={isAsking} onPress={skip}>
          {words.verbs.skip}
        </ActionButton>
        <CommandText command={command} />
      </span>
    </div>
  );
}
