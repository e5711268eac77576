import { z } from "zod";

export const ms = (fallback: number, what: string) =>
  z.number().int().min(1).default(fallback).describe(what);
export const count = (fallback: number, max: number, what: string) =>
  z.number().int().min(1).max(max).default(fallback).describe(what);
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).prefault({} as z.input<z.ZodObject<Shape>>);
