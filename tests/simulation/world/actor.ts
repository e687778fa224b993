/** Lives the events of one actor: a handler for each kind. */
export type Handlers<Event extends { kind: string }> = {
  [Kind in Event["kind"]]: (event: Extract<Event, { kind: Kind }>) => Promise<void>;
};
