import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactElement } from "react";
import { en } from "../text/en.ts";

export const SEARCH_ID = "run-search";

/** Leads to the runs whose name or goal has these words. */
export function RunSearch(): ReactElement {
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ to: "/runs", search: words.trim() === "" ? {} : { q: words.trim() } });
    setWords("");
  };
  return (
    <form className="top-search" role="search" onSubmit={submit}>
      <input
        id={SEARCH_ID}
        type="search"
        aria-label={en.top.search}
        aria-keyshortcuts="/"
        placeholder={`${en.top.search}  ${en.top.searchHint}`}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Escape") currentTarget.blur();
        }}
      />
    </form>
  );
}
