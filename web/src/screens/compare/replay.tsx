import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactElement } from "react";
import { runOf } from "../../data/documents.ts";
import { useApi, useKept } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { RunField } from "./run-field.tsx";
import { StoodPanel } from "./stood-panel.tsx";

const { compare: words } = en;

/** How a run stood right after one of its events, folded from its journal. */
export function Replay({ run, at }: { readonly run: string; readonly at: string | undefined }): ReactElement {
  const navigate = useNavigate();
  const [name, setName] = useState(run);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ to: "/compare", search: { way: "replay", a: name.trim() } });
  };
  return (
    <>
      <form className="row row-wrap" onSubmit={submit}>
        <RunField label={words.run} value={name} onChange={setName} />
        <button type="submit" className="button button-main field-button" disabled={name.trim() === ""}>
          {words.show}
        </button>
      </form>
      {run === "" ? (
        <EmptyState title={words.replayPick} command={words.replayCommand} />
      ) : (
        <Stood run={run} at={at} />
      )}
    </>
  );
}

function Stood({ run, at }: { readonly run: string; readonly at: string | undefined }): ReactElement {
  const navigate = useNavigate();
  const head = useApi("getRun", { params: { run } });
  const last = head.data?.position ?? 0;
  const wanted = Math.max(1, Math.min(last, Number(at ?? last) || last));
  const stood = useKept(useApi("replayRun", last === 0 ? null : { params: { run }, query: { at: wanted } }));
  const go = (seq: number): void =>
    void navigate({ to: "/compare", search: { way: "replay", a: run, at: String(seq) }, replace: true });
  const error = head.error ?? stood.error;
  if (error !== null) return <Problem error={error} onAgain={head.refresh} />;
  const view = runOf(stood.data as typeof head.data);
  if (head.data === undefined || view === undefined) return <Skeleton />;
  return (
    <>
      <div className="row row-wrap">
        <button type="button" className="button button-normal" onClick={() => go(1)}>
          {words.first}
        </button>
        <button type="button" className="button button-normal" onClick={() => go(Math.max(1, wanted - 1))}>
          {words.previous}
        </button>
        <label className="row grow">
          {words.event}
          <input
            type="range"
            className="grow"
            min={1}
            max={last}
            value={wanted}
            onChange={({ target }) => go(Number(target.value))}
          />
          <span className="num">
            {wanted} {words.of(last)}
          </span>
        </label>
        <button type="button" className="button button-normal" onClick={() => go(Math.min(last, wanted + 1))}>
          {words.next}
        </button>
        <button type="button" className="button button-normal" onClick={() => go(last)}>
          {words.last}
        </button>
      </div>
      <StoodPanel view={view} />
    </>
  );
}
