import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useData } from "../data/data-context.tsx";
import { en } from "../text/en.ts";
import { useApi } from "../data/use-query.ts";
import { moneyText } from "../ui/money.tsx";
import { STATUS_SHAPES } from "../ui/status-of.ts";
import { Untrusted } from "../ui/untrusted.tsx";
import { LiveMark } from "./live-mark.tsx";
import { RunSearch } from "./run-search.tsx";

interface TopBarProps {
  /** Undefined until it is known: that nothing needs anybody is not said before it was read. */
  readonly needsYou: number | undefined;
  readonly onHelp: () => void;
}

export function TopBar(props: TopBarProps): ReactElement {
  const { needsYou, onHelp } = props;
  const { source } = useData();
  const isLive = source.kind === "live";
  const { data: overview } = useApi("getOverview", isLive ? {} : null);
  return (
    <header className="top">
      <Link to="/" className="top-name">
        {en.name}
      </Link>
      {isLive && <HostLink />}
      {isLive && <RunSearch />}
      <span className="grow" />
      {isLive && needsYou !== undefined && (
        <Link to="/inbox" className={`top-needs ${needsYou > 0 ? "top-needs-some" : ""}`}>
          {needsYou > 0 && <span aria-hidden="true">{STATUS_SHAPES.needs_you} </span>}
          {needsYou > 0 ? en.top.needYou(needsYou) : en.top.nothingNeedsYou}
        </Link>
      )}
      {overview !== undefined && (
        <Link to="/" className="top-today num">
          {moneyText(overview.cost.usd)} {en.top.today}
        </Link>
      )}
      <LiveMark />
      <button
        type="button"
        className="top-help"
        aria-label={en.top.help}
        aria-keyshortcuts="?"
        onClick={onHelp}
      >
        <kbd>?</kbd>
      </button>
    </header>
  );
}

/** Which machine answers; behind it, all hosts of the store. */
function HostLink(): ReactElement | null {
  const { data } = useApi("whoAmI", {}, { kind: "nothing" });
  if (data === undefined) return null;
  return (
    <Link to="/hosts" className="top-host muted clip" aria-label={en.top.host(data.host)}>
      <Untrusted text={data.host} isLine charsMax={40} />
    </Link>
  );
}
