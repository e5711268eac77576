import { useId, type ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";

const KNOWN_MAX = 100;

/** The name of a run; the newest ones are offered. */
export function RunField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (run: string) => void;
}): ReactElement {
  const { label, value, onChange } = props;
  const { data } = useApi("listRuns", { query: { limit: KNOWN_MAX } });
  const id = useId();
  return (
    <label className="choice">
      <span className="muted small">{label}</span>
      <input
        className="input input-wide"
        list={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {(data?.runs ?? []).map(({ run }) => (
          <option key={run} value={run} />
        ))}
      </datalist>
    </label>
  );
}
