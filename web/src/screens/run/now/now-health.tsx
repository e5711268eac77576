import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { codeText } from "../../../ui/reason-text.ts";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";

/** What is thought of its health, on what evidence, and how far its remedies have come. */
export function NowHealth({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { state, pattern, evidence, remedies = [] } = run.health;
  if (remedies.length + evidence.length === 0) return null;
  return (
    <Panel
      title={en.run.now.health}
      actions={<span>{codeText(pattern === null ? state : `${state}: ${pattern}`)}</span>}
    >
      <ul className="now-list small">
        {remedies.map(({ step, remedy, outcome, next }) => (
          <li key={`${step} ${remedy}`} className="row row-wrap">
            <span aria-hidden="true">▲</span>
            <Untrusted text={step} isLine isMono /> {remedy}: {outcome ?? en.run.now.watching}
            {next !== null && (
              <span className="muted">
                {en.run.now.nextRemedy(next.remedy)} <Time at={next.notBefore} as="clock" />
              </span>
            )}
          </li>
        ))}
        {evidence.map((line) => (
          <li key={line} className="muted">
            <Untrusted text={line} charsMax={500} hasTimes />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
