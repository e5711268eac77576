import type { ReactElement } from "react";
import type { WhyView } from "../../../../../src/views/why/why.ts";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { CommandButtons } from "../../../ui/commands/command-buttons.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";
import { useSelection } from "../use-selection.ts";

/** How the run came to where it stands, each link an event; or to where it stood after the event that is chosen. */
export function WhyTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { search, select } = useSelection();
  const at = search.seq;
  const input = { params: { run: run.run }, ...(at === undefined ? {} : { query: { at } }) };
  const { data, error, refresh } = useApi(
    "getWhy",
    input,
    at === undefined ? undefined : { kind: "nothing" },
  );
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const why = data as unknown as WhyView;
  return (
    <div className="stack why">
      <Panel
        title={en.run.why.nowTitle}
        actions={
          at !== undefined && (
            <span className="row small">
              <span className="muted">{en.run.why.asOf(String(at))}</span>
              <button type="button" className="link" onClick={() => select({ seq: undefined })}>
                {en.run.why.present}
              </button>
            </span>
          )
        }
      >
        <div className="panel-body stack">
          <p className="why-state">
            <Untrusted text={why.state} hasTimes />
          </p>
          {why.now.map((line) => (
            <Untrusted key={line} text={line} hasTimes />
          ))}
          {at === undefined && why.next !== null && (
            <CommandButtons run={run.run} choices={[{ command: why.next }]} />
          )}
        </div>
      </Panel>
      <Panel title={en.run.why.chain} count={why.chain.length}>
        {why.leftOut > 0 && <p className="panel-body muted">{en.run.why.leftOut(why.leftOut)}</p>}
        <ol className="why-chain">
          {why.chain.map((link) => (
            <WhyItem key={link.seq} link={link} onChoose={(seq) => select({ seq })} />
          ))}
        </ol>
      </Panel>
    </div>
  );
}

interface ItemProps {
  readonly link: WhyView["chain"][number];
  readonly onChoose: (seq: number) => void;
}

function WhyItem({ link, onChoose }: ItemProps): ReactElement {
  const { seq, at, type, text, evidence, because } = link;
  return (
    <li className="why-link" id={`why-${String(seq)}`}>
      <div className="why-when muted small">
        <button type="button" className="link num" onClick={() => onChoose(seq)}>
          {seq}
        </button>
        <Time at={at} as="clock" />
      </div>
      <div className="stack-tight">
        <span>
          <Untrusted text={text} charsMax={800} />
        </span>
        <span className="muted small">
          <code>{type}</code>{" "}
          {because.length > 0 && (
            <>
              {en.run.why.because}{" "}
              {because.map((cause) => (
                <a key={cause} href={`#why-${String(cause)}`} className="num why-cause">
                  {cause}
                </a>
              ))}
            </>
          )}
        </span>
        {evidence.length > 0 && (
          <ul className="why-evidence" title={en.run.why.evidence}>
            {evidence.map((line, index) => (
              <li key={`${String(index)} ${line}`}>
                <Untrusted text={line} charsMax={600} isMono />
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
