import type { InputOf } from "../../../../src/api/client/client.ts";
import { commandText } from "../../../../src/model/text/command-text.ts";
import { useAct } from "../../data/use-act.ts";
import { useStoreName } from "../../data/use-store-name.ts";

type Ask = InputOf<"askMission">["body"];

export interface MissionAct {
  readonly isAsking: boolean;
  /** The command that does the same, of these words behind `mission`. */
  readonly commandOf: (...words: readonly string[]) => string;
  readonly ask: (body: Ask, ...words: readonly string[]) => void;
}

/** Asks something of one mission. */
export function useMissionAsk(mission: string): MissionAct {
  const { isAsking, ask } = useAct();
  const store = useStoreName();
  const commandOf = (...words: readonly string[]): string => commandText(["mission", ...words], store);
  return {
    isAsking,
    commandOf,
    ask: (body, ...words) =>
      void ask({
        route: "askMission",
        input: { params: { mission }, body },
        command: commandOf(...words),
        title: `mission ${words.slice(0, 2).join(" ")}`,
      }),
  };
}
