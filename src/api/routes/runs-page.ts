import { z } from "zod";
import { Fault } from "../../model/fault.ts";
import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext } from "./handler-context.ts";
import { option, performCommand } from "./perform-command.ts";

const SORTS = ["created", "updated", "status", "usd"] as const;

export const runsQuery = z.object({
  status: z.string().max(200).optional().describe("Only runs in one of these, such as running,blocked."),
  repo: z
    .string()
    .max(4_096)
    .optional()
    .describe("Only runs of this repository, or of folders below this one."),
  since: z.string().max(40).optional().describe("Only runs that changed since then: 2h, 7d, or a date."),
  blockedBy: z.string().max(100).optional().describe("Only runs that this blocks."),
  sort: z.enum(SORTS).default("created").describe("Newest, or largest, first."),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().max(300).optional(),
});

type Query = z.infer<typeof runsQuery>;
type Row = Readonly<Record<string, unknown>> & { readonly run: string };

/** A page of what `runs` lists. The cursor names the last run of the page before, so that new runs move nothing. */
export async function runsPage(context: HandlerContext, query: Query): Promise<HandlerAnswer> {
  const { status, repo, since, blockedBy } = query;
  const words = [
    ...["runs", ...option("status", status), ...option("repo", repo)],
    ...[...option("since", since), ...option("blocked-by", blockedBy)],
  ];
  return performCommand(context, words, {
    document: ({ documents }) => {
      const document = (documents.at(-1) ?? { runs: [] }) as { readonly runs: readonly Row[] };
      return { ...document, ...pageOf(document.runs, query) };
    },
  });
}

function pageOf(runs: readonly Row[], { sort, limit, cursor }: Query) {
  const sorted =
    sort === "created" ? runs : [...runs].sort((one, other) => compare(other[key(sort)], one[key(sort)]));
  const at = cursor === undefined ? -1 : sorted.findIndex(({ run }) => run === cursor);
  if (cursor !== undefined && at === -1)
    throw new Fault(
      "not_found",
      `the page behind ${cursor} is not known any more; begin again without a cursor`,
    );
  const page = sorted.slice(at + 1, at + 1 + limit);
  const isLast = at + 1 + limit >= sorted.length;
  return { runs: page, total: sorted.length, next: isLast ? null : (page.at(-1)?.run ?? null) };
}

const key = (sort: Query["sort"]): string => (sort === "updated" ? "updatedAt" : sort);

function compare(one: unknown, other: unknown): number {
  if (typeof one === "number" || typeof other === "number") return Number(one ?? 0) - Number(other ?? 0);
  const [a, b] = [typeof one === "string" ? one : "", typeof other === "string" ? other : ""];
  return a < b ? -1 : a > b ? 1 : 0;
}
