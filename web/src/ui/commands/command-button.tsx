import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { commandOrder, PLACEHOLDERS } from "../../data/command-order.ts";
import { useData } from "../../data/data-context.tsx";
import { useAct } from "../../data/use-act.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "./action-button.tsx";
import { commandLabel } from "./command-label.ts";
import { CommandText } from "./command-text.tsx";

/**
 * The one command that helps, as a button of a row. One that needs words leads to the run, where there is room for
 * them; one that can only be pasted is there to be copied.
 */
export function CommandButton(props: {
  readonly run: string | null;
  readonly command: string;
  readonly tone?: "normal" | "main";
}): ReactElement {
  const { run, command, tone = "normal" } = props;
  const { source } = useData();
  const { isAsking, ask } = useAct();
  const order = source.kind === "live" ? commandOrder(command, run) : null;
  if (order === null) return <CommandText command={command} />;
  if (run !== null && PLACEHOLDERS.some((words) => command.includes(words)))
    return (
      <Link className={`button button-${tone}`} to="/inbox" search={{ item: run }}>
        {commandLabel(command)}…<span className="visually-hidden"> {en.act.of(run)}</span>
      </Link>
    );
  return (
    <ActionButton command={command} tone={tone} isBusy={isAsking} onPress={() => void ask(order)}>
      {commandLabel(command)}
      {run !== null && <span className="visually-hidden"> {en.act.of(run)}</span>}
    </ActionButton>
  );
}
