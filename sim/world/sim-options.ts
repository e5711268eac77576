import type { Recorded } from "../../src/model/events/events.ts";
import type { Ports } from "../../src/runtime/ports.ts";
import type { Faults } from "../faults/sim-faults.ts";

/** Changes the ports a process works with: how a bug is planted. */
export type InjectedBug = (ports: Ports) => Ports;

export interface SimOptions {
  readonly seed: number;
  readonly plant?: InjectedBug;
  readonly hosts?: number;
  readonly runs?: number;
  readonly stepsMax?: number;
  /** So many steps, one after the other, instead of a random graph. */
  readonly chain?: number;
  /** Every run has roles, conditions, inputs and perhaps a planner; otherwise some have. */
  readonly flows?: boolean;
  /** Runs have policies and hooks. */
  readonly rules?: boolean;
  /** Steps have reviewers, and somebody is asked about stuck agents. */
  readonly advisers?: boolean;
  /** Absent: drawn from the seed. */
  readonly faults?: Faults;
  readonly safetyMs?: number;
  /** How long runs may take to come to an end once there are no faults. */
  readonly livenessMs?: number;
  /** A journal that grows beyond this runs away. */
  readonly eventsMax?: number;
  /** The result holds the journals too. */
  readonly journals?: boolean;
}

export interface SimResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** Over every event of every run: the same seed gives the same. */
  readonly hash: string;
  readonly events: number;
  readonly kills: number;
  readonly simulatedMs: number;
  /** Steps of the largest flow, as it was drawn. */
  readonly stepsMost: number;
  /** Of each run, and of nothing that runs share; empty where they were not asked for. */
  readonly journals: readonly (readonly Recorded[])[];
}
