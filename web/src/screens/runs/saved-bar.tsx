import { Link } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactElement } from "react";
import { en } from "../../text/en.ts";
import { isFiltered, type RunsSearch } from "./runs-search.ts";
import { useSavedFilters } from "./saved-filters.ts";

/** Filters that were kept under a name, and the way to keep this one. */
export function SavedBar({ search }: { readonly search: RunsSearch }): ReactElement | null {
  const saved = useSavedFilters();
  const [name, setName] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name === null || name.trim() === "") return;
    saved.save({ name: name.trim().slice(0, 80), search });
    setName(null);
  };
  const canSave = isFiltered(search);
  if (saved.all.length === 0 && !canSave) return null;
  return (
    <div className="row row-wrap" role="group" aria-label={en.runs.saved}>
      {saved.all.map((filter) => (
        <span key={filter.name} className="chip chip-saved">
          <Link to="/runs" search={filter.search}>
            {filter.name}
          </Link>
          <button
            type="button"
            className="link"
            aria-label={en.runs.remove(filter.name)}
            onClick={() => saved.remove(filter.name)}
          >
            ✕
          </button>
        </span>
      ))}
      {canSave && name === null && (
        <button type="button" className="link" onClick={() => setName("")}>
          {en.runs.save}
        </button>
      )}
      {name !== null && (
        <form className="row" onSubmit={submit}>
          <input
            className="input"
            aria-label={en.runs.saveAs}
            placeholder={en.runs.saveAs}
            autoFocus
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={({ key }) => {
              if (key === "Escape") setName(null);
            }}
          />
          <button type="submit" className="button button-main" disabled={name.trim() === ""}>
            {en.runs.save}
          </button>
        </form>
      )}
    </div>
  );
}
