import type { ReactElement } from "react";
import { useData } from "../data/data-context.tsx";
import { useStream } from "../data/use-stream.ts";
import { en } from "../text/en.ts";
import { Time } from "../ui/time.tsx";

/** Whether what is shown is as it is now; where it is not, since when. */
export function LiveMark(): ReactElement {
  const { source } = useData();
  const { connection, at } = useStream();
  if (source.kind === "file") return <span className="live live-file">{en.live.file}</span>;
  const isLive = connection === "live";
  return (
    <span className={`live live-${connection}`} role="status">
      <span aria-hidden="true">{isLive ? "●" : "○"} </span>
      {en.live.words[connection]}
      {connection === "lost" && (
        <span className="live-since" aria-hidden="true">
          , {en.live.since} <Time at={at} />
        </span>
      )}
    </span>
  );
}
