import type { EventData, EventType } from "../../model/events/events.ts";
import type { PROPOSAL_EVENTS } from "../../model/events/proposal-events.ts";

export const NAMED_MAX = 5;

/** The first few by name, and how many more there are. */
export const describeFiles = (files: readonly string[], count: number): string => {
  const named = files.slice(0, NAMED_MAX);
  const more = count - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
};

type Described = Extract<EventType, keyof typeof PROPOSAL_EVENTS>;

/** What is said about proposals. */
export const DESCRIBE_PROPOSALS: { readonly [Type in Described]: (data: EventData<Type>) => string } = {
  CopyMade: ({ step, tree }) => `step ${step}: its agent works in a copy: ${tree}`,
  CopyDropped: ({ tree }) => `the copy ${tree} is removed`,
  ProposalMade: ({ proposal, step, files, count }) =>
    `step ${step} proposes ${proposal}: ${describeFiles(
      files.map(({ path }) => path),
      count,
    )}`,
  ProposalApplyWanted: ({ proposal, by }) => `${by} wants ${proposal} applied`,
  ProposalApplied: ({ proposal, files, count }) => `${proposal} is applied: ${describeFiles(files, count)}`,
  ProposalApplyRefused: ({ proposal, why, files }) =>
    `${proposal} is not applied: ${why}${files.length === 0 ? "" : `: ${describeFiles(files, files.length)}`}`,
  ProposalRejected: ({ proposal, by, note, drop }) =>
    `${proposal} is rejected by ${by}${drop === true ? ", and done without" : ""}: ${note.slice(0, 160)}`,
};
