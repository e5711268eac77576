import { useMemo, type ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { countText, moneyText } from "../../ui/money.tsx";
import { sparkOf, SPARK_BARS } from "./spark.ts";

const EVENTS = 400;
const HEIGHT_PX = 14;
const STEP_PX = 5;

/** What a run has used: tokens, or money where no tokens are known; and how it went of late. */
export function UsedLately({ run }: { readonly run: string }): ReactElement | null {
  const { data } = useApi("getSeries", { params: { run }, query: { limit: EVENTS } });
  const bars = useMemo(() => sparkOf(data?.usage ?? []), [data]);
  const { usd = 0, tokens = 0 } = (data?.spent ?? {}) as { readonly usd?: number; readonly tokens?: number };
  if (usd === 0 && tokens === 0) return null;
  return (
    <span
      className="used-lately muted num"
      title={`${moneyText(usd)} · ${en.overview.tokens(countText(tokens))}`}
    >
      {bars.length > 0 && (
        <svg className="spark" width={SPARK_BARS * STEP_PX} height={HEIGHT_PX} aria-hidden="true">
          {bars.map((share, at) => {
            const height = Math.max(1, Math.round(share * HEIGHT_PX));
            return (
              <rect key={at} x={at * STEP_PX} y={HEIGHT_PX - height} width={STEP_PX - 1} height={height} />
            );
          })}
        </svg>
      )}
      {tokens === 0 ? moneyText(usd) : `${countText(tokens)} tok`}
    </span>
  );
}
