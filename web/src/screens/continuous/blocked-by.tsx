import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { CommandButton } from "../../ui/commands/command-button.tsx";
import { reasonText } from "../../ui/reason-text.ts";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import type { Session } from "./session-words.ts";

/** The runs that a session waits for, why, and what ends that. */
export const BlockedBy = ({ session: { blockedBy } }: { readonly session: Session }): ReactElement => (
  <ul className="stack">
    {blockedBy.map(({ run, reason, detail, command }) => (
      <li key={run} className="line-act">
        <div className="line-what grow stack-tight">
          <span className="row row-wrap">
            <StatusMark kind={reason === "needs_human" ? "needs_you" : "blocked"} word={reasonText(reason)} />
            <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name clip">
              <Untrusted text={run} isLine charsMax={80} />
            </Link>
          </span>
          <Untrusted text={detail} charsMax={400} hasTimes />
        </div>
        <CommandButton run={run} command={command} tone="main" />
      </li>
    ))}
  </ul>
);
