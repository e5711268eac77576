import { useState, type ReactElement } from "react";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { Mission } from "./mission-words.ts";
import { useMissionAsk } from "./use-mission-ask.ts";

const { missions: words } = en;
type Settings = NonNullable<Mission["autopilot"]>;
const DEFAULTS: Settings = { autoRetry: false, retries: 2, missionRetries: 10, continueOnFailure: false };
const COUNT_MAX = 100;

/** Launching what is ready by itself: with which settings, and turning it off. */
export function MissionAutopilot({ mission }: { readonly mission: Mission }): ReactElement | null {
  const { mission: name, autopilot, status } = mission;
  const { isAsking, ask, commandOf } = useMissionAsk(name);
  const [changed, change] = useState<Partial<Settings>>({});
  if (status === "ended") return null;
  const wanted: Settings = { ...DEFAULTS, ...autopilot, ...changed };
  const { autoRetry, retries, missionRetries, continueOnFailure } = wanted;
  const on = autopilotWords(name, wanted);
  const off = ["autopilot", name, "--off"];
  const body = {
    ...{ autoRetry, continueOnFailure },
    ...(autoRetry ? { maxRetries: retries, maxMissionRetries: missionRetries } : {}),
  };
  return (
    <Panel title={words.autopilot}>
      <div className="panel-body stack">
        <p className="muted">{autopilot === null ? words.autopilotOff : words.autopilotOn}</p>
        <SettingFields wanted={wanted} change={(more) => change({ ...changed, ...more })} />
        <ActionGroup key={on.join(" ")} first={commandOf(...on)}>
          <ActionButton
            command={commandOf(...on)}
            tone={autopilot === null ? "main" : "normal"}
            isBusy={isAsking}
            onPress={() => ask({ kind: "autopilot", ...body }, ...on)}
          >
            {autopilot === null ? words.verbs.autopilot : words.verbs.change}
          </ActionButton>
          {autopilot !== null && (
            <ActionButton
              command={commandOf(...off)}
              isBusy={isAsking}
              onPress={() => ask({ kind: "autopilot", off: true }, ...off)}
            >
              {words.verbs.off}
            </ActionButton>
          )}
        </ActionGroup>
      </div>
    </Panel>
  );
}

interface FieldsProps {
  readonly wanted: Settings;
  readonly change: (more: Partial<Settings>) => void;
}

const SettingFields = ({ wanted, change }: FieldsProps): ReactElement => {
  const { autoRetry, retries, missionRetries, continueOnFailure } = wanted;
  return (
    <>
      <Switch label={words.settings.autoRetry} isOn={autoRetry} set={(isOn) => change({ autoRetry: isOn })} />
      {autoRetry && (
        <div className="row row-wrap">
          <Count label={words.settings.retries} count={retries} set={(count) => change({ retries: count })} />
          <Count
            label={words.settings.missionRetries}
            count={missionRetries}
            set={(count) => change({ missionRetries: count })}
          />
        </div>
      )}
      <Switch
        label={words.settings.continueOnFailure}
        isOn={continueOnFailure}
        set={(isOn) => change({ continueOnFailure: isOn })}
      />
    </>
  );
};

const autopilotWords = (name: string, settings: Settings): string[] => [
  ...["autopilot", name],
  ...(settings.autoRetry
    ? [
        ...["--auto-retry", "--max-retries", String(settings.retries)],
        ...["--max-mission-retries", String(settings.missionRetries)],
      ]
    : []),
  ...(settings.continueOnFailure ? ["--continue-on-failure"] : []),
];

const Switch = (props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
}): ReactElement => (
  <label className="row">
    <input type="checkbox" checked={props.isOn} onChange={({ target }) => props.set(target.checked)} />
    {props.label}
  </label>
);

const Count = (props: {
  readonly label: string;
  readonly count: number;
  readonly set: (count: number) => void;
}): ReactElement => (
  <label className="choice">
    <span className="muted small">{props.label}</span>
    <input
      className="input"
      type="number"
      min={0}
      max={COUNT_MAX}
      value={props.count}
      onChange={({ target }) => props.set(Math.min(COUNT_MAX, Math.max(0, Math.round(Number(target.value)))))}
    />
  </label>
);
