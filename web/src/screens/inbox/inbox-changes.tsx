import { useState, type ReactElement } from "react";
import type { InboxItem } from "../../data/documents.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { Diff } from "../../ui/diff.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const FILES_SHOWN = 12;

interface Change {
  readonly path: string;
  readonly kind: string;
  readonly diff: string | null;
}

/** What the work has changed, and the changes themselves when they are asked for. */
export function InboxChanges(props: {
  readonly run: string;
  readonly work: NonNullable<InboxItem["work"]>;
}): ReactElement {
  const { run, work } = props;
  const [isOpen, open] = useState(false);
  const { changed, count, branch } = work;
  return (
    <div className="stack-tight">
      <h3>
        {en.inbox.work}: {en.inbox.files(count)}
        {branch !== null && (
          <span className="muted">
            {" "}
            {en.inbox.branch} <Untrusted text={branch} isLine isMono />
          </span>
        )}
      </h3>
      {!isOpen && (
        <ul className="mono">
          {changed.slice(0, FILES_SHOWN).map((path) => (
            <li key={path}>
              <Untrusted text={path} isLine />
            </li>
          ))}
        </ul>
      )}
      <button type="button" className="link link-start" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {en.inbox.showDiff}
      </button>
      {isOpen && <Changes run={run} />}
    </div>
  );
}

function Changes({ run }: { readonly run: string }): ReactElement {
  const { data, error, refresh } = useApi("getChanges", { params: { run } });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const { changes = [] } = data as { readonly changes?: readonly Change[] };
  return (
    <div className="stack">
      {changes.map(({ path, kind, diff }) => (
        <section key={path} className="diff-file">
          <h4 className="mono">
            <Untrusted text={`${kind} ${path}`} isLine />
          </h4>
          {diff === null ? <p className="muted">{en.inbox.noDiff}</p> : <Diff text={diff} />}
        </section>
      ))}
    </div>
  );
}
