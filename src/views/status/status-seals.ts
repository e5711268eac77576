import type { RunState } from "../../model/state/run-state.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { commandText, shellWord } from "../../model/text/command-text.ts";
import type { SealAct, SealFound } from "../../model/requests/seal.ts";
import { lastKept } from "../../fold/workspace/workspace-place.ts";

/** What changed in the real repository while an agent worked that may not write there. */
export interface StatusSeal {
  readonly attempt: string;
  readonly step: string;
  readonly agent: string;
  readonly at: string;
  /** Whether git's log proves some of it to be the agent's doing. */
  readonly breach: boolean;
  readonly acts: readonly SealAct[];
  readonly files: readonly string[];
  readonly text: string;
  /** What puts back what was not undone, for a person to decide. */
  readonly commands: readonly string[];
}

/** How often an agent that may not write was proved to have changed the real repository, and what was found last. */
export interface StatusSeals {
  readonly breaches: number;
  readonly found: readonly StatusSeal[];
}

export const statusSeals = (state: RunState, store: string | null): StatusSeals => ({
  breaches: state.seals.breaches,
  found: state.seals.found.map((found) => {
    const { attempt, step, agent, at, report } = found;
    return {
      ...{ attempt, step, agent, at: isoTime(at), breach: report.acts.some(({ proved }) => proved) },
      ...{ acts: report.acts, files: report.files?.files ?? [] },
      text: sealText(found),
      commands: commandsFor(state, found, store),
    };
  }),
});

const actText = ({ what, by, proved, undone, kept }: SealAct): string => {
  const who = proved ? "" : by === null ? ", by whom is not known" : ` by ${by}`;
  const now = !proved ? "left alone" : undone ? "put back" : "not put back: it has changed since";
  return `${what}${who} (${now}${kept === null ? "" : `, kept as ${kept}`})`;
};

const SAID_MAX = 5;

/** One line: proved or not, what, and what became of it. */
export function sealText({
  agent,
  attempt,
  report,
}: Pick<SealFound, "agent" | "attempt" | "report">): string {
  const { acts, count, files } = report;
  const said = acts.slice(0, SAID_MAX).map(actText);
  const more = count > said.length ? [`${String(count - said.length)} more`] : [];
  const moved =
    files === undefined
      ? []
      : [
          `files, by whom is not known (left alone): ${files.files.slice(0, SAID_MAX).join(", ")}${files.count > SAID_MAX ? ` and ${String(files.count - SAID_MAX)} more` : ""}`,
        ];
  const begins = acts.some(({ proved }) => proved)
    ? `breach: ${agent} (${attempt}) may not write and changed the repository`
    : `the repository changed while ${agent} (${attempt}) worked, which may not write there`;
  return `${begins}: ${[...said, ...more, ...moved].join("; ")}`;
}

function commandsFor(state: RunState, { report }: SealFound, store: string | null): string[] {
  const refs = report.acts
    .filter(({ what, before, undone }) => !undone && what.startsWith("refs/") && before !== null)
    .map(({ what, before, after }) =>
      ["git", "update-ref", what, before ?? "", ...(after === null ? [] : [after])].map(shellWord).join(" "),
    );
  const kept = lastKept(state)?.id;
  const files =
    report.files === undefined || kept === undefined
      ? []
      : [commandText(["restore", state.run, kept], store)];
  return [...refs, ...files];
}
