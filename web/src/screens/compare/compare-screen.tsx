import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { visibleText } from "../../ui/untrusted-text.ts";
import { readCompareSearch, WAYS } from "./compare-search.ts";
import { OpenFile } from "./open-file.tsx";
import { Replay } from "./replay.tsx";
import { RunField } from "./run-field.tsx";

const { compare: words } = en;

/** Two runs side by side, one run at any of its events, or a run out of a file. */
export function CompareScreen(): ReactElement {
  const { way = "diff", a = "", b = "", at } = readCompareSearch(useSearch({ strict: false }));
  return (
    <>
      <h1>{words.title}</h1>
      <nav className="tabs" aria-label={words.tabs.label}>
        {WAYS.map((one) => (
          <Link
            key={one}
            to="/compare"
            search={{ way: one, a }}
            className="tab"
            activeOptions={{ exact: true }}
            aria-current={one === way ? "page" : undefined}
          >
            {words.tabs[one]}
          </Link>
        ))}
      </nav>
      {way === "diff" && <Comparison key={`${a} ${b}`} a={a} b={b} />}
      {way === "replay" && <Replay key={a} run={a} at={at} />}
      {way === "open" && <OpenFile />}
    </>
  );
}

interface Pair {
  readonly a: string;
  readonly b: string;
}

function Comparison({ a, b }: Pair): ReactElement {
  const navigate = useNavigate();
  const [one, setOne] = useState(a);
  const [other, setOther] = useState(b);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ to: "/compare", search: { way: "diff", a: one.trim(), b: other.trim() } });
  };
  return (
    <>
      <form className="row row-wrap" onSubmit={submit}>
        <RunField label={words.a} value={one} onChange={setOne} />
        <RunField label={words.b} value={other} onChange={setOther} />
        <button
          type="submit"
          className="button button-main field-button"
          disabled={one.trim() === "" || other.trim() === ""}
        >
          {words.compare}
        </button>
      </form>
      {a === "" || b === "" ? (
        <EmptyState title={words.pick} command={words.pickCommand} />
      ) : (
        <Difference a={a} b={b} />
      )}
    </>
  );
}

interface Side {
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
}

function Difference({ a, b }: Pair): ReactElement {
  const { data, error, refresh } = useApi("diffRuns", { query: { a, b } });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const { same, parting } = data as {
    readonly same?: boolean;
    readonly parting?: { readonly a: Side | null; readonly b: Side | null } | null;
  };
  if (same === true || parting === undefined || parting === null) return <EmptyState title={words.same} />;
  return (
    <>
      <h2>{words.parts}</h2>
      <div className="sides">
        <SideEvent run={a} event={parting.a} other={parting.b} />
        <SideEvent run={b} event={parting.b} other={parting.a} />
      </div>
    </>
  );
}

const linesOf = (event: Side | null): readonly string[] =>
  event === null ? [] : JSON.stringify(event.data, null, 2).split("\n");

const LINES_MAX = 400;
const LINE_CHARS = 500;

/** One side of where they part: lines that the other side lacks are marked. */
function SideEvent(props: {
  readonly run: string;
  readonly event: Side | null;
  readonly other: Side | null;
}): ReactElement {
  const { run, event, other } = props;
  const others = new Set(linesOf(other));
  return (
    <Panel title={run}>
      <div className="panel-body stack-tight">
        <p>{event === null ? words.nothing : `${words.event} ${String(event.seq)}: ${event.type}`}</p>
        <div className="diff">
          <pre tabIndex={0}>
            {linesOf(event)
              .slice(0, LINES_MAX)
              .map((line, at) => (
                <span key={at} className={others.has(line) ? "diff-same" : "diff-added"}>
                  {others.has(line) ? "  " : "≠ "}
                  {visibleText(line.slice(0, LINE_CHARS))}
                  {"\n"}
                </span>
              ))}
          </pre>
        </div>
      </div>
    </Panel>
  );
}
