import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { countText, moneyText } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { spanText } from "../../ui/time-text.ts";
import type { SessionInFull } from "./session-words.ts";

const { budget: words } = en.continuous;
const FORMATS = { usd: moneyText, tokens: countText, timeMs: spanText, runs: String } as const;
const KINDS = ["usd", "tokens", "timeMs", "runs"] as const;
type Kind = (typeof KINDS)[number];
type Amounts = Readonly<Record<Kind, number>>;

/** What was spent and is left, in all and today. */
export function SessionBudget({ session }: { readonly session: SessionInFull }): ReactElement {
  const { limits, spent, today } = session.budget;
  return (
    <Panel title={words.title}>
      <Part title={words.all} spent={spent} limits={limits} />
      <Part title={words.today} spent={today} limits={limits.day ?? {}} />
    </Panel>
  );
}

interface PartProps {
  readonly title: string;
  readonly spent: Amounts;
  readonly limits: { readonly [One in Kind]?: number | undefined };
}

const Part = ({ title, spent, limits }: PartProps): ReactElement => (
  <section className="panel-body stack-tight">
    <h3>{title}</h3>
    <dl className="budget">
      {KINDS.map((kind) => (
        <Amount key={kind} kind={kind} spent={spent[kind]} limit={limits[kind] ?? null} />
      ))}
    </dl>
  </section>
);

function Amount(props: {
  readonly kind: Kind;
  readonly spent: number;
  readonly limit: number | null;
}): ReactElement {
  const { kind, spent, limit } = props;
  const text = FORMATS[kind];
  return (
    <div className="budget-line">
      <dt className="muted">{words.kinds[kind]}</dt>
      <dd className="num">
        {text(spent)}
        {limit !== null && (
          <span className="muted">
            {" "}
            {words.of} {text(limit)} · {words.left(text(Math.max(0, limit - spent)))}
          </span>
        )}
        {limit !== null && limit > 0 && (
          <meter min={0} max={limit} high={limit * 0.8} value={spent} aria-label={words.kinds[kind]} />
        )}
      </dd>
    </div>
  );
}
