import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { codeText } from "../../../ui/reason-text.ts";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";

/** `build#4 is degraded (resource_exhaustion)`: names of patterns as words. */
const withWords = (line: string): string => line.replaceAll(/\(([a-z_]+)\)/g, (name) => codeText(name));

/** What is thought of its health, on what evidence, and how far its remedies have come. */
export function NowHealth({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { state, pattern, evidence, remedies = [] } = run.health;
  if (remedies.length + evidence.length === 0) return null;
  // The remedies are listed by themselves, and what is shared under what the run waits for.
  const said = new Set(run.shared.map(({ text }) => text));
  const seen = evidence.filter(
    (line) => !said.has(line) && (remedies.length === 0 || !/^step .*, remedies: /.test(line)),
  );
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
        {seen.map((line) => (
          <li key={line} className="muted">
            <Untrusted text={withWords(line)} charsMax={500} hasTimes />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
