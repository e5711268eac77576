import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { doneText, missionMark, missionWord, type Mission } from "./mission-words.ts";
import { useMissionAsk } from "./use-mission-ask.ts";

const { missions: words } = en;
type Verb = "pause" | "resume" | "stop";

/** What can be asked of a mission as it stands; the first is what helps. */
const verbsOf = ({ status }: Mission): readonly Verb[] => {
  if (status === "ended") return [];
  if (status === "stopped") return ["resume"];
  return status === "paused" ? ["resume", "stop"] : ["pause", "stop"];
};

/** Where a mission stands, and pausing, resuming and stopping it. */
export function MissionHead({ mission }: { readonly mission: Mission }): ReactElement {
  const { mission: name, since, by, pausedBy, stoppedBy, wave, autopilot, repositories } = mission;
  const facts = [
    doneText(mission),
    words.over(repositories.map((one) => one.name).join(", ")),
    wave === null || autopilot === null ? "" : words.wave(wave),
  ];
  return (
    <header className="run-head">
      <div className="run-title">
        <h1 className="clip">
          <Untrusted text={name} isLine />
        </h1>
        <StatusMark kind={missionMark(mission)} word={missionWord(mission)} />
        <span className="muted">
          {words.since} <Time at={since} as="clock" /> {words.by}{" "}
          <Untrusted text={stoppedBy ?? pausedBy ?? by} isLine charsMax={60} />
        </span>
        <span className="grow" />
        <Link to="/missions">{words.back}</Link>
      </div>
      <p className="muted num">{facts.filter((one) => one !== "").join(" · ")}</p>
      <MissionVerbs mission={mission} />
    </header>
  );
}

function MissionVerbs({ mission }: { readonly mission: Mission }): ReactElement | null {
  const { mission: name, status } = mission;
  const { isAsking, ask, commandOf } = useMissionAsk(name);
  const verbs = verbsOf(mission);
  const [first] = verbs;
  if (first === undefined) return null;
  return (
    <ActionGroup key={status} first={commandOf(first, name)}>
      {verbs.map((verb) => (
        <ActionButton
          key={verb}
          command={commandOf(verb, name)}
          tone={verb === "stop" ? "danger" : verb === "resume" ? "main" : "normal"}
          isBusy={isAsking}
          onPress={() => ask({ kind: verb }, verb, name)}
        >
          {words.verbs[verb]}
        </ActionButton>
      ))}
    </ActionGroup>
  );
}
