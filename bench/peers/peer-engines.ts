/** What is needed to open an engine, besides what every child is given. */
export interface Engine {
  readonly label: string;
  /** `engines/NAME.mjs`. */
  readonly module: string;
  readonly needs?: "postgres" | "restate";
  readonly settings?: Readonly<Record<string, unknown>>;
}

export const HOLDFAST: Engine = { label: "Holdfast, SQLite", module: "holdfast" };
export const HOLDFAST_POSTGRES: Engine = {
  label: "Holdfast, PostgreSQL",
  module: "holdfast",
  needs: "postgres",
  settings: { onPostgres: true },
};
export const FUNCTIONAL: Engine = {
  label: "LangGraph functional, SQLite as published",
  module: "langgraph-functional",
};
export const FUNCTIONAL_FULL: Engine = {
  label: "LangGraph functional, SQLite synchronous=FULL",
  module: "langgraph-functional",
  settings: { full: true },
};
export const GRAPH_FULL: Engine = {
  label: "LangGraph graph, SQLite synchronous=FULL",
  module: "langgraph-graph",
  settings: { full: true },
};
export const GRAPH_DELTA_FULL: Engine = {
  label: "LangGraph graph, delta channel, SQLite synchronous=FULL",
  module: "langgraph-graph",
  settings: { full: true, delta: true },
};
export const RESTATE: Engine = { label: "Restate", module: "restate", needs: "restate" };
export const DBOS: Engine = { label: "DBOS, PostgreSQL", module: "dbos", needs: "postgres" };

export const STEP_ENGINES = [
  HOLDFAST,
  FUNCTIONAL,
  FUNCTIONAL_FULL,
  GRAPH_FULL,
  RESTATE,
  HOLDFAST_POSTGRES,
  DBOS,
] as const;
