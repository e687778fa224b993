export const SERVICE_STATES = ["all", "enabled", "disabled"] as const;

/** The filters of the list of services. Margins are in basis points. */
export type ServiceFilter = {
  search: string;
  network: string | null;
  category: string | null;
  /** `manual`: services without a provider. */
  provider: number | "manual" | null;
  state: (typeof SERVICE_STATES)[number];
  marginBelow: number | null;
  belowCost: boolean;
  idle: boolean;
};

/** The parameters of a filter in a URL. */
export const FILTER_PARAMS = ["q", "network", "category", "provider", "state", "margin", "loss", "idle"] as const;

export const SERVICE_SORTS = [
  "id",
  "name",
  "network",
  "category",
  "provider",
  "cost",
  "rate",
  "margin",
  "orders",
  "p50",
  "enabled",
] as const;
export type ServiceSort = (typeof SERVICE_SORTS)[number];

/** Matching services are counted up to here, which is also how many one change takes. */
export const COUNTED_TO = 5000;

/** The cells that are changed in the list itself. */
export const CELL_FIELDS = ["name", "network", "category", "rate", "enabled"] as const;
export type CellField = (typeof CELL_FIELDS)[number];
