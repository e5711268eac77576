import type { AnswerOf } from "../../../src/api/client/client.ts";
import type { RunWork } from "../../../src/cli/ask/run-work.ts";
import type { RunDetails } from "../../../src/cli/run/run-details.ts";
import type { AlarmView } from "../../../src/views/runs/task.ts";
import type { HostView } from "../../../src/views/fleet/host-view.ts";
import type { InboxEntry } from "../../../src/views/runs/inbox.ts";
import type { StatusOwner, StatusSupervision } from "../../../src/views/status/status-supervision.ts";
import type { StatusView } from "../../../src/views/status/status.ts";

/**
 * Answers whose schemas leave room for more fields, as the projections that they are made of know them. The types come
 * from there: nothing is described twice.
 */
export type InboxItem = InboxEntry & { readonly work?: RunWork };
export const inboxOf = (answer: AnswerOf<"listInbox"> | undefined): readonly InboxItem[] | undefined =>
  answer?.inbox as readonly InboxItem[] | undefined;

export type RunDocument = StatusView & { readonly work?: RunWork };
export const runOf = (answer: AnswerOf<"getRun"> | undefined): RunDocument | undefined =>
  answer as unknown as RunDocument | undefined;

export type ListedRun = AnswerOf<"listRuns">["runs"][number] &
  RunDetails & {
    readonly supervision: StatusSupervision | null;
    readonly owner: StatusOwner | null;
  };
export const listedOf = (answer: AnswerOf<"listRuns"> | undefined): readonly ListedRun[] =>
  (answer?.runs ?? []) as unknown as readonly ListedRun[];

export type Overview = AnswerOf<"getOverview">;
export type OverviewRun = Overview["groups"]["needs_you"][number];

export type Host = HostView;
export const hostsOf = (answer: AnswerOf<"listFleet"> | undefined): readonly Host[] | undefined =>
  answer?.hosts as unknown as readonly Host[] | undefined;

export const alarmsOf = (answer: AnswerOf<"listAlarms"> | undefined): readonly AlarmView[] | undefined =>
  answer?.alarms as readonly AlarmView[] | undefined;
