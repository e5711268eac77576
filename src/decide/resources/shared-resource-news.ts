import type { SharedResourceNews, SharedResourceState, Incident } from "../../model/host/shared-resource.ts";

/**
 * What a run is to know of a shared resource: nothing of others that does not concern it, so that little of it is news.
 */
export function newsOf(state: SharedResourceState, run: string): SharedResourceNews {
  const { pause, incident, pardoned } = state;
  const begins = `${run}/`;
  return {
    pause: pause === null ? null : pauseNews(pause),
    incident: incident === null ? null : incidentNews(incident),
    pardons: pardoned
      .filter((member) => member.startsWith(begins))
      .map((member) => member.slice(begins.length)),
    ...(state.stop === null ? {} : { stop: state.stop }),
    ...(state.day === null ? {} : { day: state.day }),
  };
}

const pauseNews = ({
  id,
  why,
  since,
  until,
  nth,
  text,
  first,
  needed,
  about,
  reopenedAt,
  atOnce,
  named,
  boot,
}: NonNullable<SharedResourceState["pause"]>): NonNullable<SharedResourceNews["pause"]> => ({
  id,
  why,
  since,
  until,
  nth,
  text,
  first,
  needed,
  ...(about === undefined ? {} : { about }),
  reopenedAt,
  ...(atOnce === undefined ? {} : { atOnce }),
  ...(named === true ? { named } : boot === undefined ? {} : { boot }),
});

const incidentNews = ({ id, cause, since, text, by }: Incident): Incident => ({ id, cause, since, text, by });
