import type { ReactElement } from "react";
import { ApiProblem } from "../../../src/api/client/api-problem.ts";
import { en } from "../text/en.ts";
import { CommandText } from "./commands/command-text.tsx";
import { Untrusted } from "./untrusted.tsx";

/** What went wrong, in words, and what to press. */
export function Problem(props: {
  readonly error: Error;
  readonly onAgain?: (() => void) | undefined;
  readonly title?: string;
}): ReactElement {
  const { error, onAgain, title = titleOf(error) } = props;
  const problem = error instanceof ApiProblem ? error : null;
  const command = problem?.command ?? (problem?.status === 401 ? en.live.login : null);
  return (
    <section className="problem" role="alert">
      <h2>
        <span aria-hidden="true">✕ </span>
        {title}
      </h2>
      {problem !== null && <Untrusted text={problem.message} />}
      {typeof problem?.expected === "string" && (
        <p>
          {en.problem.expected}: <Untrusted text={problem.expected} />
        </p>
      )}
      {command !== null && (
        <p className="row row-wrap">
          {en.problem.helps}: <CommandText command={command} />
        </p>
      )}
      {onAgain !== undefined && (
        <div>
          <button type="button" className="button button-normal" onClick={onAgain}>
            {en.problem.again}
          </button>
        </div>
      )}
    </section>
  );
}

function titleOf(error: Error): string {
  if (!(error instanceof ApiProblem)) return en.problem.lost;
  if (error.status === 401) return en.problem.loggedOut;
  return error.status === 403 ? en.problem.forbidden : en.problem.title;
}
