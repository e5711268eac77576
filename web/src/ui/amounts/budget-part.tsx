import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { countText, moneyText } from "../money.tsx";
import { spanText } from "../time-text.ts";

const { budget: words } = en.continuous;
const FORMATS = { usd: moneyText, tokens: countText, timeMs: spanText, runs: String } as const;
const KINDS = ["usd", "tokens", "timeMs", "runs"] as const;
type Kind = (typeof KINDS)[number];

interface PartProps {
  readonly title?: string;
  readonly spent: Readonly<Record<Kind, number>>;
  readonly limits: { readonly [One in Kind]?: number | undefined };
}

/** What was spent of one budget, and what is left of it. */
export const BudgetPart = ({ title, spent, limits }: PartProps): ReactElement => (
  <section className="panel-body stack-tight">
    {title !== undefined && <h3>{title}</h3>}
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
