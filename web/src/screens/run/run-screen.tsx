import { useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

/** One run: the tab that the address names. */
export function RunScreen(): ReactElement {
  const { run = "" } = useParams({ strict: false });
  const { data, error, refresh } = useApi("getRun", { params: { run } });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  return (
    <h1>
      <Untrusted text={data.run} isLine />
    </h1>
  );
}
