import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { OverviewRun } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import { CommandButton } from "../../ui/commands/command-button.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { statusOf, troubleOf, type StatusKind } from "../../ui/status-of.ts";
import { Time } from "../../ui/time.tsx";
import { UsedLately } from "./used-lately.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

/** That nobody supervises a run shows in the command that changes it. */
export const kindOf = (entry: OverviewRun): StatusKind =>
  statusOf({
    ...entry,
    supervision: (entry.command ?? "").startsWith("holdfast up") ? "none" : null,
  });

const RunName = ({ run }: { readonly run: string }): ReactElement => (
  <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name clip">
    <Untrusted text={run} isLine />
  </Link>
);

/** `conflict_loop: the same lines …` is a reason, which has words of its own, and what was seen. */
function whyOf(what: string): { readonly word: string | undefined; readonly seen: string } {
  const [all = "", reason = ""] = /^(\w+): /.exec(what) ?? [];
  const known = en.inbox.reasons[reason as keyof typeof en.inbox.reasons] as string | undefined;
  return known === undefined
    ? { word: undefined, seen: what }
    : { word: known, seen: what.slice(all.length) };
}

/** `build #2 degraded (resource_exhaustion): the context is full` has a mark for the first part, and says the second. */
const plainly = (what: string): string => what.replace(/^(\S+ #\d+) \w+ \(\w+\): /, "$1 · ");

/** What is wrong, since when, and what to press. */
export function NeedsYouItem({ entry }: { readonly entry: OverviewRun }): ReactElement {
  const { run, what, since, command } = entry;
  const { word, seen } = whyOf(what);
  const isQuestion = what.startsWith("needs_human: ");
  return (
    <li className="line line-needs">
      <div className="row row-wrap">
        <StatusMark kind={isQuestion ? "needs_you" : kindOf(entry)} word={word} />
        <RunName run={run} />
        <span className="grow" />
        <span className="muted">
          <Time at={since} />
        </span>
      </div>
      <div className="line-act">
        <div className="line-what grow">
          <Untrusted text={seen} charsMax={240} hasTimes />
        </div>
        {command !== null && <CommandButton run={run} command={command} />}
      </div>
    </li>
  );
}

/** One run on two lines: what it does, or what it waits for and until when. */
export function RunLine(props: { readonly entry: OverviewRun; readonly hasUse?: boolean }): ReactElement {
  const { entry, hasUse = false } = props;
  const { run, what, until, since, steps, command, group, status } = entry;
  const trouble = group === "working" ? troubleOf(entry.health) : null;
  return (
    <li className="line">
      <div className="row">
        <StatusMark kind={kindOf(entry)} isShort />
        <RunName run={run} />
        {typeof entry.agent === "string" && group === "working" && (
          <span className="muted clip">
            <Untrusted text={entry.agent} isLine charsMax={40} />
          </span>
        )}
        <span className="grow" />
        {until !== null ? (
          <span className="line-until">
            {en.overview.resumesAt} <Time at={until} as="until" />
          </span>
        ) : (
          <span className="line-steps muted num">
            {group === "working" && steps.of > 0 ? (
              en.overview.steps(steps.done, steps.of)
            ) : (
              <Time at={since} />
            )}
          </span>
        )}
      </div>
      <div className="line-what muted row">
        {trouble !== null && <StatusMark kind={trouble} isShort />}
        <span className="grow line-two">
          <Untrusted text={plainly(what)} charsMax={200} hasTimes />
        </span>
        {hasUse && <UsedLately run={run} />}
      </div>
      {status === "paused" && command !== null && <CommandButton run={run} command={command} />}
    </li>
  );
}
