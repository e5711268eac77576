import { useState, type ReactElement } from "react";
import { useData } from "../../../data/data-context.tsx";
import type { AnswerOf } from "../../../../../src/api/client/client.ts";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { visibleLine } from "../../../ui/untrusted-text.ts";
import { Untrusted } from "../../../ui/untrusted.tsx";

type Diffs = AnswerOf<"listFileDiffs">;
const PAGE = 20;
const LINES_MAX = 400;

/** What changed between two checkpoints, file by file, in pages. */
export function FileDiffs({
  run,
  from,
  to,
}: {
  readonly run: string;
  readonly from: string;
  readonly to: string;
}): ReactElement {
  const { source } = useData();
  const params = { run, from, to };
  const { data, error, refresh } = useApi(
    "listFileDiffs",
    { params, query: { limit: PAGE } },
    { kind: "nothing" },
  );
  const [more, setMore] = useState<readonly Diffs[]>([]);
  const pages = data === undefined ? [] : [data, ...more];
  const next = pages.at(-1)?.next ?? null;
  const load = async (after: string): Promise<void> => {
    const page = await source.call("listFileDiffs", { params, query: { limit: PAGE, after } });
    setMore((all) => [...all, page]);
  };
  const title = `${from} → ${to}`;
  if (error !== null && data === undefined) return <Problem error={error} onAgain={refresh} />;
  return (
    <Panel
      title={title}
      actions={data !== undefined && <span className="muted">{en.run.files.changed(data.count)}</span>}
    >
      {data === undefined && <Skeleton />}
      {data?.count === 0 && <p className="panel-body muted">{en.run.files.same}</p>}
      {pages
        .flatMap(({ files }) => files)
        .map((file) => (
          <OneFile key={file.path} file={file} />
        ))}
      {next !== null && (
        <div className="panel-body">
          <button type="button" className="button button-normal" onClick={() => void load(next)}>
            {en.run.files.more}
          </button>
        </div>
      )}
    </Panel>
  );
}

function OneFile({ file }: { readonly file: Diffs["files"][number] }): ReactElement {
  const { path, kind, binary, diff, isCut } = file;
  const lines = (diff ?? "").split("\n");
  return (
    <details className="file-diff" open>
      <summary>
        <span className={`file-kind file-${kind}`}>{kind}</span> <Untrusted text={path} isLine isMono />
      </summary>
      {diff === null ? (
        <p className="panel-body muted">{binary ? en.run.files.binary : en.run.files.cut}</p>
      ) : (
        <pre className="diff" tabIndex={0} aria-label={visibleLine(path, 200)}>
          {lines.slice(0, LINES_MAX).map((line, at) => (
            <span key={at} className={`diff-line ${toneOf(line)}`}>
              <bdi>{visibleLine(line.replaceAll("\t", "    "), 500) === "" ? " " : spaced(line)}</bdi>
            </span>
          ))}
        </pre>
      )}
      {(isCut || lines.length > LINES_MAX) && <p className="panel-body muted small">{en.run.files.cut}</p>}
    </details>
  );
}

/** Spaces at the beginning of a line of code say something. */
function spaced(line: string): string {
  const indent = /^[+\- @]?[ \t]*/.exec(line)?.[0] ?? "";
  return indent.replaceAll("\t", "    ") + visibleLine(line.slice(indent.length), 500);
}

const toneOf = (line: string): string => {
  if (/^(?:---|\+\+\+) /.test(line)) return "muted";
  if (line.startsWith("@@")) return "diff-hunk";
  return line.startsWith("+") ? "diff-added" : line.startsWith("-") ? "diff-removed" : "";
};
