import { ContinuousSwitch } from "../continuous/continuous-switch.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { MissionSwitch } from "./mission-switch.ts";

/** Work that has a journal of its own beside those of its runs. */
export interface StandingWork {
  /** What people ask of continuous sessions. */
  readonly continuous: ContinuousSwitch;
  /** What people ask of missions. */
  readonly missions: MissionSwitch;
}

export const standingWork = (ports: Ports, leases: Leases): StandingWork => ({
  continuous: new ContinuousSwitch(ports, leases),
  missions: new MissionSwitch(ports, leases),
});
