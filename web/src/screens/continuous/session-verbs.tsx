import type { ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import { useAct } from "../../data/use-act.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import type { Session } from "./session-words.ts";

type Verb = "pause" | "resume" | "stop";

/** What can be asked of a session as it stands; the first is what helps. */
const VERBS: Readonly<Record<string, readonly Verb[]>> = {
  running: ["pause", "stop"],
  idle: ["pause", "stop"],
  blocked: ["pause", "stop"],
  paused: ["resume", "stop"],
  stopped: ["resume"],
};

/** Pause, resume and stop, each with its command. */
export function SessionVerbs({
  session: { session, status },
}: {
  readonly session: Session;
}): ReactElement | null {
  const { isAsking, ask } = useAct();
  const store = useStoreName();
  const verbs = VERBS[status] ?? [];
  if (verbs.length === 0) return null;
  const commandOf = (verb: Verb): string => commandText(["continuous", verb, session], store);
  return (
    <ActionGroup key={status} first={commandOf(verbs[0] ?? "pause")}>
      {verbs.map((verb) => (
        <ActionButton
          key={verb}
          command={commandOf(verb)}
          tone={verb === "stop" ? "danger" : verb === "resume" ? "main" : "normal"}
          isBusy={isAsking}
          onPress={() =>
            void ask({
              route: "askContinuous",
              input: { params: { session }, body: { kind: verb } },
              command: commandOf(verb),
              title: `continuous ${verb} ${session}`,
            })
          }
        >
          {en.continuous.verbs[verb]}
        </ActionButton>
      ))}
    </ActionGroup>
  );
}
