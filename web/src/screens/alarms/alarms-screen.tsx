import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import type { AlarmView } from "../../../../src/views/runs/task.ts";
import { alarmsOf } from "../../data/documents.ts";
import { useAct } from "../../data/use-act.ts";
import { useApi } from "../../data/use-query.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { AlarmForm } from "./alarm-form.tsx";

const { alarms: words } = en;

/** Alarms that are still to ring: seen, set and cancelled. */
export function AlarmsScreen(): ReactElement {
  const { data, error, refresh } = useApi("listAlarms", {});
  const alarms = alarmsOf(data);
  return (
    <>
      <h1>{words.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      <AlarmForm />
      {alarms === undefined && error === null && <Skeleton />}
      {alarms !== undefined && (
        <Panel title={words.list} count={alarms.length}>
          {alarms.length === 0 && (
            <EmptyState title={words.none} command={words.command}>
              {words.noneText}
            </EmptyState>
          )}
          <ul>
            {alarms.map((alarm) => (
              <AlarmItem key={alarm.id} alarm={alarm} />
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function AlarmItem({ alarm }: { readonly alarm: AlarmView }): ReactElement {
  const { id, run, at, note, by, step, wakes, afterAttempt } = alarm;
  const { isAsking, ask } = useAct();
  const command = commandText(["alarm", "--cancel", id], useStoreName());
  const cancel = (): void =>
    void ask({
      route: "ask",
      input: { params: { run }, body: { kind: "cancel_alarm", alarm: id } },
      command,
      title: `alarm --cancel ${id}`,
    });
  return (
    <li className="line">
      <div className="row row-wrap">
        <strong className="line-until">
          <Time at={at} as="until" />
        </strong>
        <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name">
          <Untrusted text={run} isLine charsMax={80} />
        </Link>
        <span className="grow" />
        <ActionButton command={command} isBusy={isAsking} onPress={cancel}>
          {words.cancel}
        </ActionButton>
      </div>
      <Untrusted text={note} charsMax={600} />
      <span className="muted small">
        {words.by} <Untrusted text={by} isLine charsMax={60} />
        {step !== null && ` · ${words.step} ${step}`}
        {wakes && ` · ${words.wakes}`}
        {afterAttempt && ` · ${words.afterAttempt}`}
      </span>
    </li>
  );
}
