import type { RunEvent } from "../../model/events/events.ts";
import type { Asked } from "../../model/host/store-resource.ts";
import type { Autopilot } from "../../model/mission/mission-events.ts";
import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import type { MissionFacts } from "./mission-facts.ts";

/** What a person asks of a mission. */
export type MissionRequest =
  | { readonly kind: "begin"; readonly spec: MissionSpec }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "stop" }
  | { readonly kind: "launch"; readonly workstream: string; readonly retry: boolean }
  | { readonly kind: "skip"; readonly workstream: string }
  | { readonly kind: "pass"; readonly barrier: string }
  | { readonly kind: "autopilot"; readonly autopilot: Autopilot }
  | { readonly kind: "autopilot_off" }
  | { readonly kind: "approve"; readonly digest?: string }
  | { readonly kind: "reconcile" }
  | { readonly kind: "replan"; readonly spec: MissionSpec }
  | { readonly kind: "pushed"; readonly repository: string; readonly commit: string };

export interface MissionAsker extends Asked {
  readonly by: string;
}

/** `done`: also where it was so before. `refused` changes nothing, and names its reason. */
export type MissionAnswer =
  | {
      readonly kind: "done";
      readonly text: string;
      readonly events: readonly RunEvent[];
      readonly warning?: string;
    }
  | { readonly kind: "refused"; readonly text: string; readonly reason: string };

/** Who asks, and what was found of runs and repositories. */
export interface MissionAsking {
  readonly asker: MissionAsker;
  readonly facts: MissionFacts;
}

export const done = (text: string, ...events: RunEvent[]): MissionAnswer => ({ kind: "done", text, events });
export const refused = (reason: string, text: string): MissionAnswer => ({ kind: "refused", reason, text });
