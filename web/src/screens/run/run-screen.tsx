import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, type ComponentType, type ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { NowTab } from "./now/now-tab.tsx";
import type { RunDocument } from "./run-document.ts";
import { RunHead } from "./run-head.tsx";

export interface TabProps {
  readonly run: RunDocument;
}

const TABS: Readonly<Record<string, ComponentType<TabProps>>> = {
  now: NowTab,
  timeline: lazy(async () => ({ default: (await import("./timeline/timeline-tab.tsx")).TimelineTab })),
  steps: lazy(async () => ({ default: (await import("./steps/steps-tab.tsx")).StepsTab })),
  conversation: lazy(async () => ({
    default: (await import("./conversation/conversation-tab.tsx")).ConversationTab,
  })),
  terminal: lazy(async () => ({ default: (await import("./terminal/terminal-tab.tsx")).TerminalTab })),
  files: lazy(async () => ({ default: (await import("./files/files-tab.tsx")).FilesTab })),
  cost: lazy(async () => ({ default: (await import("./cost/cost-tab.tsx")).CostTab })),
  why: lazy(async () => ({ default: (await import("./why/why-tab.tsx")).WhyTab })),
  journal: lazy(async () => ({ default: (await import("./journal/journal-tab.tsx")).JournalTab })),
};
const NAMES = Object.keys(TABS) as (keyof typeof en.run.tabs)[];

/** One run: its head, and the view of it that the address names. */
export function RunScreen(): ReactElement {
  const { run = "", tab = "now" } = useParams({ strict: false });
  const { data, error, refresh } = useApi("getRun", { params: { run } });
  useTabKeys(run, tab);
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const Tab = TABS[tab];
  const document = data as unknown as RunDocument;
  const items = NAMES.map((id) => ({
    id,
    label: en.run.tabs[id],
    to: `/runs/${encodeURIComponent(run)}/${id}`,
  }));
  return (
    <div className="run">
      <RunHead run={document} />
      <Tabs label={en.run.tabs.label} items={items} active={tab} />
      <Suspense fallback={<Skeleton />}>
        {Tab === undefined ? <EmptyState title={en.run.noTab} /> : <Tab key={document.run} run={document} />}
      </Suspense>
    </div>
  );
}

/** `[` and `]` lead to the view before and the next one. */
function useTabKeys(run: string, tab: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = event.key === "]" ? 1 : event.key === "[" ? -1 : 0;
      const target = event.target instanceof Element ? event.target : null;
      const isTyping =
        (target?.closest("input, textarea, select, .xterm, [contenteditable]") ?? null) !== null;
      if (step === 0 || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = NAMES.findIndex((name) => name === tab);
      const next = NAMES[(at + step + NAMES.length) % NAMES.length] ?? "now";
      void navigate({ to: "/runs/$run/$tab", params: { run, tab: next }, search: (before) => before });
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [navigate, run, tab]);
}
