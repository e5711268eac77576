import { z } from "zod";
import { GOAL_CHARS_MAX, PRIORITY_MAX } from "./continuous-spec.ts";

/** More than a planner can know of before the first of them is done. */
export const PLANNED_MAX = 10;

/** What a planner may say of a goal: its words and how urgent it is. Who works it, and how, is for people to say. */
const plannedGoalSchema = z.strictObject({
  goal: z.string().trim().min(1).max(GOAL_CHARS_MAX),
  priority: z.number().int().min(-PRIORITY_MAX).max(PRIORITY_MAX).optional(),
});

export const planAnswerSchema = z.strictObject({ goals: z.array(plannedGoalSchema).max(PLANNED_MAX) });
