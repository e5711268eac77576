import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { CommandButton } from "../../ui/commands/command-button.tsx";
import { codeText, reasonText } from "../../ui/reason-text.ts";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { StatusKind } from "../../ui/status-of.ts";
import { Untrusted } from "../../ui/untrusted.tsx";
import type { Mission } from "./mission-words.ts";

const { missions: words } = en;

interface Need {
  readonly key: string;
  readonly kind: StatusKind;
  readonly word: string;
  readonly run: string | null;
  readonly detail: string;
  readonly command: string;
}

/** The runs that wait for a person, and what holds the acceptance. */
const blocksOf = ({ blockedBy, block }: Mission): Need[] => [
  ...blockedBy.map(({ run, reason, detail, command }): Need => ({
    ...{ key: run, run, detail, command, word: reasonText(reason) },
    kind: reason === "needs_human" ? "needs_you" : "blocked",
  })),
  ...(block === null
    ? []
    : [
        {
          ...{ key: "block", kind: "blocked" as const, run: null },
          word: `${codeText(block.kind)} ${words.blockOf(block.repository)}`,
          detail: block.detail,
          command: block.command,
        },
      ]),
];

const differencesOf = ({ reconciliationRequired }: Mission): Need[] =>
  reconciliationRequired.map(({ kind, workstream, repository, text, command }) => ({
    ...{ key: `${kind} ${workstream ?? ""} ${repository ?? ""}`, kind: "degraded" as const },
    ...{ word: codeText(kind), run: null, detail: text, command },
  }));

/** Why an open mission rests, and the command that continues it. */
function nextOf({ status, autopilotStop, command, reconciliationRequired }: Mission): Need[] {
  if (status !== "open" || command === null || reconciliationRequired.length > 0) return [];
  const open = { kind: "queued" as const, word: words.states["open"] ?? status, detail: words.nextText };
  const stopped =
    autopilotStop === null
      ? open
      : {
          ...{ kind: "needs_you" as const, word: codeText(autopilotStop.reason) },
          detail: words.autopilotStop(autopilotStop.text),
        };
  return [{ key: "next", run: null, command, ...stopped }];
}

const NeedLine = ({ need: { kind, word, run, detail, command } }: { readonly need: Need }): ReactElement => (
  <li className="line-act">
    <div className="line-what grow stack-tight">
      <span className="row row-wrap">
        <StatusMark kind={kind} word={word} />
        {run !== null && (
          <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name clip">
            <Untrusted text={run} isLine charsMax={80} />
          </Link>
        )}
      </span>
      {detail !== "" && <Untrusted text={detail} charsMax={600} hasTimes />}
    </div>
    <CommandButton run={run} command={command} tone="main" />
  </li>
);

const NeedList = ({ needs }: { readonly needs: readonly Need[] }): ReactElement => (
  <ul className="stack">
    {needs.map((need) => (
      <NeedLine key={need.key} need={need} />
    ))}
  </ul>
);

/** All that keeps a mission from going on, in one list. */
export function MissionNeeds({ mission }: { readonly mission: Mission }): ReactElement | null {
  const needs = [...differencesOf(mission), ...blocksOf(mission), ...nextOf(mission)];
  return needs.length === 0 ? null : <NeedList needs={needs} />;
}

/** The same, each kind for itself. */
export const NEEDS_BY_KIND = [
  { title: words.differences, of: differencesOf },
  { title: words.blockedBy, of: blocksOf },
  { title: words.next, of: nextOf },
].map(({ title, of }) => ({
  title,
  list: (mission: Mission): { readonly count: number; readonly body: ReactElement } => {
    const needs = of(mission);
    return { count: needs.length, body: <NeedList needs={needs} /> };
  },
}));
