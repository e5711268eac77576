import { z } from "zod";
import { idSchema } from "../ids.ts";
import { clockReadingSchema } from "../host/clock.ts";
import { event } from "./define-event.ts";
import { askedSchema, STORE_EVENTS } from "../host/store-resource.ts";
import {
  sharedResourceFactSchema,
  sharedResourceNewsSchema,
  incidentSchema,
  pauseSchema,
} from "../host/shared-resource.ts";

/** Events of the journals of shared resources: they stand in no run's journal. */
export const SHARED_RESOURCE_EVENTS = {
  GroundTold: event(
    "A run reported what happened to a shared resource (an account, a host, a repository).",
    () =>
      z.object({
        fact: sharedResourceFactSchema,
        /** The clocks of the machine on which it was reported. */
        clock: clockReadingSchema.optional(),
      }),
  ),
  GroundPaused: event(
    "Nothing is started on a shared resource until the time named; recorded again with a later time or another run to go first.",
    () => z.object({ pause: pauseSchema }),
  ),
  GroundReopened: event(
    "It was seen to work again, or a person lifted its pause: the pause of a shared resource is over for all runs.",
    () =>
      z.object({
        pause: z.number().int(),
        why: z.string(),
        /** Who lifted it; none where it was seen to work. */
        by: z.string().optional(),
        ...askedSchema.shape,
        /** All runs go on at once: there was no doubt that would have them go one after the other. */
        atOnce: z.boolean().optional(),
      }),
  ),
  IncidentOpened: event(
    "Several runs suffer from one cause; the run named in `by` notifies people, once.",
    () => z.object({ incident: incidentSchema, members: z.array(z.string()) }),
  ),
  IncidentJoined: event("One more attempt suffers from a known cause.", () =>
    z.object({ id: idSchema, member: z.string() }),
  ),
  IncidentEnded: event("The cause of an incident is gone.", () =>
    z.object({ id: idSchema, why: z.string() }),
  ),
  ...STORE_EVENTS,
} as const;

/** Events of runs about the shared resources they depend on, and about guards of their own. */
export const AFFECTED_RUN_EVENTS = {
  GroundHeard: event("The run received the standing of a resource that it shares with other runs.", () =>
    z.object({ ground: idSchema, news: sharedResourceNewsSchema }),
  ),
  LimitPassed: event("A provider's limit is over, and the step goes on: once per reset.", () =>
    z.object({ step: idSchema, attempt: idSchema, ground: idSchema.nullable() }),
  ),
  AttemptPardoned: event(
    "An attempt died of something that hit many at once: it does not count against its step.",
    () => z.object({ attempt: idSchema, step: idSchema, incident: z.string() }),
  ),
  CrashGuardTripped: event(
    "Agents of the run crashed too often in a short time: nothing is started until the time named.",
    () => z.object({ crashes: z.number().int(), withinMs: z.number(), until: z.number() }),
  ),
} as const;
