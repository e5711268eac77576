import type { RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import { checkKeys, checkSpawn, misused, shown } from "../check-run-options.ts";
import type { ChildRun } from "./child-run.ts";
import type { OpenScope } from "./open-scope.ts";
import type {
  AnyWorkflow,
  GroupOptions,
  ListedChild,
  NamedChild,
  Settled,
  SpawnOptions,
} from "../workflow-function.ts";

export interface GroupMember {
  readonly name: string;
  readonly child: AnyWorkflow;
  readonly input: unknown;
  readonly options: SpawnOptions;
}

/** The members of a group as it was given: a list, or children by name. */
export function membersOf(group: unknown): GroupMember[] {
  if (typeof group !== "object" || group === null) throw misused("run.spawnAll", shown(group), GROUP);
  const members = Array.isArray(group) ? group.map(listed) : Object.entries(group).map(named);
  for (const { name, child, options } of members) checkSpawn(name, child, options);
  return members;
}

const GROUP = "{ tests: [runTests, commit] } or [{ name, child, input }]";

function named([name, member]: [string, unknown]): GroupMember {
  if (!Array.isArray(member)) throw misused(`run.spawnAll, for "${name}",`, shown(member), GROUP);
  const [child, input, options = {}] = member as unknown as NamedChild<unknown, unknown>;
  return { name, child, input, options };
}

function listed(member: unknown): GroupMember {
  if (typeof member !== "object" || member === null) throw misused("run.spawnAll", shown(member), GROUP);
  const { name, child, input, ...options } = member as ListedChild<unknown, unknown>;
  return { name, child, input, options };
}

const POLICIES: readonly unknown[] = ["fail-fast", "collect"];

function policyOf(options: GroupOptions): "fail-fast" | "collect" {
  checkKeys("run.spawnAll", options, ["onFailure"]);
  const { onFailure = "fail-fast" } = options;
  if (POLICIES.includes(onFailure)) return onFailure;
  throw new Fault("usage", `onFailure is "${String(onFailure)}"; expected "fail-fast" or "collect"`);
}

/** Runs children side by side; answers in their order. */
export async function runGroup(
  scope: OpenScope,
  children: readonly ChildRun[],
  options: GroupOptions,
): Promise<unknown[]> {
  return policyOf(options) === "collect" ? collectAll(children) : failFast(scope, children);
}

const collectAll = (children: readonly ChildRun[]): Promise<Settled<unknown>[]> =>
  Promise.all(children.map((child) => child.run()));

/**
 * The first failure ends the group. It is recorded in one append with the end of every sibling that is still under way:
 * there is no instant at which a crash could leave one of them to be run again.
 */
async function failFast(scope: OpenScope, children: readonly ChildRun[]): Promise<unknown[]> {
  const rest = (failed: ChildRun): RunEvent[] =>
    children.filter((child) => child !== failed).flatMap((child) => child.cancel() ?? []);
  const failedBefore = children.find((child) => child.known?.error !== undefined && !wasCancelled(child));
  const failed = failedBefore ?? children.find((child) => child.known?.error !== undefined);
  if (failed?.known?.error !== undefined) {
    const cancelled = rest(failed);
    if (cancelled.length > 0) await scope.commit(cancelled);
    throw failed.known.error;
  }
  const running = children.map(async (child) => {
    const settled = await child
      .run(() => rest(child))
      .catch((error: unknown) => {
        // The one that failed speaks for those that it took with it.
        if (child.isCancelled) return new Promise<never>(() => undefined);
        throw error;
      });
    if (settled.error !== undefined) throw settled.error;
    return settled.value;
  });
  return Promise.all(running);
}

const wasCancelled = ({ known }: ChildRun): boolean => known?.error?.code === "cancelled";
