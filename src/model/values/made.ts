import type { z } from "zod";

type Makers = readonly (() => z.ZodType)[];
type Made<List extends Makers> = { -readonly [Place in keyof List]: ReturnType<List[Place]> };

/** The shapes that a list names, made now: what a program never meets is never made. */
export const made = <const List extends Makers>(list: List): Made<List> =>
  list.map((make) => make()) as Made<List>;
