import { Link, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { CommandText } from "../../ui/commands/command-text.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { ConfigPart } from "./config-part.tsx";
import { PARTS, readDoctorSearch } from "./doctor-search.ts";
import { PagePart } from "./page-part.tsx";
import { TokensPart } from "./tokens-part.tsx";

const { doctor: words } = en;

/** What of this machine and store needs attention, and what is set. */
export function DoctorScreen(): ReactElement {
  const { part = "doctor" } = readDoctorSearch(useSearch({ strict: false }));
  return (
    <>
      <h1>{words.title}</h1>
      <nav className="tabs" aria-label={words.tabs.label}>
        {PARTS.map((one) => (
          <Link
            key={one}
            to="/doctor"
            search={one === "doctor" ? {} : { part: one }}
            className="tab"
            // Without it the first one, which names no part, is taken to be open on all of them.
            activeOptions={{ exact: true }}
            aria-current={one === part ? "page" : undefined}
          >
            {words.tabs[one]}
          </Link>
        ))}
      </nav>
      {part === "doctor" && <Checks />}
      {part === "config" && <ConfigPart />}
      {part === "tokens" && <TokensPart />}
      {part === "page" && <PagePart />}
    </>
  );
}

interface Check {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  readonly remedy: string | null;
  readonly fix: string | null;
}

const MARKS = { ok: "done", warn: "degraded", fail: "failed" } as const;
const RANK = { fail: 0, warn: 1, ok: 2 } as const;

function Checks(): ReactElement {
  const { data, error, refresh } = useApi("getDoctor", {}, { kind: "nothing" });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const { checks = [] } = data as { readonly checks?: readonly Check[] };
  const bad = checks.filter(({ state }) => state !== "ok");
  const sorted = [...checks].sort((one, other) => RANK[one.state] - RANK[other.state]);
  return (
    <Panel
      title={bad.length === 0 ? words.good : words.bad(bad.length)}
      actions={
        <button type="button" className="link" onClick={refresh}>
          {en.doctor.again}
        </button>
      }
    >
      <ul>
        {sorted.map(({ name, state, text, remedy, fix }) => (
          <li key={name} className="check">
            <StatusMark kind={MARKS[state]} word={words.states[state]} />
            <strong>{name}</strong>
            <div className="stack-tight">
              <Untrusted text={text} charsMax={600} hasTimes />
              {remedy !== null &&
                (remedy.startsWith("holdfast ") ? (
                  <CommandText command={remedy} />
                ) : (
                  <Untrusted text={`→ ${remedy}`} charsMax={600} />
                ))}
              {fix !== null && (
                <span className="row row-wrap">
                  <span>
                    {words.fix}: {fix}
                  </span>
                  <CommandText command={words.fixCommand} />
                </span>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
